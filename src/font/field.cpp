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

  bool is_inside(Point p) const { return winding_.at(p) != 0; }

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
    const bool inside = is_inside(p);
    sample.true_distance = inside ? std::sqrt(least) : -std::sqrt(least);
    for (std::size_t c = 0; c < 3; ++c)
      sample.channels[c] = std::isinf(best[c].squared) ? sample.true_distance : best[c].signed_distance;
    if ((median(sample.channels) > 0) != inside) sample.channels.fill(sample.true_distance);
    return sample;
  }

 private:
  const Outline& outline_;
  Winding winding_;
  std::vector<Box> boxes_;
  std::size_t last_ = 0;
};

// Corrects texels between which the median is on the wrong side of the outline.
//
// The outline decides: the median is compared with it at 16 places between each four texels that the border crosses in
// some channel. A texel gets one value in all channels, its median or its true distance, if that makes the field around
// it better.
class Corrector {
 public:
  Corrector(std::vector<Sample>& samples, std::size_t width, std::size_t height, const TexelBox& box, Sampler& sampler)
      : samples_(samples), width_(width), height_(height), box_(box), sampler_(sampler) {}

  void correct() {
    constexpr int kPasses = 2;
    if (width_ < 2 || height_ < 2) return;
    find_cells();
    for (int pass = 0; pass < kPasses; ++pass) {
      for (std::size_t y = 0; y < height_; ++y) {
        for (std::size_t x = 0; x < width_; ++x) correct_texel(x, y);
      }
    }
    for (std::size_t y = 0; y + 1 < height_; ++y) {
      for (std::size_t x = 0; x + 1 < width_; ++x) correct_cell(x, y);
    }
  }

 private:
  static constexpr std::size_t kSide = 4, kPlaces = kSide * kSide;
  static constexpr double kLeastDistance = 0.05;  // nearer to the outline, either side is right
  static constexpr std::uint32_t kNoCell = 0xFFFFFFFF;

  // The signed distances of the places between four texels; NaN: not known yet.
  struct Cell {
    std::array<double, kPlaces> truth{};
    std::array<bool, kPlaces> is_inside{};
    double cost = 0;
  };

  static double offset(std::size_t i) { return (static_cast<double>(i) + 0.5) / kSide; }
  Point place(std::size_t x, std::size_t y, std::size_t i) const {
    return {static_cast<double>(box_.left) + static_cast<double>(x) + 0.5 + offset(i % kSide),
            static_cast<double>(box_.top) - static_cast<double>(y) - 0.5 - offset(i / kSide)};
  }

  void find_cells() {
    numbers_.assign(samples_.size(), kNoCell);
    for (std::size_t y = 0; y + 1 < height_; ++y) {
      for (std::size_t x = 0; x + 1 < width_; ++x) {
        if (!is_crossed(x, y)) continue;
        numbers_[y * width_ + x] = static_cast<std::uint32_t>(cells_.size());
        Cell& cell = cells_.emplace_back();
        for (std::size_t i = 0; i < kPlaces; ++i) {
          cell.is_inside[i] = sampler_.is_inside(place(x, y, i));
          cell.truth[i] = std::numeric_limits<double>::quiet_NaN();
        }
        cell.cost = cost(x, y);
      }
    }
  }

  bool is_crossed(std::size_t x, std::size_t y) const {
    const bool is_positive = samples_[y * width_ + x].channels[0] > 0;
    for (const std::size_t i : {y * width_ + x, y * width_ + x + 1, (y + 1) * width_ + x, (y + 1) * width_ + x + 1}) {
      for (const double channel : samples_[i].channels) {
        if ((channel > 0) != is_positive) return true;
      }
    }
    return false;
  }

