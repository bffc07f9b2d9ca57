#include "export/glb.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "base/plural.hpp"
#include "export/glb_document.hpp"
#include "export/glb_draco.hpp"
#include "export/glb_images.hpp"
#include "export/glb_instances.hpp"
#include "export/glb_json.hpp"
#include "export/glb_morphs.hpp"
#include "export/glb_references.hpp"
#include "export/glb_vertices.hpp"
#include "export/references.hpp"
#include "export/unit_vectors.hpp"

namespace assetc::exporter {
namespace {

using namespace scene;

std::string pointer(std::string_view array, std::size_t index) {
  return "/" + std::string(array) + "/" + std::to_string(index);
}

// Whether the indices are 0, 1 ... of all vertices: that is what glTF means by none.
bool is_identity(const std::vector<std::uint32_t>& indices, std::size_t vertex_count) {
  if (indices.size() != vertex_count) return false;
  for (std::size_t i = 0; i < vertex_count; ++i)
    if (indices[i] != i) return false;
  return true;
}

bool is_meshopt(GlbCoding coding) { return coding == GlbCoding::kMeshopt || coding == GlbCoding::kMeshoptKhr; }

bool is_number(std::uint32_t number) { return number != kNone; }

class GlbWriter {
 public:
  // stem: of the files beside the document; empty: it has none.
  GlbWriter(const Scene& scene, const GlbOptions& options, const std::string& stem = {})
      : scene_(scene),
        options_(options),
        images_(stem),
        document_(options.packs && is_meshopt(options.coding), options.packs,
                  options.coding == GlbCoding::kMeshoptKhr) {}

  std::vector<Dropped> take_omitted() { return std::move(used_.omitted); }

  Result<ByteVector> write() {
    ASSETC_CHECK(add_all());
    return document_.write();
  }
  Result<std::vector<GltfFile>> write_files(const std::string& stem) {
    ASSETC_CHECK(add_all());
    auto [text, binary] = document_.write_files(uri_of(stem + ".bin"));
    std::vector<GltfFile> out{{stem + ".gltf", Bytes(std::move(text))}};
    if (!binary.empty()) out.push_back({stem + ".bin", Bytes(std::move(binary))});
    std::ranges::move(images_.take_files(), std::back_inserter(out));
    return out;
  }

 private:
  Result<void> add_all() {
    root_["asset"] = {{"version", "2.0"}, {"generator", "assetc"}};
    ASSETC_CHECK(check_references(scene_));
    ASSETC_CHECK(write_images());
    write_materials();
    ASSETC_CHECK(write_meshes());
    number_nodes();
    write_skins();
    write_nodes();
    write_clips();
    write_cameras_and_lights();
    write_document();
    resolve_references();
    if (!used_.names.empty()) root_["extensionsUsed"] = used_.names;
    for (const char* name : {"EXT_mesh_gpu_instancing", "EXT_texture_webp", "KHR_draco_mesh_compression",
                             "KHR_mesh_quantization", "KHR_texture_basisu"})
      if (used_.names.contains(name)) root_["extensionsRequired"].push_back(name);
    if (options_.needs_texture_transform && used_.names.contains("KHR_texture_transform"))
      root_["extensionsRequired"].push_back("KHR_texture_transform");
    return {};
  }

  Result<void> write_images() {
    for (std::size_t i = 0; i < scene_.images.size(); ++i) {
      ASSETC_TRY(Json image, images_.add(scene_.images[i], i, document_, used_));
      image_numbers_.push_back(add_object("images", std::move(image)));
    }
    return {};
  }

  // A filter that the scene leaves to the engine is written as linear, also between levels.
  std::size_t sampler(const Sampler& s) {
    using sampling::Filter, sampling::MipFilter;
    const auto gl_wrap = [](Wrap w) { return w == Wrap::kRepeat ? 10497 : w == Wrap::kClamp ? 33071 : 33648; };
    const int min = s.min == Filter::kNearest ? 0 : 1;
    const int gl_min = s.mip == MipFilter::kNone ? 9728 + min : s.mip == MipFilter::kNearest ? 9984 + min : 9986 + min;
    return find_or_add("samplers", {{"magFilter", s.mag == Filter::kNearest ? 9728 : 9729},
                                    {"minFilter", gl_min},
                                    {"wrapS", gl_wrap(s.wrap_u)},
                                    {"wrapT", gl_wrap(s.wrap_v)}});
  }

