// Tiny models on disk, every backend that this machine has, and sessions of them, for the tests of whole
// models.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "engine/session.h"
#include "model/temp_folder.h"
#include "model/tiny_model.h"

namespace hb::test {

std::shared_ptr<Backend> reference_backend();
std::shared_ptr<Backend> cpu_backend(uint32_t threads, const std::string& isa = "auto");

// The instruction sets that this machine runs, best first.
std::vector<std::string> usable_isas();

// The model must load.
std::shared_ptr<const Model> load(const std::string& path, std::shared_ptr<Backend> backend);
Session new_session(std::shared_ptr<const Model> model, const SessionOptions& options);

std::vector<int32_t> random_tokens(uint32_t count, uint32_t vocab, uint64_t seed = 1);

// A file of a tiny model, for one test.
class ModelFile {
 public:
  explicit ModelFile(const TinyModel& model);
  std::string path() const { return folder_.file("model.gguf"); }
  std::string file(const std::string& name) const { return folder_.file(name); }
  size_t file_count() const { return folder_.file_count(); }

 private:
  TempFolder folder_;
};

// (rows, vocab) logits of consecutive positions.
using LogitRows = std::vector<std::vector<float>>;
LogitRows logits_of_each(Session& session, const std::vector<int32_t>& tokens);
std::vector<float> copy_of(std::span<const float> logits);

// Equal bits and equal hashes, or the first difference.
::testing::AssertionResult same_bits(std::span<const float> expected, std::span<const float> actual);
::testing::AssertionResult same_bits(const LogitRows& expected, const LogitRows& actual);

}  // namespace hb::test
