// The last build, beside the output, for `assetc view`: the lines that --json prints about the steps of the last build
// that ran some, and all warnings and errors of the last build.
#pragma once

#include <string>

#include "engine/config/config.hpp"
#include "engine/disk/own_files.hpp"
#include "engine/run/events.hpp"
#include "engine/run/report.hpp"
#include "engine/run/request.hpp"

namespace assetc::engine {

// The file in the output folder.
inline constexpr std::string_view kBuildLogName = ".assetc-cache-build";
static_assert(kBuildLogName.starts_with(kCachePrefix));

// Records finished and failed steps, and forwards all events.
class BuildLog final : public EventSink {
 public:
  explicit BuildLog(EventSink& next) : next_(next) {}
  void on(const Event& event) override;
  // Sets Report::mends. Writes the file, unless no step ran and it already says the same. Only a page and this function
  // read it, so a disk that refuses it does not fail the build.
  void write(const BuildRequest& request, const Profile& profile, Report& report, Disk& disk) const;

 private:
  EventSink& next_;
  std::string lines_;
};

}  // namespace assetc::engine