  // Appends an object, or finds an equal one if the file is packed, and returns its number.
  std::uint32_t add_object(const char* array, Json value) {
    const auto next = static_cast<std::uint32_t>(root_[array].size());
    if (options_.packs) {
      const auto [at, is_new] = objects_.try_emplace(array + value.text({.is_sorted = true}), next);
      if (!is_new) return at->second;
    }
    root_[array].push_back(std::move(value));
    return next;
  }

  std::size_t find_or_add(const char* array, Json value) {
    Json& items = root_[array];
    if (items.is_null()) items = Json::array();
    const auto found = std::ranges::find(items.items(), value);
    const auto index = static_cast<std::size_t>(found - items.items().begin());
    if (index == items.size()) items.push_back(std::move(value));
    return index;
  }

  // The textureInfo of a use, or null if the material has none.
  Json texture_info(const TextureUse& use) {
    if (use.image == kNone) return nullptr;
    Json texture = {{"sampler", sampler(use.sampler)}};
    const char* extension = image_extension(scene_.images[use.image].inline_bytes);
    if (extension != nullptr) {
      texture["extensions"][extension] = {{"source", image_numbers_[use.image]}};
    } else {
      texture["source"] = image_numbers_[use.image];
    }
    Json info = {{"index", find_or_add("textures", std::move(texture))}};
    if (use.texcoord != 0) info["texCoord"] = use.texcoord;
    if (use.transform != TexcoordTransform{}) {
      const TexcoordTransform& t = use.transform;
      Json& transform = info["extensions"]["KHR_texture_transform"] = Json::object();
      if (t.offset != Vec2{}) transform["offset"] = Json::array({t.offset.x, t.offset.y});
      if (t.rotation != 0) transform["rotation"] = t.rotation;
      if (t.scale != Vec2{1, 1}) transform["scale"] = Json::array({t.scale.x, t.scale.y});
      if (options_.packs) shorten_numbers(transform);
      used_.names.insert("KHR_texture_transform");
    }
    return info;
  }

  void write_materials() {
    for (const Material& m : scene_.materials) {
      Json out = Json::object();
      if (!m.name.empty()) out["name"] = m.name;
      // Values that glTF gives a material that says nothing are left out, here and below.
      Json pbr = Json::object();
      if (m.base_color != Vec4{1, 1, 1, 1})
        pbr["baseColorFactor"] = Json::array({m.base_color.x, m.base_color.y, m.base_color.z, m.base_color.w});
      if (m.metallic != 1) pbr["metallicFactor"] = m.metallic;
      if (m.roughness != 1) pbr["roughnessFactor"] = m.roughness;
      if (Json t = texture_info(m.base_color_texture); !t.is_null()) pbr["baseColorTexture"] = std::move(t);
      if (Json t = texture_info(m.metallic_roughness_texture); !t.is_null())
        pbr["metallicRoughnessTexture"] = std::move(t);
      if (!pbr.empty()) out["pbrMetallicRoughness"] = std::move(pbr);
      if (Json t = texture_info(m.normal_texture); !t.is_null()) {
        if (m.normal_scale != 1) t["scale"] = m.normal_scale;
        out["normalTexture"] = std::move(t);
      }
      if (Json t = texture_info(m.occlusion_texture); !t.is_null()) {
        if (m.occlusion_strength != 1) t["strength"] = m.occlusion_strength;
        out["occlusionTexture"] = std::move(t);
      }
      if (Json t = texture_info(m.emissive_texture); !t.is_null()) out["emissiveTexture"] = std::move(t);
      write_emission(m, out);
      if (m.alpha_mode != AlphaMode::kOpaque) out["alphaMode"] = m.alpha_mode == AlphaMode::kMask ? "MASK" : "BLEND";
      if (m.alpha_mode == AlphaMode::kMask) out["alphaCutoff"] = m.alpha_cutoff;
      if (m.double_sided) out["doubleSided"] = true;
      if (m.unlit) {
        out["extensions"]["KHR_materials_unlit"] = Json::object();
        used_.names.insert("KHR_materials_unlit");
      }
      add_material_extensions(out, m, [this](const TextureUse& use) { return texture_info(use); }, used_);
      add_extra(out, parse_extra(m.extra), pointer("materials", material_numbers_.size()), used_);
      material_numbers_.push_back(add_object("materials", std::move(out)));
    }
    for (const ReferredTexture& texture : scene_.referred_textures) {
      const Json info = texture_info(texture.use);
      texture_numbers_.push_back(info.is_null() ? kNone : static_cast<std::uint32_t>(info["index"].as_uint()));
    }
  }

