// The internal functions of the glTF importer. Each reads one part of the document into the scene.
#pragma once

#include <string_view>
#include <vector>

#include "import/gltf/data.hpp"
#include "import/gltf/json.hpp"
#include "import/model/source.hpp"

namespace assetc::importer {

inline constexpr std::uint32_t kGlbMagic = 0x46546C67;  // "glTF"
inline constexpr std::size_t kGlbJsonOffset = 20;       // after the headers of the file and of its first chunk
// At worst, a JSON value uses about 40 bytes of memory per byte of text.
inline constexpr std::size_t kMaxJsonBytes = std::size_t{1} << 30;

struct GltfContext {
  const Value& root;
  std::string_view source_path;
  GltfData& data;
  Imported& out;
  std::vector<std::string_view> unread_extensions = {};  // of materials: supported, but could not be read
  std::uint32_t shown_scene = scene::kNone;              // the scene whose nodes are shown; kNone: there are no scenes

  void warn(WarningKind kind, ErrorCode code, std::string place, std::string what, std::string hint = {}) {
    out.warnings.push_back({kind, code, {}, std::move(place), std::move(what), std::move(hint)});
  }
  void drop(std::string_view what, std::string_view where, std::uint32_t count = 1) {
    add_dropped(out.scene.dropped, what, where, count);
  }
  // The same for content that the scene holds (Dropped::is_in_scene).
  void keep(std::string_view what, std::string_view where, std::uint32_t count = 1) {
    add_dropped(out.scene.dropped, what, where, count, true);
  }
  // The same for content that no engine needs (Dropped::is_minor).
  void keep_minor(std::string_view what, std::string_view where, std::uint32_t count = 1) {
    add_dropped(out.scene.dropped, what, where, count, true, true);
  }
};

// report.cpp: refuses unsupported required extensions; lists extras and extensions that the importer does not
// read.
Result<void> check_extensions(GltfContext& context);
void report_unread(GltfContext& context);
bool is_read_extension(std::string_view name);

// extras.cpp: the JSON that the importer does not read (ExtraJson), for all objects that can hold it. Needs the
// objects.
void read_extras(GltfContext& context);
// Whether attributes of a primitive belong to an extension ("KHR_gaussian_splatting:SCALE"). The importer drops them,
// and the extension with them, which is invalid without.
bool has_attributes_of(const Json& primitive, std::string_view extension);
// Whether extras have only members that an exporter or add-on writes for itself.
bool is_of_exporter(const Json& extras);
// Whether read_extras() keeps the extras and unknown extensions of the object at a JSON pointer.
bool keeps_extras(const GltfContext& context, std::string_view pointer);

// cameras.cpp: Scene::cameras and Scene::lights.
Result<void> read_cameras(GltfContext& context);
Result<void> read_lights(GltfContext& context);

// variants.cpp: Scene::variants, and the variant materials of every primitive. Needs the meshes.
Result<void> read_variants(GltfContext& context);

// materials.cpp: Scene::images and Scene::materials.
Result<void> read_images(GltfContext& context);
Result<void> read_materials(GltfContext& context);

// A texture of the document. If no image of it can be read, the result has none.
Result<scene::TextureUse> read_texture_object(GltfContext& context, const Value& texture);
// A textureInfo member of a material. If it is absent, the result has no image.
Result<scene::TextureUse> read_texture(GltfContext& context, const Value& parent, std::string_view key,
                                       float* factor = nullptr, std::string_view factor_key = {});

// material_extensions.cpp: reads material extensions into the scalars, vectors and textures of the material. One
// that cannot be read is left out and listed as dropped, like an unknown one.
void read_material_extensions(GltfContext& context, const Value& json, scene::Material& material);
bool is_material_extension(std::string_view name);
// Whether a material with this extension looks as one without it: all values are the default, and there is no texture.
bool is_neutral_extension(std::string_view name, const Json& value);

// meshes.cpp: Scene::meshes. Needs the materials.
Result<void> read_meshes(GltfContext& context);

// morphs.cpp: the morph targets of a primitive, for the vertices [first, first + count) of its accessors, which
// have accessor_count elements each. Checks positions; other values that are not finite become 0, with a warning.
Result<std::vector<scene::MorphTarget>> read_morphs(GltfContext& context, const Value& primitive, std::uint64_t first,
                                                    std::uint64_t count, std::uint64_t accessor_count);
// Reads the weights and names of a mesh's targets. Gives all primitives the same number of targets.
Result<void> finish_morphs(GltfContext& context, const Value& json, scene::Mesh& mesh);

// draco.cpp: a decoded KHR_draco_mesh_compression primitive, as accessors over the decoded bytes.
struct DracoPrimitive {
  std::vector<std::uint32_t> indices;
  std::uint64_t vertex_count = 0;
  struct Attribute {
    std::string semantic;
    Accessor accessor;
  };
  std::vector<Attribute> attributes;
};
Result<DracoPrimitive> decode_draco(GltfContext& context, const Value& primitive, const Value& extension);

// nodes.cpp: Scene::nodes and Scene::skins. Needs the meshes.
Result<void> read_nodes(GltfContext& context);
Result<void> read_skins(GltfContext& context);

// instancing.cpp: adds one node per instance of EXT_mesh_gpu_instancing. Needs the nodes.
Result<void> expand_instances(GltfContext& context);

// clips.cpp: Scene::clips. Needs the nodes.
Result<void> read_clips(GltfContext& context);

// weights.cpp: a channel that moves one weight of a node.
struct WeightChannel {
  std::uint32_t weight = 0;  // less than the number of morph targets of the node's mesh
  scene::Channel channel;    // its values have one component
  std::string place;         // in the document
};
// Joins the channels of each node into one channel of all its weights and adds it to the clip. Weights that no channel
// moves keep their default. Channels that cannot be joined without a change of their curves, and those of a weight that
// several channels move, are left out and listed as dropped.
Result<void> join_weights(GltfContext& context, std::vector<WeightChannel> channels, scene::Clip& clip);

}  // namespace assetc::importer
