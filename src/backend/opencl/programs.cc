#include "backend/opencl/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "backend/opencl/program_cache_file.h"
#include "base/log.h"

namespace hb::opencl {
namespace {

constexpr size_t kMaxLog = 4000;  // characters of a message

std::string build_log(const Device& device, cl_program program) {
  size_t size = 0;
  if (device.cl().clGetProgramBuildInfo(program, device.id(), CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) !=
          CL_SUCCESS ||
      size == 0 || size > (16u << 20))
    return "the driver gave no log";
  std::string text(size, '\0');
  if (device.cl().clGetProgramBuildInfo(program, device.id(), CL_PROGRAM_BUILD_LOG, size, text.data(),
                                        nullptr) != CL_SUCCESS)
    return "the driver gave no log";
  text.resize(std::min(text.find('\0'), text.size()));
  return text.substr(0, kMaxLog);
}

std::vector<uint8_t> binary_of(const Device& device, cl_program program) {
  size_t size = 0;
  if (device.cl().clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) !=
          CL_SUCCESS ||
      size == 0 || size > (256u << 20))
    return {};
  std::vector<uint8_t> binary(size);
  uint8_t* to = binary.data();
  if (device.cl().clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof to, &to, nullptr) != CL_SUCCESS)
    return {};
  return binary;
}

}  // namespace

Result<KernelObject> Programs::new_kernel(const Kernel& kernel) {
  const std::lock_guard lock(mutex_);
  HB_ASSIGN(const cl_program program, program_for(kernel));
  cl_int code = CL_SUCCESS;
  const cl_kernel handle = device_->cl().clCreateKernel(program, kernel.entry, &code);
  HB_CL(code, fmt::format("making kernel '{}'", kernel.name));
  if (handle == nullptr)
    return fail(ErrorCode::kDevice, fmt::format("making kernel '{}': the driver gave none", kernel.name));
  return KernelObject(device_, handle);
}

Result<cl_program> Programs::program_for(const Kernel& kernel) {
  if (const auto found = programs_.find(&kernel); found != programs_.end()) return found->second.get();
  HB_ASSIGN(Program program, build(kernel));
  return programs_.emplace(&kernel, std::move(program)).first->second.get();
}

Result<Program> Programs::build(const Kernel& kernel) {
  const std::string source = kernel_source(kernel);
  if (cache_folder_.empty()) return build_from_source(kernel, source);
  const std::string path =
      program_cache_path(cache_folder_, device_->facts(), kernel.name, source, build_options(kernel));
  if (const std::vector<uint8_t> binary = read_program(path); !binary.empty()) {
    if (auto program = build_from_binary(kernel, binary)) return program;
  }
  HB_ASSIGN(Program program, build_from_source(kernel, source));
  keep(path, program);
  return program;
}

Result<Program> Programs::build_from_binary(const Kernel& kernel, std::span<const uint8_t> binary) {
  const cl_device_id id = device_->id();
  const uint8_t* bytes = binary.data();
  const size_t size = binary.size();
  cl_int code = CL_SUCCESS;
  const std::string doing = fmt::format("reading kernel '{}' from the cache", kernel.name);
  Program program(device_, device_->cl().clCreateProgramWithBinary(device_->context(), 1, &id, &size, &bytes,
                                                                   nullptr, &code));
  HB_CL(code, doing);
  if (program.get() == nullptr) return fail(ErrorCode::kDevice, doing);
  HB_CL(device_->cl().clBuildProgram(program.get(), 1, &id, build_options(kernel).c_str(), nullptr, nullptr),
        doing);
  return program;
}

Result<Program> Programs::build_from_source(const Kernel& kernel, const std::string& source) {
  const char* text = source.c_str();
  const size_t length = source.size();
  cl_int code = CL_SUCCESS;
  const std::string doing =
      fmt::format("building kernel '{}' for device '{}'", kernel.name, device_->facts().name);
  Program program(device_,
                  device_->cl().clCreateProgramWithSource(device_->context(), 1, &text, &length, &code));
  HB_CL(code, doing);
  if (program.get() == nullptr) return fail(ErrorCode::kDevice, doing + ": the driver gave no program");
  const cl_device_id id = device_->id();
  code = device_->cl().clBuildProgram(program.get(), 1, &id, build_options(kernel).c_str(), nullptr, nullptr);
  if (code != CL_SUCCESS)
    return std::unexpected(cl_error(code, doing + "\n" + build_log(*device_, program.get())));
  ++built_from_source_;
  return program;
}

// A cache that cannot be written is a slower start, no error.
void Programs::keep(const std::string& path, const Program& program) const {
  const std::vector<uint8_t> binary = binary_of(*device_, program.get());
  if (binary.empty()) return;
  if (const Status status = write_program(path, binary); !status)
    log_info("compiled kernels are not kept: {}", status.error().message);
}

}  // namespace hb::opencl
