// The content of compiled files, and their references to other files, as values. They do not point into the file's
// bytes, except where noted.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "assetc/base/result.hpp"
#include "assetc/formats/hman.hpp"
#include "filetypes/facts.hpp"

namespace assetc::filetypes {

struct MeshInfo {
  std::string container;  // "hmesh 2", "hmesh 1", "galileo", "hcluster"
  std::uint32_t vertices = 0;
  std::uint32_t triangles = 0;
  std::uint32_t indices = 0;
  std::uint32_t index_width_bytes = 0;
  std::uint32_t meshlets = 0;
  std::uint32_t submeshes = 0;
  std::uint32_t materials = 0;
  std::uint32_t joints = 0;
  std::uint32_t lods = 0;
  bool tangents = false;
  bool names_rows = true;  // materials are rows of the .hmat with the same name
  std::array<float, 3> aabb_min{};
  std::array<float, 3> aabb_max{};
  std::vector<std::string> attributes{};  // beyond those of every mesh: "TEXCOORD_1", "COLOR_0", "JOINTS_1", "_HEAT"
  std::uint32_t points = 0, lines = 0;    // beside the triangles
  std::uint32_t primitives = 0;           // draws of points and lines
  std::uint32_t morph_targets = 0;
  std::uint32_t morph_moves = 0;           // moved vertices, of all targets
  std::vector<std::string> morph_names{};  // of the targets; "" without a name
  // Of an .hcluster; lods are levels below the source.
  std::uint32_t clusters = 0;
  std::uint32_t groups = 0;
  std::uint32_t pages = 0;
  double bytes_per_triangle = 0;  // of the source
  // Of a .hmesh with encoded chunks: the size of the plain file, or 0.
  std::uint64_t decoded_bytes = 0;
  // Of vertices that are stored as integers, or 0. If their values were rounded, the error is at most half a step.
  double position_step = 0;
  double texcoord_step = 0;
  std::uint32_t normal_bits = 0, tangent_bits = 0;  // of each octahedral component
};

struct MaterialInfo {
  std::uint32_t rows = 0;
  std::uint32_t base_color = 0;  // number of rows with a texture in the slot
  std::uint32_t metallic_roughness = 0;
  std::uint32_t normal = 0;
  std::uint32_t occlusion = 0;
  std::uint32_t emissive = 0;
  std::uint32_t opaque = 0;
  std::uint32_t mask = 0;
  std::uint32_t blend = 0;
  std::uint32_t double_sided = 0;
};

struct ClipInfo {
  std::string name;
  float duration_seconds = 0;
  std::uint32_t channels = 0;
  std::uint64_t keys = 0;
};
struct AnimationInfo {
  std::vector<ClipInfo> clips;
  std::uint32_t named_joints = 0;  // for clips that belong to no mesh
};

struct SceneInfo {
  std::uint32_t nodes = 0;
  std::uint32_t meshes = 0;     // with a file
  std::uint32_t instances = 0;  // nodes with a mesh
  std::uint32_t skins = 0;
  std::uint32_t cameras = 0;
  std::uint32_t lights = 0;
  std::uint32_t materials = 0;
  std::uint32_t variants = 0;
  std::uint32_t extras = 0;  // objects with data that assetc does not interpret
  std::vector<std::string> clips;
};

struct TextureInfo {
  std::string format;            // "uastc", "rgba8", "VkFormat 100"
  std::string supercompression;  // "none", "zstd"
  std::uint32_t width_texels = 0;
  std::uint32_t height_texels = 0;
  std::uint32_t depth_texels = 0;
  std::uint32_t layers = 0;
  std::uint32_t faces = 1;
  std::uint32_t levels = 0;
  bool srgb = false;
  std::uint64_t gpu_bytes = 0;  // of all levels, uncompressed; 0 if unknown
};

// monostate: no details for this file type. Facts: of a type whose values only people and scripts use.
using FileContent = std::variant<std::monostate, MeshInfo, MaterialInfo, AnimationInfo, SceneInfo, TextureInfo, Facts>;

Facts facts_of(const FileContent& content);

// A texture hash, which a manifest resolves.
struct TextureReference {
  std::string place;      // in the file: "row 3"
  std::string_view slot;  // "base color"
  std::uint64_t hash = 0;
};

// A part of a scene: the hash of its path.
struct PartReference {
  std::string place;  // "mesh 3"
  std::uint64_t hash = 0;
  std::uint32_t needs = 0;  // for a mesh: submeshes; for materials: rows; for clips: clips
};

// References of a file to other files. They are checked by code that has all files.
struct References {
  std::vector<TextureReference> textures;
  std::vector<hman::EntryView> files;  // paths point into the file's bytes
  bool is_incomplete = false;          // of a manifest: the build wrote it although sources failed
  std::vector<PartReference> parts;
  // Checks that every joint that the file moves is a joint of the mesh with the same name, which has joint_count
  // joints. Null if it moves no joints. Reads the file's bytes.
  std::function<Result<void>(std::size_t joint_count)> check_joints;
  // For clips of a scene: checks that everything that the file moves is in the scene. Null if it belongs to none. Reads
  // the file's bytes.
  std::function<Result<void>(std::size_t nodes, std::size_t cameras, std::size_t lights)> check_targets;
};

}  // namespace assetc::filetypes
