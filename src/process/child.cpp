#include "process/child.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

#include "os/machine.hpp"
#include "process/parts.hpp"

namespace assetc::process {
namespace {

std::atomic<bool> starts_children = false;

std::unexpected<Error> cannot_start(const Words& words, const os::Fault& fault) {
  return fail(ErrorCode::kIo, "cannot start " + std::string(words.who) + ": " + fault.text());
}

os::OsResult<os::Process> start_program(const Role& role, const os::Channel& input) {
  os::StartOptions options{.program = {}, .arguments = {"assetc", role.argument}, .standard_input = &input};
  if (role.program == nullptr) return os::Process::start_self(std::move(options));
  const auto places = places_of_part(role.program);
  options.program = places[0];
  auto beside = os::Process::start(options);
  if (beside || !beside.error().is(os::FaultKind::kNotFound)) return beside;
  options.program = places[1];
  return os::Process::start(options);
}

}  // namespace

std::array<std::string, 2> places_of_part(const std::string& name) {
  std::string folder = os::program_path();
  folder.resize(std::min(folder.rfind('/'), folder.size()));
  return {folder + "/" + name, folder + "/../lib/assetc/" + name};
}

std::optional<int> run_as(std::span<const Role* const> roles, int argc, const char* const* argv) {
  for (const Role* const role : roles) {
    if (role->program == nullptr && argc == 2 && std::strcmp(argv[1], role->argument) == 0)
      return role->serve(os::kInheritedChannel);
  }
  starts_children = true;
  return std::nullopt;
}

bool can_start() { return starts_children; }

std::uint64_t prepare_to_serve() {
  std::set_new_handler([] { os::exit_now(kOutOfMemoryStatus); });
  os::forbid_core_files();
  os::end_with_peer(os::kInheritedChannel);
  return os::address_space_bytes();
}

void limit_source(const Limits& limits, std::uint64_t started_bytes) {
  os::limit_memory(started_bytes + limits.memory_bytes);
  os::limit_processor_seconds(limits.processor_seconds);
}

Result<std::optional<Child>> Child::start(const Role& role, const Words& words) {
  auto ends = os::Channel::make_pair();
  if (!ends) return cannot_start(words, ends.error());
  auto& [mine, its] = *ends;
  auto process = start_program(role, its);
  if (process) return Child(std::move(*process), std::move(mine));
  if (role.program != nullptr) {
    return fail(ErrorCode::kIo, "cannot start " + std::string(role.program) + ": " + process.error().text(),
                "it is a part of assetc; keep it beside assetc, or in lib/assetc beside its bin folder");
  }
  if (process.error().is(os::FaultKind::kNotExecutable) || process.error().is(os::FaultKind::kNotFound)) {
    starts_children = false;
    return std::nullopt;
  }
  return cannot_start(words, process.error());
}

Error Child::end(const Limits& limits, Deadline deadline, const Words& words) {
  const bool late = std::chrono::steady_clock::now() >= deadline;
  const os::Exit exit = process_.kill();  // if it still runs, it broke the protocol or is late
  if (late) return hang_error(limits, words);
  started_ = !exit.is(os::kNotStartedStatus);
  out_of_memory_ = exit.is(kOutOfMemoryStatus);
  if (!started_) starts_children = false;
  return crash_error(exit, limits, words);
}

}  // namespace assetc::process
