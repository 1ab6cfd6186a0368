// Any bytes: a GGUF file or an error, and a file's values and tensors lie inside the bytes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/gguf.h"
#include "model/hparams.h"

namespace {

// Reads every value in every way, so that a sanitizer can object.
uint64_t read_value(const hb::GgufValue& value) {
  uint64_t sum = value.as_u64().value_or(0) + static_cast<uint64_t>(value.as_i64().value_or(0));
  sum += value.as_f64().has_value() + value.as_bool().value_or(false);
  if (const auto text = value.as_string()) sum += static_cast<uint64_t>(std::ranges::count(*text, 'x'));
  if (const auto texts = value.as_strings()) {
    for (const auto text : *texts) sum += static_cast<uint64_t>(std::ranges::count(text, 'x'));
  }
  if (const auto integers = value.as_integers()) sum += integers->size();
  if (const auto floats = value.as_floats()) sum += floats->size();
  return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file = hb::GgufFile::parse({data, size});
  if (!file) return 0;
  volatile uint64_t sum = 0;
  for (const auto& [key, value] : (*file)->metadata()) sum = sum + read_value(value);
  for (const hb::GgufTensor& tensor : (*file)->tensors()) {
    sum = sum + tensor.rows() + static_cast<uint64_t>(std::ranges::count(tensor.bytes, 0));
  }
  const auto hyperparameters = hb::read_hyperparameters(**file);
  sum = sum + (hyperparameters ? hyperparameters->sliding_layers.size() : 0);
  return 0;
}
