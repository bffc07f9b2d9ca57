// Waits for files to change, and tells listeners what came of it.
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

// Of one thread: nothing happens but within its calls.
class WatchLoop {
 public:
  // Errors: kIo.
  static Result<std::unique_ptr<WatchLoop>> open();
  // Listens at a local socket, and no more at the last one; one that a killed watch left is replaced. Who was connected
  // stays. Errors: kConflict where another watch listens there, kIo.
  virtual Result<void> listen_at(const std::string& socket) = 0;
  // Whether the socket is where it was put.
  virtual bool is_listening() = 0;
  // The first line that a listener gets, from now on.
  virtual void greet_with(std::string_view greeting) = 0;
  virtual bool has_listeners() const = 0;
  virtual void let_all_go() = 0;
  // Listens for WebSockets of this user's programs too, on the loopback interface. port 0: any that is free. Returns
  // the port. Errors: kConflict where somebody else has it, kIo.
  virtual Result<std::uint16_t> listen_on(std::uint16_t port) = 0;
  virtual ~WatchLoop() = default;

  // Watches what lies directly in these folders, and no others from now on. True where one of them was not watched
  // before: it may have changed unseen. Errors: kLimit where the system watches no more folders, kIo.
  virtual Result<bool> watch(const std::vector<std::string>& folders) = 0;

  enum class Woken : std::uint8_t {
    kChanged,  // something changed, and then nothing for a moment: a save is over
    kTimeout,
    kStopped,  // the program is asked to end
  };
  // What changed since the last call counts, also while nobody waited. timeout zero: none.
  virtual Woken wait(std::chrono::milliseconds timeout) = 0;

  // The files and folders that changed since the last call, as folders were named, some perhaps twice; nothing where
  // any in the watched folders may have.
  virtual std::optional<std::vector<std::string>> take_changes() = 0;

  // A line to every listener. One that does not read what it is told is let go.
  virtual void tell(std::string_view line) = 0;

  // Called within wait() and tell() for each listener that is turned away: there are kMaxListeners of its kind, local
  // or WebSocket.
  static constexpr std::size_t kMaxListeners = 128;
  virtual void on_refused(std::function<void()> call) = 0;
};

}  // namespace assetc::engine
