// Compiles compute shaders with the Vulkan driver of a phone and prints what came of it. Runs under qemu with
// drm_shim.c linked in, one process a GPU, because a driver may end the process instead of returning an
// error.
//
//   compile_shaders DRIVER.so JOBS
//
// JOBS has a line "NAME FILE TEXELS CONSTANT" for each shader: SPIR-V words, how many bindings from 0 are
// texel buffers, and specialisation constant 0. Output, line by line: "FACT name value" of the device; then
// for each shader "SHADER name result", "STAT value name" and the listing between "ISA" and "END".
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

enum { kBindings = 10, kPushBytes = 64, kMaxStatistics = 64, kMaxTexts = 16, kMaxExecutables = 4 };

#define FUNCTIONS(X)                      \
  X(vkCreateInstance)                     \
  X(vkEnumeratePhysicalDevices)           \
  X(vkGetPhysicalDeviceProperties2)       \
  X(vkGetPhysicalDeviceFeatures2)         \
  X(vkCreateDevice)                       \
  X(vkCreateShaderModule)                 \
  X(vkCreateDescriptorSetLayout)          \
  X(vkCreatePipelineLayout)               \
  X(vkCreateComputePipelines)             \
  X(vkGetPipelineExecutablePropertiesKHR) \
  X(vkGetPipelineExecutableStatisticsKHR) \
  X(vkGetPipelineExecutableInternalRepresentationsKHR)
#define DECLARE(name) static PFN_##name name;
FUNCTIONS(DECLARE)
#undef DECLARE

static PFN_vkGetInstanceProcAddr get_function;
static VkDevice device;

static void fail(const char* what, int code) {
  fprintf(stderr, "compile_shaders: %s (%d)\n", what, code);
  fflush(stdout);
  _exit(1);
}
#define CHECK(call)                                \
  do {                                             \
    const VkResult result = (call);                \
    if (result != VK_SUCCESS) fail(#call, result); \
  } while (0)

static void load_functions(VkInstance instance) {
#define LOAD(name) name = (PFN_##name)get_function(instance, #name);
  FUNCTIONS(LOAD)
#undef LOAD
}

static VkPhysicalDevice open_driver(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (library == NULL) fail(dlerror(), 0);
  get_function = (PFN_vkGetInstanceProcAddr)dlsym(library, "vk_icdGetInstanceProcAddr");
  if (get_function == NULL) fail("no Vulkan driver", 0);
  load_functions(VK_NULL_HANDLE);
  const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                         .apiVersion = VK_API_VERSION_1_3};
  const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                     .pApplicationInfo = &application};
  VkInstance instance;
  CHECK(vkCreateInstance(&info, NULL, &instance));
  load_functions(instance);
  VkPhysicalDevice devices[1];
  uint32_t count = 1;
  const VkResult result = vkEnumeratePhysicalDevices(instance, &count, devices);
  if ((result != VK_SUCCESS && result != VK_INCOMPLETE) || count == 0)
    fail("the driver knows no such GPU", result);
  return devices[0];
}

static void fact(const char* name, unsigned long long value) { printf("FACT %s %llu\n", name, value); }

