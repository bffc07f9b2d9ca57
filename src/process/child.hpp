// Runs work on sources in a separate process, because it may crash, hang or use all memory. The process is this
// program, started again, or a program that is installed with it.
#pragma once

#include <optional>
#include <span>

#include "process/message.hpp"

namespace assetc::process {

// The task of a started process.
struct Role {
  const char* argument;      // its first argument, which is not a command of the program
  int (*serve)(int socket);  // answers on the socket until it closes; returns the exit status
  // The name of the program that has the task: beside this one, or in lib/assetc of its installation. Null: this one.
  const char* program = nullptr;
};

// Must be the first call in main. In a process that was started for one of the roles, it returns the exit code.
// Otherwise it returns nothing, and child processes can be started from now on. Without the call, or if a program
// cannot be started again (under an emulator), can_start() is false. The work then runs in the calling process, and a
// crash ends that process.
std::optional<int> run_as(std::span<const Role* const> roles, int argc, const char* const* argv);
bool can_start();

// For serve().
// - prepare_to_serve: writes no core file, and ends with kOutOfMemoryStatus if memory runs out. Also ends when the
//   process that started it has ended. Returns the address space of the process before its work.
// - limit_source: limits the memory of the next source beyond the memory in use.
std::uint64_t prepare_to_serve();
void limit_source(const Limits& limits, std::uint64_t started_bytes);

class Child {
 public:
  // Returns nothing if the task is this program's and it cannot be started again. words: for the error.
  static Result<std::optional<Child>> start(const Role& role, const Words& words);

  int socket() const { return channel_.descriptor(); }
  // Ends the process after a missing or invalid message, and returns the error for how it ended.
  Error end(const Limits& limits, Deadline deadline, const Words& words);
  bool ended() const { return process_.ended(); }
  // Returns whether an ended process was this program. If not, can_start() is false from then on.
  bool started() const { return started_; }
  // Returns whether an ended process reached its memory limit.
  bool out_of_memory() const { return out_of_memory_; }

 private:
  Child(os::Process process, os::Channel channel) : process_(std::move(process)), channel_(std::move(channel)) {}

  os::Process process_;
  os::Channel channel_;
  bool started_ = true;
  bool out_of_memory_ = false;
};

}  // namespace assetc::process
