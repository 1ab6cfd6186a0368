#include "quant/tensor_type.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace hb {
namespace {

constexpr std::array kTypes = {
    TensorTypeInfo{TensorType::kF32, "F32", 1, 4},
    TensorTypeInfo{TensorType::kF16, "F16", 1, 2},
    TensorTypeInfo{TensorType::kBF16, "BF16", 1, 2},
    TensorTypeInfo{TensorType::kQ4_0, "Q4_0", 32, 18},
    TensorTypeInfo{TensorType::kQ4_1, "Q4_1", 32, 20},
    TensorTypeInfo{TensorType::kQ5_0, "Q5_0", 32, 22},
    TensorTypeInfo{TensorType::kQ5_1, "Q5_1", 32, 24},
    TensorTypeInfo{TensorType::kQ8_0, "Q8_0", 32, 34},
    TensorTypeInfo{TensorType::kIQ4_NL, "IQ4_NL", 32, 18},
    TensorTypeInfo{TensorType::kQ2_K, "Q2_K", 256, 84},
    TensorTypeInfo{TensorType::kQ3_K, "Q3_K", 256, 110},
    TensorTypeInfo{TensorType::kQ4_K, "Q4_K", 256, 144},
    TensorTypeInfo{TensorType::kQ5_K, "Q5_K", 256, 176},
    TensorTypeInfo{TensorType::kQ6_K, "Q6_K", 256, 210},
};

const TensorTypeInfo* find(uint32_t number) {
  const auto same_number = [number](const TensorTypeInfo& info) {
    return static_cast<uint32_t>(info.type) == number;
  };
  const auto found = std::ranges::find_if(kTypes, same_number);
  return found == kTypes.end() ? nullptr : &*found;
}

}  // namespace

std::optional<TensorTypeInfo> tensor_type_info(uint32_t gguf_type_number) {
  const TensorTypeInfo* info = find(gguf_type_number);
  return info ? std::optional(*info) : std::nullopt;
}

const TensorTypeInfo& tensor_type_info(TensorType type) {
  const TensorTypeInfo* info = find(static_cast<uint32_t>(type));
  HB_CHECK(info != nullptr);
  return *info;
}

}  // namespace hb
