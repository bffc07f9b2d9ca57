#include "engine/run/events.hpp"

#include "engine/target/params.hpp"

namespace assetc::engine {

StepName step_name(std::string_view recipe, std::string_view source, std::string_view stem, std::string_view params) {
  StepName name{std::string(recipe), std::string(source), std::string(stem)};
  const recipes::Params decoded = decode_params(params);
  if (const auto mode = decoded.find(recipes::kModeParam); mode != decoded.end()) name.mode = mode->second;
  return name;
}

}  // namespace assetc::engine
