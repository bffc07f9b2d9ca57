// What the types of assets are once they are loaded, and the loaders that make them of every container they come in.
//
//   Loader<TextureData> textures = texture_loader({.astc = true});
//   textures.finalize = [&](TextureData& t, const AssetDesc&) { return device.upload(t); };
//   textures.release = [&](const GpuObject& gpu) { device.destroy(gpu.object); };
//   add_loaders(manager, {.texture = textures});
//
// Everything points into the bytes that were read, but for textures that were inflated or transcoded. Loaders have a
// fallback that needs no file, but for those of skeletons, models and shaders: what could stand in for one depends on
// who uses it. Data errors are those of the formats' views.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/formats/aas1.hpp"
#include "assetc/formats/aas1_audio.hpp"
#include "assetc/formats/aas1_material.hpp"
#include "assetc/formats/aas1_mesh.hpp"
#include "assetc/formats/galileo.hpp"
#include "assetc/formats/hanim.hpp"
#include "assetc/formats/hmat.hpp"
#include "assetc/formats/hmesh.hpp"
#include "assetc/formats/hmesh_v1.hpp"
#include "assetc/formats/ktx2.hpp"
#include "assetc/formats/spirv.hpp"
#include "assetc/runtime/loader.hpp"
#include "assetc/runtime/manager.hpp"

namespace assetc::runtime {

// ---- textures: .ktx2, AAS1 of every shape ----

struct TextureHead;
struct TextureData {
  struct Level {
    Bytes bytes;  // images by layer, then face, then depth; rows of blocks tightly packed, as a device copies them
    std::uint32_t width_texels = 1, height_texels = 1, depth_texels = 1;
  };
  TexelFormat format = TexelFormat::kRgba8;  // never kUastc
  bool is_srgb = false;
  bool is_3d = false;
  std::uint32_t layer_count = 0;              // 0: not an array
  std::uint32_t face_count = 1;               // 6: a cube, +X -X +Y -Y +Z -Z
  std::vector<Level> levels;                  // largest first; finalize may clear them
  std::string swizzle;                        // four of "rgba01" for the image view; empty: as stored
  std::uint32_t first_level = 0;              // of the whole texture, that levels[0] is
  std::uint32_t level_count = 1;              // of the whole texture
  std::shared_ptr<const TextureHead> head{};  // what parts that come later need of the file
};

// What the device samples. UASTC becomes the first of these that it can be: ASTC 4x4, BC (BC4 and BC5 where one and two
// channels say so, else BC7), ETC2 (EAC for one and two channels), RGBA8; ETC1S the first of ETC2, BC, ASTC 4x4, RGBA8.
// Other formats are passed on, or refused with kUnsupported where they belong to a family that is off.
struct TextureOptions {
  bool bc = true;
  bool astc = false;
  bool etc2 = false;
  std::uint32_t max_size_texels = 0;  // levels that are wider or higher are left out, but the last; 0: none are
};
// How assets of a type of ours come in parts.
struct PartOptions {
  // Of the first read. The first part of a texture is the levels that it has, of AAS1 those that as large a read of the
  // end has. Each larger level is a part.
  std::uint64_t first_read_bytes = 64u << 10;
};
// Fallback: a checkerboard of 8x8 texels, in the shape of the type: of one layer where that is an array, six faces
// where it is a cube.
Loader<TextureData> texture_loader(const TextureOptions& options = {});
// In parts: levels is those from first_level to the smallest. Levels that finalize cleared are read again with the next
// part.
Loader<TextureData> texture_loader(const TextureOptions& options, const PartOptions& parts);

// ---- meshes: .hmesh of both versions, .gali, AAS1 ----

struct MeshContent;
struct MeshData {
  Bytes bytes;
  std::variant<aas1::MeshView, hmesh::View, galileo::View, hmesh_v1::View>
      view;  // layout_of() has one view of them all
  // What its material slots name: of AAS1 the material of each; else the one .hmat beside it, whose rows are the slots,
  // if there is one. They are loaded before it.
  std::vector<AssetHandle> materials;
  std::uint32_t lod = 0;        // 0: the file as it is; else that level alone, without meshlets and names
  std::uint32_t lod_count = 1;  // that there may be, lod 0 among them
  std::shared_ptr<const MeshContent> content{};  // what parts that come later need of the file

