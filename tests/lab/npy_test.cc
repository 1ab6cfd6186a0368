#include "lab/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "npy_bytes.h"

namespace hb {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// An allocation of exactly the size, so that a sanitizer sees every read beyond it.
Result<NpyHeader> parse(const std::string& file) {
  const auto exact = std::make_unique<uint8_t[]>(file.size());
  std::copy(file.begin(), file.end(), exact.get());
  return parse_npy({exact.get(), file.size()});
}

std::string file_of(const std::string& dictionary, size_t data_bytes) {
  return npy_bytes(dictionary, std::string(data_bytes, 'x'));
}

TEST(Npy, ReadsBothVersionsAndTypes) {
  const std::string f32 = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }          \n";
  const auto first = parse(npy_bytes(f32, std::string(24, 'x'), 1));
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->type, FloatType::kF32);
  EXPECT_THAT(first->shape, ElementsAre(2, 3));
  EXPECT_EQ(first->data_offset, 10 + f32.size());
  const std::string f16 = "{\"shape\":(4,),\"fortran_order\":True,\"descr\":\"<f2\"}";
  const auto second = parse(npy_bytes(f16, std::string(8, 'x'), 2));
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(second->type, FloatType::kF16);
  EXPECT_THAT(second->shape, ElementsAre(4));
  EXPECT_EQ(second->data_offset, 12 + f16.size());
}

TEST(Npy, ReadsScalarsAndEmptyTensors) {
  EXPECT_TRUE(parse(file_of("{'descr': '<f4', 'fortran_order': False, 'shape': ()}", 4))->shape.empty());
  EXPECT_THAT(parse(file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 7)}", 0))->shape,
              ElementsAre(0, 7));
}

TEST(Npy, EveryTruncationAndEveryExtraByteIsAnError) {
  const std::string file = file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", 24);
  ASSERT_TRUE(parse(file));
  for (size_t size = 0; size < file.size(); ++size) EXPECT_FALSE(parse(file.substr(0, size))) << size;
  EXPECT_FALSE(parse(file + "x"));
  EXPECT_FALSE(parse(file + "xxxx"));
}

TEST(Npy, SaysWhatIsWrongInTheDictionary) {
  const struct {
    const char* dictionary;
    ErrorCode code;
    const char* why;
  } cases[] = {
      {"", ErrorCode::kBadFile, "byte 10: '{' is expected"},
      {"{}", ErrorCode::kBadFile, "is missing"},
      {"{'descr': '<f4', 'shape': (1,)}", ErrorCode::kBadFile, "is missing"},
      {"{'descr': '<f4', 'descr': '<f4'}", ErrorCode::kBadFile, "there twice"},
      {"{'colour': '<f4'}", ErrorCode::kBadFile, "unknown"},
      {"{'descr: 1}", ErrorCode::kBadFile, "has no end"},
      {"{descr: 1}", ErrorCode::kBadFile, "quoted string"},
      {"{'descr' '<f4'}", ErrorCode::kBadFile, "':' is expected"},
      {"{'descr': [('a', '<f4')]}", ErrorCode::kBadFile, "quoted string"},
      {"{'fortran_order': 0}", ErrorCode::kBadFile, "True or False"},
      {"{'shape': 3}", ErrorCode::kBadFile, "'(' is expected"},
      {"{'shape': (-1,)}", ErrorCode::kBadFile, "not a number from 0"},
      {"{'shape': (1 2)}", ErrorCode::kBadFile, "')' is expected"},
      {"{'shape': (18446744073709551616,)}", ErrorCode::kBadFile, "not a number from 0"},
      {"{'shape': (1,", ErrorCode::kBadFile, "not a number from 0"},
      {"{'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}", ErrorCode::kBadFile,
       "32 dimensions"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", ErrorCode::kBadFile,
       "follows the dictionary"},
      {"{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", ErrorCode::kUnsupported, "'>f4'"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}", ErrorCode::kUnsupported, "'<f8'"},
      {"{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1)}", ErrorCode::kUnsupported, "Fortran order"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", ErrorCode::kBadFile,
       "2^62"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", ErrorCode::kBadFile,
       "2 elements of 4 bytes"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,)}", ErrorCode::kBadFile,
       "bytes of data follow"},
  };
  for (const auto& c : cases) {
    const auto header = parse(file_of(c.dictionary, 4));
    ASSERT_FALSE(header) << c.dictionary;
    EXPECT_EQ(header.error().code, c.code) << c.dictionary;
    EXPECT_THAT(header.error().message, HasSubstr(c.why)) << c.dictionary;
  }
}

TEST(Npy, SaysWhatIsWrongBeforeTheDictionary) {
  const std::string good = file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 4);
  const auto changed = [&](size_t at, char byte) {
    std::string file = good;
    file[at] = byte;
    const auto header = parse(file);
    EXPECT_FALSE(header);
    return header.error();
  };
  EXPECT_THAT(changed(0, 'x').message, HasSubstr("not an npy file"));
  EXPECT_EQ(changed(6, 3).code, ErrorCode::kUnsupported);
  EXPECT_EQ(changed(7, 1).code, ErrorCode::kUnsupported);
  EXPECT_THAT(changed(9, '\xff').message, HasSubstr("the npy header has"));
}

}  // namespace
}  // namespace hb
