// The last build that changed something, beside the output, for `assetc view`: the lines that --json prints about
// steps, and all warnings and errors.
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
  // The text of the file.
  std::string text(const BuildRequest& request, const Profile& profile, const Report& report) const;

 private:
  EventSink& next_;
  std::string lines_;
};

}  // namespace assetc::engine