  // The sum of the distances at which the median is on the wrong side.
  double cost(std::size_t x, std::size_t y) {
    const std::size_t first = y * width_ + x;
    if (numbers_[first] == kNoCell) return 0;
    Cell& cell = cells_[numbers_[first]];
    double sum = 0;
    for (std::size_t i = 0; i < kPlaces; ++i) {
      const double u = offset(i % kSide), v = offset(i / kSide);
      std::array<double, 3> mixed{};
      for (std::size_t c = 0; c < 3; ++c) {
        mixed[c] = (samples_[first].channels[c] * (1 - u) + samples_[first + 1].channels[c] * u) * (1 - v) +
                   (samples_[first + width_].channels[c] * (1 - u) + samples_[first + width_ + 1].channels[c] * u) * v;
      }
      if ((median(mixed) > 0) == cell.is_inside[i]) continue;
      if (std::isnan(cell.truth[i])) cell.truth[i] = std::abs(sampler_.at(place(x, y, i)).true_distance);
      if (cell.truth[i] > kLeastDistance) sum += std::min(cell.truth[i], 1.0);
    }
    return sum;
  }

  // Calls visit(x, y) for the cells with a corner among the texels from (left, top) to (right, bottom).
  template <class Visit>
  void each_cell(std::size_t left, std::size_t top, std::size_t right, std::size_t bottom, Visit visit) {
    for (std::size_t y = top == 0 ? 0 : top - 1; y <= std::min(bottom, height_ - 2); ++y) {
      for (std::size_t x = left == 0 ? 0 : left - 1; x <= std::min(right, width_ - 2); ++x) visit(x, y);
    }
  }
  double known_cost(std::size_t x, std::size_t y) const {
    const std::uint32_t number = numbers_[y * width_ + x];
    return number == kNoCell ? 0 : cells_[number].cost;
  }
  void update(std::size_t left, std::size_t top, std::size_t right, std::size_t bottom) {
    each_cell(left, top, right, bottom, [&](std::size_t x, std::size_t y) {
      if (numbers_[y * width_ + x] != kNoCell) cells_[numbers_[y * width_ + x]].cost = cost(x, y);
    });
  }

  void correct_texel(std::size_t x, std::size_t y) {
    double before = 0;
    each_cell(x, y, x, y, [&](std::size_t cx, std::size_t cy) { before += known_cost(cx, cy); });
    if (before == 0) return;
    Sample& sample = samples_[y * width_ + x];
    const std::array<double, 3> original = sample.channels;
    std::array<double, 3> best = original;
    for (const double value : {median(original), sample.true_distance}) {
      sample.channels.fill(value);
      double after = 0;
      each_cell(x, y, x, y, [&](std::size_t cx, std::size_t cy) { after += cost(cx, cy); });
      if (after >= before) continue;
      before = after;
      best = sample.channels;
    }
    sample.channels = best;
    if (best != original) update(x, y, x, y);
  }

  void correct_cell(std::size_t x, std::size_t y) {
    if (known_cost(x, y) == 0) return;
    double before = 0, after = 0;
    each_cell(x, y, x + 1, y + 1, [&](std::size_t cx, std::size_t cy) { before += known_cost(cx, cy); });
    const std::array<std::size_t, 4> corners{y * width_ + x, y * width_ + x + 1, (y + 1) * width_ + x,
                                             (y + 1) * width_ + x + 1};
    std::array<std::array<double, 3>, 4> originals{};
    for (std::size_t i = 0; i < 4; ++i) {
      originals[i] = samples_[corners[i]].channels;
      samples_[corners[i]].channels.fill(samples_[corners[i]].true_distance);
    }
    each_cell(x, y, x + 1, y + 1, [&](std::size_t cx, std::size_t cy) { after += cost(cx, cy); });
    if (after < before) return update(x, y, x + 1, y + 1);
    for (std::size_t i = 0; i < 4; ++i) samples_[corners[i]].channels = originals[i];
  }

  std::vector<Sample>& samples_;
  std::size_t width_, height_;
  const TexelBox& box_;
  Sampler& sampler_;
  std::vector<std::uint32_t> numbers_;  // the cell whose first corner is this texel
  std::vector<Cell> cells_;
};

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
  Corrector(samples, width, height, box, sampler).correct();
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
