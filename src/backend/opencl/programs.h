// Kernels built for a device, each as a program of its own, built when it is first wanted.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "backend/opencl/device.h"
#include "backend/opencl/kernels.h"

namespace hb::opencl {

// THREADS: any.
class Programs {
 public:
  // `cache_folder` empty: programs are not kept on disk.
  Programs(std::shared_ptr<Device> device, std::string cache_folder)
      : device_(std::move(device)), cache_folder_(std::move(cache_folder)) {}

  // A kernel object of its own for the caller, whose arguments are the caller's.
  // ERRORS: kDevice (the driver cannot build it; its log), kOutOfMemory.
  Result<KernelObject> new_kernel(const Kernel& kernel);

  uint32_t built_from_source() const { return built_from_source_; }

 private:
  Result<cl_program> program_for(const Kernel& kernel);
  Result<Program> build(const Kernel& kernel);
  Result<Program> build_from_binary(const Kernel& kernel, std::span<const uint8_t> binary);
  Result<Program> build_from_source(const Kernel& kernel, const std::string& source);
  void keep(const std::string& path, const Program& program) const;

  std::shared_ptr<Device> device_;
  std::string cache_folder_;
  std::mutex mutex_;  // guards what follows
  std::map<const Kernel*, Program> programs_;
  uint32_t built_from_source_ = 0;
};

}  // namespace hb::opencl
