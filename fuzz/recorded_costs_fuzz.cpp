// Any bytes as the recorded costs of a report: an error with advice, or times that can be added up.
#include "engine/plan/recorded_costs.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  const auto costs = engine::parse_costs(fuzz::bytes(data, size));
  if (!costs) {
    fuzz::require(!costs.error().what.empty() && !costs.error().hint.empty());
    return 0;
  }
  for (const auto& [path, ns] : *costs) fuzz::require(ns <= 1'000'000'000'000'000);
  return 0;
}
