#include "base/aligned_buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace hb {
namespace {

bool is_zero(const AlignedBuffer& buffer) {
  return std::ranges::all_of(buffer.as<uint8_t>(), [](uint8_t byte) { return byte == 0; });
}

TEST(AlignedBufferTest, IsAlignedZeroedAndWritable) {
  for (const size_t size : {size_t{1}, size_t{63}, size_t{4097}, AlignedBuffer::kMapFromBytes - 1,
                            AlignedBuffer::kMapFromBytes, size_t{5} << 20}) {
    for (const auto pages : {AlignedBuffer::Pages::kNormal, AlignedBuffer::Pages::kHuge}) {
      auto buffer = AlignedBuffer::allocate(size, pages);
      ASSERT_TRUE(buffer) << size;
      EXPECT_EQ(buffer->size_bytes(), size);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % AlignedBuffer::kAlignment, 0u);
      if (pages == AlignedBuffer::Pages::kHuge && size >= AlignedBuffer::kMapFromBytes)
        EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % (2 << 20), 0u);
      EXPECT_TRUE(is_zero(*buffer));
      std::ranges::fill(buffer->as<uint8_t>(), uint8_t{1});
    }
  }
}

TEST(AlignedBufferTest, SpansHoldWholeElements) {
  const auto buffer = AlignedBuffer::allocate(4 * 10 + 3);
  ASSERT_TRUE(buffer);
  EXPECT_EQ(buffer->as<float>().size(), 10u);
}

TEST(AlignedBufferTest, MovesItsBytes) {
  auto first = AlignedBuffer::allocate(100).value();
  const uint8_t* data = first.data();
  AlignedBuffer second = std::move(first);
  EXPECT_EQ(first.size_bytes(), 0u);
  EXPECT_EQ(second.data(), data);
  AlignedBuffer third = AlignedBuffer::allocate(AlignedBuffer::kMapFromBytes).value();
  third = std::move(second);
  EXPECT_EQ(third.data(), data);
  EXPECT_EQ(third.size_bytes(), 100u);
}

TEST(AlignedBufferTest, TooMuchIsAnErrorWithTheSize) {
  const size_t size = std::numeric_limits<size_t>::max() / 2;
  for (const size_t size_bytes : {size, std::numeric_limits<size_t>::max()}) {
    for (const auto pages : {AlignedBuffer::Pages::kNormal, AlignedBuffer::Pages::kHuge}) {
      const auto buffer = AlignedBuffer::allocate(size_bytes, pages);
      ASSERT_FALSE(buffer);
      EXPECT_EQ(buffer.error().code, ErrorCode::kOutOfMemory);
      EXPECT_NE(buffer.error().message.find(std::to_string(size_bytes)), std::string::npos);
    }
  }
}

TEST(AlignedBufferTest, NothingIsEmpty) { EXPECT_EQ(AlignedBuffer::allocate(0)->data(), nullptr); }

}  // namespace
}  // namespace hb
