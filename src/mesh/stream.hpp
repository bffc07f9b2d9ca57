// The values of an attribute, on the way from a source to a mesh.
#pragma once

#include <concepts>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace assetc::mesh {

// Values of the source, which must outlive this, or values that a stage made instead, which copies share.
template <class T>
class Stream : public std::span<const T> {
 public:
  Stream() = default;
  template <std::convertible_to<std::span<const T>> Source>
  Stream(const Source& source) : std::span<const T>(source) {}
  Stream(std::vector<T>&& made) : Stream(std::make_shared<const std::vector<T>>(std::move(made))) {}

 private:
  explicit Stream(std::shared_ptr<const std::vector<T>> made) : std::span<const T>(*made), made_(std::move(made)) {}

  std::shared_ptr<const std::vector<T>> made_;
};

}  // namespace assetc::mesh
