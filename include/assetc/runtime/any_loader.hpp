// A Loader<T> with its type erased, as the manager keeps it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "assetc/runtime/loader.hpp"

namespace assetc::runtime {

// A function of a loader, called without T. False if it is not set.
// Engines compile this for each T, so it is a pointer to a std::function, not another std::function.
template <class Signature>
class ErasedFunction;
template <class R, class... Args>
class ErasedFunction<R(Args...)> {
 public:
  ErasedFunction() = default;
  // Requires that `function` lives as long as this. `call` gets its address.
  template <class F>
  ErasedFunction(const std::function<F>& function, R (*call)(const void*, Args...))
      : function_(&function), call_(call), is_set_(static_cast<bool>(function)) {}
  // For a function without T.
  ErasedFunction(const std::function<R(Args...)>& function)
      : ErasedFunction(function, [](const void* f, Args... args) {
          return (*static_cast<const std::function<R(Args...)>*>(f))(std::forward<Args>(args)...);
        }) {}

  explicit operator bool() const { return is_set_; }
  // Like std::function, throws std::bad_function_call if it is not set.
  R operator()(Args... args) const { return call_(function_, std::forward<Args>(args)...); }

 private:
  const void* function_ = nullptr;
  R (*call_)(const void*, Args...) = nullptr;
  bool is_set_ = false;
};

struct AnyParts {
  std::uint64_t first_read_bytes = 0;
  bool is_never_whole = false;
  ErasedFunction<Result<PartPlan>(PartInput&, const void* last)> plan;
  ErasedFunction<Result<void*>(PartInput&, const void* last)> decode;
  ErasedFunction<PartLevels(const void*)> levels;
};

struct AnyLoader {
  const void* type_tag = nullptr;
  void (*destroy)(void*) = nullptr;
  std::shared_ptr<const void> functions;  // the Loader<T>, which the members below call
  ErasedFunction<Result<void*>(LoadInput&)> decode;
  ErasedFunction<std::uint64_t(ByteSpan)> decoded_bytes;
  ErasedFunction<std::uint64_t(const void*)> size_bytes, gpu_bytes;
  ErasedFunction<Result<GpuObject>(void*, const AssetDesc&)> finalize;
  ErasedFunction<Result<GpuObject>(const GpuObject&)> poll;
  ErasedFunction<void(void*, const AssetDesc&, FinalizeToken)> finalize_async;
  ErasedFunction<void(const GpuObject&)> release;
  ErasedFunction<void*(AssetType)> fallback;
  bool shares = true;
  std::optional<AnyParts> parts;
};

// One address for each type, without RTTI.
template <class T>
inline constexpr char kTypeTag = 0;

// Moves the value of a result to the heap, which erases its type.
template <class T>
Result<void*> to_heap(Result<T>&& value) {
  if (!value) return std::unexpected(std::move(value).error());
  return std::make_unique<T>(std::move(*value)).release();
}

template <class T>
AnyParts erase(const Parts<T>& parts) {
  using Plan = std::function<Result<PartPlan>(PartInput&, const T*)>;
  using Decode = std::function<Result<T>(PartInput&, const T*)>;
  using Levels = std::function<PartLevels(const T&)>;
  return {.first_read_bytes = parts.first_read_bytes,
          .is_never_whole = parts.is_never_whole,
          .plan = {parts.plan,
                   [](const void* f, PartInput& in, const void* last) {
                     return (*static_cast<const Plan*>(f))(in, static_cast<const T*>(last));
                   }},
          .decode = {parts.decode,
                     [](const void* f, PartInput& in, const void* last) {
                       return to_heap((*static_cast<const Decode*>(f))(in, static_cast<const T*>(last)));
                     }},
          .levels = {parts.levels, [](const void* f, const void* value) {
                       return (*static_cast<const Levels*>(f))(*static_cast<const T*>(value));
                     }}};
}

template <class T>
AnyLoader erase(Loader<T>&& loader) {
  const auto kept = std::make_shared<const Loader<T>>(std::move(loader));
  const auto size = [](const void* f, const void* value) {
    return (*static_cast<const std::function<std::uint64_t(const T&)>*>(f))(*static_cast<const T*>(value));
  };
  using Decode = std::function<Result<T>(LoadInput&)>;
  using Finalize = std::function<Result<GpuObject>(T&, const AssetDesc&)>;
  using FinalizeAsync = std::function<void(T&, const AssetDesc&, FinalizeToken)>;
  using Fallback = std::function<T(AssetType)>;
  AnyLoader any{.type_tag = &kTypeTag<T>,
                .destroy = [](void* value) { std::default_delete<T>()(static_cast<T*>(value)); },
                .functions = kept,
                .decode = {kept->decode,
                           [](const void* f, LoadInput& in) { return to_heap((*static_cast<const Decode*>(f))(in)); }},
                .decoded_bytes = kept->decoded_bytes,
                .size_bytes = {kept->size_bytes, size},
                .gpu_bytes = {kept->gpu_bytes, size},
                .finalize = {kept->finalize,
                             [](const void* f, void* value, const AssetDesc& desc) {
                               return (*static_cast<const Finalize*>(f))(*static_cast<T*>(value), desc);
                             }},
                .poll = kept->poll,
                .finalize_async = {kept->finalize_async,
                                   [](const void* f, void* value, const AssetDesc& desc, FinalizeToken token) {
                                     (*static_cast<const FinalizeAsync*>(f))(*static_cast<T*>(value), desc,
                                                                             std::move(token));
                                   }},
                .release = kept->release,
                .fallback = {kept->fallback,
                             [](const void* f, AssetType type) -> void* {
                               return std::make_unique<T>((*static_cast<const Fallback*>(f))(type)).release();
                             }},
                .shares = kept->shares,
                .parts = {}};
  if (kept->parts.decode) any.parts = erase(kept->parts);
  return any;
}

}  // namespace assetc::runtime
