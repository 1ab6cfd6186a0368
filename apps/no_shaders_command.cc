// 'halfbyte shaders' needs the Vulkan backend's kernels, which this build has not.
#include "apps/commands.h"

namespace hb {

void add_shaders_command(CommandLine&) {}

}  // namespace hb
