// A text that counts its live instances, so that a test sees what a manager keeps.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <utility>

namespace assetc::runtime {

struct Counted {
  Counted(std::atomic<long>& count, std::string_view words) : text(words), alive(&count) { ++count; }
  Counted(Counted&& other) noexcept : text(std::move(other.text)), alive(std::exchange(other.alive, nullptr)) {}
  Counted& operator=(Counted&&) = delete;
  ~Counted() {
    if (alive != nullptr) --*alive;
  }
  std::string text;
  std::atomic<long>* alive;
};

}  // namespace assetc::runtime
