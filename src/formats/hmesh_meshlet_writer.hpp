// Makes the corners and vertices of meshlets from triangles, when an encoded .hmesh is decoded.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/formats/hmesh_view.hpp"

namespace assetc::hmesh {

// The corners and vertices of meshlets, from the triangles in order.
class MeshletWriter {
 public:
  MeshletWriter(ByteSpan meshlets, std::span<std::byte> corners, std::span<std::byte> vertices,
                std::size_t vertex_count)
      : meshlets_(meshlets), corners_(corners), vertices_(vertices), slots_(std::max<std::size_t>(vertex_count, 1)) {}

  // Adds a triangle whose corner k has place places[k]. Requires at most as many triangles as corners have room for.
  [[gnu::always_inline]] bool add(const std::array<std::uint32_t, 3>& triangle,
                                  const std::array<std::uint8_t, 3>& places) {
    while (left_ == 0) {
      if (!next_meshlet()) return false;
    }
    for (std::size_t k = 0; k < 3; ++k) waiting_[waiting_count_ + places[k]] = triangle[k];
    waiting_count_ += 3;
    if (--left_ == 0) put_waiting();
    return true;
  }
  // Adds triangles whose corners are at(0), at(1) and so on.
  template <class At>
  bool add_all(std::uint64_t triangle_count, const At& at) {
    for (std::uint64_t first = 0; first < triangle_count;) {
      while (left_ == 0) {
        if (!next_meshlet()) return false;
      }
      const std::uint64_t count = std::min<std::uint64_t>(left_, triangle_count - first);
      put(3 * count, [&](std::uint64_t i) { return at(3 * first + i); });
      first += count;
      left_ -= static_cast<std::uint32_t>(count);
    }
    return true;
  }
  bool finish() {
    put_waiting();
    while (left_ == 0 && begun_ < meshlet_count()) {
      if (!next_meshlet()) return false;
    }
    return left_ == 0 && end_meshlet() && first_vertex_ == vertices_.size() / sizeof(std::uint32_t) && is_in_range_;
  }

 private:
  static constexpr std::uint32_t kMaxCount = 255;

  std::size_t meshlet_count() const { return meshlets_.size() / sizeof(Meshlet); }
  bool end_meshlet() {
    if (used_ != now_.vertex_count) return false;
    std::memcpy(vertices_.data() + first_vertex_ * sizeof(std::uint32_t), used_vertices_.data(),
                used_ * sizeof(std::uint32_t));
    first_vertex_ += used_;
    return true;
  }
  bool next_meshlet() {
    if (begun_ == meshlet_count() || !end_meshlet()) return false;
    now_ = load<Meshlet>(meshlets_, begun_++ * sizeof(Meshlet));
    used_ = 0;
    if (++epoch_ > kMaxEpoch) std::ranges::fill(slots_, 0), epoch_ = 1;
    left_ = now_.triangle_count;
    const bool holds = now_.vertex_offset == first_vertex_ && now_.triangle_offset == triangles_ &&
                       now_.vertex_count <= kMaxCount && now_.triangle_count <= kMaxCount &&
                       first_vertex_ + now_.vertex_count <= vertices_.size() / sizeof(std::uint32_t);
    triangles_ += left_;
    return holds;
  }
  void put_waiting() {
    put(waiting_count_, [&](std::uint64_t i) { return waiting_[i]; });
    waiting_count_ = 0;
  }
  // Writes corners of this meshlet. Without branches, because the processor cannot predict which vertices are new. Many
  // at once, because the compiler reads the members from memory again after each byte that it stores.
  template <class At>
  void put(std::uint64_t count, const At& vertex_at) {
    std::byte* const to = corners_.data() + corner_;
    const std::uint32_t epoch = epoch_;
    std::uint32_t* const slots = slots_.data();
    const std::size_t vertex_count = slots_.size();
    std::uint32_t used = used_;
    bool is_in_range = is_in_range_;
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint32_t vertex = vertex_at(i);
      is_in_range &= vertex < vertex_count;
      vertex = vertex < vertex_count ? vertex : 0;
      std::uint32_t slot = slots[vertex];
      const bool is_new = slot >> kNumberBits != epoch;
      used_vertices_[used] = vertex;
      slot = is_new ? epoch << kNumberBits | used : slot;
      slots[vertex] = slot;
      used += is_new;
      to[i] = static_cast<std::byte>(slot);
    }
    is_in_range_ = is_in_range;
    used_ = used;
    corner_ += static_cast<std::size_t>(count);
  }

  static constexpr unsigned kNumberBits = 10;  // of 3 * kMaxCount vertices
  static constexpr std::uint32_t kMaxEpoch = (1u << (32 - kNumberBits)) - 1;
  ByteSpan meshlets_;
  std::span<std::byte> corners_, vertices_;
  Meshlet now_{};
  std::uint32_t begun_ = 0;  // the number of meshlets that were begun
  std::size_t corner_ = 0;
  std::uint64_t first_vertex_ = 0, triangles_ = 0;
  std::uint32_t used_ = 0, left_ = 0;
  std::array<std::uint32_t, 3 * kMaxCount + 1> used_vertices_;
  std::array<std::uint32_t, 3 * kMaxCount> waiting_;  // corners of this meshlet
  std::uint32_t waiting_count_ = 0;
  // For each vertex of the mesh: the epoch of the last meshlet that used it, and its number there.
  std::vector<std::uint32_t> slots_;
  std::uint32_t epoch_ = 0;
  bool is_in_range_ = true;  // all vertices so far
};

}  // namespace assetc::hmesh
