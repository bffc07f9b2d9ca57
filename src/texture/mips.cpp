#include "texture/mips.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "base/release.hpp"
#include "os/pages.hpp"
#include "parallel/parallel.hpp"
#include "texture/color.hpp"
#include "texture/coverage.hpp"
#include "texture/normal_map.hpp"
#include "texture/resample.hpp"
#include "texture/row_claims.hpp"

namespace assetc::texture {
namespace {

using scene::Image;
using scene::PixelType;

// A texel's color has the weight (1 - kFloor) alpha + kFloor. Fully transparent regions thus keep their own color, and
// yet add less than a twentieth of an 8-bit step to an opaque neighbor. The weight is linear in alpha, so filtering the
// weight filters alpha.
constexpr float kFloor = 1.0f / 65536.0f;
// Below this weight, a kernel with negative lobes does not give a reliable color. The color is then taken from texels
// within reach of the lobes.
constexpr float kUnsteadyWeight = 1.0f / 16.0f;
constexpr std::int64_t kLobeTexels = 3;

constexpr std::size_t kLargeImageBytes = 64u << 20;

float weight_of_alpha(float alpha) { return alpha * (1.0f - kFloor) + kFloor; }
float alpha_of_weight(float weight) { return (weight - kFloor) / (1.0f - kFloor); }

// A texel's channel as stored, in [0, 1] for integers.
float load_channel(const Image& image, std::size_t texel, std::size_t channel) {
  const std::byte* p = image.pixels.data() + (texel * 4 + channel) * scene::channel_bytes(image.type);
  switch (image.type) {
    case PixelType::kU8:
      return static_cast<float>(std::to_integer<unsigned>(*p)) * (1.0f / 255.0f);
    case PixelType::kU16: {
      std::uint16_t v;
      std::memcpy(&v, p, 2);
      return static_cast<float>(v) * (1.0f / 65535.0f);
    }
    case PixelType::kF32:
      break;
  }
  float v;
  std::memcpy(&v, p, 4);
  return v;
}

// The same as an 8-bit code. Color from 16 bits keeps the sRGB curve; color from float gets it.
std::uint8_t load_code(const Image& image, std::size_t texel, std::size_t channel, bool color) {
  const std::byte* p = image.pixels.data() + (texel * 4 + channel) * scene::channel_bytes(image.type);
  if (image.type == PixelType::kU8) return std::to_integer<std::uint8_t>(*p);
  if (image.type == PixelType::kU16) {
    std::uint16_t v;
    std::memcpy(&v, p, 2);
    return static_cast<std::uint8_t>((v * 255u + 32767u) / 65535u);
  }
  const float value = load_channel(image, texel, channel);
  return color && channel < 3 ? linear_to_srgb8(value) : unorm8(value);
}

// Linear light of a stored color channel.
template <PixelType type>
float load_light(const std::byte* p, const std::array<float, 256>& table8, std::span<const float, 65536> table16) {
  if constexpr (type == PixelType::kU8) return table8[std::to_integer<std::size_t>(*p)];
  if constexpr (type == PixelType::kU16) {
    std::uint16_t v;
    std::memcpy(&v, p, 2);
    return table16[v];
  }
  float v = 0.0f;
  if constexpr (type == PixelType::kF32) std::memcpy(&v, p, 4);
  return v;
}

template <PixelType type>
void read_color_row(const Image& image, std::uint32_t y, bool alpha, float* out, std::size_t stride) {
  const auto& table8 = srgb8_to_linear();
  static const float none[65536] = {};
  const std::span<const float, 65536> table16 =
      type == PixelType::kU16 ? srgb16_to_linear() : std::span<const float, 65536>(none);
  constexpr std::size_t kBytes = scene::channel_bytes(type);
  const std::byte* p = image.pixels.data() + image.row_bytes() * y;
  const std::size_t first = std::size_t{y} * image.width_texels;
  for (std::uint32_t x = 0; x < image.width_texels; ++x, p += 4 * kBytes) {
    const float weight = alpha ? weight_of_alpha(load_channel(image, first + x, 3)) : 1.0f;
    for (std::size_t c = 0; c < 3; ++c) {
      const float light = load_light<type>(p + c * kBytes, table8, table16);
      out[c * stride + x] = alpha ? light * weight : light;
    }
    if (alpha) out[3 * stride + x] = weight;
  }
}

bool find_alpha(const Image& image) {
  if (image.source_channels == 1 || image.source_channels == 3) return false;
  std::atomic<bool> found{false};
  parallel_for(image.height_texels, [&](std::uint32_t y) {
    if (found.load(std::memory_order_relaxed)) return;
    for (std::size_t x = 0, first = std::size_t{y} * image.width_texels; x < image.width_texels; ++x) {
      if (load_channel(image, first + x, 3) < 1.0f) return found.store(true, std::memory_order_relaxed);
    }
  });
  return found;
}

// Whether blue holds Z of the normal whose X and Y are red and green.
bool blue_is_z(const Image& image) {
  constexpr std::size_t kLooks = 1 << 16;
  constexpr float kNear = 0.06f;  // tolerates JPEG, and maps that were averaged without normalizing
  const std::size_t texels = std::size_t{image.width_texels} * image.height_texels;
  const std::size_t step = std::max<std::size_t>(1, texels / kLooks) | 1;
  std::size_t looked = 0, near = 0;
  for (std::size_t i = 0; i < texels; i += step, ++looked) {
    const float x = load_channel(image, i, 0) * 2.0f - 1.0f, y = load_channel(image, i, 1) * 2.0f - 1.0f;
    const float z = std::sqrt(std::max(0.0f, 1.0f - x * x - y * y));
    near += std::abs(load_channel(image, i, 2) - (z * 0.5f + 0.5f)) <= kNear;
  }
  return near * 10 >= looked * 9;
}

// The least value of each channel that levels may have: 0 if the picture has no negative value in it.
std::array<float, 4> least_values(const Image& image) {
  std::array<float, 4> least{};
  if (image.type != PixelType::kF32) return least;
  std::atomic<unsigned> signed_channels{0};
  parallel_for(image.height_texels, [&](std::uint32_t y) {
    unsigned found = 0;
    for (std::size_t x = 0, first = std::size_t{y} * image.width_texels; x < image.width_texels; ++x) {
      for (std::size_t c = 0; c < 4; ++c) found |= (load_channel(image, first + x, c) < 0.0f ? 1u : 0u) << c;
    }
    if (found != 0) signed_channels.fetch_or(found, std::memory_order_relaxed);
  });
  for (std::size_t c = 0; c < 4; ++c) {
    if ((signed_channels.load() >> c & 1) != 0) least[c] = std::numeric_limits<float>::lowest();
  }
  return least;
}

std::uint32_t plane_count(const MipOptions& options, bool alpha) {
  switch (options.kind) {
    case TexelKind::kColor:
    case TexelKind::kLinear:
    case TexelKind::kHdr:
      return alpha ? 4 : 3;
    case TexelKind::kNormal:
      return options.normal_data ? 5 : 3;
    case TexelKind::kGray:
      return 1;
  }
  return 4;
}

using ReadRows = std::function<void(std::uint32_t y, std::uint32_t row_count)>;

void read_all(std::uint32_t height, std::uint32_t step_rows, const ReadRows& read) {
  parallel_for((height + step_rows - 1) / step_rows,
               [&](std::uint32_t step) { read(step * step_rows, std::min(step_rows, height - step * step_rows)); });
}

}  // namespace

Extent limited_extent(Extent source, std::uint32_t max_size_texels) {
  const std::uint32_t longer = std::max(source.width_texels, source.height_texels);
  if (max_size_texels == 0 || longer <= max_size_texels) return source;
  const auto scaled = [&](std::uint32_t side) {
    const std::uint64_t rounded = (std::uint64_t{side} * max_size_texels + longer / 2) / longer;
    return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, rounded));
  };
  return {scaled(source.width_texels), scaled(source.height_texels)};
}

