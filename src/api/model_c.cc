// Models: loading, and what there is to know about them.
#include <nlohmann/json.hpp>

#include "api/api_error.h"
#include "api/handles.h"
#include "api/make_backend.h"
#include "api/sized_struct.h"
#include "halfbyte/halfbyte.h"

namespace hb::api {
namespace {

constexpr hb_model_options kDefaults = {
    .struct_size = sizeof(hb_model_options),
    .backend = "cpu",
    .isa = "auto",
    .cpu_mask = nullptr,
    .threads = 0,
    .spin_us = 30,
    .huge_pages = 1,
    .reserved = 0,
    .progress = nullptr,
    .progress_user = nullptr,
    .vulkan_device = nullptr,
    .cache_folder = nullptr,
};

std::string kernels_json(const Executable& executable) {
  auto rows = nlohmann::ordered_json::array();
  for (const KernelChoice& choice : executable.kernel_choices()) {
    rows.push_back({{"op", choice.op}, {"kernel", choice.kernel}, {"reason", choice.reason}});
  }
  return rows.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Result<ChatTemplate> parse_template(const Model& model) {
  if (!model.chat_template_source().empty()) return ChatTemplate::parse(model.chat_template_source());
  return fail(
      ErrorCode::kNotFound,
      "the model has no chat template; give template_name (chatml, llama3, gemma) or template_source");
}

Result<std::unique_ptr<hb_model>> load(const char* path, const hb_model_options& options) {
  HB_ASSIGN(std::unique_ptr<Backend> backend, make_backend(options));
  if (options.progress != nullptr) {
    backend = with_progress(std::move(backend), options.progress, options.progress_user);
  }
  HB_ASSIGN(std::shared_ptr<const Model> model, Model::load(path, std::move(backend)));
  return std::make_unique<hb_model>(hb_model{
      .model = model,
      .backend = model->backend().name(),
      .backend_description = model->backend().description(),
      .kernels_json = kernels_json(model->executable()),
      .chat_template = parse_template(*model),
  });
}

int32_t id_or_none(std::optional<int32_t> id) { return id.value_or(-1); }

}  // namespace
}  // namespace hb::api

using namespace hb::api;

hb_status hb_model_options_init(hb_model_options* options, size_t struct_size) {
  return guarded(nullptr, [&]() -> ApiStatus {
    HB_TRY(not_null(options, "options"));
    return write_struct(kDefaults, struct_size, options, "hb_model_options");
  });
}

hb_status hb_model_load(const char* path, const hb_model_options* options, hb_model** model,
                        hb_error* error) {
  return guarded(error, [&]() -> ApiStatus {
    HB_TRY(not_null(path, "path"));
    HB_TRY(not_null(model, "model"));
    HB_ASSIGN(const hb_model_options known, read_struct(options, kDefaults, "hb_model_options"));
    HB_ASSIGN(std::unique_ptr<hb_model> loaded, load(path, known));
    *model = loaded.release();
    return {};
  });
}

void hb_model_free(hb_model* model) { delete model; }

hb_status hb_model_get_info(const hb_model* model, hb_model_info* info, hb_error* error) {
  return guarded(error, [&]() -> ApiStatus {
    HB_TRY(not_null(model, "model"));
    HB_TRY(not_null(info, "info"));
    const hb::Model& loaded = *model->model;
    const hb_model_info known = {
        .struct_size = sizeof(hb_model_info),
        .architecture = loaded.plan().architecture.c_str(),
        .backend = model->backend.c_str(),
        .backend_description = model->backend_description.c_str(),
        .kernels_json = model->kernels_json.c_str(),
        .chat_template = loaded.chat_template_source().c_str(),
        .weight_bytes = loaded.executable().weight_bytes(),
        .weight_bytes_per_token = loaded.weight_bytes_per_token(),
        .vocab_size = static_cast<int32_t>(loaded.plan().vocab_size),
        .context = loaded.plan().max_positions,
    };
    return write_struct(known, info->struct_size, info, "hb_model_info");
  });
}

hb_status hb_model_get_special_tokens(const hb_model* model, hb_special_tokens* special, hb_error* error) {
  return guarded(error, [&]() -> ApiStatus {
    HB_TRY(not_null(model, "model"));
    HB_TRY(not_null(special, "special"));
    const hb::Tokenizer& tokenizer = model->model->tokenizer();
    const hb_special_tokens known = {
        .struct_size = sizeof(hb_special_tokens),
        .bos = id_or_none(tokenizer.bos()),
        .eos = id_or_none(tokenizer.eos()),
        .eot = id_or_none(tokenizer.eot()),
        .unk = id_or_none(tokenizer.unk()),
        .pad = id_or_none(tokenizer.pad()),
        .adds_bos = tokenizer.adds_bos(),
        .adds_eos = tokenizer.adds_eos(),
        .reserved = 0,
    };
    return write_struct(known, special->struct_size, special, "hb_special_tokens");
  });
}

int hb_token_is_end(const hb_model* model, int32_t token) {
  return model != nullptr && model->model->tokenizer().is_end_of_generation(token) ? 1 : 0;
}
