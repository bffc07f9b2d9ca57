// What a watch says: lines of JSON, specified in docs/guide/watch.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/runtime/catalog.hpp"

namespace assetc::runtime {

// A build's line; nothing for greetings and for events that this program does not know.
// Errors: kInvalidData with line and column, kVersion for a greeting of another protocol.
Result<std::optional<Changes>> parse_watch_line(std::string_view line);

// Lines out of bytes as they arrive.
class WatchReader {
 public:
  static constexpr std::size_t kMaxLineBytes = 64u << 20;
  // What whole lines said. Errors: those of a line, and kLimit for one that is too long; then nothing more is read.
  Result<std::vector<Changes>> read(ByteSpan bytes);

 private:
  std::string rest_;
};

}  // namespace assetc::runtime
