// Waits for changes of files and sends lines to listeners.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"

namespace assetc::engine {

// For one thread. Events are handled only during calls.
class WatchLoop {
 public:
  // Errors: kIo.
  static Result<std::unique_ptr<WatchLoop>> open();
  // Listens at this local socket instead of the last one. A socket left by a killed watch is replaced. Existing
  // connections stay open. Errors: kConflict if another watch listens there, kIo.
  virtual Result<void> listen_at(const std::string& socket) = 0;
  // Whether the socket file is still the one that listen_at() created.
  virtual bool is_listening() = 0;
  // Sets the first line for new listeners.
  virtual void greet_with(std::string_view greeting) = 0;
  virtual bool has_listeners() const = 0;
  virtual void let_all_go() = 0;
  // Also accepts WebSockets from programs of this user, on the loopback interface. port: 0 for any free port. Returns
  // the port. Errors: kConflict if another program uses the port, kIo.
  virtual Result<std::uint16_t> listen_on(std::uint16_t port) = 0;
  virtual ~WatchLoop() = default;

  // Watches the direct contents of these folders, and no other folders. True if one of them was not watched before, so
  // changes in it may have been missed.
  virtual bool watch(const std::vector<std::string>& folders) = 0;
  // Why the last call did not watch all of them; nothing if it did. kLimit: the system cannot watch more folders.
  virtual const std::optional<Error>& unwatched() const = 0;

  enum class Woken : std::uint8_t {
    kChanged,  // something changed and then nothing for a moment, so the save is complete
    kTimeout,
    kStopped,  // the program is asked to end
  };
  // Waits for the next event. Changes since the last call count too. timeout: zero means no limit.
  virtual Woken wait(std::chrono::milliseconds timeout) = 0;

  // Files and folders that changed since the last call. Their names start with a folder as it was passed to watch().
  // May contain duplicates. Nothing if any file in the watched folders may have changed.
  virtual std::optional<std::vector<std::string>> take_changes() = 0;

  // Sends a line to every listener. Disconnects listeners that do not read.
  virtual void tell(std::string_view line) = 0;

  // `call` runs within wait() and tell() each time a listener is refused, because kMaxListeners of its kind (local or
  // WebSocket) are connected.
  static constexpr std::size_t kMaxListeners = 128;
  virtual void on_refused(std::function<void()> call) = 0;
};

}  // namespace assetc::engine
