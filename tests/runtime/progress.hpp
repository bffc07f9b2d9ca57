// The rule for progress: whatever the limits are, every asset of a catalog becomes ready or fails.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "assetc/runtime/all_loaders.hpp"
#include "assetc/runtime/jobs.hpp"

namespace assetc::runtime {

struct ProgressCase {
  std::uint64_t in_flight_bytes = 0;
  bool in_parts = false;
  JobSystem jobs{};       // unset: everything happens in pump()
  bool may_wait = false;  // sources or jobs have threads, so the number of pumps is not fixed
};

// Loads all assets of a catalog at once, and ranges of some. Returns how many became ready.
inline std::size_t expect_progress(const Catalog& catalog, const ProgressCase& with) {
  // A pump does all work that is possible without waiting, except that each finer level begins in the next one.
  constexpr int kMostPumps = 40;
  ManagerOptions options{
      .jobs = with.jobs, .io_thread = with.may_wait, .in_flight_bytes = with.in_flight_bytes, .frames_in_flight = 1};
  Manager manager(catalog, std::move(options));
  const PartOptions parts{.first_read_bytes = 4096};
  Loaders loaders;
  if (with.in_parts) loaders = {.texture = texture_loader({}, parts), .mesh = mesh_loader(parts)};
  add_loaders(manager, std::move(loaders));
  const std::vector<AssetHandle> assets = catalog.list();
  const Group group = manager.preload(assets);
  std::vector<AssetRef<PartBytes>> ranges;
  const auto is_over = [&] {
    return group.progress().is_done() && manager.stats().loading == 0 &&
           std::ranges::all_of(group.refs(),
                               [&](const AnyRef& ref) { return manager.why_waiting(ref).what == Waits::kNothing; });
  };
  int pumps = 0;
  do {
    manager.pump({.time = std::chrono::seconds(60)});
    if (pumps++ == 0) {
      for (const AnyRef& ref : group.refs()) ranges.push_back(manager.load_range(ref, {16, 3000}));
    }
    if (!with.may_wait && pumps > kMostPumps) break;
  } while (!is_over());
  const std::string where = std::to_string(with.in_flight_bytes) + " bytes in flight" +
                            (with.in_parts ? ", in parts" : "") + (with.may_wait ? ", with threads" : "");
  EXPECT_TRUE(is_over()) << where;
  EXPECT_EQ(manager.stats().in_flight_bytes, 0u) << where;
  EXPECT_EQ(group.refs().size(), assets.size()) << where;
  for (const AssetRef<PartBytes>& range : ranges) EXPECT_NE(range.state(), LoadState::kLoading) << where;
  return group.progress().ready;
}

// The limits that are tried: one byte, and 1 KiB to 1 GiB by this factor.
inline std::vector<std::uint64_t> limits_of_progress(std::uint64_t factor = 4) {
  std::vector<std::uint64_t> limits{1};
  for (std::uint64_t limit = 1u << 10; limit <= 1u << 30; limit *= factor) limits.push_back(limit);
  return limits;
}

}  // namespace assetc::runtime
