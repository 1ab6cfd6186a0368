#include "lab/tensor_file.h"

#include <fmt/format.h>

namespace hb {
namespace {

Status read_npy(TensorFile& tensor) {
  const auto bytes = tensor.file->bytes();
  HB_ASSIGN(NpyHeader header, parse_npy(bytes));
  tensor.type = header.type;
  tensor.shape = std::move(header.shape);
  tensor.elements = bytes.subspan(header.data_offset);
  return {};
}

Status read_raw(TensorFile& tensor, const RawTensorFormat& raw) {
  const auto bytes = tensor.file->bytes();
  if (!raw.type) {
    return fail(ErrorCode::kInvalidArgument, "not named .npy, so its element type must be given: f16 or f32");
  }
  tensor.type = *raw.type;
  tensor.shape = raw.shape;
  tensor.elements = bytes;
  const size_t element_bytes = size_of(tensor.type);
  if (bytes.size() % element_bytes != 0) {
    return fail(ErrorCode::kBadFile, fmt::format("{} bytes are no whole number of {} elements", bytes.size(),
                                                 float_type_name(tensor.type)));
  }
  if (!raw.shape) return {};
  HB_ASSIGN(const uint64_t expected, elements_of(*raw.shape));
  if (expected == tensor.count()) return {};
  return fail(ErrorCode::kBadFile, fmt::format("holds {} {} elements; the given shape has {}", tensor.count(),
                                               float_type_name(tensor.type), expected));
}

Status read(TensorFile& tensor, const std::string& path, const RawTensorFormat& raw) {
  HB_TRY(path.ends_with(".npy") ? read_npy(tensor) : read_raw(tensor, raw));
  if (tensor.elements.empty()) return fail(ErrorCode::kBadFile, "holds no element");
  return {};
}

}  // namespace

Result<TensorFile> open_tensor(const std::string& path, const RawTensorFormat& raw) {
  TensorFile tensor;
  HB_ASSIGN(tensor.file, MappedFile::open(path));
  if (const Status status = read(tensor, path, raw); !status) {
    return std::unexpected(status.error().within(path));
  }
  return tensor;
}

}  // namespace hb
