// The loaders of all asset types, which create values from every container, and most of the values. Others are beside
// the functions that use them: ClusterData in clusters.hpp, AnimationData in animation.hpp, SceneData in scene.hpp and
// FontData in text.hpp.
//
//   Loader<TextureData> textures = texture_loader({.astc = true});
//   textures.finalize = [&](TextureData& t, const AssetDesc&) { return device.upload(t); };
//   textures.release = [&](const GpuObject& gpu) { device.destroy(gpu.object); };
//   add_loaders(manager, {.texture = textures});  // all_loaders.hpp
//
// Values point into the bytes that were read, except for textures that were decompressed or transcoded.
// Every loader has a fallback that needs no file. To replace it, assign Loader::fallback; to have none, assign {}.
// Errors for invalid data are those of the formats' views.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/formats/aas1.hpp"
#include "assetc/formats/aas1_audio_view.hpp"
#include "assetc/formats/aas1_material_view.hpp"
#include "assetc/formats/aas1_mesh_view.hpp"
#include "assetc/formats/galileo_view.hpp"
#include "assetc/formats/hmat.hpp"
#include "assetc/formats/hmesh_v1_view.hpp"
#include "assetc/formats/hmesh_view.hpp"
#include "assetc/formats/spirv.hpp"
#include "assetc/formats/texel_format.hpp"
#include "assetc/runtime/loader.hpp"
#include "assetc/runtime/manager.hpp"

namespace assetc::runtime {

// ---- textures: .ktx2, AAS1 of every shape ----

struct TextureHead;
struct TextureData {
  struct Level {
    Bytes bytes;  // images by layer, then face, then depth, each of rows of blocks
    std::uint32_t width_texels = 1, height_texels = 1, depth_texels = 1;
    // From one row of blocks to the next, and from one image to the next. 0: tightly packed.
    std::uint64_t row_pitch_bytes = 0, image_pitch_bytes = 0;
  };
  TexelFormat format = TexelFormat::kRgba8;  // never kUastc
  bool is_srgb = false;
  bool is_3d = false;
  std::uint32_t layer_count = 0;              // 0: not an array
  std::uint32_t face_count = 1;               // 6: a cube, +X -X +Y -Y +Z -Z
  std::vector<Level> levels;                  // largest first; finalize may clear them
  std::string swizzle;                        // four of "rgba01" for the image view; empty: as stored
  std::uint32_t first_level = 0;              // the level of the whole texture that levels[0] holds
  std::uint32_t level_count = 1;              // of the whole texture
  std::shared_ptr<const TextureHead> head{};  // data of the file that later parts need
};

// Asks an engine for the memory of a level: image_count images of row_count rows of row_bytes bytes.
struct LevelRequest {
  const AssetDesc& desc;
  const TextureData& texture;  // its format and shape; its levels may be missing
  std::uint32_t level = 0;     // of the whole texture
  std::uint32_t width_texels = 1, height_texels = 1, depth_texels = 1;
  std::uint64_t row_bytes = 0, row_count = 0, image_count = 1;
};
// The memory for a level. Row r of image i is written at byte i * image_pitch_bytes + r * row_pitch_bytes, which the
// engine chooses for the alignment of its device. Bytes between rows are not written.
// Constraints: row_pitch_bytes >= row_bytes, image_pitch_bytes >= row_count * row_pitch_bytes, and the last row of the
// last image must fit. If not, the asset fails (kUsage).
struct LevelMemory {
  std::span<std::byte> bytes;
  std::uint64_t row_pitch_bytes = 0;    // 0: row_bytes
  std::uint64_t image_pitch_bytes = 0;  // 0: row_count * row_pitch_bytes
  // Destroyed when the level is no longer needed: after finalize cleared it, or if the load was canceled or failed.
  std::shared_ptr<void> owner{};
};

// The texture formats that the device supports.
// - UASTC is transcoded to the first of these that is on: ASTC 4x4, BC, ETC2, RGBA8. With one or two channels, BC is
//   BC4 or BC5, otherwise BC7. With one or two channels, ETC2 is EAC.
// - ETC1S is transcoded to the first of these that is on: ETC2, BC, ASTC 4x4, RGBA8.
// - Other formats are kept. If their family is off, loading fails with kUnsupported.
struct TextureOptions {
  bool bc = true;
  bool astc = false;
  bool etc2 = false;
  std::uint32_t max_size_texels = 0;  // larger levels are left out, except the last; 0: no limit
  // If set, levels are decompressed and transcoded into memory of the engine, such as a staging buffer. Called on
  // threads of the job system, several at once, for each level. An error fails the asset.
  std::function<Result<LevelMemory>(const LevelRequest&)> allocate{};
};
// Options for loading an asset in parts.
struct PartOptions {
  // The size of the first read. The first part of a texture has the levels that the first read contains. AAS1 stores
  // small levels last, so its first part has the levels in a read of this size from the end. Each larger level is a
  // separate part.
  std::uint64_t first_read_bytes = 64u << 10;
};
// Returns the loader of textures. Fallback: a checkerboard of 8x8 texels in the shape of the type. An array has one
// layer, a cube has six faces.
Loader<TextureData> texture_loader(const TextureOptions& options = {});
// The same in parts. TextureData::levels has the levels from first_level to the smallest. Levels that finalize cleared
// are read again with the next part.
Loader<TextureData> texture_loader(const TextureOptions& options, const PartOptions& parts);

// ---- meshes: .hmesh of both versions, .gali, AAS1 ----

struct MeshContent;
struct MeshData {
  Bytes bytes;
  std::variant<aas1::MeshView, hmesh::View, galileo::View, hmesh_v1::View>
      view;  // layout_of() gives one view of all of them
  // The materials of the mesh, loaded before it. AAS1: the material of each slot. Others: the .hmat with the same name,
  // if it exists; its rows are the slots.
  std::vector<AssetHandle> materials;
  std::uint32_t lod = 0;        // 0: the file unchanged; otherwise this level only, without meshlets and names
  std::uint32_t lod_count = 1;  // number of available levels, including lod 0
  std::shared_ptr<const MeshContent> content{};  // data of the file that later parts need

