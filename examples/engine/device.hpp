// Stands for a graphics API: objects with memory, one queue with a thread of its own, and a fence for each frame.
#pragma once

#include <assetc/runtime/assets.hpp>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "staging.hpp"

namespace example {

class Device {
 public:
  Device();
  ~Device();  // finishes the queue
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // Loaders that put values on this device, in parts. They must not outlive it.
  // - Textures are decoded into the staging heap. The queue copies them and completes the token (finalize_async).
  // - Meshes are pending until the queue has copied them. The manager asks for that in each pump (poll).
  assetc::runtime::Loader<assetc::runtime::TextureData> texture_loader();
  assetc::runtime::Loader<assetc::runtime::MeshData> mesh_loader();

  // The fence of a frame: is_over() returns true when the queue has done all work submitted before end_frame().
  void end_frame(std::uint64_t frame);
  bool is_over(std::uint64_t frame) const;

  struct Counts {
    std::size_t objects = 0;
    std::uint64_t used_bytes = 0;
  };
  Counts counts() const;
  const StagingHeap& staging() const { return staging_; }

 private:
  struct Object {
    std::vector<std::byte> memory;
    bool is_complete = false;
  };
  void submit(std::function<void()> work);
  void run();
  std::uint64_t create(std::size_t size_bytes);
  // Copies into an object, unless it was destroyed.
  void fill(std::uint64_t object, const std::vector<std::byte>& bytes);
  void destroy(std::uint64_t object);

  StagingHeap staging_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, Object> objects_;
  std::uint64_t last_object_ = 0, finished_frame_ = 0, used_bytes_ = 0;
  std::deque<std::function<void()>> queue_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace example
