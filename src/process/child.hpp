// Work on sources that may crash, hang or fill the memory runs in a process of its own: this program, started again.
#pragma once

#include <optional>
#include <span>

#include "process/message.hpp"

namespace assetc::process {

// What a process is started for.
struct Role {
  const char* argument;      // what it is started with: none of the program's commands
  int (*serve)(int socket);  // answers on the socket until it closes; the exit status
};

// The first call of main. Returns the exit code of a process that was started for one of the roles; otherwise nothing,
// and such processes are started from now on. Without the call, and where a program cannot be started again (under an
// emulator), can_start() is false and the work is for the calling process, whose end a crash then is.
std::optional<int> run_as(std::span<const Role* const> roles, int argc, const char* const* argv);
bool can_start();

// For serve(). prepare_to_serve: no core file, and an end with kOutOfMemoryStatus where memory runs out; returns the
// address space of a process that has not begun. limit_source: what the next source may take beyond what is used.
std::uint64_t prepare_to_serve();
void limit_source(const Limits& limits, std::uint64_t started_bytes);

class Child {
 public:
  // Nothing where this program cannot be started again. words: for the error.
  static Result<std::optional<Child>> start(const Role& role, const Words& words);

  int socket() const { return channel_.descriptor(); }
  // Ends it, for a message that did not come or is not understood: the error that stands for how it ended.
  Error end(const Limits& limits, Deadline deadline, const Words& words);
  bool ended() const { return process_.ended(); }
  // Whether one that ended was this program at all; where it was not, can_start() is false from then on.
  bool started() const { return started_; }
  // Whether one that ended met its limit of memory.
  bool out_of_memory() const { return out_of_memory_; }

 private:
  Child(os::Process process, os::Channel channel) : process_(std::move(process)), channel_(std::move(channel)) {}

  os::Process process_;
  os::Channel channel_;
  bool started_ = true;
  bool out_of_memory_ = false;
};

}  // namespace assetc::process
