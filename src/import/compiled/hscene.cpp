#include "import/compiled/hscene.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "animation/decompress.hpp"
#include "assetc/formats/hanim.hpp"
#include "assetc/formats/hanim_compressed.hpp"
#include "assetc/formats/hcluster_view.hpp"
#include "assetc/formats/hmat.hpp"
#include "assetc/formats/hscene_view.hpp"
#include "base/plural.hpp"
#include "import/compiled/aligned_bytes.hpp"
#include "import/compiled/companions.hpp"
#include "import/compiled/hcluster.hpp"
#include "import/compiled/hmesh.hpp"
#include "import/model/source.hpp"
#include "scene/material_extensions.hpp"
#include "scene/pose.hpp"

namespace assetc::importer {
namespace {

using namespace scene;

Vec3 vec_of(const std::array<float, 3>& v) { return {v[0], v[1], v[2]}; }

class SceneReader {
 public:
  SceneReader(const hscene::View& view, std::uint64_t file_bytes, const SceneFinder& finder)
      : view_(view), finder_(finder), source_bytes_(file_bytes), decoded_bytes_(named_bytes()) {}

  Result<Scene> read() && {
    ASSETC_CHECK(check_decoded(decoded_bytes_, source_bytes_));
    out_.name = view_.name();
    out_.extra = view_.extra();
    out_.asset_extra = view_.asset_extra();
    read_cameras();
    read_lights();
    for (std::size_t v = 0; v < view_.variant_count(); ++v) out_.variants.emplace_back(view_.variant_name(v));
    ASSETC_CHECK(read_materials());
    ASSETC_CHECK(read_meshes());
    read_nodes();
    ASSETC_CHECK(check_drawn(out_, source_bytes_));
    read_skins();
    ASSETC_CHECK(read_clips());
    list_contents();
    return std::move(out_);
  }

 private:
  std::string text(std::uint32_t index) const { return std::string(view_.text(index)); }

  // Any number of objects may name one text or one range. Counted before they are made.
  std::uint64_t named_bytes() const {
    std::uint64_t bytes = 0;
    const auto add_texts = [&](const auto& items) {
      for (const auto& item : items) bytes += view_.text(item.name).size() + view_.text(item.extra).size();
    };
    add_texts(view_.cameras());
    add_texts(view_.lights());
    add_texts(view_.materials());
    add_texts(view_.meshes());
    add_texts(view_.nodes());
    add_texts(view_.skins());
    add_texts(view_.clips());
    for (const hscene::Node& node : view_.nodes()) bytes += view_.weights(node).size_bytes();
    for (const hscene::Skin& skin : view_.skins()) bytes += view_.joints(skin).size() * sizeof(Mat4);
    for (const hscene::Material& material : view_.materials())
      bytes += view_.parameters(material).size_bytes() + view_.textures(material).size_bytes();
    for (const hscene::Clip& clip : view_.clips()) bytes += view_.clip_nodes(clip).size_bytes();
    return bytes;
  }

  void read_cameras() {
    for (const hscene::Camera& from : view_.cameras()) {
      Camera& camera = out_.cameras.emplace_back();
      camera.name = text(from.name);
      camera.is_perspective = from.type == hscene::CameraType::kPerspective;
      camera.y_fov_radians = from.y_fov_radians;
      camera.aspect_ratio = from.aspect_ratio;
      camera.x_magnification = from.x_magnification;
      camera.y_magnification = from.y_magnification;
      camera.z_near = from.z_near;
      camera.z_far = from.z_far;
      camera.extra = text(from.extra);
    }
  }

  void read_lights() {
    for (const hscene::Light& from : view_.lights()) {
      Light& light = out_.lights.emplace_back();
      light.name = text(from.name);
      light.type = static_cast<LightType>(from.type);
      light.color = vec_of(from.color);
      light.intensity = from.intensity;
      light.range = from.range;
      light.inner_cone_radians = from.inner_cone_radians;
      light.outer_cone_radians = from.outer_cone_radians;
      light.extra = text(from.extra);
    }
  }

  // The bytes of a file that the scene names, read once.
  Result<ByteSpan> file(const hscene::Ref& ref, const std::string& what) {
    const auto known = files_.find(ref.hash());
    if (known != files_.end()) return known->second.aligned.span();
    ASSETC_TRY(Bytes bytes, finder_.file(ref.hash(), what));
    return files_.try_emplace(ref.hash(), std::move(bytes)).first->second.aligned.span();
  }

