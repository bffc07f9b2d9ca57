#include "stream.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

namespace example {

using namespace assetc;

namespace {

// Nothing is left to load if nothing changes in this number of pumps.
constexpr int kQuietPumps = 20;

}  // namespace

runtime::ManagerOptions Stream::options(const runtime::JobSystem& jobs) {
  runtime::ManagerOptions options{.jobs = jobs};
  options.on_failure = [](const runtime::Failure& failure) {
    std::fprintf(stderr, "vulkan: %s\n", failure.to_string().c_str());
  };
  options.on_reloaded = [this](const runtime::AnyRef& asset, const runtime::AnyRef& cause) {
    ++change_count_;
    reload_count_ += asset.handle() == cause.handle() ? 1 : 0;
  };
  options.on_detail = [this](const runtime::AnyRef&) { ++change_count_; };
  // The scene that is being built may use values that are replaced meanwhile.
  options.is_over = [this](std::uint64_t frame) { return frame <= finished_frame_; };
  return options;
}

void Stream::pump() {
  const runtime::PumpReport report = manager_->pump();
  frame_ = report.frame;
  change_count_ += report.finalized + report.failed;
  most_gpu_bytes_ = std::max(most_gpu_bytes_, manager_->stats().gpu_in_use_bytes);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));  // stands for drawing a frame
}

void Stream::settle() {
  std::size_t seen = change_count_;
  for (int quiet = 0; quiet < kQuietPumps;) {
    pump();
    const runtime::ManagerStats stats = manager_->stats();
    quiet = stats.loading + stats.waiting_for_room == 0 && seen == change_count_ ? quiet + 1 : 0;
    seen = change_count_;
  }
}

}  // namespace example
