// What is behind the opaque handles of halfbyte.h.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "api/api_error.h"
#include "engine/model.h"
#include "engine/session.h"
#include "model/chat_template.h"

// THREADS: immutable once loaded. The strings are what hb_model_info points to.
struct hb_model {
  std::shared_ptr<const hb::Model> model;
  std::string backend;
  std::string backend_description;
  std::string kernels_json;
  hb::Result<hb::ChatTemplate>
      chat_template;  // the file's; its error is reported only to who wants to use it
};

struct hb_session {
  hb::Session session;
  std::atomic<bool> busy = false;  // a function that changes the session is at work
};

namespace hb::api {

// Runs f(Session&) as the only one at work on the session.
template <class F>
hb_status with_session(hb_session* session, hb_error* error, F&& f) {
  return guarded(error, [&]() -> ApiStatus {
    HB_TRY(not_null(session, "session"));
    if (session->busy.exchange(true, std::memory_order_acquire)) {
      return fail(ErrorCode::kInvalidArgument,
                  "the session is at work in another thread, or in the call that this callback belongs to");
    }
    struct Release {
      std::atomic<bool>& busy;
      ~Release() { busy.store(false, std::memory_order_release); }
    };
    const Release release{session->busy};
    return f(session->session);
  });
}

}  // namespace hb::api
