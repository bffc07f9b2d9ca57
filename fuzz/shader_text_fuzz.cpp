// Sources of shaders, as far as assetc reads them itself: marked entry points, and attributes of Vulkan in HLSL.
#include <algorithm>

#include "fuzz.hpp"
#include "shader/entry_points.hpp"
#include "shader/hlsl_attributes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  const std::string_view text = as_text(fuzz::bytes(data, size));
  if (const auto found = shader::entry_points_of(text)) {
    for (const shader::EntryPoint& entry : *found) fuzz::require(shader::EntryName::fits(entry.name));
  }
  const auto rewritten = shader::rewrite_attributes(text);
  // Errors of a compiler name lines.
  if (rewritten) fuzz::require(std::ranges::count(rewritten->text, '\n') >= std::ranges::count(text, '\n'));
  if (rewritten && !rewritten->changed()) fuzz::require(rewritten->text == text);
  return 0;
}
