// An object that the device still creates after finalize returned.
#pragma once

#include <memory>
#include <optional>

#include "assetc/runtime/any_loader.hpp"

namespace assetc::runtime {

// Not thread-safe, except with regard to FinalizeToken::complete().
class Upload {
 public:
  // An object that Loader::poll completes.
  explicit Upload(const GpuObject& pending) : gpu_(pending) {}
  // An object that the token completes.
  Upload(const AnyLoader& loader, void* value, const AssetDesc& desc);

  // Returns the object or an error when the device has it. Call it on the thread that pumps. May call Loader::poll.
  std::optional<Result<GpuObject>> poll(const AnyLoader& loader);

  // Gives up the upload, which then owns its value while the device may use it. Otherwise the value is still the
  // caller's, who must also release the object that is returned.
  struct Left {
    bool owns_value = false;
    std::optional<GpuObject> gpu{};
  };
  Left leave(void* value, void (*destroy)(void*));

 private:
  friend class FinalizeToken;
  struct State;
  GpuObject gpu_;
  std::shared_ptr<State> state_;  // null if Loader::poll completes it
};

}  // namespace assetc::runtime