static void print_properties(VkPhysicalDevice physical) {
  VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
  VkPhysicalDeviceMaintenance3Properties allocation = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES, .pNext = &driver};
  VkPhysicalDeviceSubgroupProperties subgroup = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, .pNext = &allocation};
  VkPhysicalDeviceShaderIntegerDotProductProperties dot = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES, .pNext = &subgroup};
  VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                            .pNext = &dot};
  vkGetPhysicalDeviceProperties2(physical, &properties);
  const VkPhysicalDeviceProperties* p = &properties.properties;
  printf("FACT name %s\nFACT driver %s %s\n", p->deviceName, driver.driverName, driver.driverInfo);
  fact("vendor_id", p->vendorID);
  fact("device_id", p->deviceID);
  fact("api_major", VK_API_VERSION_MAJOR(p->apiVersion));
  fact("api_minor", VK_API_VERSION_MINOR(p->apiVersion));
  fact("max_storage_range", p->limits.maxStorageBufferRange);
  fact("max_allocation", allocation.maxMemoryAllocationSize);
  fact("storage_alignment", p->limits.minStorageBufferOffsetAlignment);
  fact("max_storage_buffers", p->limits.maxPerStageDescriptorStorageBuffers);
  fact("texel_elements", p->limits.maxTexelBufferElements);
  fact("max_push_bytes", p->limits.maxPushConstantsSize);
  fact("max_invocations", p->limits.maxComputeWorkGroupInvocations);
  fact("max_shared_bytes", p->limits.maxComputeSharedMemorySize);
  fact("subgroup_size", subgroup.subgroupSize);
  const int in_compute = (subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
  fact("subgroup_basic", in_compute && (subgroup.supportedOperations & VK_SUBGROUP_FEATURE_BASIC_BIT) != 0);
  fact("subgroup_shuffle",
       in_compute && (subgroup.supportedOperations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT) != 0);
  fact("dot_signed", dot.integerDotProduct4x8BitPackedSignedAccelerated);
  fact("dot_unsigned", dot.integerDotProduct4x8BitPackedUnsignedAccelerated);
  fact("dot_mixed", dot.integerDotProduct4x8BitPackedMixedSignednessAccelerated);
}

// Prints the features and opens the device with all that the kernels may use.
static void open_device(VkPhysicalDevice physical) {
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR statistics = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR};
  VkPhysicalDeviceShaderIntegerDotProductFeatures dot = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES, .pNext = &statistics};
  VkPhysicalDeviceVulkan12Features f12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                          .pNext = &dot};
  VkPhysicalDeviceVulkan11Features f11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                          .pNext = &f12};
  VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &f11};
  vkGetPhysicalDeviceFeatures2(physical, &features);
  fact("float16", f12.shaderFloat16);
  fact("int8", f12.shaderInt8);
  fact("int16", features.features.shaderInt16);
  fact("int64", features.features.shaderInt64);
  fact("storage_16bit", f11.storageBuffer16BitAccess);
  fact("storage_8bit", f12.storageBuffer8BitAccess);
  fact("dot_product", dot.shaderIntegerDotProduct);
  features.features.robustBufferAccess = VK_FALSE;
  const float priority = 1;
  const VkDeviceQueueCreateInfo queue = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
  const char* extensions[] = {"VK_KHR_pipeline_executable_properties"};
  const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                   .pNext = &features,
                                   .queueCreateInfoCount = 1,
                                   .pQueueCreateInfos = &queue,
                                   .enabledExtensionCount = 1,
                                   .ppEnabledExtensionNames = extensions};
  CHECK(vkCreateDevice(physical, &info, NULL, &device));
}

static VkPipelineLayout make_layout(int texels) {
  VkDescriptorSetLayoutBinding bindings[kBindings];
  for (int i = 0; i < kBindings; ++i) {
    bindings[i] = (VkDescriptorSetLayoutBinding){
        (uint32_t)i, i < texels ? VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
  }
  const VkDescriptorSetLayoutCreateInfo set_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .bindingCount = kBindings,
      .pBindings = bindings};
  VkDescriptorSetLayout set;
  CHECK(vkCreateDescriptorSetLayout(device, &set_info, NULL, &set));
  const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushBytes};
  const VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                           .setLayoutCount = 1,
                                           .pSetLayouts = &set,
                                           .pushConstantRangeCount = 1,
                                           .pPushConstantRanges = &push};
  VkPipelineLayout layout;
  CHECK(vkCreatePipelineLayout(device, &info, NULL, &layout));
  return layout;
}

