// The protocol between the two processes of a compile: messages (process/message.hpp) that start with a Tag.
//
//   kJob       ->  build(), options, limits, path, source
//   <- kRead       path of a file that the source includes     any number of times
//   kFile      ->  its bytes, or the error
//   <- kCompiled   the SPIR-V and warnings, or the error
#pragma once

#include <cstdint>

namespace assetc::shader {

inline constexpr std::uint32_t kMaxMessageBytes = 256u << 20;

enum class Tag : std::uint8_t { kJob, kRead, kFile, kCompiled };

}  // namespace assetc::shader
