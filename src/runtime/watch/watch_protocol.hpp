// The messages of a watch: lines of JSON, specified in docs/guide/watch.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/runtime/catalog.hpp"

namespace assetc::runtime {

// Parses one line. Returns the changes of a build; everything for a greeting; nothing for unknown events. Errors:
// kInvalidData with line and column, kVersion for a greeting of another protocol.
Result<std::optional<Changes>> parse_watch_line(std::string_view line);

// Splits arriving bytes into lines.
class WatchReader {
 public:
  static constexpr std::size_t kMaxLineBytes = 64u << 20;
  // Returns the changes in complete lines. Errors: those of a line, and kLimit for a line that is too long. After an
  // error, nothing more is read.
  Result<std::vector<Changes>> read(ByteSpan bytes);

 private:
  std::string rest_;
};

}  // namespace assetc::runtime