  const aas1::MeshView* aas1() const { return std::get_if<aas1::MeshView>(&view); }
  const hmesh::View* hmesh() const { return std::get_if<hmesh::View>(&view); }
  const galileo::View* galileo() const { return std::get_if<galileo::View>(&view); }
  const hmesh_v1::View* hmesh_v1() const { return std::get_if<hmesh_v1::View>(&view); }
};
// Fallback: a cube from -0.5 to 0.5 with normals and texture coordinates, as AAS1.
Loader<MeshData> mesh_loader();
// In parts: the coarsest level first, each a mesh that is valid in itself, and last the file as it is. Galileo meshes
// and meshes without levels come whole.
Loader<MeshData> mesh_loader(const PartOptions& parts);

// ---- materials: .hmat, AAS1 ----

struct MaterialData {
  Bytes bytes;
  std::variant<aas1::MaterialView, hmat::View> view;
  // Every texture that it names, each once. They are loaded before it; one that is not there has failed by then, and
  // where it is built later it is loaded behind the same refs.
  std::vector<AssetHandle> textures;

  const aas1::MaterialView* aas1() const { return std::get_if<aas1::MaterialView>(&view); }
  const hmat::View* hmat() const { return std::get_if<hmat::View>(&view); }
};
// Fallback: gray, rough and not metallic, as AAS1.
Loader<MaterialData> material_loader();

// ---- the others ----

// A view and the bytes that it looks at.
template <class View>
struct Viewed {
  Bytes bytes;
  View view;
};

struct AnimationData {
  Bytes bytes;
  hanim::View clips;
  AssetHandle model;  // whose nodes the channels name; nil: the joints of a mesh
};
// .hanim, AAS1. Fallback: no clips.
Loader<AnimationData> animation_loader();

// Fallback: a frame of silence. Chunks decode on their own, so that they can be streamed from here.
using AudioData = Viewed<aas1::AudioView>;
Loader<AudioData> audio_loader();
// In two parts: level 1 is all but the chunks (view.chunk() must not be called), level 0 the file as it is. An
// AudioStream wants level 1.
Loader<AudioData> audio_loader(const PartOptions& parts);

using SkeletonData = Viewed<aas1::SkeletonView>;
Loader<SkeletonData> skeleton_loader();
using ModelData = Viewed<aas1::ModelView>;
Loader<ModelData> model_loader();

struct ShaderData {
  Bytes code;
  std::uint32_t encoding = 0;  // aas1::kEncodingSpirv, or another of aas1.hpp
  spirv::Reflection wants{};   // of SPIR-V: bindings, push constants, inputs, workgroup size
};
// .spv, AAS1.
Loader<ShaderData> shader_loader();

// Any file as it is; of an AAS1 raw, script or unknown blob its payload. Fallback: no bytes.
struct RawData {
  Bytes bytes;
};
Loader<RawData> raw_loader();
// What it decodes; for loaders of files of one's own, which a cook leaves as they are inside a blob.
Result<RawData> load_raw(LoadInput& in);

// ---- all of them ----

struct Loaders {
  Loader<TextureData> texture = texture_loader();
  Loader<MeshData> mesh = mesh_loader();
  Loader<MaterialData> material = material_loader();
  Loader<AnimationData> animation = animation_loader();
  Loader<AudioData> audio = audio_loader();
  Loader<SkeletonData> skeleton = skeleton_loader();
  Loader<ModelData> model = model_loader();
  Loader<ShaderData> shader = shader_loader();
  Loader<RawData> raw = raw_loader();
};
// For every type of aas1::Type that has bytes.
void add_loaders(Manager& manager, const Loaders& loaders = {});

}  // namespace assetc::runtime