  void write_cameras_and_lights() {
    for (const Camera& camera : scene_.cameras) {
      Json out = camera_json(camera);
      add_extra(out, parse_extra(camera.extra), pointer("cameras", root_["cameras"].size()), used_);
      root_["cameras"].push_back(std::move(out));
    }
    for (const Light& light : scene_.lights) {
      Json& lights = root_["extensions"]["KHR_lights_punctual"]["lights"];
      Json out = light_json(light);
      add_extra(out, parse_extra(light.extra), "/extensions/KHR_lights_punctual" + pointer("lights", lights.size()),
                used_);
      lights.push_back(std::move(out));
      used_.names.insert("KHR_lights_punctual");
    }
  }

  // What the source has beside its objects: extras, extensions and the copyright of the document; variants.
  void write_document() {
    const Json extra = parse_extra(scene_.asset_extra);
    add_extra(root_, extra, std::string(kDocumentPlace), used_);
    if (const Json* asset = extra.find("asset"); asset != nullptr && asset->is_object()) {
      add_extra(root_["asset"], *asset, "/asset", used_);
      if (const Json* copyright = asset->find("copyright")) root_["asset"]["copyright"] = *copyright;
    }
    for (const std::string& name : scene_.variants) {
      root_["extensions"]["KHR_materials_variants"]["variants"].push_back({{"name", name}});
      used_.names.insert("KHR_materials_variants");
    }
  }

  // Core glTF limits emission to 1. Brighter emission is a color times KHR_materials_emissive_strength.
  void write_emission(const Material& m, Json& out) {
    const float strength = std::max({m.emissive.x, m.emissive.y, m.emissive.z, 1.0f});
    if (m.emissive == Vec3{}) return;
    out["emissiveFactor"] = Json::array({m.emissive.x / strength, m.emissive.y / strength, m.emissive.z / strength});
    if (strength > 1) {
      out["extensions"]["KHR_materials_emissive_strength"] = {{"emissiveStrength", strength}};
      used_.names.insert("KHR_materials_emissive_strength");
    }
  }

  Result<void> write_meshes() {
    mesh_numbers_.assign(scene_.meshes.size(), kNone);
    for (std::size_t i = 0; i < scene_.meshes.size(); ++i) {
      const Mesh& mesh = scene_.meshes[i];
      Json out = {{"primitives", Json::array()}};
      if (!mesh.name.empty()) out["name"] = mesh.name;
      const Json extra = parse_extra(mesh.extra);
      const std::span<const Json> of_primitives = extra["primitives"].items();
      for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
        // Primitives without vertices were imported empty.
        if (mesh.primitives[p].positions.empty() && mesh.primitives[p].indices.empty()) continue;
        auto primitive = write_primitive(mesh.primitives[p], mesh);
        if (!primitive)
          return std::unexpected(std::move(primitive).error().at(pointer("meshes", i) + pointer("primitives", p)));
        if (p < of_primitives.size())
          add_extra(*primitive, of_primitives[p], pointer("meshes", i) + pointer("primitives", p), used_);
        out["primitives"].push_back(std::move(*primitive));
      }
      if (out["primitives"].empty()) continue;
      add_extra(out, extra, pointer("meshes", i), used_);
      if (!mesh.morph_weights.empty()) out["weights"] = mesh.morph_weights;
      if (!mesh.morph_names.empty() && !out["extras"].contains("targetNames"))
        out["extras"]["targetNames"] = mesh.morph_names;
      mesh_numbers_[i] = add_object("meshes", std::move(out));
    }
    return {};
  }

