// A loaded model: its file, tokenizer, plan and compiled weights. What sessions share.
#pragma once

#include <memory>
#include <string>

#include "backend/backend.h"
#include "base/error.h"
#include "model/gguf.h"
#include "model/tokenizer.h"
#include "plan/plan.h"

namespace hb {

// OWNS everything below it but the backend, which it shares. THREADS: immutable; any number of sessions may
// use it.
class Model {
 public:
  // ERRORS: those of GgufFile::open, build_plan, Tokenizer::from_gguf and Backend::compile, naming the file;
  // kOutOfMemory.
  static Result<std::shared_ptr<const Model>> load(const std::string& path, std::shared_ptr<Backend> backend);

  const GgufFile& file() const { return *file_; }
  const Tokenizer& tokenizer() const { return *tokenizer_; }
  const Plan& plan() const { return executable_->plan(); }
  const Backend& backend() const { return *backend_; }
  Executable& executable() const { return *executable_; }

  // The template text of the file, empty if it has none.
  const std::string& chat_template_source() const { return chat_template_source_; }

  // Bytes that one decoded token reads of the packed weights.
  uint64_t weight_bytes_per_token() const { return weight_bytes_per_token_; }

 private:
  Model() = default;
  static Result<std::shared_ptr<const Model>> load_parts(const std::string& path,
                                                         std::shared_ptr<Backend> backend);

  std::shared_ptr<Backend> backend_;
  std::unique_ptr<GgufFile> file_;
  std::unique_ptr<Tokenizer> tokenizer_;
  std::unique_ptr<Executable> executable_;
  std::string chat_template_source_;
  uint64_t weight_bytes_per_token_ = 0;
};

}  // namespace hb