static VkShaderModule read_module(const char* path) {
  static uint32_t words[1 << 20];
  FILE* file = fopen(path, "rb");
  if (file == NULL) fail(path, 0);
  const size_t size = fread(words, 1, sizeof words, file);
  fclose(file);
  const VkShaderModuleCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = words};
  VkShaderModule module;
  CHECK(vkCreateShaderModule(device, &info, NULL, &module));
  return module;
}

static void print_statistics(const VkPipelineExecutableInfoKHR* which) {
  VkPipelineExecutableStatisticKHR found[kMaxStatistics];
  for (int i = 0; i < kMaxStatistics; ++i)
    found[i] =
        (VkPipelineExecutableStatisticKHR){.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR};
  uint32_t count = kMaxStatistics;
  CHECK(vkGetPipelineExecutableStatisticsKHR(device, which, &count, found));
  for (uint32_t i = 0; i < count; ++i) {
    const int is_float = found[i].format == VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR;
    printf("STAT %.9g %s\n", is_float ? found[i].value.f64 : (double)found[i].value.i64, found[i].name);
  }
}

// The assembly, not the compiler's own forms before it.
static void print_listing(const VkPipelineExecutableInfoKHR* which) {
  VkPipelineExecutableInternalRepresentationKHR texts[kMaxTexts];
  for (int i = 0; i < kMaxTexts; ++i) {
    texts[i] = (VkPipelineExecutableInternalRepresentationKHR){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR};
  }
  uint32_t count = kMaxTexts;
  CHECK(vkGetPipelineExecutableInternalRepresentationsKHR(device, which, &count, texts));
  for (uint32_t i = 0; i < count; ++i) texts[i].pData = calloc(1, texts[i].dataSize + 1);
  CHECK(vkGetPipelineExecutableInternalRepresentationsKHR(device, which, &count, texts));
  for (uint32_t i = 0; i < count; ++i) {
    if (texts[i].isText && strstr(texts[i].name, "ssembly") != NULL)
      printf("ISA\n%s\nEND\n", (char*)texts[i].pData);
    free(texts[i].pData);
  }
}

static void compile(const char* name, const char* path, int texels, uint32_t constant) {
  const VkSpecializationMapEntry entry = {0, 0, sizeof constant};
  const VkSpecializationInfo constants = {1, &entry, sizeof constant, &constant};
  const VkComputePipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR |
               VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR,
      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = read_module(path),
                .pName = "main",
                .pSpecializationInfo = &constants},
      .layout = make_layout(texels)};
  VkPipeline pipeline;
  const VkResult result = vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline);
  printf("SHADER %s %d\n", name, result);
  if (result != VK_SUCCESS) return;
  const VkPipelineInfoKHR made = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, .pipeline = pipeline};
  VkPipelineExecutablePropertiesKHR executables[kMaxExecutables];
  for (int i = 0; i < kMaxExecutables; ++i) {
    executables[i] =
        (VkPipelineExecutablePropertiesKHR){.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR};
  }
  uint32_t count = kMaxExecutables;
  CHECK(vkGetPipelineExecutablePropertiesKHR(device, &made, &count, executables));
  for (uint32_t i = 0; i < count; ++i) {
    const VkPipelineExecutableInfoKHR which = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, .pipeline = pipeline, .executableIndex = i};
    print_statistics(&which);
    print_listing(&which);
  }
  fflush(stdout);
}

int main(int argc, char** argv) {
  if (argc != 3) fail("usage: compile_shaders DRIVER.so JOBS", 0);
  const VkPhysicalDevice physical = open_driver(argv[1]);
  print_properties(physical);
  open_device(physical);
  FILE* jobs = fopen(argv[2], "r");
  if (jobs == NULL) fail(argv[2], 0);
  char name[128], path[1024];
  int texels;
  uint32_t constant;
  while (fscanf(jobs, "%127s %1023s %d %u", name, path, &texels, &constant) == 4)
    compile(name, path, texels, constant);
  fclose(jobs);
  fflush(stdout);
  _exit(0);  // a driver's own clean-up of a GPU that is not there is not worth the risk
}
