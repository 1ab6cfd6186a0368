#include "backend/opencl/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "backend/opencl/query_facts.h"

namespace hb::opencl {

Result<std::shared_ptr<Device>> Device::create(const DeviceOptions& options) {
  HB_ASSIGN(std::shared_ptr<const Library> library, load_library(options.library));
  HB_ASSIGN(std::vector<FoundDevice> found, find_devices(*library));
  std::vector<DeviceFacts> facts;
  for (const FoundDevice& device : found) facts.push_back(device.facts);
  HB_ASSIGN(const size_t index, choose_device(facts, options.device));
  if (options.max_allocation != 0) facts[index].max_allocation = options.max_allocation;
  auto device = std::make_shared<Device>(std::move(library), facts[index], found[index].id);
  const cl_context_properties properties[] = {
      CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(found[index].platform), 0};
  cl_int code = CL_SUCCESS;
  device->context_ = device->cl().clCreateContext(properties, 1, &device->id_, nullptr, nullptr, &code);
  HB_CL(code, fmt::format("opening device '{}'", device->facts_.name));
  if (device->context_ == nullptr)
    return fail(ErrorCode::kDevice,
                fmt::format("opening device '{}': the driver gave no context", device->facts_.name));
  return device;
}

Device::~Device() {
  if (context_ != nullptr) library_->clReleaseContext(context_);
}

Result<Buffer> new_buffer(const std::shared_ptr<Device>& device, uint64_t size, const std::string& what) {
  size = std::max<uint64_t>(size, 64);
  if (size > device->facts().max_allocation) {
    return fail(
        ErrorCode::kUnsupported,
        fmt::format("{} takes {} bytes; device '{}' allocates at most {} at a time: use a shorter context or "
                    "smaller batches",
                    what, size, device->facts().name, device->facts().max_allocation));
  }
  cl_int code = CL_SUCCESS;
  const cl_mem handle = device->cl().clCreateBuffer(
      device->context(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, size, nullptr, &code);
  HB_CL(code, fmt::format("allocating {} bytes for {}", size, what));
  if (handle == nullptr)
    return fail(ErrorCode::kDevice,
                fmt::format("allocating {} bytes for {}: the driver gave no buffer", size, what));
  return Buffer(device, handle, size);
}

Result<Queue> Queue::create(std::shared_ptr<Device> device) {
  cl_int code = CL_SUCCESS;
  const cl_command_queue handle =
      device->cl().clCreateCommandQueue(device->context(), device->id(), 0, &code);
  HB_CL(code, "making a queue");
  if (handle == nullptr) return fail(ErrorCode::kDevice, "making a queue: the driver gave none");
  Queue queue;
  queue.queue_ = {std::move(device), handle};
  return queue;
}

Status Queue::write(const Buffer& buffer, uint64_t offset, const void* from, uint64_t size) {
  if (size == 0) return {};
  return check_cl(device()->cl().clEnqueueWriteBuffer(handle(), buffer.handle(), CL_TRUE, offset, size, from,
                                                      0, nullptr, nullptr),
                  "writing a buffer");
}

Status Queue::read(const Buffer& buffer, uint64_t offset, void* to, uint64_t size) {
  if (size == 0) return {};
  return check_cl(device()->cl().clEnqueueReadBuffer(handle(), buffer.handle(), CL_TRUE, offset, size, to, 0,
                                                     nullptr, nullptr),
                  "reading a buffer");
}

Result<uint8_t*> Queue::map_for_writing(const Buffer& buffer) {
  cl_int code = CL_SUCCESS;
  void* bytes =
      device()->cl().clEnqueueMapBuffer(handle(), buffer.handle(), CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0,
                                        buffer.size(), 0, nullptr, nullptr, &code);
  HB_CL(code, "mapping a buffer");
  if (bytes == nullptr) return fail(ErrorCode::kDevice, "mapping a buffer: the driver gave no address");
  return static_cast<uint8_t*>(bytes);
}

Status Queue::unmap(const Buffer& buffer, uint8_t* bytes) {
  HB_CL(device()->cl().clEnqueueUnmapMemObject(handle(), buffer.handle(), bytes, 0, nullptr, nullptr),
        "unmapping a buffer");
  return finish();
}

Status Queue::clear(const Buffer& buffer) {
  HB_ASSIGN(uint8_t* const bytes, map_for_writing(buffer));
  std::memset(bytes, 0, buffer.size());
  return unmap(buffer, bytes);
}

Status Queue::finish() { return check_cl(device()->cl().clFinish(handle()), "waiting for the device"); }

Status Queue::flush() { return check_cl(device()->cl().clFlush(handle()), "giving work to the device"); }

}  // namespace hb::opencl
