#include "import/gltf.hpp"

#include <algorithm>

#include "base/plural.hpp"
#include "import/gltf_parts.hpp"
#include "import/lod_names.hpp"

namespace assetc::importer {
namespace {

constexpr std::uint32_t kJsonChunk = 0x4E4F534A;  // "JSON"
constexpr std::uint32_t kBinChunk = 0x004E4942;   // "BIN\0"
constexpr std::size_t kGlbHeaderBytes = 12;
constexpr std::size_t kChunkHeaderBytes = 8;

Result<void> check_version(const Value& root) {
  ASSETC_TRY(const Value asset, root.get("asset"));
  ASSETC_TRY(const std::string version, asset.string_or("version", ""));
  ASSETC_TRY(const std::string minimum, asset.string_or("minVersion", version));
  const auto readable = [](std::string_view v) { return v == "2" || v.starts_with("2."); };
  if (!readable(version) || (minimum != "2.0" && minimum != version)) {
    return asset.refuse(ErrorCode::kVersion,
                        "found glTF version \"" + (readable(version) ? minimum : version) + "\", expected 2.0",
                        "export the model again as glTF 2.0");
  }
  return {};
}

}  // namespace

Result<GltfContainer> open_gltf_container(const Bytes& file) {
  const ByteSpan bytes = file.span();
  GltfContainer parts;
  if (bytes.size() < 4 || load<std::uint32_t>(bytes) != kGlbMagic) {
    parts.json = as_text(bytes);
    if (parts.json.empty())
      return fail_at(ErrorCode::kTruncated, byte_place(0), "the file is empty, expected a glTF document");
    return parts;
  }
  if (bytes.size() < kGlbHeaderBytes) {
    return fail_at(ErrorCode::kTruncated, byte_place(bytes.size()), "the file ends inside the 12-byte GLB header");
  }
  const auto version = load<std::uint32_t>(bytes, 4);
  if (version != 2) {
    return fail_at(ErrorCode::kVersion, byte_place(4), "found GLB version " + std::to_string(version) + ", expected 2",
                   "export the model again as glTF 2.0");
  }
  const std::uint64_t length = load<std::uint32_t>(bytes, 8);
  if (length > bytes.size()) {
    return fail_at(
        ErrorCode::kTruncated, byte_place(8),
        "the GLB header says " + counted(length, "byte") + ", but the file has " + std::to_string(bytes.size()),
        "the file was cut short; copy or export it again");
  }
  std::size_t at = kGlbHeaderBytes;
  bool has_json = false;
  while (at + kChunkHeaderBytes <= length) {
    const std::uint64_t size = load<std::uint32_t>(bytes, at);
    const auto type = load<std::uint32_t>(bytes, at + 4);
    if (!range_fits(at + kChunkHeaderBytes, size, length)) {
      return fail_at(
          ErrorCode::kTruncated, byte_place(at),
          "the GLB chunk of " + counted(size, "byte") + " does not fit into the file's " + std::to_string(length));
    }
    const Bytes chunk = file.slice(at + kChunkHeaderBytes, static_cast<std::size_t>(size));
    if (!has_json) {
      if (type != kJsonChunk)
        return fail_at(ErrorCode::kInvalidData, byte_place(at + 4), "the first GLB chunk is not the JSON chunk");
      parts.json = as_text(chunk.span());
      has_json = true;
    } else if (type == kBinChunk && !parts.has_binary) {
      parts.binary = chunk;
      parts.has_binary = true;
    }
    at += kChunkHeaderBytes + static_cast<std::size_t>(size);
  }
  if (!has_json) return fail_at(ErrorCode::kTruncated, byte_place(at), "the GLB has no JSON chunk");
  return parts;
}

Result<Imported> import_gltf(std::string_view source_path, const Bytes& file, const FileReader& read,
                             const ImportLimits& limits) {
  ASSETC_TRY(const GltfContainer parts, open_gltf_container(file));
  if (parts.json.size() > kMaxJsonBytes) {
    return fail(ErrorCode::kLimit,
                "the glTF's JSON is " + std::to_string(parts.json.size() >> 20) + " MiB, expected at most 1024",
                "export with external buffers or as GLB");
  }
  ASSETC_TRY(const JsonDocument document, JsonDocument::parse(parts.json));
  const Value root = document.root();
  ASSETC_CHECK(check_version(root));
  // The arrays of the root are looked up in many places. A wrong type is reported once, here.
  for (const char* array : {"accessors", "animations", "buffers", "bufferViews", "cameras", "images", "materials",
                            "meshes", "nodes", "samplers", "scenes", "skins", "textures"}) {
    ASSETC_TRY(const Value items, root.array_or_empty(array));
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Value item = items.item(i);
      if (!item.is_object()) return item.refuse(ErrorCode::kInvalidData, "expected an object");
    }
  }

  Imported out;
  Budget budget(limits.scene_bytes);
  GltfData data(root, source_path, parts.has_binary ? std::optional(parts.binary) : std::nullopt, read, budget);
  GltfContext context{root, source_path, data, out};
  ASSETC_CHECK(check_extensions(context));
  ASSETC_CHECK(read_images(context));
  ASSETC_CHECK(read_materials(context));
  ASSETC_CHECK(read_meshes(context));
  ASSETC_CHECK(read_variants(context));
  ASSETC_CHECK(read_cameras(context));
  ASSETC_CHECK(read_lights(context));
  ASSETC_CHECK(read_nodes(context));
  ASSETC_CHECK(read_skins(context));
  ASSETC_CHECK(expand_instances(context));
  link_levels_by_name(out.scene);
  ASSETC_CHECK(read_clips(context));
  read_extras(context);
  report_unread(context);
  return out;
}

}  // namespace assetc::importer
