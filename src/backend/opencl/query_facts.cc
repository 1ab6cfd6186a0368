#include "backend/opencl/query_facts.h"

#include <algorithm>

#include "backend/opencl/cl_error.h"

namespace hb::opencl {
namespace {

constexpr size_t kMaxText = 1u << 20;

// A text that may be missing, and may lack its end.
template <class Get>
std::string text_of(Get&& get) {
  size_t size = 0;
  if (get(0, nullptr, &size) != CL_SUCCESS || size == 0 || size > kMaxText) return {};
  std::string text(size, '\0');
  if (get(size, text.data(), nullptr) != CL_SUCCESS) return {};
  return text.substr(0, text.find('\0'));
}

class DeviceQuery {
 public:
  DeviceQuery(const Library& library, cl_device_id device) : library_(library), device_(device) {}

  std::string text(cl_device_info what) const {
    return text_of([&](size_t size, void* to, size_t* needed) {
      return library_.clGetDeviceInfo(device_, what, size, to, needed);
    });
  }
  template <class T>
  T value(cl_device_info what) const {
    T value = {};
    return library_.clGetDeviceInfo(device_, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value : T{};
  }

 private:
  const Library& library_;
  cl_device_id device_;
};

DeviceKind kind_of(cl_device_type type) {
  if (type & CL_DEVICE_TYPE_GPU) return DeviceKind::kGpu;
  if (type & CL_DEVICE_TYPE_ACCELERATOR) return DeviceKind::kAccelerator;
  if (type & CL_DEVICE_TYPE_CPU) return DeviceKind::kCpu;
  return DeviceKind::kOther;
}

DeviceFacts query(const Library& library, cl_platform_id platform, cl_device_id device) {
  const DeviceQuery ask(library, device);
  const std::string extensions = ask.text(CL_DEVICE_EXTENSIONS);
  const auto has = [&extensions](const char* name) { return extensions.find(name) != std::string::npos; };
  DeviceFacts facts;
  facts.name = ask.text(CL_DEVICE_NAME);
  facts.vendor = ask.text(CL_DEVICE_VENDOR);
  facts.platform = text_of([&](size_t size, void* to, size_t* needed) {
    return library.clGetPlatformInfo(platform, CL_PLATFORM_NAME, size, to, needed);
  });
  facts.driver = ask.text(CL_DRIVER_VERSION);
  facts.version = ask.text(CL_DEVICE_VERSION);
  facts.kind = kind_of(ask.value<cl_device_type>(CL_DEVICE_TYPE));
  facts.available = ask.value<cl_bool>(CL_DEVICE_AVAILABLE) != 0;
  facts.compiler = ask.value<cl_bool>(CL_DEVICE_COMPILER_AVAILABLE) != 0;
  facts.memory_bytes = ask.value<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE);
  facts.max_allocation = ask.value<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  facts.unified_memory = ask.value<cl_bool>(CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
  facts.local_bytes = ask.value<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE);
  facts.max_work_group = ask.value<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE);
  facts.compute_units = ask.value<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS);
  facts.half = has("cl_khr_fp16");
  facts.subgroups = has("cl_khr_subgroups") || has("cl_intel_subgroups") || has("cl_qcom_subgroup_shuffle");
  facts.images = ask.value<cl_bool>(CL_DEVICE_IMAGE_SUPPORT) != 0;
  facts.integer_dot = has("cl_khr_integer_dot_product");
  return facts;
}

}  // namespace

Result<std::vector<FoundDevice>> find_devices(const Library& library) {
  cl_uint count = 0;
  const cl_int code = library.clGetPlatformIDs(0, nullptr, &count);
  if (code == -1001 || count == 0) return std::vector<FoundDevice>();  // a loader without a driver
  HB_CL(code, "looking for OpenCL platforms");
  std::vector<cl_platform_id> platforms(std::min(count, 64u));
  HB_CL(library.clGetPlatformIDs(static_cast<cl_uint>(platforms.size()), platforms.data(), nullptr),
        "looking for OpenCL platforms");
  std::vector<FoundDevice> found;
  for (cl_platform_id platform : platforms) {
    cl_device_id devices[64];
    cl_uint device_count = 0;
    if (library.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 64, devices, &device_count) != CL_SUCCESS)
      continue;
    for (cl_uint i = 0; i < std::min(device_count, 64u); ++i)
      found.push_back({platform, devices[i], query(library, platform, devices[i])});
  }
  return found;
}

}  // namespace hb::opencl
