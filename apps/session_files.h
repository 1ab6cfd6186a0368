// Sessions of run and chat as files, and how much of a session is free.
#pragma once

#include <cstdint>
#include <string>

#include "apps/conversation.h"
#include "base/error.h"
#include "engine/session.h"

namespace hb {

// Two files: `path` with tokens, cache and logits, and beside it the messages, if there are any
// ("<path>.json"). A disk that has no room for both keeps the old ones. ERRORS: those of Session and
// Conversation; for a load also kNotFound if nothing was saved there.
Status save_session(const std::string& path, const Session& session, const Conversation& conversation);
Status load_session(const std::string& path, Session& session, Conversation& conversation);

// How many tokens an answer may have: `wanted` (0: as many as fit) or the room that a prompt leaves, if that
// is less. ERRORS: kInvalidArgument if there is no room.
Result<uint32_t> room_for_answer(const Session& session, size_t prompt_tokens, uint32_t wanted);

}  // namespace hb
