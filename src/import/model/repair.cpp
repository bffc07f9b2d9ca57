#include "import/model/repair.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "formats/message.hpp"
#include "import/model/finite.hpp"
#include "scene/pose.hpp"

namespace assetc::importer {
namespace {

constexpr std::size_t kWeightsOfSet = 4;

void warn(WarningKind kind, std::string_view place, std::string what, std::vector<Warning>& warnings) {
  const bool is_known =
      std::ranges::any_of(warnings, [&](const Warning& w) { return w.place == place && w.what == what; });
  if (!is_known) warnings.push_back({kind, ErrorCode::kInvalidData, {}, std::string(place), std::move(what), {}});
}

template <class V>
bool are_finite(const std::vector<V>& rows) {
  return std::ranges::all_of(rows, [](const V& row) { return all_finite({&row.x, sizeof(V) / sizeof(float)}); });
}

}  // namespace

void repair_values(std::span<float> values, std::string_view what, std::string_view place,
                   std::vector<Warning>& warnings) {
  if (all_finite(values)) return;
  for (float& v : values) {
    if (!std::isfinite(v)) v = 0;
  }
  warn(WarningKind::kRepairedMesh, place, "some " + std::string(what) + " are not finite; they became 0", warnings);
}

void repair_frames(scene::Primitive& primitive, std::string_view normals_place, std::string_view tangents_place,
                   std::vector<Warning>& warnings) {
  if (!are_finite(primitive.normals)) {
    warn(WarningKind::kRepairedMesh, normals_place, "some normals are not finite; all normals are generated", warnings);
    primitive.normals.clear();
  }
  if (!are_finite(primitive.tangents)) {
    warn(WarningKind::kRepairedMesh, tangents_place, "some tangents are not finite; all tangents are generated",
         warnings);
    primitive.tangents.clear();
  }
  if (primitive.normals.empty()) primitive.tangents.clear();
}

void fill_sets(scene::Primitive& primitive, std::string_view place, std::vector<Warning>& warnings) {
  const auto fill = [&](auto& sets, std::string_view name, auto value, std::string_view what) {
    for (std::size_t n = 0; n < sets.size(); ++n) {
      if (!sets[n].empty()) continue;
      sets[n].assign(primitive.positions.size(), value);
      warn(WarningKind::kRepairedMesh, place,
           std::string(name) + std::to_string(n) +
               " is missing, but there are later sets, expected sets without gaps; " + "it is filled with " +
               std::string(what),
           warnings);
    }
  };
  fill(primitive.texcoords, "TEXCOORD_", scene::Vec2{}, "0");
  fill(primitive.colors, "COLOR_", scene::Vec4{1, 1, 1, 1}, "white");
}

void repair_times(std::span<float> times_seconds, std::string_view place, std::vector<Warning>& warnings) {
  const std::uint32_t moved = scene::separate_keys(times_seconds);
  if (moved == 0) return;
  warn(WarningKind::kRepairedAnimation, place,
       std::to_string(moved) + (moved == 1 ? " key has" : " keys have") +
           " the same time as the key before, expected ascending times; " + (moved == 1 ? "it is" : "they are") +
           " moved to the next possible time",
       warnings);
}

scene::Quat repair_rotation(const scene::Quat& rotation, std::string_view place, std::vector<Warning>& warnings) {
  const scene::Quat& q = rotation;
  const float length2 = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  if (!(length2 > 0) || !std::isfinite(length2)) {
    warn(WarningKind::kRepairedNodes, place, "the quaternion has no length; no rotation is used", warnings);
    return {};
  }
  // Exporters write quaternions with few digits.
  if (std::fabs(length2 - 1) <= 1e-6f) return q;
  const float inverse = 1 / std::sqrt(length2);
  return {q.x * inverse, q.y * inverse, q.z * inverse, q.w * inverse};
}

bool WeightRepair::repair(std::size_t vertex, std::span<float> weights) {
  constexpr double kTolerance = 0.01;  // exceeds the rounding error of four 8-bit weights
  double sum = 0, least = 0;
  for (const float w : weights) {
    least = std::min(least, static_cast<double>(w));
    sum += std::max(w, 0.0f);
  }
  if (least == 0 && std::fabs(sum - 1) <= kTolerance) return true;
  ++repaired_count_;
  if (const double error = std::max(std::fabs(sum - 1), -least); error > worst_error_)
    worst_ = vertex, worst_error_ = error, worst_sum_ = sum, worst_least_ = least;
  for (float& w : weights) w = sum > 0 ? static_cast<float>(std::max(w, 0.0f) / sum) : 0.0f;
  return sum > 0;
}

void WeightRepair::report(std::string_view place, std::string_view bound_to, std::vector<Warning>& warnings) const {
  if (repaired_count_ == 0) return;
  const bool below_zero = -worst_least_ >= std::fabs(worst_sum_ - 1);
  const auto found = static_cast<float>(below_zero ? worst_least_ : worst_sum_);
  warn(WarningKind::kRepairedWeights, place,
       formats::message("the skin weights of ", repaired_count_, repaired_count_ == 1 ? " vertex" : " vertices",
                        " are negative or do not add up to 1 (worst at vertex ", worst_, ", where ",
                        below_zero ? "one is " : "the sum is ", found,
                        "); negative weights become 0, and the others are scaled to a sum of 1; a vertex without "
                        "weights is bound to ",
                        bound_to),
       warnings);
}

void repair_weights(scene::Primitive& primitive, std::size_t first_vertex, std::string_view place,
                    std::vector<Warning>& warnings) {
  if (primitive.influences.empty()) return;
  WeightRepair repair;
  std::vector<float> weights(primitive.influences.size() * kWeightsOfSet);
  for (std::size_t v = 0; v < primitive.positions.size(); ++v) {
    auto to = weights.begin();
    for (const scene::Influences& set : primitive.influences) {
      const scene::Vec4& w = set.weights[v];
      to = std::ranges::copy(std::array{w.x, w.y, w.z, w.w}, to).out;
    }
    const bool is_bound = repair.repair(first_vertex + v, weights);
    for (std::size_t set = 0; set < primitive.influences.size(); ++set) {
      const float* w = &weights[set * kWeightsOfSet];
      primitive.influences[set].weights[v] = {w[0], w[1], w[2], w[3]};
    }
    if (is_bound) continue;
    primitive.influences[0].joints[v] = {};
    primitive.influences[0].weights[v] = {1, 0, 0, 0};
  }
  repair.report(place, "the first joint", warnings);
}

}  // namespace assetc::importer