Extent level0_extent(Extent source, const MipOptions& options) {
  const Extent limited = limited_extent(source, options.max_size_texels);
  const std::uint32_t multiple = std::max(options.side_multiple, 1u);
  const auto whole = [&](std::uint32_t side) { return side < multiple ? side : side / multiple * multiple; };
  return {whole(limited.width_texels), whole(limited.height_texels)};
}

std::uint64_t mip_peak_bytes(Extent source, PixelType type, const MipOptions& options, std::uint64_t made_bytes) {
  const std::uint64_t texels = std::uint64_t{source.width_texels} * source.height_texels;
  const std::uint64_t image = texels * 4 * scene::channel_bytes(type);
  const Extent level0 = level0_extent(source, options);
  const std::uint64_t plane_bytes = std::uint64_t{4} * plane_count(options, true);
  const auto level_bytes = [&](Extent e) { return std::uint64_t{e.width_texels} * e.height_texels * plane_bytes; };
  if (level0 != source)
    return std::max(image + level_bytes(level0), level_bytes(level0) + level_bytes(next_level(level0))) + made_bytes;
  const std::uint64_t level1 = options.all_levels ? level_bytes(next_level(level0)) : 0;
  if (image < kLargeImageBytes || level1 == 0) return image + level1 + made_bytes;
  // The image and level 1 share the memory, except for the rows that strips share.
  return std::max(image, level1 + made_bytes) + image / 16;
}

