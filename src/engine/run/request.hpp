// The inputs of a build: what it is asked to do, and the services it uses.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"
#include "engine/disk/clock.hpp"
#include "engine/disk/disk.hpp"
#include "engine/plan/share.hpp"
#include "engine/run/events.hpp"
#include "engine/state/state.hpp"
#include "engine/store/store.hpp"
#include "engine/target/identities.hpp"
#include "engine/target/target.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

struct BuildRequest {
  int jobs = 0;                    // threads; 0: one per core
  std::uint64_t memory_bytes = 0;  // limit on bytes in flight; 0: half of the machine's memory
  bool no_cache = false;           // run every step
  bool dry_run = false;            // plan and report, write nothing
  bool verify = false;      // read each written file back and check it; compare all other files with their records
  bool look_again = false;  // plan even if nothing seems to have changed
  bool keep_going = false;  // write an index and a bundle even if steps fail: see Report::is_incomplete
  bool strict = false;      // warnings that `accept:` does not cover fail the build
  // Entries of `accept:` that cover no warning are warnings instead of errors. While people edit a project, the files
  // of an entry may be missing for a moment.
  bool tolerates_unmatched = false;
  bool writes_bundles = true;      // of Profile::bundles
  bool records_waits = false;      // for Report::waits
  bool records_transfers = false;  // for RemoteStore::Summary::records
  std::span<const recipes::Recipe* const> recipes = recipes::all_recipes();
  const Target* target = &runtime_target();
  // Selects the sources to look at; null: all. The records and outputs of all other sources stay as they are.
  std::function<bool(std::string_view source)> selects = nullptr;
  // Compile one of several shares of the sources into the store, and write nothing else. A store is required. A later
  // build of all sources finds the products in the store; it writes the outputs and their records.
  std::optional<Shard> shard = std::nullopt;
  RecordedCosts costs = {};  // known compile times, by which the shares are balanced
};

// All must outlive the build.
struct BuildServices {
  Disk& disk;
  EventSink* listener = nullptr;  // null: no listener
  const Clock& clock = steady_clock();
  Store* store = nullptr;  // null: none
  // `store` in front of one that other machines use; null: none. Called once, if steps must run.
  std::function<Store*()> shared = nullptr;
  // The identities of sources, for targets that name outputs by UUID. Called only if something may have changed.
  std::function<Result<Identities>()> identities = nullptr;
  // Called with all records of a successful build, before the build is recorded as up to date. An error here fails the
  // build.
  std::function<Result<void>(const State& records)> on_records = nullptr;
};

// A build to do, as commands prepare it.
struct BuildTask {
  std::shared_ptr<const Profile> profile;
  BuildRequest request;
  // Same as in BuildServices.
  std::function<Result<Identities>()> identities = nullptr;
  std::function<Result<void>(const State& records)> on_records = nullptr;
  // Called if the build failed, and sources changed while it ran. If true, it ends with kCanceled and has no report.
  std::function<bool()> gives_way = nullptr;
};

// Paths below the input that may have changed since the last build began; nullopt: any path may have changed.
using Changes = std::optional<std::vector<std::string>>;

}  // namespace assetc::engine
