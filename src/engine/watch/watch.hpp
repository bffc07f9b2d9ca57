// Builds whenever a file is saved, and tells listeners the result.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "assetc/base/result.hpp"
#include "engine/config/environment.hpp"
#include "engine/disk/disk.hpp"
#include "engine/run/project_build.hpp"
#include "engine/run/request.hpp"
#include "engine/watch/protocol.hpp"
#include "engine/watch/watch_loop.hpp"

namespace assetc::engine {

// What a watch observes and where it listens.
struct WatchPlaces {
  std::string input;
  std::string socket;
  std::string web;  // "ws://127.0.0.1:8080"; empty if there is none
};

// Follows a watch. Like BuildListener, it only listens.
class WatchListener {
 public:
  virtual ~WatchListener() = default;
  // Called when the configuration cannot be read. Not called again for the same error.
  virtual void say_unreadable(const Error& error) = 0;
  virtual void say_places(const WatchPlaces& places) = 0;
  virtual void warn(const Warning& warning) = 0;
};

// Reads the configuration and returns the build that it asks for. kCanceled: there can be none yet; the watch asks
// again soon, and tells nobody. The same holds for builds that end with it.
using ReadTask = std::function<Result<BuildTask>()>;

struct WatchSettings {
  std::string program;                                    // version of assetc
  std::optional<std::uint16_t> websocket = std::nullopt;  // port; 0 for any free port
  Environment environment = process_environment();
};

// Runs until the program is asked to end. read_task: called before each build. Errors: those of its first call, and
// those that prevent watching or listening.
Result<void> watch(const ReadTask& read_task, BuildListener& builds, WatchListener& listener, Disk& disk,
                   WatchLoop& loop, const WatchSettings& settings);

}  // namespace assetc::engine
