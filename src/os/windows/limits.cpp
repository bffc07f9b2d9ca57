#include "os/limits.hpp"

#include "os/windows/system.hpp"

namespace assetc::os {

std::optional<std::uint64_t> free_bytes(const std::string& path) {
  ULARGE_INTEGER bytes{};
  if (GetDiskFreeSpaceExW(utf16(path).c_str(), &bytes, nullptr, nullptr) == 0) return std::nullopt;
  return bytes.QuadPart;
}

std::optional<std::uint64_t> watch_limit() { return std::nullopt; }

}  // namespace assetc::os
