// Inputs of a target with UUIDs: every requested asset has one, and requests are recorded.
#pragma once

#include <map>
#include <string>

#include "crypto/sha.hpp"
#include "recipes/fake_inputs.hpp"

namespace assetc::recipes {

class CookedInputs : public FakeInputs {
 public:
  std::map<std::string, Uuid, std::less<>> uuids;  // of every requested asset

  std::optional<Uuid> uuid(std::string_view asset) override {
    return uuids.try_emplace(std::string(asset), crypto::uuid_of_name({}, as_bytes(asset))).first->second;
  }
  std::optional<SourceAsset> asset(std::string_view path) override {
    auto found = exists(path) ? asset_of(cooked_recipes(), path) : std::nullopt;
    if (found) found->stem = uuid(path)->to_string();
    return found;
  }
};

// A step of the recipe that claims the file, under the file's UUID.
inline Step cooked_step(CookedInputs& inputs, const std::string& path) {
  Step step;
  const auto asset = inputs.asset(path);
  if (!asset) return step;
  step.recipe = asset->recipe;
  step.source = step.input_path = path;
  step.stem = asset->stem;
  step.params = mode_params(asset->mode);
  step.containers = &kCookedContainers;
  return step;
}

}  // namespace assetc::recipes
