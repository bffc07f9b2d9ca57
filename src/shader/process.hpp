// What a compiler of shaders may cost, and what is said of one that did not end by itself.
#pragma once

#include <algorithm>
#include <cstdint>

#include "process/limits.hpp"

namespace assetc::shader {

using ProcessLimits = process::Limits;

// slangc loads a compiler of its own, and modules as large.
inline constexpr ProcessLimits kSlangcLimits{.memory_bytes = 4ull << 30};

// The limits of options, which may ask for less memory than they allow.
inline ProcessLimits limits_under(ProcessLimits most, std::uint64_t memory_bytes) {
  if (memory_bytes != 0) most.memory_bytes = std::min(most.memory_bytes, memory_bytes);
  return most;
}

inline constexpr process::Words kCompilerWords{
    .who = "the compiler",
    .crash_hint =
        "look for a mistake in what changed last; undefined names, stray words and very deep nesting are "
        "known to do this",
    .growing_hint = "look for macros, includes or loops that multiply, or split the shader"};

}  // namespace assetc::shader
