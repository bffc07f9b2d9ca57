// One build: from a resolved configuration to a published output tree.
//
// Guarantees, whatever happened to earlier builds (killed, out of space, two at once): after a build that reports
// success the output tree equals, byte for byte, the one that a build into an empty directory makes. A build that
// fails leaves the last good outputs and index in place and does all the work that did not fail.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assetc/base/result.hpp"
#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"
#include "engine/plan/share.hpp"
#include "engine/remote/layered_store.hpp"
#include "engine/run/cache_stamp.hpp"
#include "engine/run/events.hpp"
#include "engine/run/waits.hpp"
#include "engine/state/state.hpp"
#include "engine/state/totals.hpp"
#include "engine/store/local_store.hpp"
#include "engine/target/identities.hpp"
#include "engine/target/target.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

class Kept;

struct Options {
  int jobs = 0;                    // threads; 0: one a core
  std::uint64_t memory_bytes = 0;  // bound on bytes in flight; 0: half of the machine's
  bool no_cache = false;           // run every step
  bool dry_run = false;            // plan and report, write nothing
  bool verify = false;             // read each written file again and check it; compare the others with their records
  std::span<const recipes::Recipe* const> recipes = recipes::all_recipes();
  const Target* target = &runtime_target();
  // Which sources are looked at; null: all. What earlier builds made of the others stays as it is.
  std::function<bool(std::string_view source)> selects = nullptr;
  // Who is who, of targets that name outputs by UUID; asked only where something may have changed.
  std::function<Result<Identities>()> identities = nullptr;
  // Called with every record of a good build, before it is remembered as one: what fails here fails the build.
  std::function<Result<void>(const State& records)> on_records = nullptr;
  LocalStore* store = nullptr;  // outlives the build; null: none
  // `store` in front of that of other machines, which outlives the build; null: none. Asked once, where steps must run.
  std::function<LayeredStore*()> shared = nullptr;
  bool look_again = false;     // plan even where nothing seems to have changed
  bool records_waits = false;  // for Report::waits
  // Compile one of several shares of the sources into the store, which is required, and write nothing else: outputs and
  // what is remembered of them are the business of a build of all, which finds in the store what it needs.
  std::optional<Shard> shard = std::nullopt;
  RecordedCosts costs = {};  // what shares are measured by, where it is known
  // What these builds in this process, one after another, keep of each other; not of those that select sources, have
  // identities or want all records.
  Kept* kept = nullptr;
};

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
  std::vector<Failure> failures;                 // of the steps that failed
  std::vector<Error> troubles;                   // of the build as a whole: it went on without what they say
  std::vector<std::string> written;              // outputs whose bytes changed, those of the index too; in byte order
  std::vector<std::string> removed;              // outputs removed (or that would be)
  std::vector<std::string> unclaimed;            // the first few, in order
  std::string pack_file;                         // the target's bundle that was asked for; empty without
  bool packed = false;                           // it is written or was found current
  std::vector<WaitRecord> waits;                 // where Options::records_waits asks for them, by their end
  CacheStamp found, left;  // the cache before and after: another found than was left, and others built

  // Nothing ran, failed, was written or removed.
  bool did_nothing() const { return ok && steps.empty() && written.empty() && removed.empty(); }
};

// Builds. A Result error is what keeps a build from starting: kUsage, kConflict (another build in the same output),
// kNotFound (no input), kIo (no output folder, no cache). All else is in the report, and stops nothing else.
Result<Report> build(const Options& options, const Profile& profile, Disk& disk, EventSink& events);
// The same without events.
Result<Report> build(const Options& options, const Profile& profile, Disk& disk);

}  // namespace assetc::engine
