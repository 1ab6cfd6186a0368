#include "backend/vulkan/instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "backend/vulkan/query_facts.h"
#include "backend/vulkan/vk_result.h"
#include "base/log.h"

namespace hb::vulkan {
namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                          VkDebugUtilsMessageTypeFlagsEXT,
                                          const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
  static_cast<ValidationLog*>(user)->add(data->pMessage != nullptr ? data->pMessage : "");
  return VK_FALSE;
}

VkDebugUtilsMessengerCreateInfoEXT messenger_info(ValidationLog& log) {
  VkDebugUtilsMessengerCreateInfoEXT info = {VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
  info.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType =
      VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
  info.pfnUserCallback = on_message;
  info.pUserData = &log;
  return info;
}

Status check_validation_layer() {
  uint32_t count = 0;
  vkEnumerateInstanceLayerProperties(&count, nullptr);
  std::vector<VkLayerProperties> layers(count);
  vkEnumerateInstanceLayerProperties(&count, layers.data());
  const auto is_it = [](const VkLayerProperties& layer) {
    return std::strcmp(layer.layerName, kValidationLayer) == 0;
  };
  if (std::ranges::any_of(layers, is_it)) return {};
  return fail(
      ErrorCode::kUnsupported,
      fmt::format("there is no layer {} (Debian's package vulkan-validationlayers)", kValidationLayer));
}

}  // namespace

void ValidationLog::add(std::string message) {
  log_error("Vulkan validation: {}", message);
  const std::lock_guard lock(mutex_);
  messages_.push_back(std::move(message));
}

std::vector<std::string> ValidationLog::messages() const {
  const std::lock_guard lock(mutex_);
  return messages_;
}

Result<std::shared_ptr<Instance>> Instance::create(bool validate) {
  if (volkInitialize() != VK_SUCCESS) {
    return fail(ErrorCode::kNotFound,
                "no Vulkan loader (libvulkan.so.1) on this system; install libvulkan1 and a driver");
  }
  if (volkGetInstanceVersion() < VK_API_VERSION_1_1) {
    return fail(ErrorCode::kUnsupported, "the Vulkan loader is older than Vulkan 1.1; update it");
  }
  std::shared_ptr<Instance> self = std::unique_ptr<Instance>(new Instance);
  const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                         .pNext = nullptr,
                                         .pApplicationName = "halfbyte",
                                         .applicationVersion = 0,
                                         .pEngineName = "halfbyte",
                                         .engineVersion = 0,
                                         .apiVersion = VK_API_VERSION_1_3};
  VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &application;
  const VkValidationFeatureEnableEXT synchronisation =
      VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  VkDebugUtilsMessengerCreateInfoEXT messenger = messenger_info(self->validation_);
  VkValidationFeaturesEXT features = {VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT};
  features.enabledValidationFeatureCount = 1;
  features.pEnabledValidationFeatures = &synchronisation;
  const char* const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
  if (validate) {
    HB_TRY(check_validation_layer());
    features.pNext = &messenger;
    info.pNext = &features;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &kValidationLayer;
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = extensions;
  }
  const VkResult result = vkCreateInstance(&info, nullptr, &self->instance_);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
    return fail(ErrorCode::kNotFound,
                "no Vulkan driver on this system; install one (Debian: mesa-vulkan-drivers)");
  HB_VK(result, "creating a Vulkan instance");
  volkLoadInstance(self->instance_);
  if (validate) {
    HB_VK(vkCreateDebugUtilsMessengerEXT(self->instance_, &messenger, nullptr, &self->messenger_),
          "listening to the validation layer");
  }
  HB_TRY(self->find_devices());
  return self;
}

Status Instance::find_devices() {
  uint32_t count = 0;
  HB_VK(vkEnumeratePhysicalDevices(instance_, &count, nullptr), "listing Vulkan devices");
  physical_.resize(count);
  HB_VK(vkEnumeratePhysicalDevices(instance_, &count, physical_.data()), "listing Vulkan devices");
  for (const VkPhysicalDevice device : physical_) facts_.push_back(query_facts(device));
  return {};
}

Instance::~Instance() {
  if (messenger_ != VK_NULL_HANDLE) vkDestroyDebugUtilsMessengerEXT(instance_, messenger_, nullptr);
  if (instance_ != VK_NULL_HANDLE) vkDestroyInstance(instance_, nullptr);
}

}  // namespace hb::vulkan
