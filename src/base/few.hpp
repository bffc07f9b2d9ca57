// A list that is mostly of one element.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace assetc {

// Like a vector, but one element needs no allocation. Requires a T that is default-constructible.
template <class T>
class Few {
 public:
  Few() = default;
  Few(T one) : one_(std::move(one)), has_one_(true) {}
  Few(Few&& other) noexcept
      : one_(std::exchange(other.one_, T())),
        has_one_(std::exchange(other.has_one_, false)),
        more_(std::move(other.more_)) {
    other.more_.clear();
  }
  Few& operator=(Few&& other) noexcept {
    one_ = std::exchange(other.one_, T());
    has_one_ = std::exchange(other.has_one_, false);
    more_ = std::move(other.more_);
    other.more_.clear();
    return *this;
  }
  Few(const Few&) = default;
  Few& operator=(const Few&) = default;
  ~Few() = default;

  std::size_t size() const { return has_one_ ? 1 : more_.size(); }
  bool empty() const { return size() == 0; }
  T* begin() { return has_one_ ? &one_ : more_.data(); }
  T* end() { return begin() + size(); }
  const T* begin() const { return has_one_ ? &one_ : more_.data(); }
  const T* end() const { return begin() + size(); }
  T& operator[](std::size_t i) { return begin()[i]; }
  const T& operator[](std::size_t i) const { return begin()[i]; }
  T& back() { return begin()[size() - 1]; }
  operator std::span<T>() { return {begin(), size()}; }
  operator std::span<const T>() const { return {begin(), size()}; }

  T& push_back(T value) {
    if (empty()) {
      one_ = std::move(value);
      has_one_ = true;
      return one_;
    }
    if (std::exchange(has_one_, false)) more_.push_back(std::exchange(one_, T()));
    more_.push_back(std::move(value));
    return more_.back();
  }
  void resize(std::size_t size) {
    while (this->size() < size) push_back(T());
    if (this->size() > size) {
      if (has_one_) {
        clear();
      } else {
        more_.resize(size);
      }
    }
  }
  void clear() {
    one_ = T();
    has_one_ = false;
    more_.clear();
  }

 private:
  T one_{};
  bool has_one_ = false;
  std::vector<T> more_;  // empty if has_one_
};

}  // namespace assetc
