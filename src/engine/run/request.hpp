// What a build is asked for, and what it does that with.
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
#include "engine/remote/layered_store.hpp"
#include "engine/run/events.hpp"
#include "engine/state/state.hpp"
#include "engine/store/local_store.hpp"
#include "engine/target/identities.hpp"
#include "engine/target/target.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

struct BuildRequest {
  int jobs = 0;                    // threads; 0: one a core
  std::uint64_t memory_bytes = 0;  // bound on bytes in flight; 0: half of the machine's
  bool no_cache = false;           // run every step
  bool dry_run = false;            // plan and report, write nothing
  bool verify = false;             // read each written file again and check it; compare the others with their records
  bool look_again = false;         // plan even where nothing seems to have changed
  bool records_waits = false;      // for Report::waits
  std::span<const recipes::Recipe* const> recipes = recipes::all_recipes();
  const Target* target = &runtime_target();
  // Which sources are looked at; null: all. What earlier builds made of the others stays as it is.
  std::function<bool(std::string_view source)> selects = nullptr;
  // Compile one of several shares of the sources into the store, which is required, and write nothing else: outputs and
  // what is remembered of them are the business of a build of all, which finds in the store what it needs.
  std::optional<Shard> shard = std::nullopt;
  RecordedCosts costs = {};  // what shares are measured by, where it is known
};

// All outlive the build.
struct BuildServices {
  Disk& disk;
  EventSink* listener = nullptr;  // null: nobody listens
  const Clock& clock = steady_clock();
  LocalStore* store = nullptr;  // null: none
  // `store` in front of that of other machines; null: none. Asked once, where steps must run.
  std::function<LayeredStore*()> shared = nullptr;
  // Who is who, of targets that name outputs by UUID; asked only where something may have changed.
  std::function<Result<Identities>()> identities = nullptr;
  // Called with every record of a good build, before it is remembered as one: what fails here fails the build.
  std::function<Result<void>(const State& records)> on_records = nullptr;
};

// A build that is to be done, as commands make them.
struct BuildTask {
  std::shared_ptr<const Profile> profile;
  BuildRequest request;
  // As those of BuildServices.
  std::function<Result<Identities>()> identities = nullptr;
  std::function<Result<void>(const State& records)> on_records = nullptr;
};

// Paths below the input that may be other than when the last build began; nothing: any may be.
using Changes = std::optional<std::vector<std::string>>;

}  // namespace assetc::engine
