// What a build tells in the end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assetc/base/result.hpp"
#include "engine/run/accepted.hpp"
#include "engine/run/cache_stamp.hpp"
#include "engine/run/events.hpp"
#include "engine/run/waits.hpp"
#include "engine/run/whole_reason.hpp"
#include "engine/state/ignored_kinds.hpp"
#include "engine/state/totals.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

struct StepReport {
  StepName step;
  Reason reason;
  double seconds = 0;
  Origin origin = Origin::kCooked;
  bool failed = false;
  bool unless_taken = false;  // of a dry run: not if a step that would run turns out to take its source
};

struct Failure {
  std::string source;
  std::vector<recipes::Diagnostic> diagnostics;
  std::vector<std::string> outputs;  // of an earlier build, which stay
};

struct Report {
  bool ok = false;             // nothing failed, and troubles is empty
  bool index_written = false;  // else it is that of the last good build
  bool unchanged = false;      // nothing is other than it was after the last build, which said the same
  Totals totals;
  std::vector<StepReport> steps;                 // those that ran (or would, in a dry run), by source
  std::vector<recipes::Diagnostic> diagnostics;  // of all steps, cached ones too, by source: same order on every run
  std::vector<Accepted> accepted;                // warnings that are not among them, for the configuration accepts them
  std::vector<Error> unmatched;                  // entries of accept: that cover nothing
  std::vector<Failure> failures;                 // of the steps that failed
  std::vector<Error> troubles;                   // of the build as a whole: it went on without what they say
  std::vector<std::string> written;              // outputs whose bytes changed, those of the index too; in byte order
  std::vector<std::string> removed;              // outputs removed (or that would be)
  std::vector<std::string> unclaimed;            // the first few, in order
  std::vector<IgnoredKind> ignored_kinds;        // of all that are unclaimed
  std::string pack_file;                         // the target's bundle that was asked for; empty without
  bool packed = false;                           // it is written or was found current
  std::vector<WaitRecord> waits;                 // where BuildRequest::records_waits asks for them, by their end
  std::optional<WholeReason> whole;              // why everything was looked at, in a session that has built before
  CacheStamp found, left;  // the cache before and after: another found than was left, and others built

  // Nothing ran, failed, was written or removed.
  bool did_nothing() const { return ok && steps.empty() && written.empty() && removed.empty(); }
};

}  // namespace assetc::engine
