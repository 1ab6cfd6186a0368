#include "lab/npy.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>

namespace hb {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxDims = 32;

// The dictionary in the header: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } in any order of
// keys.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, size_t file_offset) : text_(text), file_offset_(file_offset) {}

  Status parse() {
    HB_TRY(expect('{'));
    while (!accept('}')) {
      HB_TRY(parse_entry());
      if (!accept(',')) {
        HB_TRY(expect('}'));
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) return bad("something follows the dictionary");
    if (!descr || !fortran_order || !shape) return bad("one of descr, fortran_order and shape is missing");
    return {};
  }

  std::optional<std::string_view> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<uint64_t>> shape;

 private:
  Status parse_entry() {
    HB_ASSIGN(const std::string_view key, parse_string());
    HB_TRY(expect(':'));
    if (key == "descr" && !descr) return parse_into(descr, parse_string());
    if (key == "fortran_order" && !fortran_order) return parse_into(fortran_order, parse_bool());
    if (key == "shape" && !shape) return parse_into(shape, parse_shape());
    return bad("a key is unknown or there twice");
  }

  template <class T>
  static Status parse_into(std::optional<T>& field, Result<T> value) {
    if (!value) return std::unexpected(value.error());
    field = std::move(*value);
    return {};
  }

  Result<std::string_view> parse_string() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') return bad("a quoted string is expected");
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return bad("a string has no end");
    const std::string_view value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return value;
  }

  Result<bool> parse_bool() {
    skip_space();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return value;
    }
    return bad("True or False is expected");
  }

  Result<std::vector<uint64_t>> parse_shape() {
    HB_TRY(expect('('));
    std::vector<uint64_t> dims;
    while (!accept(')')) {
      if (dims.size() == kMaxDims) return bad("more than 32 dimensions");
      HB_ASSIGN(const uint64_t dim, parse_dim());
      dims.push_back(dim);
      if (accept(',')) continue;
      HB_TRY(expect(')'));
      break;
    }
    return dims;
  }

  Result<uint64_t> parse_dim() {
    skip_space();
    uint64_t value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc()) return bad("a dimension is not a number from 0 to 2^64 - 1");
    at_ += static_cast<size_t>(end - begin);
    return value;
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }

  bool accept(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Status expect(char c) {
    if (accept(c)) return {};
    return bad(fmt::format("'{}' is expected", c));
  }

  std::unexpected<Error> bad(std::string_view what) const {
    return fail(ErrorCode::kBadFile, fmt::format("npy header, byte {}: {}", file_offset_ + at_, what));
  }

  std::string_view text_;
  size_t file_offset_;
  size_t at_ = 0;
};

// Where the dictionary lies in the file.
Result<std::string_view> header_text(std::string_view file) {
  if (!file.starts_with(kMagic) || file.size() < 8) {
    return fail(ErrorCode::kBadFile,
                "byte 0: not an npy file: it does not begin with \\x93NUMPY and a version");
  }
  const auto byte = [file](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(file[i])); };
  const size_t version = byte(6);
  if ((version != 1 && version != 2) || byte(7) != 0) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("npy version {}.{}; versions 1.0 and 2.0 are read", version, byte(7)));
  }
  const size_t begin = version == 1 ? 10 : 12;
  if (file.size() < begin) return fail(ErrorCode::kBadFile, "the file ends inside the npy header's length");
  size_t length = byte(8) | byte(9) << 8;
  if (version == 2) length |= byte(10) << 16 | byte(11) << 24;
  if (length > file.size() - begin) {
    return fail(ErrorCode::kBadFile, fmt::format("byte 8: the npy header has {} bytes, and only {} follow",
                                                 length, file.size() - begin));
  }
  return file.substr(begin, length);
}

Result<FloatType> parse_descr(std::string_view descr) {
  if (descr == "<f2") return FloatType::kF16;
  if (descr == "<f4") return FloatType::kF32;
  return fail(ErrorCode::kUnsupported,
              fmt::format("npy elements of type '{}'; '<f2' and '<f4' can be compared", descr));
}

Status check_data_size(const NpyHeader& header, size_t file_bytes) {
  HB_ASSIGN(const uint64_t elements, elements_of(header.shape));
  const size_t data_bytes = file_bytes - header.data_offset;
  const size_t element_bytes = size_of(header.type);
  if (data_bytes % element_bytes == 0 && data_bytes / element_bytes == elements) return {};
  return fail(ErrorCode::kBadFile,
              fmt::format("the npy shape holds {} elements of {} bytes, and {} bytes of data follow byte {}",
                          elements, element_bytes, data_bytes, header.data_offset));
}

}  // namespace

const char* float_type_name(FloatType type) { return type == FloatType::kF16 ? "f16" : "f32"; }

Result<uint64_t> elements_of(std::span<const uint64_t> shape) {
  constexpr uint64_t kMost = uint64_t{1} << 62;
  for (const uint64_t dim : shape) {
    if (dim == 0) return 0;
  }
  uint64_t elements = 1;
  for (const uint64_t dim : shape) {
    if (dim > kMost / elements) return fail(ErrorCode::kBadFile, "the shape has more than 2^62 elements");
    elements *= dim;
  }
  return elements;
}

Result<NpyHeader> parse_npy(std::span<const uint8_t> file) {
  const std::string_view bytes(reinterpret_cast<const char*>(file.data()), file.size());
  HB_ASSIGN(const std::string_view text, header_text(bytes));
  const auto text_offset = static_cast<size_t>(text.data() - bytes.data());
  HeaderParser parser(text, text_offset);
  HB_TRY(parser.parse());
  NpyHeader header;
  HB_ASSIGN(header.type, parse_descr(*parser.descr));
  header.shape = *parser.shape;
  header.data_offset = text_offset + text.size();
  if (*parser.fortran_order && header.shape.size() > 1) {
    return fail(ErrorCode::kUnsupported, "npy in Fortran order; save it with numpy.ascontiguousarray");
  }
  HB_TRY(check_data_size(header, file.size()));
  return header;
}

}  // namespace hb