  template <class T>
  Result<void> add_attribute(Json& attributes, const std::string& name, const std::vector<T>& values,
                             std::size_t vertex_count, std::string_view type, int component) {
    if (values.size() != vertex_count) {
      return fail(ErrorCode::kInvalidData, name + " has " + counted(values.size(), "item") +
                                               ", expected one for each of " + counted(vertex_count, "vertex"));
    }
    attributes[name] = document_.add_accessor(std::span<const T>(values), type, component, kArrayBuffer);
    return {};
  }

  Result<Json> write_attributes(const Primitive& p) {
    const std::size_t count = p.positions.size();
    Json attributes;
    ASSETC_CHECK(add_attribute(attributes, "POSITION", p.positions, count, "VEC3", kFloat));
    document_.add_bounds(attributes["POSITION"].as_uint(), {&p.positions[0].x, count * 3}, 3);
    if (!p.normals.empty()) ASSETC_CHECK(add_attribute(attributes, "NORMAL", unit_normals(p), count, "VEC3", kFloat));
    if (!p.tangents.empty() && std::ranges::all_of(p.tangents, is_tangent)) {
      ASSETC_CHECK(add_attribute(attributes, "TANGENT", p.tangents, count, "VEC4", kFloat));
    }
    for (std::size_t s = 0; s < p.texcoords.size(); ++s) {
      ASSETC_CHECK(add_attribute(attributes, "TEXCOORD_" + std::to_string(s), p.texcoords[s], count, "VEC2", kFloat));
    }
    for (std::size_t s = 0; s < p.colors.size(); ++s) {
      ASSETC_CHECK(add_attribute(attributes, "COLOR_" + std::to_string(s), p.colors[s], count, "VEC4", kFloat));
    }
    for (std::size_t s = 0; s < p.influences.size(); ++s) {
      const std::string set = std::to_string(s);
      ASSETC_CHECK(add_attribute(attributes, "JOINTS_" + set, p.influences[s].joints, count, "VEC4", kUnsignedShort));
      ASSETC_CHECK(add_attribute(attributes, "WEIGHTS_" + set, p.influences[s].weights, count, "VEC4", kFloat));
    }
    for (const CustomAttribute& custom : p.custom) ASSETC_CHECK(add_custom(attributes, custom, count));
    return attributes;
  }

  Result<Json> write_geometry(const Primitive& p, const Mesh& mesh) {
    const std::size_t count = p.positions.size();
    if (options_.packs && options_.coding == GlbCoding::kDraco) {
      ASSETC_TRY(std::optional<Json> encoded, draco_.add(document_, p, cube_of(mesh), options_, used_));
      if (encoded) return std::move(*encoded);
    }
    ASSETC_TRY(Json attributes, options_.packs ? pack_attributes(document_, p, options_, used_) : write_attributes(p));
    Json out = {{"attributes", std::move(attributes)}};
    if (!options_.packs) {
      out["indices"] = write_indices(p.indices, count);
    } else if (p.topology != Topology::kPoints || !is_identity(p.indices, count)) {
      out["indices"] = pack_indices(document_, p);
    }
    return out;
  }

