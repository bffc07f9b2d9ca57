// The command `ktx`: answers to the commands of the program of that name in Khronos' KTX-Software, so that pipelines
// that call it work without it. docs/guide/ktx.md lists what it answers, and where it differs.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::ktx {

// How the command reaches files and streams. The path "-" is standard input or standard output.
struct Io {
  std::function<Result<Bytes>(const std::string& path)> read;
  std::function<Result<void>(const std::string& path, ByteSpan bytes)> write;
  std::function<void(std::string_view text)> out;
  std::function<void(std::string_view text)> err;
};

// The exit codes of the program.
enum class Exit : int {
  kSuccess = 0,
  kUsage = 1,
  kIo = 2,
  kInvalidFile = 3,
  kFailed = 4,  // everything else, such as a limit
  kUnsupported = 5,
  kNotImplemented = 6,
};

// Runs `ktx ARGUMENTS...`, without the program's name in arguments, and returns the exit code. Errors go to io.err as
// "ktx create fatal: ...". Runs in parallel in the calling thread's oneTBB arena.
// Source of the interface: the manual pages of KTX-Software 4.4.
int run(std::span<const std::string> arguments, const Io& io);

}  // namespace assetc::ktx
