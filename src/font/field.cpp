#include "font/field.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace assetc::font {
namespace {

// Distances in texels, positive inside.
struct Sample {
  std::array<double, 3> channels{};
  double true_distance = 0;
};

double median(const std::array<double, 3>& v) {
  return std::max(std::min(v[0], v[1]), std::min(std::max(v[0], v[1]), v[2]));
}

// An edge that is nearest to a point.
struct Best {
  double squared = std::numeric_limits<double>::infinity();
  double across = 0;  // how squarely the edge faces the point: decides between edges that share their nearest end
  double signed_distance = 0;
};

// The sides of an edge as seen from a point: its signed distance, and that of the edge continued beyond its ends.
struct Facing {
  double across = 0;
  double pseudo = 0;
};

Facing face(const Curve& curve, const Nearest& found, Point p) {
  const Point along = unit(curve.direction(found.t));
  const Point offset = p - curve.at(found.t);
  const double side = cross(along, offset);  // positive on the left, which is inside
  const double distance = std::sqrt(found.squared_distance);
  Facing facing;
  facing.across = distance == 0 ? 1 : std::abs(side) / distance;
  facing.pseudo = side < 0 ? -distance : distance;
  const double ahead = dot(along, offset);
  if ((found.t == 0 && ahead < 0) || (found.t == 1 && ahead > 0)) facing.pseudo = side;
  return facing;
}

class Sampler {
 public:
  explicit Sampler(const Outline& outline) : outline_(outline), winding_(outline.contours) {
    boxes_.reserve(outline.edges.size());
    for (const Edge& edge : outline.edges) boxes_.push_back(edge.curve.box());
  }

  Sample at(Point p) {
    constexpr std::array<std::uint8_t, 3> kChannels{kRed, kGreen, kBlue};
    std::array<Best, 3> best{};
    double least = std::numeric_limits<double>::infinity();
    const auto limit = [&](std::uint8_t channels) {
      double most = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        if ((channels & kChannels[c]) != 0) most = std::max(most, best[c].squared);
      }
      return most;
    };
    const auto visit = [&](std::size_t i) {
      const Edge& edge = outline_.edges[i];
      if (boxes_[i].squared_distance(p) > limit(edge.channels)) return;
      const Nearest found = nearest(edge.curve, p);
      least = std::min(least, found.squared_distance);
      if (found.squared_distance > limit(edge.channels)) return;
      const Facing facing = face(edge.curve, found, p);
      for (std::size_t c = 0; c < 3; ++c) {
        if ((edge.channels & kChannels[c]) == 0) continue;
        Best& b = best[c];
        if (found.squared_distance > b.squared || (found.squared_distance == b.squared && facing.across <= b.across))
          continue;
        b = {found.squared_distance, facing.across, facing.pseudo};
      }
      last_ = i;
    };
    // Neighboring points have the same nearest edges: starting there skips most others.
    const std::size_t start = last_;
    for (std::size_t i = start; i < outline_.edges.size(); ++i) visit(i);
    for (std::size_t i = 0; i < start; ++i) visit(i);

    Sample sample;
    const bool is_inside = winding_.at(p) != 0;
    sample.true_distance = is_inside ? std::sqrt(least) : -std::sqrt(least);
    for (std::size_t c = 0; c < 3; ++c)
      sample.channels[c] = std::isinf(best[c].squared) ? sample.true_distance : best[c].signed_distance;
    if ((median(sample.channels) > 0) != is_inside) sample.channels.fill(sample.true_distance);
    return sample;
  }

 private:
  const Outline& outline_;
  Winding winding_;
  std::vector<Box> boxes_;
  std::size_t last_ = 0;
};

// Returns whether the median between four neighboring texels is on the wrong side of the outline, at a place that is so
// far from it that the true distance, which differs by less than one texel between texels, cannot be.
bool misleads(const std::array<const Sample*, 4>& corners) {
  constexpr int kSteps = 4;
  constexpr double kSafeDistance = 0.75;
  bool is_near = true;
  for (const Sample* corner : corners) is_near = is_near && std::abs(corner->true_distance) < kSafeDistance;
  if (is_near) return false;
  for (int y = 0; y <= kSteps; ++y) {
    for (int x = 0; x <= kSteps; ++x) {
      const double u = static_cast<double>(x) / kSteps, v = static_cast<double>(y) / kSteps;
      const auto mix = [&](double a, double b, double c, double d) {
        return (a * (1 - u) + b * u) * (1 - v) + (c * (1 - u) + d * u) * v;
      };
      const double truth = mix(corners[0]->true_distance, corners[1]->true_distance, corners[2]->true_distance,
                               corners[3]->true_distance);
      if (std::abs(truth) < kSafeDistance) continue;
      std::array<double, 3> mixed{};
      for (std::size_t c = 0; c < 3; ++c) {
        mixed[c] =
            mix(corners[0]->channels[c], corners[1]->channels[c], corners[2]->channels[c], corners[3]->channels[c]);
      }
      if ((median(mixed) > 0) != (truth > 0)) return true;
    }
  }
  return false;
}

void correct(std::vector<Sample>& samples, std::size_t width, std::size_t height) {
  std::vector<bool> is_wrong(samples.size());
  for (std::size_t y = 0; y + 1 < height; ++y) {
    for (std::size_t x = 0; x + 1 < width; ++x) {
      const std::size_t i = y * width + x;
      const std::array<std::size_t, 4> cell{i, i + 1, i + width, i + width + 1};
      if (!misleads({&samples[cell[0]], &samples[cell[1]], &samples[cell[2]], &samples[cell[3]]})) continue;
      for (const std::size_t corner : cell) is_wrong[corner] = true;
    }
  }
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (is_wrong[i]) samples[i].channels.fill(samples[i].true_distance);
  }
}

std::uint8_t quantize(double distance, double range_texels) {
  // 128 and more is inside.
  return static_cast<std::uint8_t>(std::clamp((0.5 + distance / range_texels) * 255 + 0.5, 0.0, 255.0));
}

}  // namespace

TexelBox field_box(const Outline& outline, double range_texels) {
  const Box box = outline.box();
  const double margin = range_texels / 2 + 0.5;
  return {static_cast<std::int64_t>(std::floor(box.low.x - margin)),
          static_cast<std::int64_t>(std::floor(box.low.y - margin)),
          static_cast<std::int64_t>(std::ceil(box.high.x + margin)),
          static_cast<std::int64_t>(std::ceil(box.high.y + margin))};
}

void write_field(const Outline& outline, const TexelBox& box, double range_texels, const Texels& out) {
  const auto width = static_cast<std::size_t>(box.width()), height = static_cast<std::size_t>(box.height());
  Sampler sampler(outline);
  std::vector<Sample> samples(width * height);
  const double limit = range_texels / 2;  // texels hold no more
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      Sample& sample = samples[y * width + x];
      sample = sampler.at({static_cast<double>(box.left) + static_cast<double>(x) + 0.5,
                           static_cast<double>(box.top) - static_cast<double>(y) - 0.5});
      for (double& channel : sample.channels) channel = std::clamp(channel, -limit, limit);
      sample.true_distance = std::clamp(sample.true_distance, -limit, limit);
    }
  }
  correct(samples, width, height);
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      const Sample& sample = samples[y * width + x];
      std::uint8_t* texel = out.at(x, y);
      for (std::size_t c = 0; c < 3; ++c) texel[c] = quantize(sample.channels[c], range_texels);
      texel[3] = quantize(sample.true_distance, range_texels);
    }
  }
}

}  // namespace assetc::font
