// An OpenCL library with one device, which does what fake_driver.h says. No kernel computes anything.
#include "backend/opencl/fake_driver.h"

#include <CL/cl.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

using hb::testing::FakeMode;
using hb::testing::FakeState;

namespace {

FakeState state;

bool lies(FakeMode mode) { return state.mode == mode; }

// Every object is a block of bytes.
template <class Handle>
Handle new_object(size_t bytes) {
  ++state.live_objects;
  return reinterpret_cast<Handle>(std::make_unique<std::vector<char>>(bytes).release());
}
std::vector<char>& bytes_of(cl_mem memory) { return *reinterpret_cast<std::vector<char>*>(memory); }
cl_int release(void* object) {
  --state.live_objects;
  std::unique_ptr<std::vector<char>>(static_cast<std::vector<char>*>(object)).reset();
  return CL_SUCCESS;
}

cl_int give(const void* value, size_t bytes, size_t size, void* to, size_t* needed) {
  if (needed != nullptr) *needed = bytes;
  if (to == nullptr) return CL_SUCCESS;
  if (size < bytes) return CL_INVALID_VALUE;
  std::memcpy(to, value, bytes);
  return CL_SUCCESS;
}
cl_int give_text(const std::string& text, size_t size, void* to, size_t* needed) {
  return give(text.c_str(), text.size() + 1, size, to, needed);
}

void set_code(cl_int* code, cl_int value) {
  if (code != nullptr) *code = value;
}

}  // namespace

