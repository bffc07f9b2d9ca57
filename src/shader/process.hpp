// Resource limits of shader compilers, and the messages for a compiler that was ended.
#pragma once

#include <algorithm>
#include <cstdint>

#include "process/limits.hpp"

namespace assetc::shader {

using ProcessLimits = process::Limits;

// slangc loads another compiler, and modules of similar size.
inline constexpr ProcessLimits kSlangcLimits{.memory_bytes = 4ull << 30};

// Limits for options, which may lower the memory limit.
inline ProcessLimits limits_under(ProcessLimits most, std::uint64_t memory_bytes) {
  if (memory_bytes != 0) most.memory_bytes = std::min(most.memory_bytes, memory_bytes);
  return most;
}

inline constexpr process::Words kCompilerWords{
    .who = "the compiler",
    .crash_hint =
        "look for a mistake in the latest change; undefined names, stray words and very deep nesting are "
        "known causes",
    .growing_hint = "look for macros, includes or loops that multiply, or split the shader"};

}  // namespace assetc::shader
