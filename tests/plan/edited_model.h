// Model files with some tensors replaced, added or left out.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/tiny_model.h"

namespace hb::test {

struct TensorEdit {
  TensorType type = TensorType::kF32;
  std::vector<uint64_t> dims;   // GGUF's order; empty: the tensor is left out
  std::vector<uint8_t> data{};  // empty: random
};

// The file of `model` after `edits` by tensor name. Names that it lacks are added at the end.
std::vector<uint8_t> edited_model(const TinyModel& model, const std::map<std::string, TensorEdit>& edits);

}  // namespace hb::test
