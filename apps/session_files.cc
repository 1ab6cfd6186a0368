#include "apps/session_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "apps/engine_options.h"

namespace hb {
namespace {

std::string messages_path(const std::string& path) { return path + ".json"; }

}  // namespace

Status save_session(const std::string& path, const Session& session, const Conversation& conversation) {
  std::unique_ptr<NewFile> messages;
  if (!conversation.empty()) {
    HB_ASSIGN(messages, conversation.write(messages_path(path)));
  }
  HB_TRY(session.save(path));
  if (messages != nullptr) return messages->finish();
  std::error_code ignored;
  std::filesystem::remove(messages_path(path), ignored);
  return {};
}

Status load_session(const std::string& path, Session& session, Conversation& conversation) {
  if (const Status loaded = session.load(path); !loaded) return naming_option(loaded.error(), "--context");
  std::error_code ignored;
  if (!std::filesystem::exists(messages_path(path), ignored)) return {};
  HB_ASSIGN(conversation, Conversation::load(messages_path(path)));
  return {};
}

Result<uint32_t> room_for_answer(const Session& session, size_t prompt_tokens, uint32_t wanted) {
  if (prompt_tokens >= session.context()) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format(
            "the prompt has {} tokens, and the context of {} has to hold the answer too; use a larger "
            "--context or a shorter prompt",
            prompt_tokens, session.context()));
  }
  const auto room = static_cast<uint32_t>(session.context() - prompt_tokens);
  return wanted == 0 ? room : std::min(wanted, room);
}

}  // namespace hb