  Result<Json> write_primitive(const Primitive& p, const Mesh& mesh) {
    const std::size_t count = p.positions.size();
    if (count == 0 || p.indices.empty() || p.indices.size() % corner_count(p.topology) != 0) {
      return fail(ErrorCode::kInvalidData, "a primitive has " + counted(count, "vertex") + " and " +
                                               counted(p.indices.size(), "index") +
                                               ", expected whole triangles, lines or points");
    }
    if (*std::max_element(p.indices.begin(), p.indices.end()) >= count) {
      return fail(ErrorCode::kInvalidData, "an index is not below the vertex count " + std::to_string(count));
    }
    ASSETC_TRY(Json out, write_geometry(p, mesh));
    if (p.topology != Topology::kTriangles) out["mode"] = p.topology == Topology::kLines ? 1 : 0;
    if (!p.morphs.empty()) {
      out["targets"] =
          options_.packs ? pack_targets(document_, p, options_, used_) : add_targets(document_, p.morphs, count);
    }
    if (p.material != kNone) out["material"] = material_numbers_[p.material];
    for (const VariantMaterial& v : p.variant_materials) {
      out["extensions"]["KHR_materials_variants"]["mappings"].push_back(
          {{"material", material_numbers_[v.material]}, {"variants", Json::array({v.variant})}});
    }
    if (!p.name.empty()) out["extras"] = {{"name", p.name}};  // glTF primitives have no name property
    return out;
  }

  Result<void> add_custom(Json& attributes, const CustomAttribute& a, std::size_t vertex_count) {
    ASSETC_TRY(const CustomElements elements, custom_elements(a, vertex_count));
    const std::size_t view = document_.add_view(elements.bytes, kArrayBuffer);
    root_["bufferViews"][view]["byteStride"] = elements.stride_bytes;
    Json accessor = {
        {"bufferView", view}, {"componentType", elements.component}, {"count", vertex_count}, {"type", elements.type}};
    if (a.normalized) accessor["normalized"] = true;
    attributes[a.name] = document_.add_accessor(std::move(accessor));
    return {};
  }

  std::size_t write_indices(const std::vector<std::uint32_t>& indices, std::size_t vertex_count) {
    // 65,535 is the primitive-restart value and must not be an index.
    if (vertex_count <= 65535) {
      const std::vector<std::uint16_t> narrow(indices.begin(), indices.end());
      return document_.add_accessor(std::span(narrow), "SCALAR", kUnsignedShort, kElementArrayBuffer);
    }
    return document_.add_accessor(std::span(indices), "SCALAR", kUnsignedInt, kElementArrayBuffer);
  }

  // Instances have no number.
  void number_nodes() {
    instances_.resize(scene_.nodes.size());
    if (options_.has_instances) instances_ = find_instances(scene_);
    node_numbers_.assign(scene_.nodes.size(), 0);
    for (const std::vector<std::uint32_t>& of_node : instances_)
      for (const std::uint32_t n : of_node) node_numbers_[n] = kNone;
    std::uint32_t next = 0;
    for (std::uint32_t& number : node_numbers_)
      if (number != kNone) number = next++;
  }
  std::vector<std::uint32_t> numbers_of(std::vector<std::uint32_t> nodes) const {
    for (std::uint32_t& n : nodes) n = node_numbers_[n];
    return nodes;
  }

  void write_skins() {
    for (const Skin& skin : scene_.skins) {
      Json out = {{"joints", numbers_of(skin.joints)}};
      if (!skin.name.empty()) out["name"] = skin.name;
      if (!skin.inverse_bind.empty()) {
        out["inverseBindMatrices"] = document_.add_accessor(std::span(skin.inverse_bind), "MAT4", kFloat);
      }
      add_extra(out, parse_extra(skin.extra), pointer("skins", root_["skins"].size()), used_);
      root_["skins"].push_back(std::move(out));
    }
  }

  // glTF requires the joints of a skin to be below one node. If they are below several roots, those get a common parent
  // without a transform. Returns the parent of each node and of each added node; added nodes come after the scene's.
  std::vector<std::uint32_t> join_roots() const {
    std::vector<std::uint32_t> parents, root(scene_.nodes.size(), kNone), chain;
    for (const Node& node : scene_.nodes) parents.push_back(node.parent);
    for (std::uint32_t start = 0; start < scene_.nodes.size(); ++start) {
      std::uint32_t n = start;
      for (; root[n] == kNone && parents[n] != kNone; n = parents[n]) chain.push_back(n);
      root[n] = root[n] == kNone ? n : root[n];
      for (; !chain.empty(); chain.pop_back()) root[chain.back()] = root[n];
    }
    for (const Skin& skin : scene_.skins) {
      std::set<std::uint32_t> roots;
      for (const std::uint32_t joint : skin.joints) {
        std::uint32_t top = root[joint];
        while (parents[top] != kNone) top = parents[top];  // added for an earlier skin
        roots.insert(top);
      }
      if (roots.size() < 2) continue;
      for (const std::uint32_t top : roots) parents[top] = static_cast<std::uint32_t>(parents.size());
      parents.push_back(kNone);
    }
    return parents;
  }

