#include "engine/config/parse_size.hpp"

#include <charconv>

namespace assetc::engine {

Result<std::uint64_t> parse_size(std::string_view text) {
  const auto refuse = [&] {
    return fail(ErrorCode::kUsage,
                "found \"" + std::string(text) + "\", expected a size like 512M, 1G or a number of bytes");
  };
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc() || !(number > 0)) return refuse();
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  double scale = 1;
  if (!unit.empty() && unit != "B") {
    const std::size_t power =
        std::string_view("KMGT").find(unit.front() >= 'a' ? static_cast<char>(unit.front() - 32) : unit.front());
    if (power == std::string_view::npos) return refuse();
    for (std::size_t i = 0; i <= power; ++i) scale *= 1024;
    unit.remove_prefix(1);
    if (!unit.empty() && unit != "B" && unit != "iB") return refuse();
  }
  const double bytes = number * scale;
  if (!(bytes >= 1 && bytes < 9e18)) return refuse();
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace assetc::engine
