// Builds whenever a file is saved, and tells listeners the result.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "assetc/base/result.hpp"
#include "engine/disk/disk.hpp"
#include "engine/run/request.hpp"
#include "engine/run/session.hpp"
#include "engine/watch/protocol.hpp"
#include "engine/watch/watch_loop.hpp"

namespace assetc::engine {

// What a watch observes and where it listens.
struct WatchPlaces {
  std::string input;
  std::string socket;
  std::string web;  // "ws://127.0.0.1:8080"; empty if there is none
};

// The command that runs a watch. Provides the next build, runs it and prints messages.
class WatchHost {
 public:
  virtual ~WatchHost() = default;
  // The build for the current command line and configuration.
  virtual Result<BuildTask> next() = 0;
  // Builds and returns the result.
  virtual WatchOutcome build(Session& session, const BuildTask& task, const Changes& changes) = 0;
  // Called when the configuration cannot be read. Not called again for the same error.
  virtual void say_unreadable(const Error& error) = 0;
  virtual void say_places(const WatchPlaces& places) = 0;
  virtual void warn(const Warning& warning) = 0;
};

struct WatchSettings {
  std::string program;                                    // version of assetc
  std::optional<std::uint16_t> websocket = std::nullopt;  // port; 0 for any free port
};

// Runs until the program is asked to end. Errors: those of the first next(), and those that prevent watching or
// listening.
Result<void> watch(WatchHost& host, Disk& disk, WatchLoop& loop, const WatchSettings& settings);

}  // namespace assetc::engine
