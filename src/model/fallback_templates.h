// Chat templates for models that bring none.
#pragma once

#include <span>
#include <string_view>

namespace hb {

struct FallbackTemplate {
  std::string_view name;
  std::string_view source;
};

std::span<const FallbackTemplate> fallback_templates();

}  // namespace hb