struct MipChain::State {
  Image image;    // level 0 as passed in; empty once a level is in planes
  Planes planes;  // the current level, unless it is the image
  MipOptions options;
  bool alpha = false;
  std::array<float, 4> least{};  // see least_values
  std::uint32_t level = 0;
  std::uint32_t level_count = 1;
  Extent extent;
  double coverage = 0.0;     // of level 0
  float alpha_scale = 1.0f;  // of the current level

  Filter filter() const { return options.kind == TexelKind::kHdr ? Filter::kBox : options.filter; }
  bool weighted() const { return options.kind == TexelKind::kColor && alpha; }
  bool keeps_coverage() const { return weighted() && options.alpha_cutoff > 0.0f; }

  void read_row(std::uint32_t y, float* out, std::size_t stride) const;
  // First calls read for the current level.
  void scale_to(Extent target, std::uint32_t step_rows = 0, const ReadRows& read = {});
  bool is_large() const {
    const std::size_t plane_bytes = std::size_t{planes.width()} * planes.height() * planes.channels() * sizeof(float);
    return (planes.empty() ? image.pixels.size() : plane_bytes) >= kLargeImageBytes;
  }
  void release_rows(std::uint32_t begin, std::uint32_t end);
  AlphaHistogram alpha_histogram() const;
  std::array<float, 3> weighted_color(std::uint32_t x, std::uint32_t y) const;
  std::array<float, 4> texel_of(const float* plane, std::size_t stride, std::uint32_t x, std::uint32_t y) const;
  void write_row(std::uint32_t y, std::byte* out) const;
  void write_image_row(std::uint32_t y, std::byte* out) const;
  void write_image_rows16(std::uint32_t y, std::uint32_t row_count, std::byte* out) const;
  template <class Convert>
  void write_rows16(std::uint32_t y, std::uint32_t row_count, std::span<std::byte> out, Convert convert) const;
};

