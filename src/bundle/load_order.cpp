#include "bundle/load_order.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "base/ascii.hpp"
#include "base/text_file.hpp"

namespace assetc::bundle {

Result<std::vector<std::size_t>> read_load_order(std::string_view text, std::span<const CookedAsset> assets) {
  std::unordered_map<std::string, std::size_t> by_path;
  std::unordered_map<Uuid, std::size_t> by_uuid;
  for (std::size_t i = 0; i < assets.size(); ++i) {
    by_path.emplace(ascii_lower(assets[i].virtual_path), i);
    by_uuid.emplace(assets[i].uuid, i);
  }
  std::vector<bool> is_there(assets.size());
  std::vector<std::size_t> order;
  text = without_mark(text);
  while (!text.empty()) {
    const std::string_view whole = text.substr(0, text.find('\n')), line = trimmed(whole, " \t\r");
    text.remove_prefix(std::min(text.size(), whole.size() + 1));
    if (line.empty() || line.front() == '#') continue;
    const auto path = by_path.find(ascii_lower(line));
    const auto uuid = Uuid::parse(line);
    const auto named = uuid ? by_uuid.find(*uuid) : by_uuid.end();
    if (path == by_path.end() && named == by_uuid.end()) continue;
    const std::size_t i = path != by_path.end() ? path->second : named->second;
    if (!is_there[i]) order.push_back(i);
    is_there[i] = true;
  }
  if (order.empty() && !assets.empty())
    return fail(ErrorCode::kInvalidData, "names none of the assets",
                "write a virtual path or a UUID on each line, in the order in which the game loads them");
  return order;
}

bool lies_in_order(const pak::View& bundle, std::span<const std::size_t> order) {
  std::vector<bool> is_there(bundle.entries().size());
  std::vector<bool> is_named(bundle.blocks().size());
  std::size_t next = bundle.header().has_dictionary() ? 1 : 0;
  const auto follows = [&](std::size_t i) {
    if (is_there[i]) return true;
    is_there[i] = true;
    for (const std::uint32_t block : bundle.refs(bundle.entries()[i])) {
      if (is_named[block]) continue;
      is_named[block] = true;
      if (block != next++) return false;
    }
    return true;
  };
  for (const std::size_t i : order) {
    if (!follows(i)) return false;
  }
  for (std::size_t i = 0; i < is_there.size(); ++i) {
    if (!follows(i)) return false;
  }
  return true;
}

}  // namespace assetc::bundle