  Result<std::uint32_t> image(std::uint64_t ref) {
    if (ref == 0 || !finder_.textures) return kNone;
    const auto [found, is_new] = images_.try_emplace(ref, static_cast<std::uint32_t>(out_.images.size()));
    if (is_new) {
      ASSETC_TRY(ImageSource source, finder_.textures(ref));
      out_.images.push_back(std::move(source));
    }
    return found->second;
  }

  Result<void> read_materials() {
    for (std::size_t m = 0; m < view_.materials().size(); ++m) {
      const hscene::Material& from = view_.materials()[m];
      Material& material = out_.materials.emplace_back();
      const std::string what = "material " + std::to_string(m);
      if (!from.file.is_none()) {
        ASSETC_TRY(const ByteSpan bytes, file(from.file, what));
        ASSETC_TRY(const hmat::View table, hmat::View::open(bytes));
        if (from.row >= table.materials().size()) {
          return fail(ErrorCode::kInvalidData,
                      what + " is row " + std::to_string(from.row) + ", but the material file has " +
                          plural(table.materials().size(), "row"),
                      "build the source again");
        }
        set_factors(table.materials()[from.row], material);
      }
      material.name = text(from.name);
      material.extra = text(from.extra);
      for (const hscene::Parameter& p : view_.parameters(from)) {
        const std::string_view name = known_value_name(view_.text(p.name));
        if (name.empty()) continue;
        if (p.component_count == 1) {
          material.scalars.push_back({name, p.value[0]});
        } else {
          material.vectors.push_back({name, {p.value[0], p.value[1], p.value[2]}});
        }
      }
      for (const hscene::Texture& t : view_.textures(from)) ASSETC_CHECK(add_texture(t, material));
    }
    return {};
  }

  Result<void> add_texture(const hscene::Texture& from, Material& m) {
    TextureUse use;
    ASSETC_TRY(use.image, image(from.file.hash()));
    use.texcoord = from.texcoord;
    use.sampler = from.sampler();
    use.transform = {{from.offset[0], from.offset[1]}, from.rotation_radians, {from.scale[0], from.scale[1]}};
    const std::string_view name = view_.text(from.name);
    const std::pair<std::string_view, TextureUse Material::*> slots[] = {
        {"BaseColorTex", &Material::base_color_texture},
        {"MetallicRoughnessTex", &Material::metallic_roughness_texture},
        {"NormalTex", &Material::normal_texture},
        {"OcclusionTex", &Material::occlusion_texture},
        {"EmissiveTex", &Material::emissive_texture}};
    for (const auto& [slot, member] : slots) {
      if (name == slot) return m.*member = use, Result<void>();
    }
    if (const std::string_view known = known_value_name(name); !known.empty())
      m.textures.push_back({known, usage_of_named_texture(known), use});
    return {};
  }

  // Meshes keep their numbers. Levels of detail follow them.
  Result<void> read_meshes() {
    out_.meshes.resize(view_.meshes().size());
    levels_.resize(view_.meshes().size());
    for (std::size_t m = 0; m < view_.meshes().size(); ++m) {
      const hscene::Mesh& from = view_.meshes()[m];
      if (!from.file.is_none()) ASSETC_CHECK(read_mesh(from, m));
      out_.meshes[m].name = text(from.name);
      out_.meshes[m].extra = text(from.extra);
    }
    return {};
  }

