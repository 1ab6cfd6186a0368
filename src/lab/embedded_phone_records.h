// The files of tests/phone/golden, made part of the program by the build.
#pragma once

#include <span>

namespace hb {

struct EmbeddedPhoneRecord {
  const char* mesa;
  const char* phone;
  const char* json;
};
std::span<const EmbeddedPhoneRecord> embedded_phone_records();

}  // namespace hb
