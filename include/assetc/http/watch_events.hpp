// Receives build results from `assetc serve`, for hot reload on phones and consoles.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "assetc/base/result.hpp"
#include "assetc/http/source.hpp"

namespace assetc::http {

// A connection to the events of an `assetc serve`, as runtime::WatchClient is one to a watch on this machine. While
// there is none, it tries to connect again and again.
//
//   auto events = http::WatchEvents::open({.url = url, .bearer = token}, [&](const runtime::Changes& changes) {
//     server->changed(changes);
//     manager.changed(changes);
//   });
//
// then() is called for every build. On every new connection it is also called with Changes::everything. An answer that
// is no stream of events, such as 401, is reported once as Changes::broken.
// Thread safety: then() is called on a thread of this object, and never after it is destroyed.
class WatchEvents {
 public:
  // options: of them, url, bearer, headers, authorities and connect_timeout are used. Errors: as Source::open().
  static Result<std::unique_ptr<WatchEvents>> open(SourceOptions options,
                                                   std::function<void(const runtime::Changes&)> then);
  virtual ~WatchEvents() = default;
  virtual bool is_connected() const = 0;
};

}  // namespace assetc::http
