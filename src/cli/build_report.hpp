// What a build did, in one JSON file: for dashboards that follow builds over time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/json_line.hpp"
#include "engine/run/session.hpp"

namespace assetc::cli {

// What a build had of the shared cache: the object of --report and of the event.
JsonObject shared_cache_json(const engine::RemoteStore::Summary& remote);

// Counts the events of a build and hands them on.
class BuildReporter final : public engine::EventSink {
 public:
  explicit BuildReporter(engine::EventSink& next) : next_(next) {}
  void on(const engine::Event& event) override;
  // docs/guide/json.md says what is in it.
  // remote: of the shared cache, where one was used. known: what sources took that were not compiled this time.
  std::string text(const engine::Profile& profile, const engine::Report& report, bool dry_run,
                   const std::optional<engine::RemoteStore::Summary>& remote, const engine::RecordedCosts& known) const;

 private:
  struct Kind {
    std::uint64_t built = 0, copied = 0, restored = 0, failed = 0;
    std::uint64_t bytes = 0;
    double seconds = 0;  // of all threads together
  };
  engine::EventSink& next_;
  std::map<std::string, Kind, std::less<>> kinds_;  // by recipe
  std::map<std::string, double> seconds_;           // by source: of what was compiled of it
};

}  // namespace assetc::cli
