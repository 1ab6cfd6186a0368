// The key-value cache of a CPU context, in the layout of attention_args.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/cpu/attention_args.h"
#include "base/aligned_buffer.h"
#include "base/error.h"
#include "plan/plan.h"

namespace hb::cpu {

class KvCache {
 public:
  // ERRORS: kOutOfMemory. Pages cost memory only when they are first written.
  static Result<KvCache> create(const std::vector<CacheLayer>& layers, uint32_t capacity);

  uint32_t capacity() const { return capacity_; }
  const uint16_t* keys(uint32_t layer, uint32_t head) const;
  const uint16_t* values(uint32_t layer, uint32_t head) const;

  // One position's row of keys and values, (kv_heads, head_dim) f16 each.
  void write(uint32_t layer, uint32_t position, const uint16_t* keys, const uint16_t* values);

  // The canonical form of `count` positions (backend.h): keys, then values, layer by layer.
  std::vector<uint16_t> read_rows(uint32_t position, uint32_t count) const;
  size_t row_elems() const;  // of one position, all layers, keys and values
  void write_rows(uint32_t position, uint32_t count, const uint16_t* rows);

 private:
  struct Layer {
    CacheLayer shape;
    size_t key_head_elems;    // distance of two heads' keys
    size_t value_head_elems;  // and values
    AlignedBuffer keys;
    AlignedBuffer values;
    std::vector<uint32_t> key_slots;  // of each element of a head, its place in lane order
  };
  size_t key_index(const Layer& layer, uint32_t head, uint32_t position, uint32_t d) const;
  size_t value_index(const Layer& layer, uint32_t head, uint32_t position) const;

  uint32_t capacity_ = 0;
  std::vector<Layer> layers_;
};

}  // namespace hb::cpu
