// Repairs of values that a model must not hold. All importers call these, so that the same fault has the same result
// and the same warning in each type of file. The warnings of one place are added once for each kind of fault.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "import/model/source.hpp"

namespace assetc::importer {

// Sets values that are not finite to 0. They would spread through every later step. what: the plural of the values.
void repair_values(std::span<float> values, std::string_view what, std::string_view place,
                   std::vector<Warning>& warnings);

// Removes normals and tangents that are not finite, so that later steps generate them. Tangents need normals: without
// normals they are removed too.
void repair_frames(scene::Primitive& primitive, std::string_view normals_place, std::string_view tangents_place,
                   std::vector<Warning>& warnings);

// Fills sets of texture coordinates with 0 and of colors with white that are missing before another set, because sets
// are numbered without gaps.
void fill_sets(scene::Primitive& primitive, std::string_view place, std::vector<Warning>& warnings);

// Moves the times of keys that do not ascend. Requires finite times, none below the one before.
void repair_times(std::span<float> times_seconds, std::string_view place, std::vector<Warning>& warnings);

// A quaternion of length 1 in the same direction; no rotation if the quaternion has no length or is not finite.
scene::Quat repair_rotation(const scene::Quat& rotation, std::string_view place, std::vector<Warning>& warnings);

// Repairs the skin weights of a mesh, one vertex after the other.
class WeightRepair {
 public:
  // Negative weights become 0. Then the weights are scaled to a sum of 1, if their sum differs. Requires finite
  // weights: all of one vertex. Returns false if no weight is above 0. The caller binds such a vertex to one joint.
  bool repair(std::size_t vertex, std::span<float> weights);

  // Warns if a vertex was repaired. bound_to: of vertices without weights, for example "the first joint".
  void report(std::string_view place, std::string_view bound_to, std::vector<Warning>& warnings) const;

 private:
  std::size_t repaired_count_ = 0;
  std::size_t worst_ = 0;  // the vertex with the largest error
  double worst_error_ = 0, worst_sum_ = 0, worst_least_ = 0;
};

// Repairs the weights of a primitive. A vertex without weights is bound to the first joint. first_vertex: the number of
// the first vertex in the source.
void repair_weights(scene::Primitive& primitive, std::size_t first_vertex, std::string_view place,
                    std::vector<Warning>& warnings);

}  // namespace assetc::importer
