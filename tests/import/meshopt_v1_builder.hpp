// Writes attribute streams of version 1 with the channels and controls that a test requests, instead of the shortest
// ones.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <vector>

#include "assetc/base/bytes.hpp"

namespace assetc::importer::testing {

class MeshoptV1Builder {
 public:
  // channels: the mode of each four bytes of an element. first_control: the control of the first byte column; each next
  // column, across all blocks, takes the next of the four controls. A control that cannot hold its column is replaced
  // by 3, which can hold any.
  MeshoptV1Builder(std::size_t stride_bytes, std::vector<std::uint8_t> channels, unsigned first_control = 0)
      : stride_(stride_bytes), channels_(std::move(channels)), next_control_(first_control) {}

  // The stream of whole elements. `before`: the element that the first one's deltas are relative to.
  ByteVector encode(const std::vector<std::uint8_t>& elements, const std::vector<std::uint8_t>& before) {
    out_ = {0xA1};
    const std::size_t block = std::min<std::size_t>(8192 / stride_ / 16 * 16, 256), count = elements.size() / stride_;
    std::vector<std::uint8_t> last = before;
    for (std::size_t first = 0; first < count; first += block) {
      const std::size_t n = std::min(block, count - first);
      write_block(elements.data() + first * stride_, n, last.data());
      last.assign(elements.begin() + static_cast<std::ptrdiff_t>((first + n - 1) * stride_),
                  elements.begin() + static_cast<std::ptrdiff_t>((first + n) * stride_));
    }
    const std::size_t tail = stride_ + channels_.size();
    out_.resize(out_.size() + (tail < 24 ? 24 - tail : 0));
    out_.insert(out_.end(), before.begin(), before.end());
    out_.insert(out_.end(), channels_.begin(), channels_.end());
    const auto bytes = std::as_bytes(std::span(out_));
    return {bytes.begin(), bytes.end()};
  }

 private:
  template <class T>
  static T zigzag(T v) {
    return static_cast<T>((v >> (8 * sizeof(T) - 1)) != 0 ? ~(v << 1) : v << 1);
  }
  template <class T>
  static T delta(const std::uint8_t* at, const std::uint8_t* before, std::uint8_t mode) {
    T now, then;
    std::memcpy(&now, at, sizeof now);
    std::memcpy(&then, before, sizeof then);
    if constexpr (sizeof(T) == 4) return std::rotl(static_cast<T>(now ^ then), mode >> 4);
    return zigzag(static_cast<T>(now - then));
  }

  void write_block(const std::uint8_t* elements, std::size_t count, const std::uint8_t* last) {
    std::vector<std::vector<std::uint8_t>> columns(stride_, std::vector<std::uint8_t>(count));
    for (std::size_t e = 0; e < count; ++e) {
      const std::uint8_t* at = elements + e * stride_;
      const std::uint8_t* before = e == 0 ? last : at - stride_;
      for (std::size_t k = 0; k < stride_; k += 4) {
        const std::uint8_t mode = channels_[k / 4];
        std::array<std::uint8_t, 4> d{};
        if ((mode & 15) == 0) {
          for (std::size_t j = 0; j < 4; ++j) d[j] = delta<std::uint8_t>(at + k + j, before + k + j, mode);
        } else if ((mode & 15) == 1) {
          for (std::size_t j = 0; j < 4; j += 2) {
            const auto v = delta<std::uint16_t>(at + k + j, before + k + j, mode);
            std::memcpy(&d[j], &v, 2);
          }
        } else {
          const auto v = delta<std::uint32_t>(at + k, before + k, mode);
          std::memcpy(d.data(), &v, 4);
        }
        for (std::size_t j = 0; j < 4; ++j) columns[k + j][e] = d[j];
      }
    }
    const std::size_t controls = out_.size();
    out_.resize(controls + stride_ / 4);
    for (std::size_t k = 0; k < stride_; ++k) {
      unsigned control = next_control_++ % 4;
      const bool zeros = columns[k] == std::vector<std::uint8_t>(count);
      if (control == 2 && !zeros) control = 3;
      out_[controls + k / 4] = static_cast<std::uint8_t>(out_[controls + k / 4] | control << (k % 4 * 2));
      if (control == 3) out_.insert(out_.end(), columns[k].begin(), columns[k].end());
      if (control < 2) write_groups(columns[k], control);
    }
  }

  void write_groups(std::vector<std::uint8_t> column, unsigned control) {
    const std::size_t groups = (column.size() + 15) / 16, header = out_.size();
    column.resize(groups * 16);
    out_.resize(header + (groups + 3) / 4);
    for (std::size_t g = 0; g < groups; ++g) {
      const std::span group(column.data() + g * 16, 16);
      unsigned width = next_width_++ % 4;
      const bool zeros = std::ranges::all_of(group, [](std::uint8_t d) { return d == 0; });
      if (control == 0 && width == 0 && !zeros) width = 3;
      out_[header + g / 4] = static_cast<std::uint8_t>(out_[header + g / 4] | width << (g % 4 * 2));
      write_group(group, std::array{0u, 1u, 2u, 4u, 8u}[width + control]);
    }
  }

  void write_group(std::span<const std::uint8_t> group, unsigned bits) {
    if (bits == 0) return;
    if (bits == 8) {
      out_.insert(out_.end(), group.begin(), group.end());
      return;
    }
    const unsigned whole = (1u << bits) - 1;
    std::vector<std::uint8_t> packed(bits * 2), behind;
    for (unsigned i = 0; i < 16; ++i) {
      const unsigned v = std::min<unsigned>(group[i], whole), bit = i * bits % 8,
                     shift = bits == 1 ? bit : 8 - bits - bit;
      packed[i * bits / 8] = static_cast<std::uint8_t>(packed[i * bits / 8] | v << shift);
      if (v == whole) behind.push_back(group[i]);
    }
    out_.insert(out_.end(), packed.begin(), packed.end());
    out_.insert(out_.end(), behind.begin(), behind.end());
  }

  std::size_t stride_;
  std::vector<std::uint8_t> channels_;
  unsigned next_control_, next_width_ = 0;
  std::vector<std::uint8_t> out_;
};

}  // namespace assetc::importer::testing
