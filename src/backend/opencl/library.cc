#include "backend/opencl/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace hb::opencl {
namespace {

constexpr const char* kLibraryNames[] = {
    "libOpenCL.so.1",  // Linux: the loader's name without development packages
    "libOpenCL.so",    // Android: what <uses-native-library> gives an app
    "libOpenCL-pixel.so",
    "libOpenCL-car.so",
    "/vendor/lib64/libOpenCL.so",
    "/system/vendor/lib64/libOpenCL.so",
    "/system/lib64/libOpenCL.so",
    "/vendor/lib64/egl/libGLES_mali.so",
    "/system/vendor/lib64/egl/libGLES_mali.so",
};

#if defined(__ANDROID__)
constexpr const char* kAdvice =
    "an app must name the library in its manifest, in <application>: <uses-native-library "
    "android:name=\"libOpenCL.so\" android:required=\"false\"/>, likewise libOpenCL-pixel.so and "
    "libOpenCL-car.so";
#else
constexpr const char* kAdvice =
    "install an OpenCL driver and its loader (Debian: ocl-icd-libopencl1, and pocl-opencl-icd for the CPU)";
#endif

using Entry = void (*)();

// On Pixel phones the library gives its functions away through one of its own, once it has been asked to.
class Symbols {
 public:
  explicit Symbols(void* handle) : handle_(handle) {
    const auto enable = reinterpret_cast<void (*)()>(dlsym(handle, "enableOpenCL"));
    load_pointer_ = reinterpret_cast<Entry (*)(const char*)>(dlsym(handle, "loadOpenCLPointer"));
    if (enable != nullptr && load_pointer_ != nullptr) enable();
  }
  Entry find(const char* name) const {
    if (load_pointer_ != nullptr) return load_pointer_(name);
    return reinterpret_cast<Entry>(dlsym(handle_, name));
  }

 private:
  void* handle_;
  Entry (*load_pointer_)(const char*);
};

Result<std::shared_ptr<const Library>> open(const char* path) {
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return fail(ErrorCode::kNotFound, dlerror());
  auto library = std::make_shared<Library>();
  library->path = path;
  const Symbols symbols(handle);
#define HB_CL_FUNCTION(name)                                                      \
  library->name = reinterpret_cast<decltype(library->name)>(symbols.find(#name)); \
  if (library->name == nullptr) return fail(ErrorCode::kNotFound, fmt::format("{} has no " #name, path));
#include "backend/opencl/cl_functions.def"
#undef HB_CL_FUNCTION
  return library;
}

}  // namespace

std::span<const char* const> library_names() { return kLibraryNames; }

Result<std::shared_ptr<const Library>> load_library(const std::string& path) {
  if (!path.empty()) return open(path.c_str());
  std::string tried;
  for (const char* name : kLibraryNames) {
    auto library = open(name);
    if (library) return library;
    tried += fmt::format("\n  {}", library.error().message);
  }
  return fail(ErrorCode::kNotFound,
              fmt::format("no OpenCL library can be loaded; {}. Tried:{}", kAdvice, tried));
}

}  // namespace hb::opencl
