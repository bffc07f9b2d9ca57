// Reads units, axes and the tree of nodes.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "import/assimp/parts.hpp"

namespace assetc::importer::assimp {
namespace {

using scene::Mat4;
using scene::Vec3;

constexpr std::string_view kPartOfChain = "_$AssimpFbx$_";
constexpr float kMetersInCentimeter = 0.01f;

bool is_only_transform(const Context& context, const aiNode& node) {
  return node.mNumMeshes == 0 &&
         (&node == context.source.mRootNode || view(node.mName).find(kPartOfChain) != std::string_view::npos);
}

std::optional<Vec3> axis(const aiMetadata& settings, const char* name, const char* sign_name) {
  std::int32_t number = 0, sign = 0;
  if (!settings.Get(name, number) || !settings.Get(sign_name, sign) || number < 0 || number > 2) return std::nullopt;
  Vec3 v;
  (number == 0 ? v.x : number == 1 ? v.y : v.z) = sign < 0 ? -1.0f : 1.0f;
  return v;
}

// If translation, rotation and scale cannot express the transform, it is kept as a matrix.
void set_transform(scene::Node& node, const Mat4& local) {
  constexpr float kTolerance = 1e-5f;
  node.transform = decompose(local);
  const Mat4 again = to_matrix(node.transform);
  float largest = 0, apart = 0;
  for (std::size_t i = 0; i < 12; ++i) {
    largest = std::max(largest, std::fabs(local.m[i]));
    apart = std::max(apart, std::fabs(local.m[i] - again.m[i]));
  }
  if (apart > kTolerance * largest) node.matrix = local;
}

bool is_finite(const Mat4& m) {
  return std::ranges::all_of(m.m, [](float value) { return std::isfinite(value); });
}

}  // namespace

Mat4 to_mat4(const aiMatrix4x4& m) {
  return {{m.a1, m.b1, m.c1, m.d1, m.a2, m.b2, m.c2, m.d2, m.a3, m.b3, m.c3, m.d3, m.a4, m.b4, m.c4, m.d4}};
}

Mat4 in_meters(Mat4 m, float meters) {
  for (const std::size_t i : {12, 13, 14}) m.m[i] *= meters;
  return m;
}

Mat4 local_of(const Context& context, const aiNode& node) {
  return &node == context.source.mRootNode ? context.up : to_mat4(node.mTransformation);
}

void read_units(Context& context) {
  const aiMetadata* settings = context.source.mMetaData;
  if (settings == nullptr) return;
  float scale = 1;
  if (settings->Get("UnitScaleFactor", scale) && scale > 0 && std::isfinite(scale * kMetersInCentimeter)) {
    context.meters = scale * kMetersInCentimeter;
  } else {
    context.warn(WarningKind::kFbxSettings, "GlobalSettings",
                 "UnitScaleFactor is not a number above 0; lengths are taken as centimeters");
  }
  const auto right = axis(*settings, "CoordAxis", "CoordAxisSign"), up = axis(*settings, "UpAxis", "UpAxisSign"),
             front = axis(*settings, "FrontAxis", "FrontAxisSign");
  if (!right || !up || !front || length(cross(*right, *up)) != 1 || length(cross(*up, *front)) != 1 ||
      length(cross(*front, *right)) != 1) {
    context.warn(WarningKind::kFbxSettings, "GlobalSettings",
                 "its axes are not three different axes; +Y is used as up, +Z as the front");
    return;
  }
  context.up.m = {right->x, up->x, front->x, 0, right->y, up->y, front->y, 0, right->z, up->z, front->z, 0, 0, 0, 0, 1};
}

void read_nodes(Context& context) {
  struct Found {
    const aiNode* node;
    std::uint32_t parent;
    std::vector<const aiNode*> above;
  };
  std::vector<Found> stack{{context.source.mRootNode, scene::kNone, {}}};
  auto& nodes = context.out.scene.nodes;
  while (!stack.empty()) {
    Found found = std::move(stack.back());
    stack.pop_back();
    found.above.push_back(found.node);
    std::uint32_t parent = found.parent;
    std::vector<const aiNode*> above;
    if (is_only_transform(context, *found.node)) {
      above = found.above;
    } else {
      parent = static_cast<std::uint32_t>(nodes.size());
      scene::Node& node = nodes.emplace_back();
      node.name = view(found.node->mName);
      node.parent = found.parent;
      Mat4 local;
      for (const aiNode* one : found.above) local = local * local_of(context, *one);
      local = in_meters(local, context.meters);
      if (is_finite(local)) {
        set_transform(node, local);
      } else {
        context.warn(WarningKind::kRepairedNodes, quoted("node", node.name),
                     "its transform is not finite; it stays at its parent's place");
      }
      context.chains.push_back({std::move(found.above), parent});
      context.node_of_name.try_emplace(view(found.node->mName), parent);
    }
    for (std::size_t child = found.node->mNumChildren; child-- != 0;)
      stack.push_back({found.node->mChildren[child], parent, above});
  }
  const auto hold_other = [&](const aiString& name) {
    if (const auto found = context.node_of_name.find(view(name)); found != context.node_of_name.end())
      nodes[found->second].holds_other = true;
  };
  for (const aiCamera* camera : std::span(context.source.mCameras, context.source.mNumCameras)) {
    hold_other(camera->mName);
    context.drop("cameras", quoted("node", view(camera->mName)));
  }
  for (const aiLight* light : std::span(context.source.mLights, context.source.mNumLights)) {
    hold_other(light->mName);
    context.drop("lights", quoted("node", view(light->mName)));
  }
}

}  // namespace assetc::importer::assimp
