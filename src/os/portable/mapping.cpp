// For systems without files, such as WebAssembly: every file is missing. Sources of an engine do not use them.
#include "os/mapping.hpp"

namespace assetc::os {

bool is_plain_name(std::string_view) { return true; }

Result<MappedFile> map_file(const std::string& path, std::uint64_t) {
  return std::unexpected(
      Error{ErrorCode::kUnsupported, path, {}, "this platform has no files", "mount a source instead"});
}

void will_need(ByteSpan) {}
bool populate(ByteSpan) { return true; }

}  // namespace assetc::os
