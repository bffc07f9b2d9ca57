// Cubemaps of light as floats: their geometry, and conversion from a panorama.
//
// Faces are those of KTX 2 and Vulkan, in the order +X -X +Y -Y +Z -Z. Seen from inside, the system is left-handed: +Y
// is up, +Z is ahead and +X is to its right. s grows to the right of a face and t downwards, both from -1 to 1.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "scene/image.hpp"
#include "scene/math.hpp"

namespace assetc::texture {

inline constexpr std::uint32_t kFaces = 6;

// The direction through that point of a face. Not normalized: its largest component is 1 or -1.
scene::Vec3 face_direction(std::uint32_t face, float s, float t);

struct FacePoint {
  std::uint32_t face;
  float s, t;
};
// The point where a nonzero direction leaves the cube. Has no branches, because a sampler's directions would mispredict
// them.
inline FacePoint face_point(scene::Vec3 d) {
  const float ax = std::fabs(d.x), ay = std::fabs(d.y), az = std::fabs(d.z);
  const bool is_x = ax >= ay && ax >= az, is_y = !is_x && ay >= az;
  const float major = is_x ? d.x : is_y ? d.y : d.z;
  const bool positive = major > 0.0f;
  const float length = std::fabs(major);
  // Along s: -z or z, x, x or -x; along t: -y, z or -z, -y.
  const float s = is_x ? (positive ? -d.z : d.z) : is_y || positive ? d.x : -d.x;
  const float t = is_y ? (positive ? d.z : -d.z) : -d.y;
  return {(is_x ? 0u : is_y ? 2u : 4u) + (positive ? 0u : 1u), s / length, t / length};
}

// The solid angle of a small square around a point of a face, relative to that around the center of the face.
float face_weight(float s, float t);

// Six square faces of RGB light. Each has a border one texel wide, so that bilinear taps never read another face.
class Cube {
 public:
  Cube() = default;
  explicit Cube(std::uint32_t size_texels)
      : size_(size_texels), texels_(std::size_t{kFaces} * (size_texels + 2) * (size_texels + 2) * 4) {}

  std::uint32_t size() const { return size_; }
  // Three channels and one unused float; x and y range from -1 to size().
  float* at(std::uint32_t face, std::int32_t x, std::int32_t y) { return texels_.data() + offset(face, x, y); }
  const float* at(std::uint32_t face, std::int32_t x, std::int32_t y) const {
    return texels_.data() + offset(face, x, y);
  }
  // The direction through the center of a texel, not normalized.
  scene::Vec3 direction(std::uint32_t face, std::int32_t x, std::int32_t y) const {
    return face_direction(face, middle(x), middle(y));
  }
  float middle(std::int32_t x) const {
    return (2.0f * static_cast<float>(x) + 1.0f) / static_cast<float>(size_) - 1.0f;
  }
  // Fills the borders with the adjacent texels of neighboring faces. Call it after all other texels are set.
  void close_seams();
  // Adds weight times the light from a direction, interpolated between the four texels around it.
  void add_sample(scene::Vec3 direction, float weight, std::array<float, 4>& sum) const {
    const FacePoint p = face_point(direction);
    const auto size = static_cast<float>(size_);
    const float x = (p.s + 1.0f) * 0.5f * size - 0.5f, y = (p.t + 1.0f) * 0.5f * size - 0.5f;
    // The point is at most half a texel outside the face; + 1 makes truncation round down.
    const auto left = static_cast<std::int32_t>(x + 1.0f) - 1, top = static_cast<std::int32_t>(y + 1.0f) - 1;
    const float right = x - static_cast<float>(left), down = y - static_cast<float>(top);
    const float* above = at(p.face, left, top);
    const float* below = above + (std::size_t{size_} + 2) * 4;
    std::array<float, 4> light;
    for (std::size_t c = 0; c < 4; ++c) {
      const float a = above[c] + (above[c + 4] - above[c]) * right;
      const float b = below[c] + (below[c + 4] - below[c]) * right;
      light[c] = a + (b - a) * down;
    }
    for (std::size_t c = 0; c < 4; ++c) sum[c] += weight * light[c];
  }

 private:
  std::size_t offset(std::uint32_t face, std::int32_t x, std::int32_t y) const {
    const std::size_t side = size_ + 2;
    return ((face * side + static_cast<std::size_t>(y + 1)) * side + static_cast<std::size_t>(x + 1)) * 4;
  }
  std::uint32_t size_ = 0;
  std::vector<float> texels_;
};

// A cube of half the size, each texel the mean of four weighted by solid angle. Requires an even size. Seams are
// closed.
Cube halve(const Cube& cube);

// Converts to linear light, as floats of 0 to 1e9. Colors of 8 and 16 bits are taken as sRGB. NaN gives 0.
scene::Image to_light(scene::Image image);

// Fills a face with the light of a picture, whose colors are converted as in to_light. A larger picture is scaled down
// by box filter; a smaller one is magnified into squares of equal texels. Seams are not updated. Requires a square
// picture and a cube whose size is a power of two. Runs in parallel in the calling thread's oneTBB arena; the same bits
// on any machine.
void set_face(Cube& cube, std::uint32_t face, const scene::Image& picture);

// One face, as RGBA floats, of an equirectangular panorama in the form that to_light gives. The center of the panorama
// is +Z, a quarter to the right is +X, the upper edge is +Y. Each texel averages about as many bilinear samples as the
// panorama has texels there. Requires size > 0 and a panorama. Runs in parallel in the calling thread's oneTBB arena;
// the same bits on any machine.
scene::Image panorama_face(const scene::Image& light, std::uint32_t face, std::uint32_t size_texels);

// All faces of a panorama, with closed seams.
Cube panorama_cube(const scene::Image& light, std::uint32_t size_texels);

}  // namespace assetc::texture
