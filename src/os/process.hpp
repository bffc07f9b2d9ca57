// Starts programs with limits, and connects channels to them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "os/fault.hpp"

namespace assetc::os {

using Deadline = std::chrono::steady_clock::time_point;
inline constexpr Deadline kNever = Deadline::max();

// AddressSanitizer and ThreadSanitizer reserve terabytes of address space, so a limit is not possible.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kLimitsMemory = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kLimitsMemory = false;
#else
inline constexpr bool kLimitsMemory = true;
#endif
#else
inline constexpr bool kLimitsMemory = true;
#endif

// One end of a two-way connection between two processes. The destructor closes it.
class Channel {
 public:
  explicit Channel(int descriptor = -1) : descriptor_(descriptor) {}
  Channel(Channel&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Channel& operator=(Channel&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Channel();
  static OsResult<std::pair<Channel, Channel>> make_pair();
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};
// Transfers all bytes, or returns false if the other end is closed or the deadline passed. channel: a Channel's
// descriptor.
bool send_all(int channel, ByteSpan bytes, Deadline deadline);
bool receive_all(int channel, std::span<std::byte> bytes, Deadline deadline);

// How a process ended.
struct Exit {
  std::optional<int> status;   // if it ended by itself
  bool took_too_long = false;  // it reached its limit of processor time
  std::string signal = {};     // the signal that stopped it otherwise: "Segmentation fault"
  bool is(int asked) const { return status == asked; }
};

struct StartOptions {
  std::string program;                 // a path, or a name that is found in PATH
  std::vector<std::string> arguments;  // including the program's name
  const Channel* standard_input = nullptr;
  std::string output_path = {};         // for standard output and error; empty: discarded
  std::string working_directory = {};   // empty: this program's
  std::uint64_t memory_bytes = 0;       // limit of address space; 0: no limit
  std::uint32_t processor_seconds = 0;  // limit; 0: no limit
  bool writes_core = true;
  // The system kills it when the calling thread ends, also if this program is killed. So the thread has to wait for it.
  // On Windows every process ends with this program.
  bool ends_with_thread = false;
};

// A process started by this one. The destructor kills it.
class Process {
 public:
  static OsResult<Process> start(const StartOptions& options);
  // Starts this program again.
  static OsResult<Process> start_self(StartOptions options);
  Process(Process&& other) noexcept : pid_(std::exchange(other.pid_, 0)), job_(std::exchange(other.job_, 0)) {}
  Process& operator=(Process&&) = delete;
  ~Process();

  bool ended() const { return pid_ == 0; }
  // Waits for the end; nothing if the deadline passes.
  std::optional<Exit> wait(Deadline deadline);
  // Stops it if it still runs, and returns how it ended.
  Exit kill();

 private:
  explicit Process(int pid, int job = 0) : pid_(pid), job_(job) {}
  int pid_;  // on Windows a handle
  int job_;  // on Windows the handle of a job, which has the limits
};

// Returns the path of the program that Process::start() runs for a name; empty if PATH has none.
std::string find_program(std::string_view name);

// Lets the desktop open an address of the web; nothing happens without a desktop.
void open_in_desktop(const std::string& address);

// The status of a process that could not start its program, on systems where the start itself reports no error.
inline constexpr int kNotStartedStatus = 127;

// The channel of a program that start_self() started with standard_input.
inline constexpr int kInheritedChannel = 0;
// From now on, this process ends when the other end of a channel is closed, also while it works. On Windows it does
// nothing, because processes end with the program that started them.
void end_with_peer(int channel);
// Ends this process immediately.
[[noreturn]] void exit_now(int status);
// From now on, this process writes no core file.
void forbid_core_files();
// Limits of this process from now on: address space, and processor time beyond the time already used.
void limit_memory(std::uint64_t address_space_bytes);
void limit_processor_seconds(std::uint64_t seconds);
int process_id();

}  // namespace assetc::os
