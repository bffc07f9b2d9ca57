// Makes the records of steps: of the product of a recipe, or of the record of an equal step.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/run/events.hpp"
#include "engine/state/inputs.hpp"

namespace assetc::engine {

StepName name_of(const Node& node);
// The source whose own step it is; empty for a step that another one asked for.
std::string_view own_source(const Node& node);
// The step as its recipe sees it.
recipes::Step step_of(const Node& node);

// Sets the file of diagnostics that name none to the source.
std::vector<recipes::Diagnostic> located(const Node& node, std::vector<recipes::Diagnostic> diagnostics);

// The record of a cooked product, without signatures of its outputs and without children. Its texts live in the arena.
std::unique_ptr<StepRecord> record_of(const Node& node, recipes::Product& product, const TrackedInputs& inputs,
                                      Arena& arena);

// The record of the node's step if its outputs are those of another record: of an equal step, or of the same step on
// another machine. Like record_of(), without signatures and children.
std::unique_ptr<StepRecord> record_like(const StepRecord& from, const Node& node, Arena& arena);

// The diagnostics of a record, as the user sees them.
std::vector<recipes::Diagnostic> diagnostics_of(const StepRecord& record);

}  // namespace assetc::engine
