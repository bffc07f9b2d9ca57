// Hears from `assetc watch` what was built: hot reload, in development.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "assetc/runtime/catalog.hpp"

namespace assetc::runtime {

// A connection to the watch of an output folder, which is made again and again while there is none.
//
//   WatchClient watch("game/runtime", [&](const Changes& changes) { manager.changed(changes); });
//
// then() is told of every build; of everything whenever a watch is met, since it may have built before. The constructor
// waits for that where a watch is running, for a tenth of a second at most: in the middle of a build it answers later.
// What breaks the protocol is Changes::broken, and connected
// to anew. Where it was built without (ASSETC_WATCH, Windows, WebAssembly) it is never connected.
// Thread safety: then() is called on a thread of the client's; never once it is destroyed.
class WatchClient {
 public:
  // folder: an output folder, whose path leaves room for that of a socket (about 100 bytes).
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
