#include "model/gguf_header.h"

#include <bit>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace hb {
namespace {

constexpr uint32_t kMagic = 0x46554747;  // "GGUF"
constexpr uint32_t kVersion = 3;
constexpr uint32_t kDefaultAlignment = 32;

void append_bytes(std::vector<uint8_t>* out, const void* data, size_t size_bytes) {
  if (size_bytes == 0) return;
  const size_t old_size = out->size();
  out->resize(old_size + size_bytes);
  std::memcpy(out->data() + old_size, data, size_bytes);
}

template <class T>
void append_number(std::vector<uint8_t>* out, T value) {
  append_bytes(out, &value, sizeof value);
}

void append_string(std::vector<uint8_t>* out, std::string_view text) {
  append_number(out, uint64_t{text.size()});
  append_bytes(out, text.data(), text.size());
}

uint64_t round_up(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace

GgufHeader::GgufHeader(uint32_t alignment) : alignment_(alignment) {
  HB_CHECK(std::has_single_bit(alignment) && alignment >= 8);
  if (alignment != kDefaultAlignment) set("general.alignment", alignment);
}

void GgufHeader::begin_pair(std::string_view key, GgufKind kind) {
  HB_CHECK(!key.empty());
  HB_CHECK(names_.insert("key " + std::string(key)).second);
  ++pair_count_;
  append_string(&pairs_, key);
  append_number(&pairs_, kind);
}

void GgufHeader::begin_array(std::string_view key, GgufKind element_kind, uint64_t count) {
  begin_pair(key, GgufKind::kArray);
  append_number(&pairs_, element_kind);
  append_number(&pairs_, count);
}

void GgufHeader::append(const void* data, size_t size_bytes) { append_bytes(&pairs_, data, size_bytes); }

void GgufHeader::set(std::string_view key, std::string_view text) {
  begin_pair(key, GgufKind::kString);
  append_string(&pairs_, text);
}

void GgufHeader::set(std::string_view key, const GgufValue& value) {
  if (const auto text = value.as_string()) return set(key, *text);
  if (value.kind() == GgufKind::kArray) {
    begin_array(key, value.element_kind(), value.count());
  } else {
    begin_pair(key, value.kind());
  }
  append(value.bytes().data(), value.bytes().size());
}

void GgufHeader::set_strings(std::string_view key, std::span<const std::string> texts) {
  begin_array(key, GgufKind::kString, texts.size());
  for (const std::string& text : texts) append_string(&pairs_, text);
}

void GgufHeader::add_tensor(std::string name, TensorType type, std::vector<uint64_t> dims) {
  HB_CHECK(!name.empty() && names_.insert("tensor " + name).second);
  HB_CHECK(!dims.empty() && dims.size() <= 4);
  const TensorTypeInfo& info = tensor_type_info(type);
  HB_CHECK_EQ(dims[0] % info.block_elems, 0u);
  uint64_t elems = 1;
  for (const uint64_t dim : dims) elems *= dim;
  HB_CHECK(elems > 0);
  const uint64_t offset =
      tensors_.empty() ? 0 : round_up(tensors_.back().data_offset + tensors_.back().size_bytes, alignment_);
  tensors_.push_back(
      {std::move(name), type, std::move(dims), offset, elems / info.block_elems * info.block_bytes});
}

std::vector<uint8_t> GgufHeader::bytes() const {
  std::vector<uint8_t> out;
  append_number(&out, kMagic);
  append_number(&out, kVersion);
  append_number(&out, uint64_t{tensors_.size()});
  append_number(&out, pair_count_);
  append_bytes(&out, pairs_.data(), pairs_.size());
  for (const Tensor& tensor : tensors_) {
    append_string(&out, tensor.name);
    append_number(&out, static_cast<uint32_t>(tensor.dims.size()));
    append_bytes(&out, tensor.dims.data(), tensor.dims.size() * sizeof(uint64_t));
    append_number(&out, tensor.type);
    append_number(&out, tensor.data_offset);
  }
  out.resize(round_up(out.size(), alignment_));
  return out;
}

}  // namespace hb
