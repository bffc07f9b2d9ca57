#include "codec/mesh/decode/meshlet_stream.hpp"

#include <algorithm>
#include <cstring>

namespace assetc::meshlet_stream {
namespace {

constexpr std::uint64_t kRotationsPerByte = 5;

std::uint32_t value_of(std::byte byte) { return static_cast<std::uint32_t>(byte); }

// Digit `at` of a byte to the base 3.
constexpr std::array<std::array<std::uint8_t, 256>, kRotationsPerByte> kRotations = [] {
  std::array<std::array<std::uint8_t, 256>, kRotationsPerByte> rotations{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    for (unsigned k = 0, left = byte; k < kRotationsPerByte; ++k, left /= 3)
      rotations[k][byte] = static_cast<std::uint8_t>(left % 3);
  }
  return rotations;
}();

// The number of bytes of a stream. Fits 64 bits if the triangles do.
std::uint64_t stream_bytes(const Header& header, std::uint64_t triangle_count) {
  return sizeof(Header) + std::uint64_t{header.meshlet_count} + (triangle_count + 1) / 2 + header.number_count +
         (std::uint64_t{header.vertex_count} + 7) / 8 + 2 * std::uint64_t{header.step_count} +
         sizeof(std::uint32_t) * std::uint64_t{header.far_count} +
         (header.is_rotated != 0 ? (triangle_count + kRotationsPerByte - 1) / kRotationsPerByte : 0);
}

}  // namespace

std::optional<Reader> Reader::open(ByteSpan stream, std::uint64_t triangle_count) {
  if (stream.size() < sizeof(Header) || triangle_count > 2 * std::uint64_t{stream.size()}) return std::nullopt;
  Reader out;
  out.header_ = load<Header>(stream);
  if (out.header_.is_rotated > 1 || stream.size() != stream_bytes(out.header_, triangle_count)) return std::nullopt;
  out.counts_ = stream.data() + sizeof(Header);
  out.codes_ = out.counts_ + out.header_.meshlet_count;
  out.numbers_ = out.codes_ + (triangle_count + 1) / 2;
  out.numbers_end_ = out.numbers_ + out.header_.number_count;
  out.marks_ = out.numbers_end_;
  out.low_ = out.marks_ + (std::uint64_t{out.header_.vertex_count} + 7) / 8;
  out.far_ = out.low_ + 2 * std::uint64_t{out.header_.step_count};
  out.rotations_ = out.far_ + sizeof(std::uint32_t) * std::uint64_t{out.header_.far_count};
  std::uint64_t triangles = 0;
  for (const std::byte count : stream.subspan(sizeof(Header), out.header_.meshlet_count)) triangles += value_of(count);
  if (triangles != triangle_count) return std::nullopt;
  return out;
}

bool Reader::next(Content& meshlet) {
  meshlet.triangle_count = value_of(*counts_++);
  // A triangle has at most four bytes of numbers.
  const bool has_all = static_cast<std::size_t>(numbers_end_ - numbers_) >= 4 * meshlet.triangle_count;
  const bool rotated = header_.is_rotated != 0;
  const bool holds = has_all ? (rotated ? read_triangles<false, true>(meshlet) : read_triangles<false, false>(meshlet))
                             : (rotated ? read_triangles<true, true>(meshlet) : read_triangles<true, false>(meshlet));
  if (!holds || meshlet.vertex_count > kMaxVertices || meshlet.vertex_count > header_.vertex_count - vertex_)
    return false;
  return header_.step_count - step_ >= meshlet.vertex_count ? read_vertices<false>(meshlet)
                                                            : read_vertices<true>(meshlet);
}

bool Reader::is_complete() const {
  return numbers_ == numbers_end_ && vertex_ == header_.vertex_count && step_ == header_.step_count &&
         next_far_ == header_.far_count;
}

// kChecked: numbers may end in this meshlet.
template <bool kChecked, bool kRotated>
bool Reader::read_triangles(Content& meshlet) {
  std::array<std::uint16_t, 8> edges{};  // the last ones, each of two numbers
  std::uint32_t edge = 0, used = 0;
  const std::byte* numbers = numbers_;
  bool holds = true;
  const auto number = [&] {
    if constexpr (kChecked) {
      if (numbers >= numbers_end_) {
        holds = false;
        return std::uint32_t{0};
      }
    }
    return value_of(*numbers);
  };
  const std::uint64_t first = triangle_;
  std::uint8_t* to = meshlet.corners.data();
  for (std::uint64_t t = first, end = first + meshlet.triangle_count; t < end; ++t, to += 3) {
    const std::uint32_t code = value_of(codes_[t / 2]) >> (t & 1) * 4 & 15;
    std::uint32_t a, b, c;
    if (code < kFree) {
      // Without branches: nobody can tell which triangle has a new vertex.
      const std::uint32_t pair = edges[(edge - 1 - (code >> 1)) & 7];
      a = pair & 255, b = pair >> 8;
      const bool is_old = (code & 1) != 0;
      const std::uint32_t below = kChecked && !is_old ? 0 : number();
      c = is_old ? (std::min(a, b) - below) & 255 : used;
      holds &= !is_old | (c < used);
      numbers += is_old;
      used += !is_old;
      edges[edge & 7] = static_cast<std::uint16_t>((c & 255) | b << 8);
      edges[(edge + 1) & 7] = static_cast<std::uint16_t>(a | (c & 255) << 8);
      edge += 2;
    } else {
      const std::uint32_t olds = number();
      ++numbers;
      holds &= code == kFree && olds < 8;
      std::array<std::uint32_t, 3> corners;
      for (std::uint32_t k = 0; k < 3; ++k) {
        if ((olds >> k & 1) == 0) {
          corners[k] = used++;
          continue;
        }
        const std::uint32_t back = number();
        ++numbers;
        holds &= back < used;
        corners[k] = used - 1 - back;
      }
      a = corners[0] & 255, b = corners[1] & 255, c = corners[2] & 255;
      edges[edge & 7] = static_cast<std::uint16_t>(b | a << 8);
      edges[(edge + 1) & 7] = static_cast<std::uint16_t>(c | b << 8);
      edges[(edge + 2) & 7] = static_cast<std::uint16_t>(a | c << 8);
      edge += 3;
    }
    std::uint64_t triangle = a | b << 8 | (c & 255) << 16;
    if constexpr (kRotated) {
      const std::uint32_t turns = kRotations[t % kRotationsPerByte][value_of(rotations_[t / kRotationsPerByte])];
      triangle = (triangle | triangle << 24) >> 8 * turns;
    }
    const auto word = static_cast<std::uint32_t>(triangle);
    std::memcpy(to, &word, sizeof word);
    if constexpr (kChecked) {
      if (!holds) return false;
    }
  }
  numbers_ = numbers;
  triangle_ += meshlet.triangle_count;
  meshlet.vertex_count = used;
  return holds;
}

// kChecked: steps may end in this meshlet.
template <bool kChecked>
bool Reader::read_vertices(Content& meshlet) {
  const std::byte* const low = low_;
  const std::byte* const high = low_ + header_.step_count;
  std::uint32_t next = next_, last = last_, step = step_;
  for (std::uint32_t i = 0; i < meshlet.vertex_count; ++i) {
    const std::uint32_t at = vertex_ + i;
    const bool is_step = (value_of(marks_[at / 8]) >> (at & 7) & 1) != 0;
    if constexpr (kChecked) {
      if (step == header_.step_count) {
        if (is_step) return false;
        meshlet.vertices[i] = next++;
        continue;
      }
    }
    const std::uint32_t value = value_of(low[step]) | value_of(high[step]) << 8;
    std::uint32_t moved = last + ((value >> 1) ^ (0u - (value & 1)));
    if (is_step && value == kFar) {
      if (next_far_ == header_.far_count) return false;
      std::memcpy(&moved, far_ + sizeof moved * next_far_++, sizeof moved);
    }
    meshlet.vertices[i] = is_step ? moved : next;
    last = is_step ? moved : last;
    step += is_step;
    next += !is_step;
  }
  next_ = next, last_ = last, step_ = step;
  vertex_ += meshlet.vertex_count;
  return true;
}

}  // namespace assetc::meshlet_stream
