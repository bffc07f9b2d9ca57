// The result of a build.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assetc/base/result.hpp"
#include "engine/publish/bundles.hpp"
#include "engine/run/accepted.hpp"
#include "engine/run/cache_stamp.hpp"
#include "engine/run/events.hpp"
#include "engine/run/waits.hpp"
#include "engine/run/whole_reason.hpp"
#include "engine/state/ignored_kinds.hpp"
#include "engine/state/state.hpp"
#include "engine/state/totals.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

struct StepReport {
  StepName step;
  Reason reason;
  double seconds = 0;
  Origin origin = Origin::kCooked;
  bool failed = false;
  bool unless_taken = false;  // in a dry run: it does not run if another step that runs takes its source
};

struct Failure {
  std::string source;
  StepId step;
  std::string own_source;  // whose own step it is; empty for a step that another one asked for
  std::vector<recipes::Diagnostic> diagnostics;
  std::vector<std::string> outputs;  // outputs of an earlier build, which are kept
};

struct Report {
  bool ok = false;             // nothing failed, and troubles is empty; see also build_project()
  bool index_written = false;  // false: the index is that of the last good build
  // Steps failed, and the index lacks their sources and those that depend on them: BuildRequest::keep_going.
  bool is_incomplete = false;
  bool has_index = false;  // the output has an index, from this build or an earlier one
  bool went_on = false;    // the build looked only at what changed
  bool unchanged = false;  // nothing changed since the last build; this report repeats its result
  bool mends = false;      // nothing failed, although the last build failed
  Totals totals;
  std::vector<StepReport> steps;                 // steps that ran (or would run, in a dry run), by source
  std::vector<recipes::Diagnostic> diagnostics;  // of all steps, cached ones too, by source: same order on every run
  std::vector<Accepted> accepted;                // warnings that `accept:` covers; not in diagnostics
  std::vector<Error> unmatched;                  // entries of `accept:` that cover no warning
  std::uint64_t refused_warnings = 0;            // warnings that fail the build: BuildRequest::strict
  std::vector<Failure> failures;                 // of the steps that failed
  std::vector<std::string> dependent;  // sources that an incomplete index lacks though their own steps did not fail
  std::vector<Error> troubles;         // errors of the build as a whole; the build went on without the affected part
  std::vector<std::string> written;    // outputs and index files whose bytes changed, in byte order
  std::vector<std::string> removed;    // outputs that were removed (or would be)
  std::vector<std::string> unclaimed;  // the first few unclaimed files, in order
  std::vector<IgnoredKind> ignored_kinds;  // counts over all unclaimed files
  std::string pack_file;                   // the bundle that was requested; empty if none
  bool packed = false;                     // the bundle was written or was up to date
  BundlesReport bundles;                   // of a cook
  std::vector<WaitRecord> waits;           // if BuildRequest::records_waits; sorted by end
  std::optional<WholeReason> whole;        // why a session that has built before looked at everything
  ContentHash input;  // fingerprint of the tree of sources that the build looked at; zero if it went on
  // The cache before and after. If a build finds another stamp than the last one left, another program has built.
  CacheStamp found, left;

  std::uint64_t warnings() const {
    return static_cast<std::uint64_t>(
        std::ranges::count(diagnostics, recipes::Severity::kWarning, &recipes::Diagnostic::severity));
  }
  // Nothing ran, failed, was written or removed, and nothing had failed before.
  bool did_nothing() const { return ok && !mends && steps.empty() && written.empty() && removed.empty(); }
};

}  // namespace assetc::engine
