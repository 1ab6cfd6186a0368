// The Vulkan backend's name through the C API. A program of its own: drivers leak, and only here that is not
// told.
#include "api/api_fixture.h"

namespace hb::test {
namespace {

using VulkanApi = ApiTest;

TEST_F(VulkanApi, AnUnknownDeviceIsAnError) {
  hb_model_options options;
  ASSERT_EQ(hb_model_options_init(&options, sizeof(options)), HB_OK);
  options.backend = "vulkan";
  options.vulkan_device = "no such device";
  EXPECT_EQ(load_model(path_, &options), nullptr);
  EXPECT_NE(error_.status, HB_OK);
}

}  // namespace
}  // namespace hb::test