extern "C" {

FakeState* hb_fake_opencl_state() { return &state; }

cl_int clGetPlatformIDs(cl_uint, cl_platform_id* platforms, cl_uint* count) {
  if (lies(FakeMode::kNoPlatform)) return -1001;
  if (count != nullptr) *count = 1;
  if (platforms != nullptr) platforms[0] = reinterpret_cast<cl_platform_id>(&state);
  return CL_SUCCESS;
}
cl_int clGetPlatformInfo(cl_platform_id, cl_platform_info, size_t size, void* to, size_t* needed) {
  return give_text("Fake", size, to, needed);
}
cl_int clGetDeviceIDs(cl_platform_id, cl_device_type, cl_uint, cl_device_id* devices, cl_uint* count) {
  if (count != nullptr) *count = 1;
  if (devices != nullptr) devices[0] = reinterpret_cast<cl_device_id>(&state);
  return CL_SUCCESS;
}
cl_int clGetDeviceInfo(cl_device_id, cl_device_info what, size_t size, void* to, size_t* needed) {
  const cl_bool yes = CL_TRUE;
  const cl_device_type type = CL_DEVICE_TYPE_GPU;
  const cl_ulong memory = 1u << 30, allocation = state.max_allocation;
  const size_t group = 256;
  switch (what) {
    case CL_DEVICE_NAME:
      return give_text("Fake GPU", size, to, needed);
    case CL_DEVICE_VERSION:
      return give_text("OpenCL 1.2 fake", size, to, needed);
    case CL_DEVICE_EXTENSIONS:
      return give_text("cl_khr_fp16", size, to, needed);
    case CL_DEVICE_TYPE:
      return give(&type, sizeof type, size, to, needed);
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_COMPILER_AVAILABLE:
      return give(&yes, sizeof yes, size, to, needed);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
      return give(&memory, sizeof memory, size, to, needed);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
      return give(&allocation, sizeof allocation, size, to, needed);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
      return give(&group, sizeof group, size, to, needed);
    default:
      return CL_INVALID_VALUE;
  }
}

cl_context clCreateContext(const cl_context_properties*, cl_uint, const cl_device_id*,
                           void(CL_CALLBACK*)(const char*, const void*, size_t, void*), void*, cl_int* code) {
  set_code(code, CL_SUCCESS);
  return lies(FakeMode::kNullContext) ? nullptr : new_object<cl_context>(0);
}
cl_int clReleaseContext(cl_context context) { return release(context); }
cl_command_queue clCreateCommandQueue(cl_context, cl_device_id, cl_command_queue_properties, cl_int* code) {
  set_code(code, CL_SUCCESS);
  return new_object<cl_command_queue>(0);
}
cl_int clReleaseCommandQueue(cl_command_queue queue) { return release(queue); }

cl_mem clCreateBuffer(cl_context, cl_mem_flags, size_t size, void*, cl_int* code) {
  if (size > state.largest_allocation) state.largest_allocation = size;
  const bool too_large = size > state.max_allocation;
  set_code(code, too_large ? CL_INVALID_BUFFER_SIZE : CL_SUCCESS);
  return too_large || lies(FakeMode::kNullBuffer) ? nullptr : new_object<cl_mem>(size);
}
cl_int clReleaseMemObject(cl_mem memory) { return release(memory); }

cl_program clCreateProgramWithSource(cl_context, cl_uint, const char**, const size_t*, cl_int* code) {
  set_code(code, CL_SUCCESS);
  return new_object<cl_program>(0);
}
cl_program clCreateProgramWithBinary(cl_context, cl_uint, const cl_device_id*, const size_t*,
                                     const unsigned char**, cl_int*, cl_int* code) {
  const bool refused = lies(FakeMode::kNoBinaries);
  set_code(code, refused ? CL_INVALID_BINARY : CL_SUCCESS);
  return refused ? nullptr : new_object<cl_program>(0);
}
cl_int clBuildProgram(cl_program, cl_uint, const cl_device_id*, const char*,
                      void(CL_CALLBACK*)(cl_program, void*), void*) {
  return lies(FakeMode::kBuildFailure) ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS;
}
cl_int clGetProgramBuildInfo(cl_program, cl_device_id, cl_program_build_info, size_t size, void* to,
                             size_t* needed) {
  return give_text("line 7: internal compiler error", size, to, needed);
}
cl_int clGetProgramInfo(cl_program, cl_program_info what, size_t size, void* to, size_t*) {
  const size_t bytes = lies(FakeMode::kNoBinaries) ? 0 : 4;
  if (what == CL_PROGRAM_BINARY_SIZES) return give(&bytes, sizeof bytes, size, to, nullptr);
  std::memset(*static_cast<unsigned char**>(to), 1, bytes);
  return CL_SUCCESS;
}
cl_int clReleaseProgram(cl_program program) { return release(program); }

cl_kernel clCreateKernel(cl_program, const char*, cl_int* code) {
  set_code(code, lies(FakeMode::kRefusedKernel) ? CL_INVALID_KERNEL_NAME : CL_SUCCESS);
  return lies(FakeMode::kRefusedKernel) || lies(FakeMode::kNullKernel) ? nullptr : new_object<cl_kernel>(0);
}
cl_int clReleaseKernel(cl_kernel kernel) { return release(kernel); }
cl_int clSetKernelArg(cl_kernel, cl_uint, size_t, const void*) {
  ++state.kernel_arguments;
  return CL_SUCCESS;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue, cl_kernel, cl_uint, const size_t*, const size_t*,
                              const size_t*, cl_uint, const cl_event*, cl_event*) {
  ++state.runs;
  return lies(FakeMode::kLostWhileRunning) ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}
cl_int clEnqueueReadBuffer(cl_command_queue, cl_mem memory, cl_bool, size_t offset, size_t size, void* to,
                           cl_uint, const cl_event*, cl_event*) {
  if (lies(FakeMode::kLostWhileWaiting)) return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  std::memcpy(to, bytes_of(memory).data() + offset, size);
  return CL_SUCCESS;
}
cl_int clEnqueueWriteBuffer(cl_command_queue, cl_mem memory, cl_bool, size_t offset, size_t size,
                            const void* from, cl_uint, const cl_event*, cl_event*) {
  std::memcpy(bytes_of(memory).data() + offset, from, size);
  return CL_SUCCESS;
}
void* clEnqueueMapBuffer(cl_command_queue, cl_mem memory, cl_bool, cl_map_flags, size_t offset, size_t,
                         cl_uint, const cl_event*, cl_event*, cl_int* code) {
  set_code(code, CL_SUCCESS);
  return bytes_of(memory).data() + offset;
}
cl_int clEnqueueUnmapMemObject(cl_command_queue, cl_mem, void*, cl_uint, const cl_event*, cl_event*) {
  return CL_SUCCESS;
}
cl_int clFlush(cl_command_queue) {
  ++state.flushes;
  return CL_SUCCESS;
}
cl_int clFinish(cl_command_queue) {
  ++state.waits;
  return lies(FakeMode::kLostWhileWaiting) ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

}  // extern "C"