// Row y of the current level, as planes.
void MipChain::State::read_row(std::uint32_t y, float* out, std::size_t stride) const {
  if (!planes.empty()) {
    for (std::uint32_t c = 0; c < planes.channels(); ++c)
      std::copy_n(planes.row(c, y), planes.width(), out + c * stride);
    return;
  }
  const std::size_t first = std::size_t{y} * image.width_texels;
  switch (options.kind) {
    case TexelKind::kColor:
    case TexelKind::kHdr:
      switch (image.type) {
        case PixelType::kU8:
          read_color_row<PixelType::kU8>(image, y, weighted(), out, stride);
          break;
        case PixelType::kU16:
          read_color_row<PixelType::kU16>(image, y, weighted(), out, stride);
          break;
        case PixelType::kF32:
          read_color_row<PixelType::kF32>(image, y, weighted(), out, stride);
          break;
      }
      if (alpha && !weighted()) {
        for (std::uint32_t x = 0; x < image.width_texels; ++x) out[3 * stride + x] = load_channel(image, first + x, 3);
      }
      return;
    case TexelKind::kLinear:
    case TexelKind::kGray:
      for (std::uint32_t x = 0; x < image.width_texels; ++x) {
        for (std::uint32_t c = 0; c < plane_count(options, alpha); ++c)
          out[c * stride + x] = load_channel(image, first + x, c);
      }
      return;
    case TexelKind::kNormal:
      for (std::uint32_t x = 0; x < image.width_texels; ++x) {
        float nx = load_channel(image, first + x, 0) * 2.0f - 1.0f;
        float ny = load_channel(image, first + x, 1) * 2.0f - 1.0f;
        const float planar = nx * nx + ny * ny;
        float nz = 0.0f;
        if (planar <= 1.0f) {
          nz = std::sqrt(1.0f - planar);
        } else {
          const float length = std::sqrt(planar);
          nx /= length;
          ny /= length;
        }
        out[x] = nx;
        out[stride + x] = ny;
        out[2 * stride + x] = nz;
        if (options.normal_data) {
          out[3 * stride + x] = load_channel(image, first + x, 2);
          out[4 * stride + x] = load_channel(image, first + x, 3);
        }
      }
      return;
  }
}

// The color of a texel of a level whose planes are weighted by alpha, with the weight divided out. If the weight is
// small, possibly because of the kernel's negative lobes, the color is that of nearby texels with enough weight,
// because the small weight comes from them. A region that is transparent throughout keeps its own color.
std::array<float, 3> MipChain::State::weighted_color(std::uint32_t x, std::uint32_t y) const {
  const auto at = [&](std::uint32_t c, std::uint32_t i, std::uint32_t j) { return planes.row(c, j)[i]; };
  const float own = at(3, x, y);
  // If the weight is almost zero, it is mostly rounding error. The quotient can then be any number, and half floats
  // would keep it.
  const float most = image.type == PixelType::kF32 ? std::numeric_limits<float>::max() : 1.0f;
  const auto color_of = [&](const std::array<float, 4>& weighted_sum) {
    std::array<float, 3> color;
    for (std::size_t c = 0; c < 3; ++c) color[c] = std::clamp(weighted_sum[c] / weighted_sum[3], least[c], most);
    return color;
  };
  const bool has_lobes = filter() != Filter::kBox && std::abs(own - kFloor) > kFloor;
  for (std::int64_t reach = 1; reach <= kLobeTexels && has_lobes && own < kUnsteadyWeight; ++reach) {
    std::array<float, 4> sum{};
    for (std::int64_t dy = -reach; dy <= reach; ++dy) {
      const std::uint32_t j = wrap_index(y + dy, extent.height_texels, options.wrap);
      for (std::int64_t dx = -reach; dx <= reach; ++dx) {
        const std::uint32_t i = wrap_index(x + dx, extent.width_texels, options.wrap);
        if (at(3, i, j) < kUnsteadyWeight) continue;
        for (std::uint32_t c = 0; c < 4; ++c) sum[c] += at(c, i, j);
      }
    }
    if (sum[3] > 0) return color_of(sum);
  }
  const float weight = own == 0.0f ? kFloor : own;
  return color_of({at(0, x, y), at(1, x, y), at(2, x, y), weight});
}

