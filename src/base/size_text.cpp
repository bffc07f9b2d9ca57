#include "base/size_text.hpp"

#include <string_view>

namespace assetc {

std::string size_text(std::uint64_t bytes) {
  constexpr std::string_view kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  std::size_t unit = 0;
  std::uint64_t tenths = 0;
  for (;; ++unit) {
    const unsigned shift = 10 * (static_cast<unsigned>(unit) + 1);
    const std::uint64_t rest = bytes & ((std::uint64_t{1} << shift) - 1);
    // The rest has at most 40 bits.
    tenths = (bytes >> shift) * 10 + ((rest * 10 + (std::uint64_t{1} << (shift - 1))) >> shift);
    if (tenths < 10240 || unit + 1 == std::size(kUnits)) break;
  }
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " " + std::string(kUnits[unit]);
}

}  // namespace assetc
