// Receives build results from `assetc watch`, for hot reload during development.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "assetc/runtime/catalog.hpp"

namespace assetc::runtime {

// A connection to the watch of an output folder. While there is none, the client tries to connect again and again.
//
//   WatchClient watch("game/runtime", [&](const Changes& changes) { manager.changed(changes); });
//
// then() is called for every build. On every new connection it is also called with Changes::everything, because the
// watch may have built before. If a watch is running, the constructor waits for that first call, at most a tenth of a
// second. During a build, the call comes later.
// A protocol error is reported as Changes::broken, and the client connects again. If the runtime was built without a
// client (ASSETC_WATCH, WebAssembly), it never connects.
// Thread safety: then() is called on a thread of the client, and never after the client is destroyed.
class WatchClient {
 public:
  // folder: an output folder. Its path must leave room for a socket path (about 100 bytes), except on Windows.
  WatchClient(const std::string& folder, std::function<void(const Changes&)> then);
  ~WatchClient();
  WatchClient(const WatchClient&) = delete;
  WatchClient& operator=(const WatchClient&) = delete;

  bool is_connected() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assetc::runtime
