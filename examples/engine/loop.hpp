// The engine: a device, a manager that loads for it, a world, and the loop that runs them.
#pragma once

#include <assetc/runtime/jobs.hpp>
#include <assetc/runtime/manager.hpp>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "device.hpp"
#include "world.hpp"

namespace example {

// Counts the memory that a manager uses, for runtime::Memory.
class CountedMemory {
 public:
  assetc::runtime::Memory functions();
  std::int64_t used_bytes() const { return used_bytes_; }

 private:
  std::atomic<std::int64_t> used_bytes_ = 0;
};

class Engine {
 public:
  // memory: must outlive the engine.
  // gpu_bytes: one limit for all meshes and textures.
  Engine(const assetc::runtime::Catalog& catalog, CountedMemory& memory, std::uint64_t gpu_bytes);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  assetc::runtime::Manager& manager() { return manager_; }
  World& world() { return world_; }
  const Device& device() const { return device_; }

  // One frame: the world says what it needs, pump() finalizes what is ready, the device draws.
  void frame();
  // Runs frames until nothing has been loaded or changed for a while.
  void settle();
  // Runs a function on another thread, for example Manager::mount(). Draws frames meanwhile.
  void run_beside(const std::function<void()>& work);

  // Failures that the manager reported since the last call.
  std::vector<assetc::runtime::Failure> take_failures();
  // Paths of the assets that were replaced since the last call, without the assets that depend on them.
  std::vector<std::string> take_reloads();
  // The most bytes of the GPU budget that assets in use had in any frame.
  std::uint64_t most_gpu_bytes() const { return most_gpu_bytes_; }

 private:
  assetc::runtime::ManagerOptions options(CountedMemory& memory, std::uint64_t gpu_bytes);

  std::vector<assetc::runtime::Failure> failures_;
  std::vector<std::string> reloads_;
  std::uint64_t changes_ = 0, most_gpu_bytes_ = 0;
  // Destroyed in reverse order: refs, the manager that releases into the device, threads, the device.
  Device device_;
  assetc::runtime::ThreadPool pool_{2};
  assetc::runtime::Manager manager_;
  World world_;
};

}  // namespace example