  Result<void> read_mesh(const hscene::Mesh& from, std::size_t m) {
    ASSETC_TRY(const Bytes bytes, finder_.file(from.file.hash(), "mesh " + std::to_string(m)));
    if (mesh_files_.insert(from.file.hash()).second) source_bytes_ += bytes.size();
    ASSETC_CHECK(check_decoded(decoded_bytes_ += bytes.size(), source_bytes_));
    const bool is_clusters = bytes.size() >= 4 && load<std::uint32_t>(bytes) == hcluster::kMagic;
    ASSETC_TRY(Scene mesh, is_clusters ? import_hcluster(bytes, {}, {}) : import_hmesh({bytes}));
    for (std::size_t level = 0; level < mesh.meshes.size(); ++level) {
      for (Primitive& p : mesh.meshes[level].primitives) {
        if (p.name == view_.text(from.name)) p.name.clear();  // a primitive without a name has that of its mesh
        if (p.material != kNone && p.material >= out_.materials.size()) {
          return fail(ErrorCode::kInvalidData,
                      "mesh " + std::to_string(m) + " has material slot " + std::to_string(p.material) +
                          ", but the scene has " + plural(out_.materials.size(), "material"),
                      "build the source again");
        }
      }
      if (level == 0) continue;
      levels_[m].push_back(static_cast<std::uint32_t>(out_.meshes.size()));
      out_.meshes.push_back(std::move(mesh.meshes[level]));
    }
    out_.meshes[m] = std::move(mesh.meshes[0]);
    // Submeshes are numbered before points and lines.
    std::vector<Primitive*> primitives;
    for (const bool is_of_triangles : {true, false}) {
      for (Primitive& p : out_.meshes[m].primitives) {
        if ((p.topology == Topology::kTriangles) == is_of_triangles) primitives.push_back(&p);
      }
    }
    for (const hscene::VariantMaterial& v : view_.variant_materials()) {
      if (v.mesh == m && v.submesh < primitives.size() && v.material != hscene::kNone)
        primitives[v.submesh]->variant_materials.push_back({v.variant, v.material});
    }
    return {};
  }

  void read_nodes() {
    for (std::uint32_t n = 0; n < view_.nodes().size(); ++n) {
      const hscene::Node& from = view_.nodes()[n];
      Node& node = out_.nodes.emplace_back();
      const auto& [t, r, s] = from.transform;
      node.name = view_.node_name(n);
      node.transform = {vec_of(t), {r[0], r[1], r[2], r[3]}, vec_of(s)};
      if (from.matrix != hscene::kNone) node.matrix = Mat4{view_.local_matrix(n)};
      if (from.parent >= 0) node.parent = static_cast<std::uint32_t>(from.parent);
      node.mesh = from.mesh;
      node.skin = from.skin;
      node.camera = from.camera;
      node.light = from.light;
      node.is_visible = !from.is_hidden();
      node.extra = text(from.extra);
      const std::span<const float> weights = view_.weights(from);
      node.morph_weights.assign(weights.begin(), weights.end());
    }
    for (std::uint32_t n = 0; n < view_.nodes().size(); ++n) {
      const std::uint32_t full = view_.nodes()[n].detail_of;
      if (full != hscene::kNone) out_.nodes[full].lods.push_back(n);
    }
    add_level_nodes();
  }

  // Nodes for the levels of detail inside meshes, unless the source has levels of its own.
  void add_level_nodes() {
    const auto count = static_cast<std::uint32_t>(out_.nodes.size());
    for (std::uint32_t n = 0; n < count; ++n) {
      const std::uint32_t mesh = out_.nodes[n].mesh;
      if (mesh == kNone || !out_.nodes[n].lods.empty() || view_.nodes()[n].detail_of != hscene::kNone) continue;
      for (std::size_t level = 0; level < levels_[mesh].size(); ++level) {
        Node node;
        node.name = out_.nodes[n].name + "_LOD" + std::to_string(level + 1);
        node.parent = out_.nodes[n].parent;
        node.transform = out_.nodes[n].transform;
        node.matrix = out_.nodes[n].matrix;
        node.mesh = levels_[mesh][level];
        node.skin = out_.nodes[n].skin;
        out_.nodes[n].lods.push_back(static_cast<std::uint32_t>(out_.nodes.size()));
        out_.nodes.push_back(std::move(node));
      }
    }
  }

  void read_skins() {
    for (const hscene::Skin& from : view_.skins()) {
      Skin& skin = out_.skins.emplace_back();
      skin.name = text(from.name);
      skin.extra = text(from.extra);
      const std::span<const std::uint32_t> joints = view_.joints(from);
      skin.joints.assign(joints.begin(), joints.end());
      skin.inverse_bind.resize(joints.size());
      const std::span<const hscene::Matrix> inverse = view_.inverse_bind(from);
      for (std::size_t j = 0; j < inverse.size(); ++j) skin.inverse_bind[j].m = inverse[j];
    }
  }

  static std::unexpected<Error> no_clip(const std::string& what, std::uint32_t number, std::size_t count) {
    return fail(ErrorCode::kInvalidData,
                what + " is number " + std::to_string(number) + " of a file with " + plural(count, "clip"),
                "build the source again");
  }

