// Between what recipes make and what the cache keeps of it.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/state/inputs.hpp"

namespace assetc::engine {

// Those that name no file are about the source.
std::vector<recipes::Diagnostic> located(const Node& node, std::vector<recipes::Diagnostic> diagnostics);

// All of a record but its outputs and children; its texts are the arena's.
std::unique_ptr<StepRecord> record_of(const Node& node, recipes::Product& product, const TrackedInputs& inputs,
                                      Arena& arena);

// As the user gets them.
std::vector<recipes::Diagnostic> diagnostics_of(const StepRecord& record);

// A record's product under the name of a step that would make the same; without its outputs.
recipes::Product product_of(const StepRecord& from, std::string_view source);

}  // namespace assetc::engine