// Frees the memory of rows that are not read any more.
void MipChain::State::release_rows(std::uint32_t begin, std::uint32_t end) {
  if (planes.empty()) {
    os::release_pages(std::span(image.pixels).subspan(image.row_bytes() * begin, image.row_bytes() * (end - begin)));
    return;
  }
  for (std::uint32_t c = 0; c < planes.channels(); ++c)
    os::release_pages(
        std::as_writable_bytes(std::span(planes.row(c, begin), std::size_t{planes.width()} * (end - begin))));
}

void MipChain::State::scale_to(Extent target_extent, std::uint32_t step_rows, const ReadRows& read) {
  Planes target(target_extent.width_texels, target_extent.height_texels, plane_count(options, alpha));
  const std::uint32_t width = extent.width_texels, height = extent.height_texels;
  const RowReader reader = [this](std::uint32_t y, float* out, std::size_t stride) { read_row(y, out, stride); };
  if (is_large()) {
    RowClaims claims(height, options.wrap);
    const auto give_back = [&](std::int64_t begin, std::int64_t end) {
      claims.give_back(begin, end, [&](std::uint32_t first, std::uint32_t last) { release_rows(first, last); });
    };
    // Reading a row also reads nearby rows for their color.
    const std::int64_t around = weighted() ? kLobeTexels : 0;
    const std::uint32_t steps = step_rows == 0 ? 0 : (height + step_rows - 1) / step_rows;
    const auto rows_of = [&](std::uint32_t step) { return std::min(step_rows, height - step * step_rows); };
    for (std::uint32_t step = 0; step < steps; ++step) {
      const std::int64_t y = std::int64_t{step} * step_rows;
      claims.claim(y - around, y + rows_of(step) + around);
    }
    const StripEvents events{.planned = [&](std::int64_t begin, std::int64_t end) { claims.claim(begin, end); },
                             .begins =
                                 [&](std::uint32_t begin, std::uint32_t end) {
                                   // The steps whose first row is inside the source rows of the strip.
                                   const auto first_step = [&](std::uint32_t target_row) {
                                     if (steps == 0) return 0u;
                                     const std::uint64_t row =
                                         (std::uint64_t{target_row} * height + target_extent.height_texels - 1) /
                                         target_extent.height_texels;
                                     return static_cast<std::uint32_t>((row + step_rows - 1) / step_rows);
                                   };
                                   for (std::uint32_t step = first_step(begin); step < first_step(end); ++step) {
                                     const std::int64_t y = std::int64_t{step} * step_rows;
                                     read(step * step_rows, rows_of(step));
                                     give_back(y - around, y + rows_of(step) + around);
                                   }
                                 },
                             .ended = give_back};
    resample(reader, width, height, filter(), options.wrap, target, &events);
  } else {
    if (step_rows != 0) read_all(height, step_rows, read);
    resample(reader, width, height, filter(), options.wrap, target);
  }
  planes = std::move(target);
  release(image.pixels);
  extent = target_extent;
}

AlphaHistogram MipChain::State::alpha_histogram() const {
  AlphaHistogram histogram;
  for (std::uint32_t y = 0; y < extent.height_texels; ++y) {
    for (std::uint32_t x = 0; x < extent.width_texels; ++x) {
      histogram.add(planes.empty() ? load_channel(image, std::size_t{y} * extent.width_texels + x, 3)
                                   : alpha_of_weight(planes.row(3, y)[x]));
    }
  }
  return histogram;
}

void MipChain::State::write_image_row(std::uint32_t y, std::byte* out) const {
  const std::size_t first = std::size_t{y} * image.width_texels;
  const bool color = options.kind == TexelKind::kColor || options.kind == TexelKind::kHdr;
  const bool all = color || options.kind == TexelKind::kLinear || options.normal_data;
  if (all && image.type == PixelType::kU8) {
    std::memcpy(out, image.pixels.data() + image.row_bytes() * y, image.row_bytes());
    return;
  }
  for (std::uint32_t x = 0; x < image.width_texels; ++x, out += 4) {
    std::uint8_t texel[4] = {0, 0, 0, 255};
    const std::size_t channels = all ? 4 : options.kind == TexelKind::kNormal ? 2 : 1;
    for (std::size_t c = 0; c < channels; ++c) texel[c] = load_code(image, first + x, c, color);
    if (options.normal_z && !all) {
      const float nx = load_channel(image, first + x, 0) * 2.0f - 1.0f;
      const float ny = load_channel(image, first + x, 1) * 2.0f - 1.0f;
      texel[2] = unorm8(std::sqrt(std::max(0.0f, 1.0f - nx * nx - ny * ny)) * 0.5f + 0.5f);
    }
    std::memcpy(out, texel, 4);
  }
}

