#include "process/limits.hpp"

#include <string>

#include "base/size_text.hpp"

namespace assetc::process {
namespace {

Error limit_error(std::string_view who, const std::string& what, const Words& words) {
  return {ErrorCode::kLimit, {}, {}, std::string(who).append(what), std::string(words.growing_hint)};
}

}  // namespace

Error crash_error(const os::Exit& exit, const Limits& limits, const Words& words) {
  if (exit.took_too_long) {
    return limit_error(words.who,
                       " took more than " + std::to_string(limits.processor_seconds) + " s of processor time", words);
  }
  if (exit.is(kOutOfMemoryStatus)) return memory_error(limits, words);
  const std::string how = exit.status ? "exit code " + std::to_string(*exit.status) : exit.signal;
  return {ErrorCode::kInvalidData,
          {},
          {},
          std::string(words.who) + " crashed on this source (" + how + ") and gave no line",
          std::string(words.crash_hint)};
}

Error memory_error(const Limits& limits, const Words& words) {
  return limit_error(words.who, " needs more than " + size_text(limits.memory_bytes) + " of memory", words);
}

Error hang_error(const Limits& limits, const Words& words) {
  return limit_error(words.who, " gave no answer for " + std::to_string(limits.seconds) + " s", words);
}

}  // namespace assetc::process
