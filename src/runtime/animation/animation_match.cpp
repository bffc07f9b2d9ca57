// Matches joints by name: clips of one file on the mesh of another.
#include "assetc/runtime/animation.hpp"

namespace assetc::runtime {
namespace {

std::string_view node_name(const aas1::ModelView& model, std::size_t node) {
  return model.names() ? model.names()->node(node) : std::string_view();
}

std::vector<std::string_view> joint_names(const hmesh::View& mesh) {
  std::vector<std::string_view> names(mesh.joints().size());
  for (std::size_t j = 0; j < names.size() && mesh.names(); ++j) names[j] = mesh.names()->joint(j);
  return names;
}

}  // namespace

std::vector<hanim::Match> match_joints(const hanim::View& clips, const hmesh::View& mesh) {
  return hanim::match_joints(clips.joints(), joint_names(mesh));
}

std::vector<hanim::Match> match_joints(const hanim::CompressedView& clips, const hmesh::View& mesh) {
  return hanim::match_joints(clips.joints(), joint_names(mesh));
}

std::vector<hanim::Match> match_nodes(const aas1::ModelView& clip_model, const aas1::ModelView& model) {
  std::vector<std::string_view> names(model.nodes().size());
  for (std::size_t n = 0; n < names.size(); ++n) names[n] = node_name(model, n);
  // Parents before children, as in a list of joints.
  const Hierarchy tree(clip_model.nodes());
  std::vector<std::int32_t> place(tree.size());
  std::vector<hanim::Joint> joints;
  for (const std::uint32_t node : tree.order()) {
    place[node] = static_cast<std::int32_t>(joints.size());
    const std::int32_t parent = clip_model.nodes()[node].parent;
    joints.push_back(
        {node_name(clip_model, node),
         parent == aas1::ModelNode::kNone ? hanim::Joint::kNoParent : place[static_cast<std::size_t>(parent)],
         tree.rest()[node]});
  }
  const std::vector<hanim::Match> ordered = hanim::match_joints(joints, names);
  std::vector<hanim::Match> matches(ordered.size());
  for (std::size_t n = 0; n < matches.size(); ++n) matches[n] = ordered[static_cast<std::size_t>(place[n])];
  return matches;
}

}  // namespace assetc::runtime
