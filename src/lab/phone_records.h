// What Mesa's compilers of phone GPUs made of the Vulkan kernels, as tools/phone recorded it: part of the
// program.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "backend/vulkan/device_facts.h"
#include "base/error.h"
#include "quant/tensor_type.h"

namespace hb {

struct PhoneRecord {
  std::string phone;  // "adreno-740"
  std::string mesa;   // version of the driver
  vulkan::DeviceFacts
      facts;  // as the driver reports them; halves are taken to be converted as the contract does
  nlohmann::ordered_json kernels;  // name -> figures: tools/phone/README.md
};

// Of the newest driver, by name of the phone.
std::vector<PhoneRecord> phone_records();

// ERRORS: kNotFound, with the names that there are.
Result<PhoneRecord> find_phone_record(const std::string& phone);

// The fewest issue slots a weight of any kernel for one row of the batch; nothing where none is counted.
std::optional<double> fewest_slots(const PhoneRecord& record, TensorType type);

}  // namespace hb
