// Fills in the final report of a build, over all its steps, including cached ones.
#pragma once

#include <functional>
#include <span>

#include "engine/plan/discover.hpp"
#include "engine/plan/plan.hpp"
#include "engine/run/report.hpp"
#include "engine/run/runner.hpp"

namespace assetc::engine {

// At most so many unclaimed files are named.
inline constexpr std::size_t kUnclaimedNamed = 20;

// At most so many sources are offered to be left out for one error.
inline constexpr std::size_t kIgnoreOffered = 8;

// Calls visit(record) for each step that asks for a step, until it returns false.
using UsersOf = std::function<void(const StepId& step, const std::function<bool(const StepRecord& user)>& visit)>;
// Fills in Diagnostic::ignore of the errors: a failed step is left out with its source, or with all sources that ask
// for it. If those are more than kIgnoreOffered, nothing is offered: the file has to be mended.
void offer_ignore(std::span<Failure> failures, const UsersOf& users_of);

// Adds the outputs and diagnostics of live steps and of failures to a report, and sorts its lists.
void finish_steps(Report& report, const StepSet& live, std::span<const Failure> failures);
// The same. Also adds rules that matched nothing and files that no recipe takes.
void finish_report(Report& report, const StepSet& live, std::span<const Failure> failures, const Profile& profile,
                   SettingsTable& settings, const Tree& input, const Sources& sources,
                   std::span<const recipes::Recipe* const> recipes);

// Counts the steps of a report by result.
void count_steps(Report& report);
// Adds a warning about this build only: it is not repeated when nothing runs.
void tell_oversized(Report& report, const Outcome::Oversized& oversized, std::uint64_t budget_bytes);
// Adds a warning about graphics that were compiled to blocks in this build. Returns whether there are any.
bool tell_graphics(Report& report, const Outcome::Graphics& graphics);
// Adds a warning if a picture of models is stored more than kMostCopies times, for the one that takes most bytes.
// Returns whether it did.
inline constexpr std::size_t kMostCopies = 4;
bool tell_repeated(Report& report, const StepSet& live, const Target& target);
// Adds what another build had done before this build continued where that one stopped.
void add_begun(Report& report, Report begun);

// Fills in what a build of this decision would report, as far as this is known without running it. Returns its live
// steps.
StepSet predict(Report& report, const Planner::Decision& decision, const State& state, const Target& target,
                const Tree& input, const Sources& sources, const AssetRules& assets);

}  // namespace assetc::engine
