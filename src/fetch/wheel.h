// Reads one member of a wheel (a zip archive).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/error.h"

namespace hb {

using ByteSink = std::function<Status(std::span<const uint8_t>)>;

// Streams the member to `sink`, at most `limit_bytes` of it.
// ERRORS: kBadFile (no zip, no such member, checksum wrong, more than the limit), and whatever the sink
// returns.
Status read_wheel_member(const std::string& wheel, const std::string& member, uint64_t limit_bytes,
                         const ByteSink& sink);

}  // namespace hb
