// What an output folder holds, file by file, as `assetc info` prints it. Reads; never compiles.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "assetc/base/result.hpp"
#include "engine/disk/disk.hpp"

namespace assetc::engine {

struct MeshInfo {
  std::string container;  // "hmesh 2", "hmesh 1", "galileo"
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
  std::array<float, 3> aabb_min{};
  std::array<float, 3> aabb_max{};
};

struct MaterialInfo {
  std::uint32_t rows = 0;
  std::uint32_t base_color = 0;  // rows with a texture in the slot
  std::uint32_t metallic_roughness = 0;
  std::uint32_t normal = 0;
  std::uint32_t occlusion = 0;
  std::uint32_t emissive = 0;
  std::uint32_t opaque = 0;
  std::uint32_t mask = 0;
  std::uint32_t blend = 0;
  std::uint32_t double_sided = 0;
};

struct ManifestInfo {
  std::uint32_t entries = 0;
  std::uint32_t srgb = 0;
  std::array<std::uint32_t, 9> by_kind{};  // hman::Kind, then everything else
};

struct ClipInfo {
  std::string name;
  float duration_seconds = 0;
  std::uint32_t channels = 0;
  std::uint64_t keys = 0;
};
struct AnimationInfo {
  std::vector<ClipInfo> clips;
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
  std::uint64_t gpu_bytes = 0;  // of all levels inflated; 0 when unknown
};

struct ShaderInfo {
  std::uint32_t words = 0;
  std::uint32_t version = 0;  // 0x00010500 is SPIR-V 1.5
};

using FileContent =
    std::variant<std::monostate, MeshInfo, MaterialInfo, ManifestInfo, AnimationInfo, TextureInfo, ShaderInfo>;
// "mesh", "material", "manifest", "animation", "texture", "shader", "other": a stable name for JSON.
std::string_view kind_name(const FileContent& content);

struct FileInfo {
  std::string path;  // below the output folder
  std::uint64_t size_bytes = 0;
  FileContent content;
  std::optional<Error> problem;  // why it could not be read; content is monostate then
};

// What one file says of itself, told by its extension. Errors: those of its format's reader.
Result<FileContent> inspect_file(std::string_view path, ByteSpan bytes);

// Every file of an output folder in byte order of path, the build's own bookkeeping left out.
// Errors: kNotFound when there is no folder, kIo.
Result<std::vector<FileInfo>> inspect(const std::string& output, Disk& disk);

}  // namespace assetc::engine