  void write_nodes() {
    const std::vector<std::uint32_t> parents = join_roots();
    for (auto next = static_cast<std::uint32_t>(std::ranges::count_if(node_numbers_, is_number));
         node_numbers_.size() < parents.size();)
      node_numbers_.push_back(next++);
    // Levels of detail are referenced by their node only. If a scene contained them too, they would be drawn at the
    // same place as the full mesh.
    std::set<std::uint32_t> hidden;
    for (const Node& node : scene_.nodes) hidden.insert(node.lods.begin(), node.lods.end());
    Json roots = Json::array();
    std::vector<Json> children(parents.size(), Json::array());
    for (std::uint32_t i = 0; i < parents.size(); ++i) {
      if (hidden.contains(i) || node_numbers_[i] == kNone) continue;
      if (parents[i] != kNone) {
        children[parents[i]].push_back(node_numbers_[i]);
      } else {
        roots.push_back(node_numbers_[i]);
      }
    }
    for (std::size_t i = 0; i < scene_.nodes.size(); ++i)
      if (node_numbers_[i] != kNone) add_node(i, children[i]);
    for (std::size_t i = scene_.nodes.size(); i < parents.size(); ++i)
      root_["nodes"].push_back({{"name", "common root of joints"}, {"children", children[i]}});
    if (!roots.empty()) {
      Json shown = {{"nodes", std::move(roots)}};
      if (!scene_.name.empty()) shown["name"] = scene_.name;
      add_extra(shown, parse_extra(scene_.extra), "/scenes/0", used_);
      root_["scenes"].push_back(std::move(shown));
      root_["scene"] = 0;
    }
  }

  void add_node(std::size_t n, const Json& children) {
    const Node& node = scene_.nodes[n];
    Json out = node_json(node, children);
    const std::vector<std::uint32_t>& instances = instances_[n];
    if (const std::uint32_t mesh = instances.empty() ? kNone : mesh_numbers_[scene_.nodes[instances[0]].mesh];
        mesh != kNone) {
      out["mesh"] = mesh;
      out["extensions"]["EXT_mesh_gpu_instancing"] =
          instances_json(document_, scene_, instances, options_.integer_rotations);
      used_.names.insert("EXT_mesh_gpu_instancing");
    }
    add_extra(out, parse_extra(node.extra), pointer("nodes", node_numbers_[n]), used_);
    root_["nodes"].push_back(std::move(out));
  }

  Json node_json(const Node& node, const Json& children) {
    Json out = Json::object();
    if (!node.name.empty()) out["name"] = node.name;
    if (node.matrix) {
      out["matrix"] = node.matrix->m;
    } else {
      const auto& [t, r, s] = node.transform;
      if (t != Vec3{}) out["translation"] = Json::array({t.x, t.y, t.z});
      if (r != Quat{}) out["rotation"] = Json::array({r.x, r.y, r.z, r.w});
      if (s != Vec3{1, 1, 1}) out["scale"] = Json::array({s.x, s.y, s.z});
    }
    if (node.mesh != kNone && mesh_numbers_[node.mesh] != kNone) {
      out["mesh"] = mesh_numbers_[node.mesh];
      if (node.skin != kNone) out["skin"] = node.skin;
      if (!node.morph_weights.empty() && node.morph_weights.size() == scene_.meshes[node.mesh].morph_weights.size())
        out["weights"] = node.morph_weights;
    }
    if (node.camera != kNone) out["camera"] = node.camera;
    if (node.light != kNone) out["extensions"]["KHR_lights_punctual"] = {{"light", node.light}};
    if (!node.is_visible) {
      out["extensions"]["KHR_node_visibility"] = {{"visible", false}};
      used_.names.insert("KHR_node_visibility");
    }
    if (!children.empty()) out["children"] = children;
    if (!node.lods.empty()) {
      out["extensions"]["MSFT_lod"] = {{"ids", numbers_of(node.lods)}};
      used_.names.insert("MSFT_lod");
    }
    return out;
  }

