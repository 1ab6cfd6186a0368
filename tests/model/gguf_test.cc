#include "model/gguf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "model/raw_gguf.h"
#include "model/tiny_model.h"

namespace hb {
namespace {

using test::RawGguf;
using testing::HasSubstr;

// Parses a copy whose allocation ends where the bytes end, so that ASan sees a read past them.
Result<std::unique_ptr<GgufFile>> parse_exact(std::span<const uint8_t> bytes, std::vector<uint8_t>* keep) {
  *keep = std::vector<uint8_t>(bytes.begin(), bytes.end());
  keep->shrink_to_fit();
  return GgufFile::parse(*keep);
}

// Reads everything a file gives, so that a sanitizer can object.
uint64_t touch(const GgufFile& file) {
  uint64_t sum = 0;
  for (const auto& [key, value] : file.metadata()) {
    sum +=
        key.size() + value.as_u64().value_or(0) + (value.as_f64() ? 1 : 0) + value.as_bool().value_or(false);
    if (const auto text = value.as_string()) sum += std::ranges::count(*text, 'x');
    for (const auto text : value.as_strings().value_or(std::vector<std::string_view>{})) {
      sum += std::ranges::count(text, 'x');
    }
    for (const int64_t number : value.as_integers().value_or(std::vector<int64_t>{})) sum += number & 1;
    sum += value.as_floats().value_or(std::vector<float>{}).size();
  }
  for (const GgufTensor& tensor : file.tensors()) sum += std::ranges::count(tensor.bytes, 1) + tensor.rows();
  return sum;
}

// One of every kind of value, two tensors.
GgufHeader small_header() {
  GgufHeader header;
  header.set("u8", uint8_t{200});
  header.set("i8", int8_t{-3});
  header.set("u16", uint16_t{60000});
  header.set("i16", int16_t{-300});
  header.set("u32", uint32_t{4000000000});
  header.set("i32", int32_t{-70000});
  header.set("u64", ~uint64_t{0});
  header.set("i64", int64_t{-5000000000});
  header.set("f32", 1.5f);
  header.set("f64", -0.1);
  header.set("bool", true);
  header.set("text", "gr\u00fc\u00df");
  header.set_strings("texts", std::vector<std::string>{"", "a", std::string("\0\xff", 2)});
  header.set_array<int16_t>("shorts", std::vector<int16_t>{-1, 2});
  header.set_array<uint64_t>("longs", std::vector<uint64_t>{~uint64_t{0}});
  header.set_array<double>("doubles", std::vector<double>{0.5, 2.0});
  header.set_array<bool>("flags", std::array{true, false});
  header.set_array<float>("none", {});
  header.add_tensor("a", TensorType::kF32, {3, 2});
  header.add_tensor("b", TensorType::kQ4_0, {64});
  return header;
}

std::vector<uint8_t> small_file() {
  return test::gguf_file_bytes(small_header(), {std::vector<uint8_t>(24, 1), std::vector<uint8_t>(36, 2)});
}

TEST(GgufTest, GivesBackWhatWasWritten) {
  const auto bytes = small_file();
  const auto parsed = GgufFile::parse(bytes);
  ASSERT_TRUE(parsed) << parsed.error().message;
  const GgufFile& file = **parsed;
  EXPECT_EQ(file.version(), 3u);
  EXPECT_EQ(file.file_size_bytes(), bytes.size());
  EXPECT_EQ(file.metadata().size(), 18u);
  EXPECT_EQ(file.find("u8")->as_u64(), 200u);
  EXPECT_EQ(file.find("i8")->as_i64(), -3);
  EXPECT_EQ(file.find("u16")->as_i64(), 60000);
  EXPECT_EQ(file.find("i16")->as_i64(), -300);
  EXPECT_EQ(file.find("u32")->as_u64(), 4000000000u);
  EXPECT_EQ(file.find("i32")->as_i64(), -70000);
  EXPECT_EQ(file.find("u64")->as_u64(), ~uint64_t{0});
  EXPECT_EQ(file.find("i64")->as_i64(), -5000000000);
  EXPECT_EQ(file.find("f32")->as_f64(), 1.5);
  EXPECT_EQ(file.find("f64")->as_f64(), -0.1);
  EXPECT_EQ(file.find("bool")->as_bool(), true);
  EXPECT_EQ(file.find("text")->as_string(), "gr\u00fc\u00df");
  EXPECT_EQ(file.find("absent"), nullptr);

  ASSERT_EQ(file.tensors().size(), 2u);
  const GgufTensor* b = file.find_tensor("b");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->type, TensorType::kQ4_0);
  EXPECT_EQ(b->dims, std::vector<uint64_t>{64});
  EXPECT_EQ(b->rows(), 1u);
  EXPECT_EQ(b->bytes.data(), bytes.data() + b->file_offset);
  EXPECT_EQ(b->bytes.size(), 36u);
  EXPECT_TRUE(std::ranges::all_of(b->bytes, [](uint8_t byte) { return byte == 2; }));
  EXPECT_EQ(file.find_tensor("a")->rows(), 2u);
  file.release(b->bytes);
}

TEST(GgufTest, ArraysComeWhole) {
  const auto bytes = small_file();
  const auto file = *GgufFile::parse(bytes);
  EXPECT_EQ(file->find("texts")->as_strings(), (std::vector<std::string_view>{"", "a", {"\0\xff", 2}}));
  EXPECT_EQ(file->find("shorts")->as_integers(), (std::vector<int64_t>{-1, 2}));
  EXPECT_EQ(file->find("flags")->as_integers(), (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(file->find("doubles")->as_floats(), (std::vector<float>{0.5f, 2.0f}));
  EXPECT_EQ(file->find("none")->as_floats(), std::vector<float>{});
  EXPECT_EQ(file->find("shorts")->count(), 2u);
  EXPECT_EQ(file->find("shorts")->element_kind(), GgufKind::kI16);
}

TEST(GgufTest, WhatDoesNotFitIsNothing) {
  const auto bytes = small_file();
  const auto file = *GgufFile::parse(bytes);
  EXPECT_FALSE(file->find("i8")->as_u64());
  EXPECT_FALSE(file->find("u64")->as_i64());
  EXPECT_FALSE(file->find("f32")->as_u64());
  EXPECT_FALSE(file->find("bool")->as_u64());
  EXPECT_FALSE(file->find("u8")->as_bool());
  EXPECT_FALSE(file->find("u8")->as_string());
  EXPECT_FALSE(file->find("text")->as_f64());
  EXPECT_FALSE(file->find("u8")->as_integers());
  EXPECT_FALSE(file->find("longs")->as_integers());
  EXPECT_FALSE(file->find("shorts")->as_floats());
  EXPECT_FALSE(file->find("shorts")->as_strings());
  EXPECT_FALSE(file->find("texts")->as_integers());
  EXPECT_FALSE(file->find("texts")->as_string());
}

TEST(GgufTest, RequiredAndOptionalValuesNameTheKey) {
  const auto bytes = small_file();
  const auto file = *GgufFile::parse(bytes);
  EXPECT_EQ(file->get_u64("u8"), 200u);
  EXPECT_EQ(file->get_u64("absent", 7), 7u);
  EXPECT_EQ(file->get_f64("u8", 1.0), 200.0);
  EXPECT_EQ(file->get_string("text"), "gr\u00fc\u00df");
  EXPECT_EQ(file->get_bool("absent", true), true);
  EXPECT_THAT(file->get_u64("absent").error().message, HasSubstr("key 'absent' is missing"));
  EXPECT_THAT(file->get_u64("i8", 7).error().message, HasSubstr("key 'i8' is of type i8 (-3); an integer"));
  EXPECT_THAT(file->get_f64("text", 1.0).error().message,
              HasSubstr("key 'text' is of type string; a number"));
  EXPECT_THAT(file->get_bool("u8", true).error().message, HasSubstr("key 'u8' is of type u8 (200); a bool"));
  EXPECT_THAT(file->get_string("u8").error().message, HasSubstr("a string was expected"));
}

TEST(GgufTest, RequiredTensorsNameTheShape) {
  const auto bytes = small_file();
  const auto file = *GgufFile::parse(bytes);
  const auto tensor = require_tensor(*file, "a", {3, 2});
  ASSERT_TRUE(tensor);
  EXPECT_EQ((*tensor)->name, "a");
  EXPECT_EQ(require_tensor(*file, "c", {3}).error().code, ErrorCode::kNotFound);
  EXPECT_THAT(require_tensor(*file, "c", {3}).error().message, HasSubstr("tensor 'c' is missing"));
  EXPECT_THAT(require_tensor(*file, "a", {2, 3}).error().message, HasSubstr("tensor 'a' is 3 x 2; "));
  EXPECT_THAT(require_tensor(*file, "a", {3}).error().message, HasSubstr("ask for 3"));
}

TEST(GgufTest, EveryTruncationIsAnError) {
  const auto whole = small_file();
  std::vector<uint8_t> keep;
  ASSERT_TRUE(parse_exact(whole, &keep));
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto file = parse_exact(std::span(whole).first(size), &keep);
    ASSERT_FALSE(file) << "of " << size << " bytes";
    EXPECT_EQ(file.error().code, ErrorCode::kBadFile);
    EXPECT_THAT(file.error().message, HasSubstr("offset "));
  }
}

TEST(GgufTest, EveryChangedByteIsAnErrorOrAnotherSafeFile) {
  const auto whole = small_file();
  std::vector<uint8_t> keep;
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const uint8_t value : {0x00, 0x01, 0x08, 0x09, 0x7f, 0x80, 0xff}) {
      auto changed = whole;
      changed[i] = value;
      const auto file = parse_exact(changed, &keep);
      if (file) touch(**file);
    }
  }
}