  Result<void> read_clips() {
    for (std::size_t c = 0; c < view_.clips().size(); ++c) {
      const hscene::Clip& from = view_.clips()[c];
      Clip& clip = out_.clips.emplace_back();
      clip.name = text(from.name);
      clip.extra = text(from.extra);
      if (from.file.is_none()) continue;
      const std::string what = "clip " + std::to_string(c);
      ASSETC_TRY(const ByteSpan bytes, file(from.file, what));
      if (hanim::version_of(bytes) == hanim::kCompressedVersion) {
        ASSETC_TRY(const hanim::CompressedView view, hanim::CompressedView::open(bytes));
        ASSETC_CHECK(view.check_targets(view_.nodes().size(), out_.cameras.size(), out_.lights.size()));
        if (from.number >= view.clips().size()) return no_clip(what, from.number, view.clips().size());
        clip.channels = std::move(animation::decompress(view.clips()[from.number]).channels);
        continue;
      }
      auto at = clips_.find(from.file.hash());
      if (at == clips_.end()) {
        ASSETC_TRY(const hanim::View view, hanim::View::open(bytes));
        ASSETC_CHECK(view.check_joints(view_.nodes().size()));
        at = clips_.emplace(from.file.hash(), view.to_clips()).first;
      }
      const std::vector<hanim::Clip>& clips = at->second;
      if (from.number >= clips.size()) return no_clip(what, from.number, clips.size());
      for (const hanim::Channel& channel : clips[from.number].channels) {
        Channel& made = clip.channels.emplace_back();
        made.node = channel.joint;
        made.path = static_cast<ChannelPath>(channel.path);
        made.interpolation = static_cast<Interpolation>(channel.interpolation);
        made.times_seconds = channel.times;
        separate_keys(made.times_seconds);  // .hanim may have two keys at the same time
        made.values = channel.values;
      }
    }
    return {};
  }

  // What outputs without a scene lose (Dropped::is_in_scene).
  void list_contents() {
    const auto keep = [&](std::string_view what, std::string_view where, std::size_t count) {
      add_dropped(out_.dropped, what, where, static_cast<std::uint32_t>(count), true);
    };
    const auto has_extra = [](const auto& item) { return !item.extra.empty(); };
    add_dropped_cameras(out_.dropped, "camera 0", static_cast<std::uint32_t>(out_.cameras.size()));
    keep("lights", "light 0", out_.lights.size());
    keep("material variants", "variant 0", out_.variants.size());
    std::size_t extras =
        (out_.extra.empty() ? 0u : 1u) + static_cast<std::size_t>(std::ranges::count_if(out_.nodes, has_extra));
    extras += static_cast<std::size_t>(std::ranges::count_if(out_.meshes, has_extra) +
                                       std::ranges::count_if(out_.materials, has_extra));
    keep("extras", "", extras);
    std::size_t values = 0;
    for (const Material& m : out_.materials) values += m.scalars.empty() && m.vectors.empty() ? 0 : 1;
    keep("material extensions", "", values);
  }

  const hscene::View& view_;
  const SceneFinder& finder_;
  std::uint64_t source_bytes_, decoded_bytes_;  // the scene and its meshes, each mesh once; and what is made of them
  std::set<std::uint64_t> mesh_files_;
  Scene out_;
  struct Held {
    explicit Held(Bytes b) : bytes(std::move(b)), aligned(bytes) {}
    Bytes bytes;
    AlignedBytes aligned;
  };
  std::map<std::uint64_t, Held> files_;
  std::map<std::uint64_t, std::uint32_t> images_;
  std::map<std::uint64_t, std::vector<hanim::Clip>> clips_;  // of version 1, by file
  std::vector<std::vector<std::uint32_t>> levels_;           // the meshes of the levels of detail of each mesh
};

}  // namespace

Result<Scene> import_hscene(const Bytes& file, const SceneFinder& finder) {
  const AlignedBytes bytes(file);
  ASSETC_TRY(const hscene::View view, hscene::View::open(bytes.span()));
  if (view.has_uuids())
    return fail(ErrorCode::kUnsupported, "the scene is part of a cook",
                "open the source, or build it with `assetc build`");
  return SceneReader(view, file.size(), finder).read();
}

}  // namespace assetc::importer