  // The JSON pointer of a property that only KHR_animation_pointer can name.
  std::string property_pointer(const Channel& c) const {
    const bool is_perspective = c.object < scene_.cameras.size() && scene_.cameras[c.object].is_perspective;
    const std::string camera =
        "/cameras/" + std::to_string(c.object) + (is_perspective ? "/perspective/" : "/orthographic/");
    const std::string light = "/extensions/KHR_lights_punctual/lights/" + std::to_string(c.object);
    switch (c.path) {
      case ChannelPath::kVisible:
        return "/nodes/" + std::to_string(node_numbers_[c.node]) + "/extensions/KHR_node_visibility/visible";
      case ChannelPath::kCameraYFov:
        return camera + "yfov";
      case ChannelPath::kCameraAspectRatio:
        return camera + "aspectRatio";
      case ChannelPath::kCameraXMagnification:
        return camera + "xmag";
      case ChannelPath::kCameraYMagnification:
        return camera + "ymag";
      case ChannelPath::kCameraNear:
        return camera + "znear";
      case ChannelPath::kCameraFar:
        return camera + "zfar";
      case ChannelPath::kLightColor:
        return light + "/color";
      case ChannelPath::kLightIntensity:
        return light + "/intensity";
      case ChannelPath::kLightRange:
        return light + "/range";
      case ChannelPath::kLightInnerCone:
        return light + "/spot/innerConeAngle";
      case ChannelPath::kLightOuterCone:
        return light + "/spot/outerConeAngle";
      default:
        return {};
    }
  }

  // Whether the file has the property that a channel moves.
  bool has_property(const Channel& c) const {
    if (c.times_seconds.empty()) return false;
    if (is_of_node(c.path) && c.node >= scene_.nodes.size()) return false;
    if (c.path == ChannelPath::kWeights) {
      const std::uint32_t mesh = scene_.nodes[c.node].mesh;
      return mesh != kNone && component_count(c) != 0 && scene_.meshes[mesh].morph_weights.size() == component_count(c);
    }
    if (is_of_node(c.path)) return true;
    return c.object < (c.path < ChannelPath::kLightColor ? scene_.cameras.size() : scene_.lights.size());
  }

  Json channel_target(const Channel& c) {
    static constexpr std::array kPaths{"translation", "rotation", "scale", "weights"};
    if (c.path < ChannelPath::kVisible)
      return {{"node", node_numbers_[c.node]}, {"path", kPaths[static_cast<std::size_t>(c.path)]}};
    used_.names.insert("KHR_animation_pointer");
    if (c.path == ChannelPath::kVisible) used_.names.insert("KHR_node_visibility");
    return {{"path", "pointer"}, {"extensions", {{"KHR_animation_pointer", {{"pointer", property_pointer(c)}}}}}};
  }

  void write_clips() {
    static constexpr std::array kInterpolations{"STEP", "LINEAR", "CUBICSPLINE"};
    Json clips = Json::array();
    for (const Clip& clip : scene_.clips) {
      Json out = {{"samplers", Json::array()}, {"channels", Json::array()}};
      if (!clip.name.empty()) out["name"] = clip.name;
      const std::string where = pointer("animations", clips.size());
      for (const Channel& c : clip.channels) {
        if (!has_property(c)) {
          used_.omitted.push_back({"animation channels of properties that the file does not have", where});
          continue;
        }
        const std::size_t times = add_channel_times(c);
        out["channels"].push_back({{"sampler", out["samplers"].size()}, {"target", channel_target(c)}});
        out["samplers"].push_back({{"input", times},
                                   {"output", add_channel_values(c)},
                                   {"interpolation", kInterpolations[static_cast<std::size_t>(c.interpolation)]}});
      }
      if (out["channels"].empty()) {
        used_.omitted.push_back({"animations without channels", where});
        clip_numbers_.push_back(kNone);
        continue;
      }
      add_extra(out, parse_extra(clip.extra), where, used_);
      clip_numbers_.push_back(static_cast<std::uint32_t>(clips.size()));
      clips.push_back(std::move(out));
    }
    if (!clips.empty()) root_["animations"] = std::move(clips);
  }

