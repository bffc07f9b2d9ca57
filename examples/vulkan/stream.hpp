// Loads through a manager and keeps its GPU budget. One frame ends with each picture.
#pragma once

#include <assetc/runtime/manager.hpp>
#include <cstddef>
#include <cstdint>

namespace example {

class Stream {
 public:
  // Returns options whose callbacks refer to this object. jobs: decodes.
  assetc::runtime::ManagerOptions options(const assetc::runtime::JobSystem& jobs);
  // Call it once, before the other functions.
  void use(assetc::runtime::Manager& manager) { manager_ = &manager; }

  assetc::runtime::Manager& manager() const { return *manager_; }
  // Pumps until the asset is ready or has failed. Manager::load() does not wait for memory of the budget.
  template <class T>
  assetc::runtime::AssetRef<T> load(const assetc::runtime::AssetHandle& asset) {
    const assetc::runtime::AssetRef<T> ref = manager_->load_async<T>(asset);
    while (ref.state() == assetc::runtime::LoadState::kLoading) pump();
    return ref;
  }
  // Pumps until all wanted levels that fit are loaded, and changes of mounts are applied.
  void settle();
  // One frame.
  void pump();
  // The device has drawn: values that were replaced before may be destroyed.
  void end_frame() { finished_frame_ = frame_; }

  // The most bytes that assets in use had on the device.
  std::uint64_t most_gpu_bytes() const { return most_gpu_bytes_; }
  // Counts the assets that were replaced because of a mount.
  std::size_t reload_count() const { return reload_count_; }

 private:
  assetc::runtime::Manager* manager_ = nullptr;
  std::uint64_t frame_ = 0, finished_frame_ = 0, most_gpu_bytes_ = 0;
  std::size_t change_count_ = 0, reload_count_ = 0;
};

}  // namespace example
