// Shows the progress of a build: a bar on a terminal, a line every few seconds in a log, every event with --json.
#pragma once

#include <memory>

#include "cli/arguments/arguments.hpp"
#include "cli/report/console.hpp"
#include "engine/run/events.hpp"

namespace assetc::cli {

// "models/chair.glb image 3 (bumps.png) (texture, normal)"
std::string text_of(const engine::StepName& step);

std::string_view verb_of(engine::Origin origin);  // "built", "copied", "restored"

// Prints until it is destroyed, which erases the bar. Both references must outlive it.
std::unique_ptr<engine::EventSink> make_progress(const Arguments& arguments, Console& console);

struct ProgressState {
  std::uint64_t total = 0;
  std::uint64_t done = 0;
  std::uint64_t failed = 0;
  double seconds = 0;
  std::string current;  // the source of the step that started last
};
// "[####......] 12/30  3.4/s  0:05 left  1 failed  models/chair.glb", cut to columns.
std::string progress_text(const ProgressState& state, int columns);

}  // namespace assetc::cli
