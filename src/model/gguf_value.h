// Facts about the kinds of GGUF metadata values.
#pragma once

#include <cstdint>

#include "model/gguf.h"

namespace hb {

// "u32", "string", ...; "unknown" for a number that is no kind.
const char* gguf_kind_name(GgufKind kind);

// Bytes of one value; 0 for strings and arrays, whose size lies in the file.
uint32_t gguf_kind_bytes(GgufKind kind);

}  // namespace hb
