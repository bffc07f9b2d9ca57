// Rewrites the attributes of Vulkan in HLSL for a compiler that knows them in part.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "assetc/base/result.hpp"

namespace assetc::shader {

// Added to the set of a variable with [[vk::binding]], because glslang shifts its binding like a register, which the
// attribute does not name. The module holds the marked set until the binding is corrected.
inline constexpr std::uint32_t kMarkedSet = 32;

struct RewrittenHlsl {
  std::string text;
  bool has_bindings = false;        // [[vk::binding]]: sets of the text are marked
  bool has_push_constants = false;  // [[vk::push_constant]] of a variable that is no buffer
  bool has_marks = false;           // [shader("vertex")]

  bool changed() const { return has_bindings || has_push_constants || has_marks; }
};

// The text of a source without comments and directives other than #line and #pragma, as a preprocessor leaves it. Lines
// stay where they are.
// - [[vk::binding(B, S)]] gets the marked set, and the register of its declaration is removed: the attribute wins.
// - [[vk::push_constant]] T name; becomes a cbuffer with that member.
// - [shader("vertex")] is removed, because glslang warns of it.
// Errors: kLimit for a space of a register that is a marked set.
Result<RewrittenHlsl> rewrite_attributes(std::string_view preprocessed);

}  // namespace assetc::shader
