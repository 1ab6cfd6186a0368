// The attention op on the thread pool: which columns and spans of the cache a kernel call works on.
#pragma once

#include <cstdint>

#include "backend/cpu/activations.h"
#include "backend/cpu/cpu_shared.h"
#include "backend/cpu/kv_cache.h"
#include "base/aligned_buffer.h"
#include "base/error.h"
#include "plan/plan.h"

namespace hb::cpu {

// OWNS scratch memory for a cache of a given capacity.
//
// Query rows are cut into units: up to 16 columns (tokens and heads) that read the same KV head. A unit's
// spans of 256 positions are scored, then, once the maximum over all of them is known, weighted and added in
// ascending order. With many units (prefill) each is one chunk of work; with few (decode) a chunk is one span
// of one unit.
class Attention {
 public:
  // ERRORS: kOutOfMemory.
  static Result<Attention> create(const Plan& plan, uint32_t capacity, uint32_t threads);

  // Rows of `query` are the tokens at position, position + 1, …, already written to the cache.
  void run(const AttentionOp& op, const KvCache& cache, uint32_t position, Activation& query, Activation& out,
           Shared& shared);

 private:
  struct Job;
  struct Unit;
  struct SpanScratch;

  Unit make_unit(const Job& job, uint32_t index) const;
  SpanScratch scratch(uint32_t slot, uint32_t span) const;
  void score_span(const Job& job, const Unit& unit, uint32_t slot, uint32_t span) const;
  void value_span(const Job& job, const Unit& unit, uint32_t slot, uint32_t span) const;
  void finish(const Job& job, const Unit& unit, uint32_t slot) const;

  uint32_t span_capacity_ = 0;
  uint32_t width_ = 0;  // the largest padded head dimension
  uint32_t slots_ = 0;
  AlignedBuffer scratch_;
};

}  // namespace hb::cpu
