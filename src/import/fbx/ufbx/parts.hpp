// Converts the scene that ufbx read, part by part. ufbx has already converted axes and units.
#pragma once

#include <ufbx.h>

#include <cstdint>
#include <deque>
#include <numbers>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "import/model/source.hpp"

namespace assetc::importer::fbx {

inline constexpr double kRadians = std::numbers::pi / 180;  // in a degree

// A scene node whose local axes differ from those of its FBX node: glTF cameras and lights look along -Z.
struct NodeUse {
  std::uint32_t node = scene::kNone;
  scene::Quat turn{};  // is applied before the rotation of the FBX node
};

struct Context {
  const ufbx_scene& source;
  const ufbx_anim& rest;  // without layers: everything keeps the values of its properties
  Imported& out;
  std::vector<NodeUse> nodes{};  // by ufbx_node::typed_id; kNone for the root

  void drop(std::string_view what, std::string_view where, std::uint32_t count = 1) {
    if (count != 0) add_dropped(out.scene.dropped, what, where, count);
  }
  // The same for content that the scene holds (Dropped::is_in_scene).
  void keep(std::string_view what, std::string_view where, std::uint32_t count = 1) {
    if (count != 0) add_dropped(out.scene.dropped, what, where, count, true);
  }
  void warn(WarningKind kind, std::string place, std::string what, std::string hint = {}) {
    out.warnings.push_back({kind, ErrorCode::kInvalidData, {}, std::move(place), std::move(what), std::move(hint)});
  }
};

// A list of ufbx.
template <class List>
auto items(const List& list) {
  return std::span(list.data, list.count);
}
inline std::string_view view(const ufbx_string& text) { return {text.data, text.length}; }
inline std::string quoted(std::string_view kind, std::string_view name) {
  return std::string(kind).append(" \"").append(name).append("\"");
}
scene::Vec3 to_vec3(const ufbx_vec3& v);
scene::Quat to_quat(const ufbx_quat& q);  // normalized
scene::Mat4 to_mat4(const ufbx_matrix& m);

// The properties that a user added to an element, as "extras".
scene::ExtraJson extra_of(const ufbx_props& properties);

// The weight of each shape of a channel, for a weight of the channel. `weights` has channel.keyframes.count items.
void shape_weights(const ufbx_blend_channel& channel, double channel_weight, float* weights);
// The channels of a mesh, in the order of its morph targets: one target for each keyframe of a channel.
std::vector<const ufbx_blend_channel*> channels_of(const ufbx_mesh& mesh);

// In files before 7.2 a shape has no channel of its own: its weight is a property of the mesh with its name. The
// channel of such a property of a mesh or node; null if it is another property.
const ufbx_blend_channel* channel_of_property(const ufbx_element& element, std::string_view property);
// The weight of a channel at rest: 1 for its last shape.
double rest_weight(const ufbx_mesh& mesh, const ufbx_blend_channel& channel);

// The vertical field of view of a perspective camera whose property has this value. Requires moves_y_fov().
float y_fov_radians(const ufbx_camera& camera, std::string_view property, double value);
bool moves_y_fov(const ufbx_camera& camera, std::string_view property);

// Curves whose keys fill a range of time: repetitions and slopes before their first and after their last key are keys
// of their own. The destructor gives the curves their own keys back.
class ExtrapolatedCurves {
 public:
  ExtrapolatedCurves() = default;
  ExtrapolatedCurves(const ExtrapolatedCurves&) = delete;
  ExtrapolatedCurves& operator=(const ExtrapolatedCurves&) = delete;
  ~ExtrapolatedCurves();

  // begin, end: seconds. kLimit if the keys would be too many.
  Result<void> extend(ufbx_anim_curve& curve, double begin, double end);

 private:
  struct Original {
    ufbx_anim_curve* curve;
    ufbx_anim_curve value;
  };
  std::vector<Original> originals_;
  std::deque<std::vector<ufbx_keyframe>> keys_;
};

// The transform of a node within its parent, as in a scene that ufbx loads unchanged.
ufbx_transform local_transform(const ufbx_anim& anim, const ufbx_node& node, double time);

// Applies what ufbx leaves out, see transforms.cpp. file, options: from which the scene was loaded.
Result<void> correct_transforms(ufbx_scene& scene, ByteSpan file, const ufbx_load_opts& options);

// ufbx reports that memory ran out as an error. This reports it as operator new does.
[[noreturn]] void fail_for_memory();

// Call them in this order.
void read_materials(Context& context);
void read_cameras(Context& context);
void read_nodes(Context& context);
Result<void> read_meshes(Context& context);
Result<void> read_clips(Context& context);

}  // namespace assetc::importer::fbx
