#include "engine/target/params.hpp"

#include <charconv>
#include <utility>

namespace assetc::engine {

std::string encode_params(const recipes::Params& params) {
  std::string text;
  for (const auto& [key, value] : params) {
    text += std::to_string(key.size()) + ":" + key + std::to_string(value.size()) + ":" + value;
  }
  return text;
}

recipes::Params decode_params(std::string_view text) {
  recipes::Params params;
  const auto next = [&]() -> std::string {
    std::size_t size = 0;
    const char* end = text.data() + text.size();
    const auto [after, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || after == end || *after != ':' || size > static_cast<std::size_t>(end - after - 1)) {
      text = {};
      return {};
    }
    std::string part(after + 1, size);
    text.remove_prefix(static_cast<std::size_t>(after + 1 - text.data()) + size);
    return part;
  };
  while (!text.empty()) {
    std::string key = next();
    params.insert_or_assign(std::move(key), next());
  }
  return params;
}

}  // namespace assetc::engine
