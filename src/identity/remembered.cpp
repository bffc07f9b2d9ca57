#include "identity/remembered.hpp"

#include <charconv>
#include <nlohmann/json.hpp>

namespace assetc::identity {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;

bool parse_hash(const std::string& hex, ContentHash& out) {
  if (hex.size() != 32) return false;
  const auto half = [&](std::size_t begin, std::uint64_t& value) {
    const char* const end = hex.data() + begin + 16;
    const auto result = std::from_chars(hex.data() + begin, end, value, 16);
    return result.ec == std::errc() && result.ptr == end;
  };
  return half(0, out.high) && half(16, out.low);
}

Json written(const Remembered& one) {
  Json subs = Json::array();
  for (const FoundSubAsset& sub : one.sub_assets) subs.push_back({sub.type, sub.name, sub.fingerprint});
  return {one.path,       one.signature, one.content.hex(), one.source_dependencies, one.dependency_signature,
          std::move(subs)};
}

}  // namespace

std::string write_remembered(const std::vector<Remembered>& all) {
  std::string text = "{\"Version\": " + std::to_string(kVersion) + ", \"Sources\": [";
  for (std::size_t i = 0; i < all.size(); ++i) {
    text += (i == 0 ? "\n" : ",\n") + written(all[i]).dump(-1, ' ', true, Json::error_handler_t::replace);
  }
  return text + "\n]}\n";
}

std::vector<Remembered> parse_remembered(std::string_view text) {
  try {
    const Json root = Json::parse(text);
    if (root.at("Version") != kVersion) return {};
    std::vector<Remembered> all;
    for (const Json& row : root.at("Sources")) {
      Remembered one{row.at(0).get<std::string>(), row.at(1).get<std::string>(), {}};
      if (!parse_hash(row.at(2).get<std::string>(), one.content)) return {};
      one.source_dependencies = row.at(3).get<std::vector<std::string>>();
      one.dependency_signature = row.at(4).get<std::string>();
      for (const Json& sub : row.at(5)) {
        one.sub_assets.push_back(
            {sub.at(0).get<std::string>(), sub.at(1).get<std::string>(), sub.at(2).get<std::string>()});
      }
      all.push_back(std::move(one));
    }
    return all;
  } catch (const Json::exception&) {
    return {};
  }
}

}  // namespace assetc::identity
