// Sessions: tokens in, logits out.
#include "api/api_error.h"
#include "api/handles.h"
#include "api/progress.h"
#include "api/sized_struct.h"
#include "halfbyte/halfbyte.h"

namespace hb::api {
namespace {

constexpr uint32_t kDefaultContext = 4096;

constexpr hb_session_options kDefaults = {
    .struct_size = sizeof(hb_session_options),
    .context = 0,
    .batch = 512,
    .shift = 0,
    .keep = 4,
};

Result<std::unique_ptr<hb_session>> create(const hb_model& model, const hb_session_options& options) {
  HB_TRY(is_switch(options.shift, "shift"));
  const uint32_t longest = model.model->plan().max_positions;
  const SessionOptions wanted = {
      .context = options.context != 0 ? options.context : std::min(kDefaultContext, longest),
      .batch = options.batch,
      .shift = options.shift != 0,
      .keep = options.keep,
  };
  HB_ASSIGN(Session session, Session::create(model.model, wanted));
  return std::make_unique<hb_session>(std::move(session));
}

}  // namespace
}  // namespace hb::api

using namespace hb::api;

hb_status hb_session_options_init(hb_session_options* options, size_t struct_size) {
  return guarded(nullptr, [&]() -> ApiStatus {
    HB_TRY(not_null(options, "options"));
    return write_struct(kDefaults, struct_size, options, "hb_session_options");
  });
}

hb_status hb_session_create(const hb_model* model, const hb_session_options* options, hb_session** session,
                            hb_error* error) {
  return guarded(error, [&]() -> ApiStatus {
    HB_TRY(not_null(model, "model"));
    HB_TRY(not_null(session, "session"));
    HB_ASSIGN(const hb_session_options known, read_struct(options, kDefaults, "hb_session_options"));
    HB_ASSIGN(std::unique_ptr<hb_session> created, create(*model, known));
    *session = created.release();
    return {};
  });
}

void hb_session_free(hb_session* session) { delete session; }

hb_status hb_session_append(hb_session* session, const int32_t* tokens, size_t count, hb_progress_fn progress,
                            void* progress_user, hb_error* error) {
  return with_session(session, error, [&](hb::Session& held) -> ApiStatus {
    HB_TRY(is_array(tokens, count, "tokens"));
    HB_TRY(held.append({tokens, count}, session_progress(progress, progress_user)));
    return {};
  });
}

hb_status hb_session_set_tokens(hb_session* session, const int32_t* tokens, size_t count, size_t* kept,
                                hb_progress_fn progress, void* progress_user, hb_error* error) {
  return with_session(session, error, [&](hb::Session& held) -> ApiStatus {
    HB_TRY(is_array(tokens, count, "tokens"));
    uint32_t there = 0;
    if (count == 0) {
      held.truncate(0);
    } else {
      HB_ASSIGN(there, held.set_tokens({tokens, count}, session_progress(progress, progress_user)));
    }
    if (kept != nullptr) *kept = there;
    return {};
  });
}

hb_status hb_session_truncate(hb_session* session, size_t count, hb_error* error) {
  return with_session(session, error, [&](hb::Session& held) -> ApiStatus {
    if (count < held.tokens().size()) held.truncate(static_cast<uint32_t>(count));
    return {};
  });
}

const int32_t* hb_session_tokens(const hb_session* session, size_t* count) {
  const size_t there = session == nullptr ? 0 : session->session.tokens().size();
  if (count != nullptr) *count = there;
  return there == 0 ? nullptr : session->session.tokens().data();
}

uint32_t hb_session_context(const hb_session* session) {
  return session == nullptr ? 0 : session->session.context();
}

const float* hb_session_logits(const hb_session* session, size_t* count) {
  const size_t there = session == nullptr ? 0 : session->session.logits().size();
  if (count != nullptr) *count = there;
  return there == 0 ? nullptr : session->session.logits().data();
}

uint64_t hb_session_logits_hash(const hb_session* session) {
  if (session == nullptr || session->session.logits().empty()) return 0;
  return hb::hash_logits(session->session.logits());
}

hb_status hb_session_save(hb_session* session, const char* path, hb_error* error) {
  return with_session(session, error, [&](hb::Session& held) -> ApiStatus {
    HB_TRY(not_null(path, "path"));
    HB_TRY(held.save(path));
    return {};
  });
}

hb_status hb_session_load(hb_session* session, const char* path, hb_error* error) {
  return with_session(session, error, [&](hb::Session& held) -> ApiStatus {
    HB_TRY(not_null(path, "path"));
    HB_TRY(held.load(path));
    return {};
  });
}
