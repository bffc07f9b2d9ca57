// EXT_mesh_gpu_instancing: each instance becomes a child of the node with the extension.
#include <algorithm>
#include <cmath>

#include "import/gltf/gltf.hpp"
#include "import/gltf/parts.hpp"
#include "import/model/repair.hpp"

namespace assetc::importer {
namespace {

constexpr std::size_t kMaxInstances = 1 << 20;

Result<std::vector<float>> read_instance_attribute(GltfContext& context, const Value& attributes, std::string_view name,
                                                   std::size_t width, std::uint64_t& count) {
  ASSETC_TRY(const std::uint32_t index, attributes.index_or_none(name, context.data.accessor_count(), "accessors"));
  if (index == scene::kNone) return std::vector<float>();
  ASSETC_TRY(const Accessor accessor, context.data.accessor(index));
  const std::string place = attributes.pointer() + "/" + std::string(name);
  if (accessor.columns != 1 || accessor.rows != width) {
    return fail_at(ErrorCode::kInvalidData, place,
                   "found " + accessor.type_name() + ", expected VEC" + std::to_string(width));
  }
  if (count != 0 && count != accessor.count) {
    return fail_at(
        ErrorCode::kInvalidData, place,
        "found " + std::to_string(accessor.count) + " instances, but another attribute has " + std::to_string(count));
  }
  count = accessor.count;
  if (count > kMaxInstances) {
    return fail_at(ErrorCode::kLimit, place,
                   "found " + std::to_string(count) + " instances, expected at most " + std::to_string(kMaxInstances));
  }
  ASSETC_CHECK(context.data.budget().take(count, width * 4, place));
  std::vector<float> values(static_cast<std::size_t>(count) * width);
  ASSETC_CHECK(read_floats(accessor, width, values));
  for (float v : values) {
    if (!std::isfinite(v))
      return fail_at(ErrorCode::kInvalidData, place, "an instance holds a value that is not finite");
  }
  return values;
}

// Each node, and each instance, draws the primitives of its mesh. A few bytes can name any number of them, so they are
// counted before anything is made for them.
class Draws {
 public:
  explicit Draws(const Value& meshes) : meshes_(meshes) {}
  Result<void> add(std::uint32_t mesh, std::uint64_t times, std::string_view place) {
    ASSETC_TRY(const Value primitives, meshes_.item(mesh).array_or_empty("primitives"));
    count_ += std::min<std::uint64_t>(times, kMaxDraws + 1) * primitives.size();
    if (count_ <= kMaxDraws) return {};
    return fail_at(ErrorCode::kLimit, std::string(place),
                   "found " + std::to_string(count_) + " drawn primitives up to here (nodes times instances times " +
                       "primitives), expected at most " + std::to_string(kMaxDraws),
                   "join primitives, or split the model");
  }

 private:
  const Value& meshes_;
  std::uint64_t count_ = 0;
};

}  // namespace

Result<void> expand_instances(GltfContext& context) {
  auto& nodes = context.out.scene.nodes;
  ASSETC_TRY(const Value meshes, context.root.array_or_empty("meshes"));
  Draws draws(meshes);
  ASSETC_TRY(const Value nodes_json, context.root.array_or_empty("nodes"));
  for (std::uint32_t n = 0; n < nodes_json.size(); ++n) {
    if (nodes[n].mesh == scene::kNone) continue;
    const auto extension = nodes_json.item(n).extension("EXT_mesh_gpu_instancing");
    if (!extension) {
      ASSETC_CHECK(draws.add(nodes[n].mesh, 1, nodes_json.item(n).pointer()));
      continue;
    }
    ASSETC_TRY(const Value attributes, extension->get("attributes"));
    std::uint64_t count = 0;
    ASSETC_TRY(const auto translations, read_instance_attribute(context, attributes, "TRANSLATION", 3, count));
    ASSETC_TRY(const auto rotations, read_instance_attribute(context, attributes, "ROTATION", 4, count));
    ASSETC_TRY(const auto scales, read_instance_attribute(context, attributes, "SCALE", 3, count));
    ASSETC_CHECK(draws.add(nodes[n].mesh, count, extension->pointer()));
    attributes.for_each_member([&](std::string_view name, const Value&) {
      if (name == "TRANSLATION" || name == "ROTATION" || name == "SCALE") return;
      context.drop("attribute " + std::string(name) + " of EXT_mesh_gpu_instancing",
                   attributes.pointer() + "/" + pointer_token(name));
    });
    ASSETC_CHECK(context.data.budget().take(count, sizeof(scene::Node) + nodes[n].name.size(), extension->pointer()));
    const std::uint32_t mesh = nodes[n].mesh;
    nodes[n].mesh = scene::kNone;
    for (std::size_t i = 0; i < count; ++i) {
      scene::Node instance;
      instance.name = nodes[n].name;
      instance.parent = n;
      instance.mesh = mesh;
      if (!translations.empty())
        instance.transform.translation = {translations[3 * i], translations[3 * i + 1], translations[3 * i + 2]};
      if (!rotations.empty()) {
        const float* q = &rotations[4 * i];
        instance.transform.rotation =
            repair_rotation({q[0], q[1], q[2], q[3]}, attributes.pointer() + "/ROTATION", context.out.warnings);
      }
      if (!scales.empty()) instance.transform.scale = {scales[3 * i], scales[3 * i + 1], scales[3 * i + 2]};
      nodes.push_back(std::move(instance));
    }
  }
  return {};
}

}  // namespace assetc::importer
