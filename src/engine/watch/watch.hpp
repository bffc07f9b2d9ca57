// Builds each time that something is saved, and tells listeners what came of it.
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

// Where a watch watches and listens.
struct WatchPlaces {
  std::string input;
  std::string socket;
  std::string web;  // "ws://127.0.0.1:8080"; empty without
};

// The command around a watch: says what there is to build, builds it and talks to the user.
class WatchHost {
 public:
  virtual ~WatchHost() = default;
  // As the command line and the configuration have it now.
  virtual Result<BuildTask> next() = 0;
  // Builds, and says what came of it.
  virtual WatchOutcome build(Session& session, const BuildTask& task, const Changes& changes) = 0;
  // The configuration cannot be read; once for each way in which it cannot.
  virtual void say_unreadable(const Error& error) = 0;
  virtual void say_places(const WatchPlaces& places) = 0;
  virtual void warn(const Warning& warning) = 0;
};

struct WatchSettings {
  std::string program;                                    // its version
  std::optional<std::uint16_t> websocket = std::nullopt;  // a port, 0 for any
};

// Until the program is asked to end. Errors: of the first next(), and what keeps it from watching or listening.
Result<void> watch(WatchHost& host, Disk& disk, WatchLoop& loop, const WatchSettings& settings);

}  // namespace assetc::engine
