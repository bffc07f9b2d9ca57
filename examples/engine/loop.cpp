#include "loop.hpp"

#include <algorithm>
#include <assetc/runtime/all_loaders.hpp>
#include <assetc/runtime/assets.hpp>
#include <chrono>
#include <new>
#include <thread>
#include <utility>

#include "report.hpp"

namespace example {

using namespace assetc;

namespace {

constexpr int kQuietFrames = 20;
constexpr std::chrono::milliseconds kFrame(1);  // a real engine waits for the display

}  // namespace

runtime::Memory CountedMemory::functions() {
  return {.context = this,
          .allocate =
              [](void* context, std::size_t size_bytes, std::size_t alignment, const char*) {
                static_cast<CountedMemory*>(context)->used_bytes_ += static_cast<std::int64_t>(size_bytes);
                return ::operator new(size_bytes, std::align_val_t(alignment));
              },
          .free =
              [](void* context, void* memory, std::size_t size_bytes, std::size_t alignment, const char*) {
                static_cast<CountedMemory*>(context)->used_bytes_ -= static_cast<std::int64_t>(size_bytes);
                ::operator delete(memory, std::align_val_t(alignment));
              }};
}

runtime::ManagerOptions Engine::options(CountedMemory& memory, std::uint64_t gpu_bytes) {
  runtime::ManagerOptions options{.jobs = pool_.jobs(), .gpu_bytes = gpu_bytes};
  options.in_flight_bytes = 2u << 20;  // half of the staging heap: rows are padded there
  options.on_failure = [this](const runtime::Failure& failure) { failures_.push_back(failure); };
  options.on_reloaded = [this](const runtime::AnyRef& asset, const runtime::AnyRef& cause) {
    ++changes_;
    if (asset.handle() == cause.handle()) reloads_.push_back(path_of(manager_.catalog(), asset.handle()));
  };
  options.on_detail = [this](const runtime::AnyRef&) { ++changes_; };  // an engine writes its descriptors again
  options.is_over = [this](std::uint64_t frame) { return device_.is_over(frame); };
  options.memory = memory.functions();
  return options;
}

Engine::Engine(const runtime::Catalog& catalog, CountedMemory& memory, std::uint64_t gpu_bytes)
    : manager_(catalog, options(memory, gpu_bytes)), world_(manager_) {
  runtime::add_loaders(manager_, {.texture = device_.texture_loader(), .mesh = device_.mesh_loader()});
}

void Engine::frame() {
  world_.update();
  const runtime::PumpReport report = manager_.pump({.time = std::chrono::microseconds(2000)});
  device_.end_frame(report.frame);
  changes_ += report.finalized + report.failed + report.dropped;
  const std::uint64_t used_bytes = manager_.stats().gpu_in_use_bytes;
  most_gpu_bytes_ = std::max(most_gpu_bytes_, used_bytes);
  std::this_thread::sleep_for(kFrame);
}

void Engine::settle() {
  std::uint64_t seen = changes_;
  for (int quiet = 0; quiet < kQuietFrames;) {
    frame();
    const runtime::ManagerStats stats = manager_.stats();
    const bool is_quiet = stats.loading + stats.uploading + stats.waiting_for_room == 0 && seen == changes_;
    quiet = is_quiet ? quiet + 1 : 0;
    seen = changes_;
  }
}

void Engine::run_beside(const std::function<void()>& work) {
  std::atomic<bool> is_done = false;
  std::thread thread([&] {
    work();
    is_done = true;
  });
  while (!is_done) frame();
  thread.join();
}

std::vector<runtime::Failure> Engine::take_failures() { return std::exchange(failures_, {}); }
std::vector<std::string> Engine::take_reloads() { return std::exchange(reloads_, {}); }

}  // namespace example