TEST(GgufTest, TrailingBytesAreIgnored) {
  auto bytes = small_file();
  bytes.resize(bytes.size() + 100);
  EXPECT_TRUE(GgufFile::parse(bytes));
}

TEST(GgufTest, ReadsVersion2AndOtherAlignments) {
  const auto version_2 = RawGguf(1, 0, 2).tensor("t", {1}).data(4);
  EXPECT_EQ((*GgufFile::parse(version_2.bytes()))->version(), 2u);
  const auto aligned_to_64 =
      RawGguf(2, 1).pair("general.alignment", 64u).tensor("t", {1}).tensor("u", {1}, 64).data(68, 64);
  const auto file = GgufFile::parse(aligned_to_64.bytes());
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ((*file)->find_tensor("u")->file_offset % 64, 0u);
}

struct Hostile {
  const char* name;
  RawGguf file;
  const char* expected;  // in the message
};

class HostileGgufTest : public testing::TestWithParam<Hostile> {};

TEST_P(HostileGgufTest, IsAnErrorThatNamesWhatIsWrong) {
  std::vector<uint8_t> keep;
  const auto file = parse_exact(GetParam().file.bytes(), &keep);
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().message, HasSubstr(GetParam().expected));
}

constexpr uint64_t kHuge = uint64_t{1} << 48;
constexpr uint64_t kMinusOne = ~uint64_t{0};

