#include "import/compiled/skeleton.hpp"

#include <algorithm>

namespace assetc::importer {

void add_skeleton(std::span<const hmesh::GpuJoint> joints, const std::function<std::string_view(std::size_t)>& name,
                  scene::Scene& scene) {
  scene::Skin skin;
  const auto first_joint = static_cast<std::uint32_t>(scene.nodes.size());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const hmesh::GpuJoint& joint = joints[j];
    scene::Node node;
    node.name = name(j);
    if (joint.parent != hmesh::kNoParent) node.parent = first_joint + static_cast<std::uint32_t>(joint.parent);
    node.transform = {{joint.translation[0], joint.translation[1], joint.translation[2]},
                      {joint.rotation[0], joint.rotation[1], joint.rotation[2], joint.rotation[3]},
                      {joint.scale[0], joint.scale[1], joint.scale[2]}};
    scene.nodes.push_back(std::move(node));
    skin.joints.push_back(first_joint + static_cast<std::uint32_t>(j));
    scene::Mat4 inverse_bind;
    std::copy_n(joint.inverse_bind, 16, inverse_bind.m.begin());
    skin.inverse_bind.push_back(inverse_bind);
  }
  scene.skins.push_back(std::move(skin));
}

}  // namespace assetc::importer
