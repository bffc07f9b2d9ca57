// Follows the builds of an output folder for a server.
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "engine/disk/disk.hpp"
#include "os/local_socket.hpp"

namespace assetc::cli {

// Calls on_line with each line of the watch of an output folder (docs/guide/watch.md), from a thread of its own. While
// there is no watch, a build by hand gives the line {"event":"built","ok":true,"everything":true}.
// Thread safety: none; the destructor waits for the thread.
class WatchFollower {
 public:
  // is_greeting: the line is the first of a connection.
  using OnLine = std::function<void(std::string line, bool is_greeting)>;
  WatchFollower(std::string output, engine::Disk& disk, OnLine on_line);
  ~WatchFollower();

 private:
  void run();
  void read_lines(os::LocalSocket& socket);
  std::int64_t last_build_ns() const;

  const std::string output_;
  engine::Disk& disk_;
  const OnLine on_line_;
  os::Waker stop_;
  std::thread thread_;
};

}  // namespace assetc::cli
