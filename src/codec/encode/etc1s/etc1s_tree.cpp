#include "codec/encode/etc1s/etc1s_tree.hpp"

#include "codec/encode/common/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/encode/etc1s/etc1s_tree.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "base/portable_math.hpp"
#include "parallel/parallel.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {
namespace {

template <std::size_t kDims>
using Sum = std::array<std::int64_t, kDims>;
template <std::size_t kDims>
using Axis = std::array<std::int32_t, kDims>;

template <std::size_t kDims>
struct Half {
  Sum<kDims> sum{};
  std::int64_t weight = 0;
  std::size_t count = 0;

  void add(const TreePoint<kDims>& p) {
    for (std::size_t d = 0; d < kDims; ++d) sum[d] += p.at[d] * p.weight;
    weight += p.weight;
    ++count;
  }
  Axis<kDims> mean() const {
    Axis<kDims> m;
    for (std::size_t d = 0; d < kDims; ++d) m[d] = static_cast<std::int32_t>(sum[d] / weight);
    return m;
  }
};

// Scales a sum to an axis with entries of at most 8 bits, so that products with points fit 32 bits.
template <std::size_t kDims>
Axis<kDims> axis_of(const Sum<kDims>& sum) {
  std::int64_t largest = 1;
  for (const std::int64_t v : sum) largest = std::max(largest, v < 0 ? -v : v);
  const std::int64_t step = (largest + 254) / 255;
  Axis<kDims> axis;
  for (std::size_t d = 0; d < kDims; ++d) axis[d] = static_cast<std::int32_t>(sum[d] / step);
  return axis;
}

template <std::size_t kDims>
HWY_INLINE std::int32_t along(const TreePoint<kDims>& p, const Axis<kDims>& axis) {
  std::int32_t sum = 0;
  for (std::size_t d = 0; d < kDims; ++d) sum += p.at[d] * axis[d];
  return sum;
}

// The sum of the points' offsets from their mean, each times its own place along an axis from the mean.
template <std::size_t kDims>
Sum<kDims> stretch(std::span<const TreePoint<kDims>> points, std::span<const std::uint32_t> members,
                   const Axis<kDims>& mean, const Axis<kDims>& axis) {
  std::int32_t middle = 0;
  for (std::size_t d = 0; d < kDims; ++d) middle += mean[d] * axis[d];
  Sum<kDims> sum{};
  for (const std::uint32_t i : members) {
    const TreePoint<kDims>& p = points[i];
    const std::int64_t pull = std::int64_t{along(p, axis) - middle} / 16 * p.weight;
    for (std::size_t d = 0; d < kDims; ++d) sum[d] += pull * (p.at[d] - mean[d]) / 256;
  }
  return sum;
}

template <std::size_t kDims>
struct Split {
  Half<kDims> low, high;
  std::size_t low_count = 0;  // members are reordered: those of the lower half come first
};

// Splits members in two, in place.
template <std::size_t kDims>
Split<kDims> split(std::span<const TreePoint<kDims>> points, std::span<std::uint32_t> members,
                   std::vector<std::uint32_t>& spare) {
  Half<kDims> all;
  for (const std::uint32_t i : members) all.add(points[i]);
  const Axis<kDims> mean = all.mean();
  Sum<kDims> spread{};
  for (const std::uint32_t i : members)
    for (std::size_t d = 0; d < kDims; ++d) {
      const std::int32_t off = points[i].at[d] - mean[d];
      spread[d] += std::int64_t{off * off} * points[i].weight;
    }
  const auto widest = static_cast<std::size_t>(std::max_element(spread.begin(), spread.end()) - spread.begin());
  Axis<kDims> axis{};
  if (spread[widest] == 0) return {};
  axis[widest] = 255;
  for (unsigned pass = 0; pass < 2; ++pass) axis = axis_of(stretch(points, members, mean, axis));

  Split<kDims> out;
  std::int64_t border = 0;
  for (std::size_t d = 0; d < kDims; ++d) border += std::int64_t{mean[d]} * axis[d];
  for (unsigned pass = 0;; ++pass) {
    out = {};
    for (const std::uint32_t i : members) (along(points[i], axis) > border ? out.high : out.low).add(points[i]);
    if (out.low.count == 0 || out.high.count == 0) return out;
    if (pass == 2) break;
    // The plane halfway between the means.
    const Axis<kDims> a = out.low.mean(), b = out.high.mean();
    border = 0;
    for (std::size_t d = 0; d < kDims; ++d) {
      axis[d] = b[d] - a[d];
      border += std::int64_t{axis[d]} * (a[d] + b[d]);
    }
    border = border >= 0 ? border / 2 : -((1 - border) / 2);
  }
  spare.clear();
  std::size_t kept = 0;
  for (const std::uint32_t i : members) {
    if (along(points[i], axis) > border) {
      spare.push_back(i);
    } else {
      members[kept++] = i;
    }
  }
  std::copy(spare.begin(), spare.end(), members.begin() + static_cast<std::ptrdiff_t>(kept));
  out.low_count = kept;
  return out;
}

template <std::size_t kDims>
double saved_error(const Split<kDims>& s) {
  const double a = static_cast<double>(s.low.weight), b = static_cast<double>(s.high.weight);
  double distance = 0;
  for (std::size_t d = 0; d < kDims; ++d) {
    const double off = static_cast<double>(s.low.sum[d]) / a - static_cast<double>(s.high.sum[d]) / b;
    distance += off * off;
  }
  return a * b / (a + b) * distance;
}

double split_price(std::size_t low, std::size_t high, const TreePrice& price) {
  const double a = static_cast<double>(low), b = static_cast<double>(high);
  return price.entry + price.member * (a * binary_logarithm((a + b) / a) + b * binary_logarithm((a + b) / b));
}

template <std::size_t kDims>
void divide(std::span<const TreePoint<kDims>> points, std::span<std::uint32_t> members, const TreePrice& price,
            std::vector<TreeCluster>& clusters, std::vector<std::uint32_t>& spare) {
  constexpr std::size_t kParallel = 4096;
  if (members.size() > 1) {
    const Split<kDims> s = split(points, members, spare);
    if (s.low_count != 0 && s.low_count != members.size() &&
        saved_error(s) > split_price(s.low_count, members.size() - s.low_count, price)) {
      const auto low = members.first(s.low_count), high = members.subspan(s.low_count);
      if (members.size() < kParallel) {
        divide(points, low, price, clusters, spare);
        divide(points, high, price, clusters, spare);
        return;
      }
      std::vector<TreeCluster> of_high;
      std::vector<std::uint32_t> spare_of_high;
      parallel_invoke([&] { divide(points, low, price, clusters, spare); },
                      [&] { divide(points, high, price, of_high, spare_of_high); });
      std::move(of_high.begin(), of_high.end(), std::back_inserter(clusters));
      return;
    }
  }
  clusters.emplace_back(members.begin(), members.end());
}

template <std::size_t kDims>
std::vector<TreeCluster> cluster(std::span<const TreePoint<kDims>> points, const TreePrice& price) {
  std::vector<std::uint32_t> members(points.size());
  for (std::size_t i = 0; i < members.size(); ++i) members[i] = static_cast<std::uint32_t>(i);
  std::vector<TreeCluster> clusters;
  std::vector<std::uint32_t> spare;
  if (!members.empty()) divide(points, std::span<std::uint32_t>(members), price, clusters, spare);
  return clusters;
}

}  // namespace

std::vector<TreeCluster> Cluster4(std::span<const TreePoint<4>> points, const TreePrice& price) {
  return cluster(points, price);
}
std::vector<TreeCluster> Cluster16(std::span<const TreePoint<16>> points, const TreePrice& price) {
  return cluster(points, price);
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assetc::codec {

HWY_EXPORT(Cluster4);
HWY_EXPORT(Cluster16);

std::vector<TreeCluster> cluster_points(std::span<const TreePoint<4>> points, const TreePrice& price) {
  return HWY_DYNAMIC_DISPATCH(Cluster4)(points, price);
}
std::vector<TreeCluster> cluster_points(std::span<const TreePoint<16>> points, const TreePrice& price) {
  return HWY_DYNAMIC_DISPATCH(Cluster16)(points, price);
}

}  // namespace assetc::codec
#endif
