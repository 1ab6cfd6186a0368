#include "plan/edited_model.h"

#include "base/check.h"
#include "model/gguf.h"
#include "model/gguf_header.h"

namespace hb::test {
namespace {

struct Contents {
  GgufHeader header;
  std::vector<std::vector<uint8_t>> data;

  void add(const std::string& name, TensorType type, std::vector<uint64_t> dims, std::vector<uint8_t> bytes) {
    header.add_tensor(name, type, std::move(dims));
    data.push_back(std::move(bytes));
  }

  void add(const std::string& name, const TensorEdit& edit) {
    if (edit.dims.empty()) return;
    const uint64_t rows = edit.dims.size() > 1 ? edit.dims[1] : 1;
    add(name, edit.type, edit.dims,
        edit.data.empty() ? random_tensor(edit.type, edit.dims[0], rows, 7) : edit.data);
  }
};

}  // namespace

std::vector<uint8_t> edited_model(const TinyModel& model, const std::map<std::string, TensorEdit>& edits) {
  const std::vector<uint8_t> original = make_tiny_model(model);
  const auto file = GgufFile::parse(original);
  HB_CHECK(file.has_value());
  Contents contents;
  for (const auto& [key, value] : (*file)->metadata()) contents.header.set(key, value);
  for (const GgufTensor& tensor : (*file)->tensors()) {
    const auto edit = edits.find(tensor.name);
    if (edit != edits.end()) {
      contents.add(tensor.name, edit->second);
    } else {
      contents.add(tensor.name, tensor.type, tensor.dims, {tensor.bytes.begin(), tensor.bytes.end()});
    }
  }
  for (const auto& [name, edit] : edits) {
    if ((*file)->find_tensor(name) == nullptr) contents.add(name, edit);
  }
  return gguf_file_bytes(contents.header, contents.data);
}

}  // namespace hb::test
