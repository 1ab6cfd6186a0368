// Facts about the kinds of GGUF metadata values.
#pragma once

#include <cstdint>

#include "model/gguf.h"

namespace hb {

// The kind that stores a T, for the number types and bool.
template <class T>
inline constexpr GgufKind kGgufKindOf = GgufKind::kArray;
template <>
inline constexpr GgufKind kGgufKindOf<uint8_t> = GgufKind::kU8;
template <>
inline constexpr GgufKind kGgufKindOf<int8_t> = GgufKind::kI8;
template <>
inline constexpr GgufKind kGgufKindOf<uint16_t> = GgufKind::kU16;
template <>
inline constexpr GgufKind kGgufKindOf<int16_t> = GgufKind::kI16;
template <>
inline constexpr GgufKind kGgufKindOf<uint32_t> = GgufKind::kU32;
template <>
inline constexpr GgufKind kGgufKindOf<int32_t> = GgufKind::kI32;
template <>
inline constexpr GgufKind kGgufKindOf<uint64_t> = GgufKind::kU64;
template <>
inline constexpr GgufKind kGgufKindOf<int64_t> = GgufKind::kI64;
template <>
inline constexpr GgufKind kGgufKindOf<float> = GgufKind::kF32;
template <>
inline constexpr GgufKind kGgufKindOf<double> = GgufKind::kF64;
template <>
inline constexpr GgufKind kGgufKindOf<bool> = GgufKind::kBool;

// A type that has a kind of its own.
template <class T>
concept GgufScalar = kGgufKindOf<T> != GgufKind::kArray;

// "u32", "string", ...; "unknown" for a number that is no kind.
const char* gguf_kind_name(GgufKind kind);

// Bytes of one value; 0 for strings and arrays, whose size lies in the file.
uint32_t gguf_kind_bytes(GgufKind kind);

}  // namespace hb
