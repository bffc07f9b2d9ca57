#include "runtime/loader/upload.hpp"

#include <mutex>

namespace assetc::runtime {

struct Upload::State {
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (value != nullptr) destroy(value);
  }
  std::mutex mutex;
  std::optional<Result<GpuObject>> made;
  bool is_complete = false, is_left = false;
  void* value = nullptr;  // of an upload that was given up
  void (*destroy)(void*) = nullptr;
};

// Shared by the copies of a token.
class FinalizeToken::Owner {
 public:
  explicit Owner(std::shared_ptr<Upload::State> state) : state_(std::move(state)) {}
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() {
    complete(fail(ErrorCode::kCanceled, "the token of its upload was destroyed", "call FinalizeToken::complete()"));
  }
  bool complete(Result<GpuObject> made) const {
    const std::lock_guard lock(state_->mutex);
    if (state_->is_left || std::exchange(state_->is_complete, true)) return false;
    state_->made = std::move(made);
    return true;
  }

 private:
  std::shared_ptr<Upload::State> state_;
};

bool FinalizeToken::complete(Result<GpuObject> made) const { return owner_->complete(std::move(made)); }

Upload::Upload(const AnyLoader& loader, void* value, const AssetDesc& desc) : state_(std::make_shared<State>()) {
  loader.finalize_async(value, desc, FinalizeToken(std::make_shared<FinalizeToken::Owner>(state_)));
}

std::optional<Result<GpuObject>> Upload::poll(const AnyLoader& loader) {
  if (state_ != nullptr) {
    const std::lock_guard lock(state_->mutex);
    return std::exchange(state_->made, std::nullopt);
  }
  if (!loader.poll)
    return fail(ErrorCode::kUsage, "its object is pending, but its loader has no poll", "set Loader::poll");
  Result<GpuObject> made = loader.poll(gpu_);
  if (!made || !made->is_pending) return made;
  gpu_ = *made;
  return std::nullopt;
}

Upload::Left Upload::leave(void* value, void (*destroy)(void*)) {
  if (state_ == nullptr) return {false, gpu_};
  const std::lock_guard lock(state_->mutex);
  if (state_->made) return {false, *state_->made ? std::optional(**state_->made) : std::nullopt};
  state_->is_left = true;
  state_->value = value;
  state_->destroy = destroy;
  return {true, std::nullopt};
}

}  // namespace assetc::runtime