  std::size_t add_channel_times(const Channel& c) {
    if (options_.packs) return pack_times(document_, c);
    const std::size_t times = document_.add_accessor(std::span(c.times_seconds), "SCALAR", kFloat);
    document_.add_bounds(times, c.times_seconds, 1);
    return times;
  }

  std::size_t add_channel_values(const Channel& c) {
    if (c.path == ChannelPath::kVisible) {
      std::vector<std::uint8_t> flags(c.values.size());
      std::ranges::transform(c.values, flags.begin(), [](float v) { return v != 0 ? 1 : 0; });
      return document_.add_accessor(std::span<const std::uint8_t>(flags), "SCALAR", kUnsignedByte);
    }
    static constexpr std::array kTypes{"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    const std::size_t components = c.path == ChannelPath::kWeights ? 1 : component_count(c);
    if (options_.packs) return pack_values(document_, c, kTypes[components], components, options_);
    const std::size_t accessor = document_.add_accessor(std::span(c.values), kTypes[components], kFloat);
    root_["accessors"][accessor]["count"] = c.values.size() / components;
    return accessor;
  }

  // Gives references of extensions the numbers of this file, and leaves out extensions that refer to something else.
  void resolve_references() {
    NewNumbers numbers;
    numbers.add(ReferenceKind::kNode, scene_.nodes, node_numbers_);
    numbers.add(ReferenceKind::kMesh, scene_.meshes, mesh_numbers_);
    numbers.add(ReferenceKind::kMaterial, scene_.materials, material_numbers_);
    numbers.add(ReferenceKind::kImage, scene_.images, image_numbers_);
    numbers.add(ReferenceKind::kTexture, scene_.referred_textures, texture_numbers_);
    numbers.add(ReferenceKind::kClip, scene_.clips, clip_numbers_);
    numbers.add_unmoved(ReferenceKind::kSkin, scene_.skins.size());
    numbers.add_unmoved(ReferenceKind::kCamera, scene_.cameras.size());
    numbers.add_unmoved(ReferenceKind::kLight, scene_.lights.size());
    resolve_extensions(root_, numbers, used_);
  }

  const Scene& scene_;
  const GlbOptions& options_;
  std::vector<std::uint32_t> image_numbers_, material_numbers_;  // each one's number in the file
  std::map<std::string, std::uint32_t> objects_;                 // by array and content
  std::vector<std::vector<std::uint32_t>> instances_;            // of each node
  std::vector<std::uint32_t> node_numbers_;                      // kNone: an instance
  std::vector<std::uint32_t> mesh_numbers_;     // each mesh's number in the file; kNone without primitives
  std::vector<std::uint32_t> clip_numbers_;     // kNone without channels
  std::vector<std::uint32_t> texture_numbers_;  // of Scene::referred_textures
  GlbImages images_;
  DracoPrimitives draco_;
  GlbDocument document_;
  Json& root_ = document_.root();
  UsedExtensions used_;
};

}  // namespace

Result<ByteVector> write_glb(const Scene& scene, std::vector<Dropped>* omitted, const GlbOptions& options) {
  GlbWriter writer(scene, options);
  Result<ByteVector> file = writer.write();
  if (omitted != nullptr) *omitted = writer.take_omitted();
  return file;
}

Result<std::vector<GltfFile>> write_gltf(const Scene& scene, const std::string& stem, std::vector<Dropped>* omitted,
                                         const GlbOptions& options) {
  GlbWriter writer(scene, options, stem);
  Result<std::vector<GltfFile>> files = writer.write_files(stem);
  if (omitted != nullptr) *omitted = writer.take_omitted();
  return files;
}

}  // namespace assetc::exporter
