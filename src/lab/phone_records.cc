#include "lab/phone_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "backend/vulkan/kernels.h"
#include "lab/embedded_phone_records.h"

namespace hb {
namespace {

vulkan::DeviceFacts facts_of(const nlohmann::ordered_json& recorded) {
  const auto number = [&](const char* name) {
    return std::strtoull(recorded.at(name).get_ref<const std::string&>().c_str(), nullptr, 10);
  };
  vulkan::DeviceFacts facts;
  facts.name = recorded.at("name");
  facts.driver = recorded.at("driver");
  facts.vendor_id = static_cast<uint32_t>(number("vendor_id"));
  facts.device_id = static_cast<uint32_t>(number("device_id"));
  facts.api_major = static_cast<uint32_t>(number("api_major"));
  facts.api_minor = static_cast<uint32_t>(number("api_minor"));
  facts.max_storage_range = number("max_storage_range");
  facts.max_storage_buffers = static_cast<uint32_t>(number("max_storage_buffers"));
  facts.max_push_bytes = static_cast<uint32_t>(number("max_push_bytes"));
  facts.max_invocations = static_cast<uint32_t>(number("max_invocations"));
  facts.max_shared_bytes = static_cast<uint32_t>(number("max_shared_bytes"));
  facts.texel_elements = static_cast<uint32_t>(number("texel_elements"));
  facts.subgroup_size = static_cast<uint32_t>(number("subgroup_size"));
  facts.subgroup_shuffle = number("subgroup_shuffle") != 0;
  facts.storage_16bit = number("storage_16bit") != 0;
  facts.storage_8bit = number("storage_8bit") != 0;
  facts.float16 = number("float16") != 0;
  facts.half_hardware = facts.float16;
  facts.dot_product = number("dot_product") != 0;
  facts.dot_signed = number("dot_signed") != 0;
  facts.dot_unsigned = number("dot_unsigned") != 0;
  facts.dot_mixed = number("dot_mixed") != 0;
  return facts;
}

}  // namespace

std::vector<PhoneRecord> phone_records() {
  std::vector<PhoneRecord> records;
  for (const EmbeddedPhoneRecord& embedded : embedded_phone_records()) {
    auto content = nlohmann::ordered_json::parse(embedded.json);
    records.push_back(
        {embedded.phone, embedded.mesa, facts_of(content.at("facts")), std::move(content.at("kernels"))});
  }
  return records;
}

Result<PhoneRecord> find_phone_record(const std::string& phone) {
  std::string names;
  for (PhoneRecord& record : phone_records()) {
    if (record.phone == phone) return std::move(record);
    names += (names.empty() ? "" : ", ") + record.phone;
  }
  return fail(ErrorCode::kNotFound, fmt::format("no record of a phone GPU '{}'; there are {}", phone, names));
}

std::optional<double> fewest_slots(const PhoneRecord& record, TensorType type) {
  std::optional<double> fewest;
  for (const vulkan::Kernel& kernel : vulkan::kernels()) {
    if (kernel.op != vulkan::KernelOp::kMatvec || kernel.type != type || kernel.columns != 1) continue;
    const auto found = record.kernels.find(kernel.name);
    if (found == record.kernels.end() || !found->contains("slots")) continue;
    const double slots = found->at("slots");
    fewest = std::min(fewest.value_or(slots), slots);
  }
  return fewest;
}

}  // namespace hb
