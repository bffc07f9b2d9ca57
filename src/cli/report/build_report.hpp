// The file of --report: the results of a build as JSON, for dashboards that follow builds over time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/json_line.hpp"
#include "engine/config/config.hpp"
#include "engine/plan/recorded_costs.hpp"
#include "engine/remote/remote_store.hpp"
#include "engine/run/events.hpp"
#include "engine/run/report.hpp"

namespace assetc::cli {

// How a build used the shared cache: the JSON object in --report and in the event `shared_cache`.
JsonObject shared_cache_json(const engine::RemoteStore::Summary& remote);

// Counts the events of a build and forwards them.
class BuildReporter final : public engine::EventSink {
 public:
  explicit BuildReporter(engine::EventSink& next) : next_(next) {}
  void on(const engine::Event& event) override;
  // The text of the file; docs/guide/json.md lists its members.
  // remote: of the shared cache, if one was used. known: recorded seconds of sources that were not compiled this time.
  std::string text(const engine::Profile& profile, const engine::Report& report, bool dry_run,
                   const std::optional<engine::RemoteStore::Summary>& remote, const engine::RecordedCosts& known) const;

 private:
  struct Kind {
    std::uint64_t built = 0, copied = 0, restored = 0, failed = 0;
    std::uint64_t bytes = 0;
    double seconds = 0;  // summed over all threads
  };
  engine::EventSink& next_;
  std::map<std::string, Kind, std::less<>> kinds_;  // by recipe
  std::map<std::string, double> seconds_;           // by source: spent on steps that were compiled
};

}  // namespace assetc::cli
