// Keeps the last build that changed something, beside the output, for `assetc view`: the lines that --json prints about
// steps, and all warnings and errors.
#pragma once

#include <string>

#include "engine/disk/own_files.hpp"
#include "engine/run/events.hpp"
#include "engine/run/report.hpp"

namespace assetc::cli {

// The file in the output folder.
inline constexpr std::string_view kBuildLogName = ".assetc-cache-build";
static_assert(kBuildLogName.starts_with(engine::kCachePrefix));

// Records finished and failed steps, and forwards all events.
class BuildLog final : public engine::EventSink {
 public:
  explicit BuildLog(engine::EventSink& next) : next_(next) {}
  void on(const engine::Event& event) override;
  // The text of the file. summary: the line of the build's summary.
  std::string text(const engine::Report& report, const std::string& summary) const;

 private:
  engine::EventSink& next_;
  std::string lines_;
};

}  // namespace assetc::cli
