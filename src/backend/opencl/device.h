// A device in use, its queue, and the handles that come from it.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "backend/opencl/cl_error.h"
#include "backend/opencl/device_facts.h"
#include "backend/opencl/library.h"

namespace hb::opencl {

struct DeviceOptions {
  std::string library;          // path; empty: searched
  std::string device;           // see choose_device()
  uint64_t max_allocation = 0;  // 0: the device's
};

// OWNS a cl_context. Everything made from it keeps it alive.
class Device {
 public:
  static Result<std::shared_ptr<Device>> create(const DeviceOptions& options);
  Device(std::shared_ptr<const Library> library, DeviceFacts facts, cl_device_id id)
      : library_(std::move(library)), facts_(std::move(facts)), id_(id) {}
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const Library& cl() const { return *library_; }
  const DeviceFacts& facts() const { return facts_; }
  cl_device_id id() const { return id_; }
  cl_context context() const { return context_; }

 private:
  std::shared_ptr<const Library> library_;
  DeviceFacts facts_;
  cl_device_id id_;
  cl_context context_ = nullptr;
};

// OWNS a handle of OpenCL, released by the library's function that kRelease names.
template <class Handle, auto kRelease>
class Owned {
 public:
  Owned() = default;
  Owned(std::shared_ptr<Device> device, Handle handle) : device_(std::move(device)), handle_(handle) {}
  Owned(Owned&& other) noexcept
      : device_(std::move(other.device_)), handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() {
    if (handle_ != nullptr) (device_->cl().*kRelease)(handle_);
  }
  Handle get() const { return handle_; }
  const std::shared_ptr<Device>& device() const { return device_; }

 private:
  std::shared_ptr<Device> device_;
  Handle handle_ = nullptr;
};

using Program = Owned<cl_program, &Library::clReleaseProgram>;
using KernelObject = Owned<cl_kernel, &Library::clReleaseKernel>;

// A buffer of device memory. ERRORS of new_buffer: kOutOfMemory, kUnsupported (larger than the device
// allows), both naming `what`.
class Buffer {
 public:
  Buffer() = default;
  Buffer(std::shared_ptr<Device> device, cl_mem handle, uint64_t size)
      : memory_(std::move(device), handle), size_(size) {}
  cl_mem handle() const { return memory_.get(); }
  uint64_t size() const { return size_; }

 private:
  Owned<cl_mem, &Library::clReleaseMemObject> memory_;
  uint64_t size_ = 0;
};
Result<Buffer> new_buffer(const std::shared_ptr<Device>& device, uint64_t size, const std::string& what);

// OWNS an in-order queue. THREADS: one at a time.
class Queue {
 public:
  static Result<Queue> create(std::shared_ptr<Device> device);

  // Both return when the bytes have been copied. ERRORS: kDevice.
  Status write(const Buffer& buffer, uint64_t offset, const void* from, uint64_t size);
  Status read(const Buffer& buffer, uint64_t offset, void* to, uint64_t size);
  // The buffer's bytes, undefined until written; unmap() gives them to the device.
  Result<uint8_t*> map_for_writing(const Buffer& buffer);
  Status unmap(const Buffer& buffer, uint8_t* bytes);
  Status clear(const Buffer& buffer);
  Status finish();
  Status flush();

  cl_command_queue handle() const { return queue_.get(); }
  const std::shared_ptr<Device>& device() const { return queue_.device(); }

 private:
  Owned<cl_command_queue, &Library::clReleaseCommandQueue> queue_;
};

}  // namespace hb::opencl