const Hostile kHeaders[] = {
    {"Empty", RawGguf(), "offset 0: no GGUF file"},
    {"WrongMagic", RawGguf(0, 0, 3, "GGML"), "offset 0: no GGUF file"},
    {"Version0", RawGguf(0, 0, 0), "GGUF version 0"},
    {"Version1", RawGguf(0, 0, 1), "GGUF version 1"},
    {"Version4", RawGguf(0, 0, 4), "GGUF version 4"},
    {"BigEndian", RawGguf(0, 0, 3u << 24), "big-endian"},
    {"ManyTensors", RawGguf(kHuge, 0).data(0), "offset 8: 281474976710656 tensors announced"},
    {"MinusOneTensors", RawGguf(kMinusOne, 0).data(0), "18446744073709551615 tensors announced"},
    {"ManyPairs", RawGguf(0, kHuge).data(0), "offset 16: 281474976710656 metadata values announced"},
    {"MinusOnePairs", RawGguf(0, kMinusOne).data(0), "18446744073709551615 metadata values announced"},
    {"PairsOverTheLimit", RawGguf(0, 70000).data(2000000), "the limit is 65536"},
    {"TensorsOverTheLimit", RawGguf(140000, 0).data(6000000), "the limit is 131072"},
};

const Hostile kValues[] = {
    {"KeyTooLong", RawGguf(0, 1).u64(0xffffffffffff).data(64),
     "the key of metadata value 0 reaches past the end"},
    {"KeyWrapsAround", RawGguf(0, 1).u64(kMinusOne).data(64),
     "the key of metadata value 0 reaches past the end"},
    {"EmptyKey", RawGguf(0, 1).pair("", 1u), "offset 24: metadata value 0 has an empty key"},
    {"KeyWithNul", RawGguf(0, 1).pair(std::string_view("a\0b", 3), 1u),
     "key 'a\\x00b' is too long, no UTF-8"},
    {"KeyWithEscape", RawGguf(0, 1).pair("\x1b[2J", 1u), "key '\\x1b[2J' is too long, no UTF-8"},
    {"KeyNotUtf8", RawGguf(0, 1).pair("\xc3", 1u), "key '\\xc3' is too long, no UTF-8"},
    {"KeyOf70000", RawGguf(0, 1).pair(std::string(70000, 'k'), 1u), "k... (70000 bytes)' is too long"},
    {"DuplicateKey", RawGguf(0, 2).pair("a", 1u).pair("a", 2u), "key 'a' is there twice"},
    {"UnknownKind", RawGguf(0, 1).key("a", GgufKind{13}).u64(0), "key 'a': offset 33: 13 is no type"},
    {"NegativeKind", RawGguf(0, 1).key("a", GgufKind{0xffffffff}).u64(0), "4294967295 is no type"},
    {"StringPastTheEnd", RawGguf(0, 1).key("a", GgufKind::kString).u64(9).text("12345678"),
     "key 'a': offset 37: the string reaches past the end"},
    {"StringOf1GiB", RawGguf(0, 1).key("a", GgufKind::kString).u64(1 << 30),
     "the string reaches past the end"},
    {"StringWithNul", RawGguf(0, 1).key("a", GgufKind::kString).string({"a\0", 2}), "no UTF-8, or has a NUL"},
    {"StringNotUtf8", RawGguf(0, 1).key("a", GgufKind::kString).string("\xed\xa0\x80"), "no UTF-8"},
    {"BoolOf2", RawGguf(0, 1).key("a", GgufKind::kBool).number(uint8_t{2}), "a bool of 2"},
    {"BoolsOf2", RawGguf(0, 1).key("a", GgufKind::kArray).number(GgufKind::kBool).u64(1).number(uint8_t{2}),
     "bools with values other"},
    {"ArrayOfArrays", RawGguf(0, 1).key("a", GgufKind::kArray).number(GgufKind::kArray).u64(1).data(64),
     "key 'a': offset 37: an array of arrays"},
    {"ArrayOfUnknown", RawGguf(0, 1).key("a", GgufKind::kArray).u32(99).u64(1), "99 is no type"},
    {"ArrayPastTheEnd", RawGguf(0, 1).key("a", GgufKind::kArray).number(GgufKind::kU32).u64(2).u32(0),
     "an array of 2 u32s, longer than the rest"},
    {"ArrayWrapsAround",
     RawGguf(0, 1).key("a", GgufKind::kArray).number(GgufKind::kU64).u64(uint64_t{1} << 61),
     "longer than the rest"},
    {"StringsPastTheEnd",
     RawGguf(0, 1)
         .key("a", GgufKind::kArray)
         .number(GgufKind::kString)
         .u64(2)
         .string("12345678")
         .u64(5)
         .text("1"),
     "key 'a': offset 65: string 1 reaches past the end"},
    {"StringsWrapAround", RawGguf(0, 1).key("a", GgufKind::kArray).number(GgufKind::kString).u64(kMinusOne),
     "longer than the rest"},
};

