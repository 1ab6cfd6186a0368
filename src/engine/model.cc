#include "engine/model.h"

#include "base/memory_errors.h"
#include "plan/build_plan.h"

namespace hb {
namespace {

// Lets go of the file's pages as soon as the backend has packed them, so that the file and the packed weights
// are never in memory together.
void release_bytes(void* user, std::span<const uint8_t> bytes) {
  static_cast<const GgufFile*>(user)->release(bytes);
}

}  // namespace

Result<std::shared_ptr<const Model>> Model::load(const std::string& path, std::shared_ptr<Backend> backend) {
  return without_bad_alloc("the model", [&] { return load_parts(path, std::move(backend)); });
}

Result<std::shared_ptr<const Model>> Model::load_parts(const std::string& path,
                                                       std::shared_ptr<Backend> backend) {
  std::shared_ptr<Model> model(new Model);
  model->backend_ = std::move(backend);
  HB_ASSIGN(model->file_, GgufFile::open(path));
  GgufFile& file = *model->file_;
  HB_ASSIGN(model->tokenizer_, Tokenizer::from_gguf(file));
  HB_ASSIGN(const Plan plan, build_plan(file));
  model->weight_bytes_per_token_ = hb::weight_bytes_per_token(plan);
  auto executable = model->backend_->compile(plan, {.bytes_done = release_bytes, .user = &file});
  HB_TRY(file.intact());  // first: zeros from a vanished page explain whatever else went wrong
  if (!executable) return std::unexpected(executable.error().within(path));
  model->executable_ = std::move(*executable);
  if (const GgufValue* source = file.find("tokenizer.chat_template")) {
    model->chat_template_source_ = source->as_string().value_or("");
  }
  return model;
}

}  // namespace hb