  const aas1::MeshView* aas1() const { return std::get_if<aas1::MeshView>(&view); }
  const hmesh::View* hmesh() const { return std::get_if<hmesh::View>(&view); }
  const galileo::View* galileo() const { return std::get_if<galileo::View>(&view); }
  const hmesh_v1::View* hmesh_v1() const { return std::get_if<hmesh_v1::View>(&view); }
};
// Returns the loader of meshes. Fallback: a cube from -0.5 to 0.5 with normals and texture coordinates, as AAS1.
Loader<MeshData> mesh_loader();
// The same in parts: the coarsest level first, then finer ones, and last the whole file. Each part is a valid mesh.
// Galileo meshes and meshes without levels are loaded whole.
Loader<MeshData> mesh_loader(const PartOptions& parts);

// ---- clusters: .hcluster, AAS1 ----

struct ClusterData;
// Returns the loader of clusters. It always loads in parts, but has one level: the value. Fallback: a cube from -0.5 to
// 0.5 without normals, one cluster of the source.
// Errors: kInvalidData also for a page in the value whose bytes are not those that the table of pages describes.
Loader<ClusterData> cluster_loader(const PartOptions& parts = {});

// ---- materials: .hmat, AAS1 ----

struct MaterialData {
  Bytes bytes;
  std::variant<aas1::MaterialView, hmat::View> view;
  // Every texture that the material names, each once. They are loaded before the material. A texture that does not
  // exist has failed by then. If it is built later, it is loaded behind the same refs.
  std::vector<AssetHandle> textures;

  const aas1::MaterialView* aas1() const { return std::get_if<aas1::MaterialView>(&view); }
  const hmat::View* hmat() const { return std::get_if<hmat::View>(&view); }
};
// Returns the loader of materials. Fallback: gray, rough and not metallic, as AAS1.
Loader<MaterialData> material_loader();

// ---- the others ----

// A view and the bytes that it points into.
template <class View>
struct Viewed {
  Bytes bytes;
  View view;
};

struct AnimationData;
// Returns the loader of animations, for .hanim and AAS1. Fallback: no clips.
Loader<AnimationData> animation_loader();

// A sound. Chunks decode independently, so it can be streamed. Fallback: a frame of silence.
using AudioData = Viewed<aas1::AudioView>;
Loader<AudioData> audio_loader();
// The same in two parts. Level 1 is the sound without its chunks (view.chunk() must not be called). Level 0 is the file
// unchanged. An AudioStream uses level 1.
Loader<AudioData> audio_loader(const PartOptions& parts);

// A skeleton. Fallback: one joint that leaves vertices where they are and belongs to no node of a model. A mesh may
// refer to more joints than its skeleton has: size the array of its matrices by joint_count_of() (mesh_layout.hpp), and
// skinning_matrices() (animation.hpp) fills it. With the fallback the mesh is then drawn in its bind pose.
using SkeletonData = Viewed<aas1::SkeletonView>;
Loader<SkeletonData> skeleton_loader();
struct SceneData;
// Returns the loader of scenes. Fallback: one node at the origin without a mesh.
Loader<SceneData> scene_loader();

struct ShaderData {
  Bytes code;
  std::uint32_t encoding = 0;  // aas1::kEncodingSpirv, or another one of aas1.hpp
  spirv::Reflection wants{};   // SPIR-V only: bindings, push constants, inputs, workgroup size
};
// Returns the loader of shaders, for .spv and AAS1.
// Fallback: SPIR-V for Vulkan 1.0 without bindings and inputs. Its three entry points have the name "main": the vertex
// shader puts all vertices outside the clip volume, the fragment shader writes magenta to location 0, and the compute
// shader does nothing. `wants` describes the vertex shader. Use the fallback for all stages of a pipeline together:
// inputs of another fragment shader would have no values.
Loader<ShaderData> shader_loader();

struct FontData;
// Returns the loader of fonts, for .hfont. Fallback: a font without characters, whose missing glyph draws nothing.
Loader<FontData> font_loader();

// The bytes of any file, unchanged. For an AAS1 blob of raw, script or unknown content, its payload. Fallback: no
// bytes.
struct RawData {
  Bytes bytes;
};
Loader<RawData> raw_loader();
// Returns the data that raw_loader() decodes. For loaders of an engine's own file types: a cook stores such files
// unchanged inside a blob.
Result<RawData> load_raw(LoadInput& in);

// ---- all of them ----

// Registers the loaders for every type of aas1::Type that has bytes. all_loaders.hpp has the same for loaders that an
// engine has changed.
void add_loaders(Manager& manager);

}  // namespace assetc::runtime