RawGguf with_alignment(uint32_t alignment) {
  return RawGguf(1, 1).pair("general.alignment", alignment).tensor("t", {1}).data(4);
}

const Hostile kAlignments[] = {
    {"Zero", with_alignment(0), "key 'general.alignment' is 0; a power of two from 8 to 65536"},
    {"Four", with_alignment(4), "key 'general.alignment' is 4"},
    {"NoPowerOfTwo", with_alignment(48), "key 'general.alignment' is 48"},
    {"Huge", with_alignment(1 << 30), "key 'general.alignment' is 1073741824"},
    {"Signed", RawGguf(0, 1).pair("general.alignment", int32_t{32}), "is of type i32; u32 was expected"},
    {"Text", RawGguf(0, 1).key("general.alignment", GgufKind::kString).string("32"), "is of type string"},
};

const Hostile kTensors[] = {
    {"NoDims", RawGguf(1, 0).tensor("t", {}).data(64), "offset 24: tensor 't': it has 0 dimensions"},
    {"FiveDims", RawGguf(1, 0).tensor("t", {1, 1, 1, 1, 1}).data(64), "it has 5 dimensions"},
    {"BillionsOfDims", RawGguf(1, 0).string("t").u32(0xffffffff).data(64), "it has 4294967295 dimensions"},
    {"DimZero", RawGguf(1, 0).tensor("t", {4, 0}).data(64), "tensor 't': a dimension of 0"},
    {"DimNegative", RawGguf(1, 0).tensor("t", {kMinusOne}).data(64), "a dimension of -1"},
    {"DimsOverflow", RawGguf(1, 0).tensor("t", {(1ull << 42) + 1, 1ull << 22}).data(64),
     "more than 2^63 elements"},
    {"DimsWrapToSmall", RawGguf(1, 0).tensor("t", {1ull << 32, 1ull << 32, 1}).data(64),
     "more than 2^63 elements"},
    {"BytesOverflow", RawGguf(1, 0).tensor("t", {1ull << 62}).data(64),
     "4611686018427387904 elements of F32"},
    {"Exabytes", RawGguf(1, 0).tensor("t", {1ull << 60}).data(64),
     "its 4611686018427387904 bytes reach past"},
    {"PartOfABlock", RawGguf(1, 0).tensor("t", {48, 2}, 0, 2).data(64),
     "rows of 48 elements are no multiple of Q4_0"},
    {"UnknownType", RawGguf(1, 0).tensor("t", {32}, 0, 99).data(64), "tensor 't': its type is number 99"},
    {"NegativeType", RawGguf(1, 0).tensor("t", {32}, 0, 0xffffffff).data(64), "its type is number -1"},
    {"EmptyName", RawGguf(1, 0).tensor("", {1}).data(64), "tensor 0: its name '' is empty"},
    {"LongName", RawGguf(1, 0).tensor(std::string(65, 'n'), {1}).data(64), "longer than 64 bytes"},
    {"NameWithNewline", RawGguf(1, 0).tensor("t\nt", {1}).data(64), "its name 't\\x0at'"},
    {"NamePastTheEnd", RawGguf(1, 0).u64(1000).data(64), "the name of tensor 0 reaches past the end"},
    {"DuplicateName", RawGguf(2, 0).tensor("t", {8}).tensor("t", {8}, 32).data(64),
     "tensor 't' is there twice"},
    {"OffsetUnaligned", RawGguf(1, 0).tensor("t", {1}, 4).data(64),
     "begin 4 bytes from here; 0 was expected"},
    {"Overlapping", RawGguf(2, 0).tensor("t", {16}).tensor("u", {8}, 32).data(96),
     "tensor 'u': its data are said"},
    {"Gap", RawGguf(2, 0).tensor("t", {8}).tensor("u", {8}, 64).data(96), "begin 64 bytes from here; 32 was"},
    {"OffsetPastTheEnd", RawGguf(1, 0).tensor("t", {8}, 1 << 20).data(64), "0 was expected"},
    {"OffsetWrapsAround", RawGguf(1, 0).tensor("t", {8}, kMinusOne - 31).data(64), "0 was expected"},
    {"DataCutShort", RawGguf(1, 0).tensor("t", {17}).data(64), "its 68 bytes reach past the end of the file"},
    {"NoData", RawGguf(1, 0).tensor("t", {8}), "its 32 bytes reach past the end of the file"},
    {"OnePartOfThree", RawGguf(0, 2).pair("split.count", uint16_t{3}).pair("split.no", uint16_t{0}),
     "one part of 3"},
};

std::string name_of(const testing::TestParamInfo<Hostile>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Headers, HostileGgufTest, testing::ValuesIn(kHeaders), name_of);
INSTANTIATE_TEST_SUITE_P(Values, HostileGgufTest, testing::ValuesIn(kValues), name_of);
INSTANTIATE_TEST_SUITE_P(Alignments, HostileGgufTest, testing::ValuesIn(kAlignments), name_of);
INSTANTIATE_TEST_SUITE_P(Tensors, HostileGgufTest, testing::ValuesIn(kTensors), name_of);

}  // namespace
}  // namespace hb
