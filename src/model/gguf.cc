#include "model/gguf.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/check.h"
#include "model/gguf_parser.h"
#include "model/gguf_value.h"
#include "model/printable.h"

namespace hb {
namespace {

// "name-00001-of-00003.gguf": what precedes the numbers, and the numbers.
struct SplitName {
  std::string prefix;
  uint64_t number = 0;  // from 1
  uint64_t count = 0;

  std::string path_of(uint64_t part) const {
    return fmt::format("{}-{:05}-of-{:05}.gguf", prefix, part, count);
  }
};

std::optional<SplitName> parse_split_name(const std::string& path) {
  constexpr size_t kSuffixSize = std::string_view("-00001-of-00003.gguf").size();
  if (path.size() <= kSuffixSize) return std::nullopt;
  SplitName name;
  name.prefix = path.substr(0, path.size() - kSuffixSize);
  const char* suffix = path.c_str() + name.prefix.size();
  unsigned number = 0;
  unsigned count = 0;
  if (std::sscanf(suffix, "-%5u-of-%5u.gguf", &number, &count) != 2) return std::nullopt;
  name.number = number;
  name.count = count;
  if (name.path_of(name.number) != path) return std::nullopt;
  return name;
}

Error missing_key(std::string_view key) {
  return {ErrorCode::kBadFile, fmt::format("key '{}' is missing", key)};
}

Error wrong_kind(std::string_view key, const GgufValue& value, const char* expected) {
  return {ErrorCode::kBadFile,
          fmt::format("offset {}: key '{}' is of type {}{}; {} was expected", value.file_offset(), key,
                      gguf_kind_name(value.kind()),
                      value.as_i64() ? fmt::format(" ({})", *value.as_i64()) : "", expected)};
}

// The value of `key` as `as` reads it.
template <class T>
Result<T> get(const GgufFile& file, std::string_view key, std::optional<T> (GgufValue::*as)() const,
              const char* expected) {
  const GgufValue* value = file.find(key);
  if (value == nullptr) return std::unexpected(missing_key(key));
  const std::optional<T> result = (value->*as)();
  if (!result) return std::unexpected(wrong_kind(key, *value, expected));
  return *result;
}

constexpr const char* kU64Expected = "an integer of at least 0";
constexpr const char* kF64Expected = "a number";

Status expect_key(const GgufFile& file, const char* key, uint64_t expected) {
  HB_ASSIGN(const uint64_t value, file.get_u64(key));
  if (value == expected) return {};
  return fail(ErrorCode::kBadFile,
              fmt::format("key '{}' is {}; its name and the other parts say {}", key, value, expected));
}

}  // namespace

uint64_t GgufTensor::rows() const {
  uint64_t rows = 1;
  for (size_t i = 1; i < dims.size(); ++i) rows *= dims[i];
  return rows;
}

Result<std::unique_ptr<GgufFile>> GgufFile::parse(std::span<const uint8_t> bytes) {
  std::unique_ptr<GgufFile> file(new GgufFile);
  HB_TRY(file->add_part(bytes));
  HB_ASSIGN(const uint64_t count, file->get_u64("split.count", 1));
  if (count > 1) {
    return fail(ErrorCode::kBadFile,
                fmt::format("key 'split.count': one part of {}; the others are needed", count));
  }
  return file;
}

Result<std::unique_ptr<GgufFile>> GgufFile::open(const std::string& path) {
  std::unique_ptr<GgufFile> file(new GgufFile);
  file->path_ = path;
  HB_TRY(file->open_parts(path));
  return file;
}

// A part's name says "-of-" and its metadata split.count. The first part holds the model's metadata.
Status GgufFile::open_parts(const std::string& path) {
  const std::optional<SplitName> name = parse_split_name(path);
  HB_TRY(open_part(name ? name->path_of(1) : path));
  HB_ASSIGN(const uint64_t count, get_u64("split.count", 1));
  if (count <= 1 && (!name || name->count <= 1)) return {};
  if (!name) {
    return fail(ErrorCode::kBadFile, fmt::format("{}: one part of {} (split.count), but its name is not like "
                                                 "'model-00001-of-{:05}.gguf'; give it its name back",
                                                 path, count, count));
  }
  for (uint64_t part = 2; part <= std::min(count, name->count); ++part) {
    HB_TRY(open_part(name->path_of(part)));
  }
  const auto in_first = [&](Status status) {
    return status ? status : std::unexpected(status.error().within(name->path_of(1)));
  };
  HB_TRY(in_first(expect_key(*this, "split.count", name->count)));
  return in_first(expect_key(*this, "split.tensors.count", tensors_.size()));
}

Status GgufFile::open_part(const std::string& path) {
  HB_ASSIGN(auto mapping, MappedFile::open(path));
  files_.push_back(std::move(mapping));
  const Status parsed = add_part(files_.back()->bytes());
  HB_TRY(files_.back()->intact());
  return parsed ? parsed : std::unexpected(parsed.error().within(path));
}

Status GgufFile::add_part(std::span<const uint8_t> bytes) {
  const uint32_t index = part_count_++;
  HB_ASSIGN(GgufPart part, GgufParser::parse(bytes));
  size_bytes_ += bytes.size();
  for (GgufTensor& tensor : part.tensors) {
    tensor.file_index = index;
    if (!tensor_index_.emplace(tensor.name, tensors_.size()).second) {
      return fail(ErrorCode::kBadFile, fmt::format("tensor '{}' is there twice", printable(tensor.name)));
    }
    tensors_.push_back(std::move(tensor));
  }
  if (index == 0) {
    version_ = part.version;
    metadata_ = std::move(part.metadata);
    HB_ASSIGN(const uint64_t count, get_u64("split.count", 1));
    return count > 1 ? expect_key(*this, "split.no", 0) : Status{};
  }
  GgufFile numbers;
  numbers.metadata_ = std::move(part.metadata);
  HB_TRY(expect_key(numbers, "split.no", index));
  HB_ASSIGN(const uint64_t count, get_u64("split.count"));
  return expect_key(numbers, "split.count", count);
}

const GgufValue* GgufFile::find(std::string_view key) const {
  const auto found = metadata_.find(key);
  return found == metadata_.end() ? nullptr : &found->second;
}

Result<uint64_t> GgufFile::get_u64(std::string_view key) const {
  return get(*this, key, &GgufValue::as_u64, kU64Expected);
}

Result<double> GgufFile::get_f64(std::string_view key) const {
  return get(*this, key, &GgufValue::as_f64, kF64Expected);
}

Result<std::string> GgufFile::get_string(std::string_view key) const {
  HB_ASSIGN(const std::string_view text, get(*this, key, &GgufValue::as_string, "a string"));
  return std::string(text);
}

Result<uint64_t> GgufFile::get_u64(std::string_view key, uint64_t fallback) const {
  return find(key) ? get_u64(key) : fallback;
}

Result<double> GgufFile::get_f64(std::string_view key, double fallback) const {
  return find(key) ? get_f64(key) : fallback;
}

Result<bool> GgufFile::get_bool(std::string_view key, bool fallback) const {
  return find(key) ? get(*this, key, &GgufValue::as_bool, "a bool") : fallback;
}

const GgufTensor* GgufFile::find_tensor(std::string_view name) const {
  const auto found = tensor_index_.find(name);
  return found == tensor_index_.end() ? nullptr : &tensors_[found->second];
}

uint64_t GgufFile::file_size_bytes() const { return size_bytes_; }

Status GgufFile::intact() const {
  for (const auto& file : files_) HB_TRY(file->intact());
  return {};
}

void GgufFile::release(std::span<const uint8_t> bytes) const {
  for (const auto& file : files_) {
    const std::span<const uint8_t> whole = file->bytes();
    if (bytes.data() < whole.data() || bytes.data() >= whole.data() + whole.size()) continue;
    file->release(static_cast<size_t>(bytes.data() - whole.data()), bytes.size());
  }
}

Result<const GgufTensor*> require_tensor(const GgufFile& file, std::string_view name,
                                         std::initializer_list<uint64_t> dims) {
  const GgufTensor* tensor = file.find_tensor(name);
  if (tensor == nullptr) return fail(ErrorCode::kNotFound, fmt::format("tensor '{}' is missing", name));
  if (std::ranges::equal(tensor->dims, dims)) return tensor;
  return fail(ErrorCode::kBadFile,
              fmt::format("offset {}: tensor '{}' is {}; the hyper-parameters ask for {}",
                          tensor->file_offset, name, fmt::join(tensor->dims, " x "), fmt::join(dims, " x ")));
}

}  // namespace hb
