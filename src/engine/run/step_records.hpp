// Converts between products of recipes and records of the cache.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/state/inputs.hpp"

namespace assetc::engine {

// Sets the file of diagnostics that name none to the source.
std::vector<recipes::Diagnostic> located(const Node& node, std::vector<recipes::Diagnostic> diagnostics);

// Makes a record without outputs and children. Its texts live in the arena.
std::unique_ptr<StepRecord> record_of(const Node& node, recipes::Product& product, const TrackedInputs& inputs,
                                      Arena& arena);

// The diagnostics of a record, as the user sees them.
std::vector<recipes::Diagnostic> diagnostics_of(const StepRecord& record);

// The product of a record, without outputs, for an equal step of another source.
recipes::Product product_of(const StepRecord& from, std::string_view source);

}  // namespace assetc::engine
