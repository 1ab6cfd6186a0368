#include "backend/vulkan/device_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "backend/vulkan/transfer.h"
#include "backend/weight_reader.h"
#include "quant/weight_block.h"

namespace hb::vulkan {
namespace {

// With it, parts of a section that hold a multiple of so many groups start at any alignment up to 256.
constexpr uint32_t kGroupsAlignment = 64;
constexpr uint64_t kSectionAlignment = 256;
constexpr uint64_t kChunkBytes = 256u << 10;

// Packs matrices part by part: a part is some row groups, packed by one thread, then copied to the device.
class MatrixPacker {
 public:
  MatrixPacker(const PlanWeight& weight, const DeviceWeight& device, uint32_t flip)
      : weight_(weight), device_(device), flip_(flip) {
    uint64_t bytes = 0;
    for (const uint32_t section : device.layout.group_bytes) bytes += section;
    groups_ = static_cast<uint32_t>(std::clamp<uint64_t>(kChunkBytes / bytes, 1, device.layout.groups));
  }

  uint32_t part_count() const { return (device_.layout.groups + groups_ - 1) / groups_; }

  struct Part {
    std::vector<uint8_t> bytes[kSections];
    Status status;
  };

  void pack(uint32_t index, Part& part) const {
    const uint32_t first = index * groups_, count = std::min(groups_, device_.layout.groups - first);
    part.status = check(first, count);
    if (!part.status) return;
    for (uint32_t s = 0; s < kSections; ++s)
      part.bytes[s].assign(size_t{count} * device_.layout.group_bytes[s], 0);
    for (uint32_t g = 0; g < count; ++g) {
      std::span<uint8_t> sections[kSections];
      for (uint32_t s = 0; s < kSections; ++s) {
        const uint32_t size = device_.layout.group_bytes[s];
        sections[s] = std::span(part.bytes[s]).subspan(size_t{g} * size, size);
      }
      pack_group(weight_, first + g, flip_, sections);
    }
  }

  Status copy(uint32_t index, const Part& part, Transfer& transfer) const {
    HB_TRY(part.status);
    for (uint32_t s = 0; s < kSections; ++s) {
      const uint64_t begin = uint64_t{index} * groups_ * device_.layout.group_bytes[s];
      HB_TRY(transfer.write(device_.buffer, device_.section_offset[s] + begin, part.bytes[s]));
    }
    return {};
  }

  // The file's bytes of a part.
  std::span<const uint8_t> file_bytes(uint32_t index) const {
    const uint64_t stride = row_bytes(weight_.type, weight_.cols), rows = uint64_t{groups_} * kGroupRows;
    const uint64_t begin = index * rows, end = std::min<uint64_t>(begin + rows, weight_.rows);
    return weight_.bytes.subspan(begin * stride, (end - begin) * stride);
  }

 private:
  Status check(uint32_t first_group, uint32_t count) const {
    const uint64_t stride = row_bytes(weight_.type, weight_.cols);
    const uint32_t end = std::min((first_group + count) * kGroupRows, weight_.rows);
    for (uint32_t row = first_group * kGroupRows; row < end; ++row) {
      const Status status = check_row(weight_.type, weight_.bytes.data() + row * stride, weight_.cols);
      if (!status)
        return std::unexpected(status.error().within(fmt::format("tensor '{}': row {}", weight_.name, row)));
    }
    return {};
  }

  const PlanWeight& weight_;
  const DeviceWeight& device_;
  uint32_t flip_;
  uint32_t groups_;  // of a part
};

Status fill_matrix(const PlanWeight& weight, const DeviceWeight& device, const CompileOptions& options,
                   const WeightUpload& upload, Transfer& transfer) {
  ThreadPool& pool = upload.pool;
  const MatrixPacker packer(weight, device,
                            upload.memory.device()->facts().flipped_codes ? kFlippedHighBits : 0);
  std::vector<MatrixPacker::Part> parts(std::min(4 * pool.thread_count(), packer.part_count()));
  const auto wave = static_cast<uint32_t>(parts.size());
  for (uint32_t begin = 0; begin < packer.part_count(); begin += wave) {
    const uint32_t count = std::min(wave, packer.part_count() - begin);
    pool.parallel_for(count, [&](uint32_t i, uint32_t) { packer.pack(begin + i, parts[i]); });
    for (uint32_t i = 0; i < count; ++i) {
      HB_TRY(packer.copy(begin + i, parts[i], transfer));
      if (options.bytes_done != nullptr) options.bytes_done(options.user, packer.file_bytes(begin + i));
    }
  }
  return {};
}

Status fill_vector(const PlanWeight& weight, const DeviceWeight& device, Transfer& transfer) {
  std::vector<float> values(weight.cols);
  HB_TRY(load_vector(weight, values));
  return transfer.write(device.buffer, 0,
                        {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(float)});
}

Result<DeviceWeight> new_weight(const PlanWeight& weight, bool is_vector, Memory& memory) {
  DeviceWeight device = {weight.type, weight.rows, weight.cols, is_vector, {}, {}, {}, 0};
  uint64_t size = uint64_t{weight.cols} * sizeof(float);
  if (!is_vector) {
    device.layout = weight_layout(weight.type, weight.rows, weight.cols);
    size = 0;
    for (uint32_t s = 0; s < kSections; ++s) {
      device.section_offset[s] = size;
      const uint64_t bytes = uint64_t{device.layout.groups} * device.layout.group_bytes[s];
      size += (bytes + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
    }
    const uint64_t groups = memory.device()->facts().max_storage_range / device.layout.group_bytes[0];
    device.groups_per_binding =
        static_cast<uint32_t>(std::min<uint64_t>(groups, UINT32_MAX)) / kGroupsAlignment * kGroupsAlignment;
    if (device.groups_per_binding == 0 && device.layout.groups > groups) {
      return fail(ErrorCode::kUnsupported,
                  fmt::format("tensor '{}': rows of {} columns are too long for the device's bindings",
                              weight.name, weight.cols));
    }
    if (device.layout.groups <= groups) device.groups_per_binding = device.layout.groups;
  }
  HB_ASSIGN(device.buffer,
            memory.allocate(size, MemoryUse::kDevice, fmt::format("tensor '{}'", weight.name)));
  return device;
}

}  // namespace

BufferRange DeviceWeight::section(uint32_t index, uint32_t first, uint32_t count) const {
  const uint64_t bytes = layout.group_bytes[index];
  if (bytes == 0) return {};
  return {buffer.handle(), section_offset[index] + first * bytes, count * bytes};
}

Result<std::vector<DeviceWeight>> upload_weights(const Plan& plan, const CompileOptions& options,
                                                 const WeightUpload& upload) {
  HB_ASSIGN(Transfer transfer, Transfer::create(upload.memory, upload.commands));
  const std::vector<WeightReader> readers = weight_readers(plan);
  std::vector<DeviceWeight> weights;
  weights.reserve(plan.weights.size());
  for (size_t i = 0; i < plan.weights.size(); ++i) {
    const PlanWeight& weight = plan.weights[i];
    HB_ASSIGN(DeviceWeight device, new_weight(weight, is_vector(readers[i]), upload.memory));
    if (is_vector(readers[i])) {
      HB_TRY(fill_vector(weight, device, transfer));
    } else {
      HB_TRY(fill_matrix(weight, device, options, upload, transfer));
    }
    weights.push_back(std::move(device));
    HB_TRY(options.report_done(weight));
  }
  return weights;
}

}  // namespace hb::vulkan