void MipChain::State::write_row(std::uint32_t y, std::byte* out) const {
  if (planes.empty()) return write_image_row(y, out);
  const bool color = options.kind == TexelKind::kColor || options.kind == TexelKind::kHdr;
  const std::size_t stride = std::size_t{planes.width()} * planes.height();
  for (std::uint32_t x = 0; x < planes.width(); ++x, out += 4) {
    const std::array<float, 4> texel = texel_of(planes.row(0, y) + x, stride, x, y);
    for (std::size_t c = 0; c < 4; ++c)
      out[c] = static_cast<std::byte>(color && c < 3 ? linear_to_srgb8(texel[c]) : unorm8(texel[c]));
  }
}

MipChain::MipChain(Image image, const MipOptions& options) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.image = std::move(image);
  s.options = options;
  if (options.kind == TexelKind::kNormal && !options.normal_data) normalize_normals(s.image);
  s.extent = {s.image.width_texels, s.image.height_texels};
  if (s.options.normal_data) s.options.normal_z = blue_is_z(s.image);
  s.alpha = find_alpha(s.image);
  s.least = least_values(s.image);
  if (s.keeps_coverage()) s.coverage = s.alpha_histogram().coverage(options.alpha_cutoff);
  const Extent level0 = level0_extent(s.extent, options);
  s.level_count = options.all_levels ? full_level_count(level0) : 1;
  if (level0 != s.extent) {
    s.scale_to(level0);
    if (s.keeps_coverage()) s.alpha_scale = s.alpha_histogram().scale_for(s.coverage, options.alpha_cutoff);
  }
}

MipChain::~MipChain() = default;
MipChain::MipChain(MipChain&&) noexcept = default;
MipChain& MipChain::operator=(MipChain&&) noexcept = default;

std::uint32_t MipChain::level_count() const { return state_->level_count; }
std::uint32_t MipChain::level() const { return state_->level; }
Extent MipChain::extent() const { return state_->extent; }
bool MipChain::has_alpha() const { return state_->alpha; }

bool MipChain::advance() { return advance(0, {}); }

bool MipChain::advance(std::uint32_t step_rows,
                       const std::function<void(std::uint32_t y, std::uint32_t row_count)>& read) {
  State& s = *state_;
  if (s.level + 1 >= s.level_count) {
    if (step_rows != 0) read_all(s.extent.height_texels, step_rows, read);
    return false;
  }
  s.scale_to(next_level(s.extent), step_rows, read);
  ++s.level;
  if (s.keeps_coverage()) s.alpha_scale = s.alpha_histogram().scale_for(s.coverage, s.options.alpha_cutoff);
  return true;
}

void MipChain::read_rgba8(std::uint32_t y, std::uint32_t row_count, std::span<std::byte> out) const {
  const std::size_t row_bytes = std::size_t{state_->extent.width_texels} * 4;
  for (std::uint32_t i = 0; i < row_count; ++i) state_->write_row(y + i, out.data() + i * row_bytes);
}

