// One conversation with a model: the tokens so far, their cache, and the logits of what comes next.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/error.h"
#include "engine/model.h"
#include "engine/sampler.h"

namespace hb {

struct SessionOptions {
  uint32_t context = 4096;  // positions; more than the model was trained for is refused
  uint32_t batch = 512;  // tokens that one forward pass takes at most; does not change any bit of the result

  // What happens when the context is full: 0 ends with an error; otherwise half of it is dropped, except the
  // first `keep` tokens (attention sinks). The kept tokens are then evaluated again at their new positions,
  // so the session is, bit for bit, a fresh one that was given exactly those tokens.
  bool shift = false;
  uint32_t keep = 4;
};

// THREADS: one at a time. OWNS its cache, shares the model.
class Session {
 public:
  // Called between batches of a long evaluation with the tokens done and in all; false stops with kCancelled.
  using Progress = std::function<bool(uint32_t done, uint32_t total)>;

  // ERRORS: kInvalidArgument (a context of 0 or beyond the model's), kOutOfMemory.
  static Result<Session> create(std::shared_ptr<const Model> model, const SessionOptions& options);

  const Model& model() const { return *model_; }
  const std::vector<int32_t>& tokens() const { return tokens_; }
  uint32_t context() const { return context_->capacity(); }
  // Not one token more can be appended.
  bool is_full() const { return !options_.shift && tokens_.size() >= context(); }

  // Evaluates `tokens` after those that are there. Afterwards logits() are those of what follows.
  // ERRORS: kInvalidArgument (an id outside the vocabulary; more tokens than the context holds), kDevice,
  // kCancelled: the session then holds the tokens that were done.
  Status append(std::span<const int32_t> tokens, const Progress& progress = nullptr);

  // Appends `token`, then the likeliest token, and so on: `count` tokens, fewer where the context or the
  // device has no room for more, but one at least. Returns what was chosen, one more than was appended after
  // `token`: the last one is still to be appended. It equals append() and the likeliest of logits(), token by
  // token. ERRORS: those of append().
  Result<std::vector<int32_t>> append_greedily(int32_t token, uint32_t count);

  // Makes the session hold exactly `tokens`, evaluating only what differs from what is there. Returns how
  // many tokens were kept. REQUIRES: at least one token. ERRORS: those of append(). If the tokens do not fit
  // the context, or one is outside the vocabulary, the session stays as it was; nothing is shifted here.
  Result<uint32_t> set_tokens(std::span<const int32_t> tokens, const Progress& progress = nullptr);

  // Forgets all tokens from `count` on. The logits are gone until the next append().
  void truncate(uint32_t count);

  // (vocab) floats for the token after the last. Valid until the session changes. Empty if there are none.
  std::span<const float> logits() const { return logits_; }

  // The logits of every one of `tokens`, (tokens, vocab) floats, through `row`: one call a token, in order.
  using RowFn = std::function<void(uint32_t index, std::span<const float> logits)>;
  Status append_with_logits(std::span<const int32_t> tokens, const RowFn& row);

  // A file with the tokens, their cache and the logits. Loading checks that it belongs to this model and fits
  // the context, and that all values are finite; a file that fails leaves the session as it was. A file that
  // cannot be written whole is not written at all. ERRORS: kNotFound, kIo, kBadFile, kInvalidArgument,
  // kOutOfMemory.
  Status save(const std::string& path) const;
  Status load(const std::string& path);

 private:
  Session(std::shared_ptr<const Model> model, const SessionOptions& options)
      : model_(std::move(model)), options_(options) {}

  Status check(std::span<const int32_t> tokens) const;
  Status does_not_fit(size_t count, size_t used) const;
  Status make_room(size_t count, const Progress& progress);
  Status evaluate(std::span<const int32_t> tokens, const Progress& progress);

  std::shared_ptr<const Model> model_;
  SessionOptions options_;
  std::unique_ptr<ExecutionContext> context_;
  std::vector<int32_t> tokens_;
  std::span<const float> logits_;
  std::vector<float> loaded_logits_;  // of a loaded session, until the first append()
};

// The bits of (count) floats as one number: FNV-1a over their little-endian bytes. Equal logits, equal hash.
uint64_t hash_logits(std::span<const float> logits);

}  // namespace hb
