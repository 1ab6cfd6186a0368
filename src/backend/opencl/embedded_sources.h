// The files of kernels/ and the two files of base/ that they include, as CMakeLists.txt embeds them.
#pragma once

#include <span>
#include <string_view>

namespace hb::opencl {

struct EmbeddedSource {
  std::string_view name;  // from the root of src/: "backend/opencl/kernels/exact.clh"
  std::string_view text;
};
extern const std::span<const EmbeddedSource> kEmbeddedSources;

}  // namespace hb::opencl
