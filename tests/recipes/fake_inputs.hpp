// Inputs from files in memory, with a log of the requests.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "assetc/base/hash.hpp"
#include "base/ascii.hpp"
#include "recipes/recipe.hpp"

namespace assetc::recipes {

class FakeInputs : public Inputs {
 public:
  std::map<std::string, std::string, std::less<>> files;
  std::vector<std::string> asked;  // every path read, in order, found or not

  Result<Bytes> read(std::string_view path) override {
    asked.emplace_back(path);
    const auto found = files.find(path);
    if (found == files.end()) return fail(ErrorCode::kNotFound, "no file \"" + std::string(path) + "\"");
    const ByteSpan bytes = as_bytes(found->second);
    return Bytes(ByteVector(bytes.begin(), bytes.end()));
  }
  bool exists(std::string_view path) override { return files.contains(path); }
  Result<std::vector<std::string>> list(std::string_view directory) override {
    std::vector<std::string> names;
    for (const auto& [path, text] : files) {
      if (path.size() <= directory.size() || !path.starts_with(directory) || path[directory.size()] != '/') continue;
      const std::string name = path.substr(directory.size() + 1);
      if (name.find('/') == name.npos) names.push_back(name);
    }
    return names;
  }
  std::vector<std::string> named(std::string_view name) override {
    std::vector<std::string> paths;
    for (const auto& [path, text] : files) {
      if (loose_name(path.substr(path.rfind('/') + 1)) == loose_name(name)) paths.push_back(path);
    }
    return paths;
  }
  std::optional<SourceAsset> asset(std::string_view path) override {
    auto found = exists(path) ? asset_of(all_recipes(), path) : std::nullopt;
    if (found) found->ref = ref(found->stem);
    return found;
  }
  std::uint64_t ref(std::string_view stem) override { return hash_asset_ref(stem); }
};

}  // namespace assetc::recipes