// Texel (x, y) as a reader sees it: color without the weight, normals of unit length and mapped to 0 to 1. plane points
// into planes as read_row gives them.
std::array<float, 4> MipChain::State::texel_of(const float* plane, std::size_t stride, std::uint32_t x,
                                               std::uint32_t y) const {
  std::array<float, 4> texel{0.0f, 0.0f, 0.0f, 1.0f};
  switch (options.kind) {
    case TexelKind::kColor:
      if (weighted() && !planes.empty()) {
        std::ranges::copy(weighted_color(x, y), texel.begin());
      } else {
        for (std::size_t c = 0; c < 3; ++c)
          texel[c] = weighted() ? plane[c * stride] / plane[3 * stride] : plane[c * stride];
      }
      if (weighted()) texel[3] = std::clamp(alpha_of_weight(plane[3 * stride]) * alpha_scale, 0.0f, 1.0f);
      break;
    case TexelKind::kNormal: {
      const float nx = plane[0], ny = plane[stride], nz = plane[2 * stride];
      const float length = std::sqrt(nx * nx + ny * ny + nz * nz);
      const float scale = length > 1e-6f ? 0.5f / length : 0.0f;
      texel = {nx * scale + 0.5f, ny * scale + 0.5f, options.normal_z ? nz * scale + 0.5f : 0.0f, 1.0f};
      if (options.normal_data) {
        if (!options.normal_z) texel[2] = plane[3 * stride];
        texel[3] = plane[4 * stride];
      }
      break;
    }
    case TexelKind::kLinear:
    case TexelKind::kGray:
    case TexelKind::kHdr:
      for (std::uint32_t c = 0; c < plane_count(options, alpha); ++c) texel[c] = plane[c * stride];
      break;
  }
  return texel;
}

// Rows of an integer picture of data, unchanged.
void MipChain::State::write_image_rows16(std::uint32_t y, std::uint32_t row_count, std::byte* out) const {
  const std::size_t channels = options.kind == TexelKind::kNormal ? 2 : options.kind == TexelKind::kGray ? 1 : 4;
  const std::size_t bytes = scene::channel_bytes(image.type);
  const std::byte* p = image.pixels.data() + image.row_bytes() * y;
  for (std::size_t left = std::size_t{row_count} * image.width_texels; left > 0; --left, p += 4 * bytes, out += 8) {
    std::uint16_t texel[4] = {0, 0, 0, 65535};
    for (std::size_t c = 0; c < channels; ++c) {
      if (bytes == 1) {
        texel[c] = static_cast<std::uint16_t>(std::to_integer<unsigned>(p[c]) * 257);
      } else {
        std::memcpy(&texel[c], p + 2 * c, 2);
      }
    }
    std::memcpy(out, texel, 8);
  }
}

// Rows as four 16-bit numbers for each texel, which convert(value, channel) makes from floats.
template <class Convert>
void MipChain::State::write_rows16(std::uint32_t y, std::uint32_t row_count, std::span<std::byte> out,
                                   Convert convert) const {
  const std::size_t width = extent.width_texels;
  std::vector<float> row_planes(width * std::max(4u, plane_count(options, alpha)));
  std::byte* to = out.data();
  for (std::uint32_t row = y; row < y + row_count; ++row) {
    read_row(row, row_planes.data(), width);
    for (std::uint32_t x = 0; x < width; ++x, to += 8) {
      const std::array<float, 4> texel = texel_of(&row_planes[x], width, x, row);
      std::uint16_t value[4];
      for (std::size_t c = 0; c < 4; ++c) value[c] = convert(texel[c], c);
      std::memcpy(to, value, 8);
    }
  }
}

void MipChain::read_rgba16f(std::uint32_t y, std::uint32_t row_count, std::span<std::byte> out) const {
  state_->write_rows16(y, row_count, out, [&least = state_->least](float value, std::size_t channel) {
    return half_from_float(std::max(value, least[channel]));
  });
}

void MipChain::read_rgba16(std::uint32_t y, std::uint32_t row_count, std::span<std::byte> out) const {
  const State& s = *state_;
  if (s.planes.empty() && s.image.type != PixelType::kF32 && !s.options.normal_z)
    return s.write_image_rows16(y, row_count, out.data());
  s.write_rows16(y, row_count, out, [](float value, std::size_t) { return unorm16(value); });
}

}  // namespace assetc::texture
