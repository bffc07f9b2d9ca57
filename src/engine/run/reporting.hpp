// What a build says in the end, of all its steps, cached ones too.
#pragma once

#include <span>

#include "engine/plan/discover.hpp"
#include "engine/plan/plan.hpp"
#include "engine/run/report.hpp"
#include "engine/run/runner.hpp"

namespace assetc::engine {

// Of the files that nobody took.
inline constexpr std::size_t kUnclaimedNamed = 20;

// Adds to a report the outputs and diagnostics of live steps and failures, and brings its lists in order.
void finish_steps(Report& report, const StepSet& live, std::span<const Failure> failures);
// The same, and rules that matched nothing and files that nobody took.
void finish_report(Report& report, const StepSet& live, std::span<const Failure> failures, const Profile& profile,
                   SettingsTable& settings, const Tree& input, const Sources& sources,
                   std::span<const recipes::Recipe* const> recipes);

// Counts the steps of a report by what became of them.
void count_steps(Report& report);
// Of this build alone, so that it is not said again when nothing ran.
void tell_oversized(Report& report, const Outcome::Oversized& oversized, std::uint64_t budget_bytes);
// What another build had done before this one began where that left off.
void add_begun(Report& report, Report begun);

// What a build of this decision would report, as far as one can tell without running it. Returns its live steps.
StepSet predict(Report& report, const Planner::Decision& decision, const State& state, const Target& target,
                const Tree& input, const Sources& sources, const AssetRules& assets);

}  // namespace assetc::engine
