#include "import/gltf/gltf.hpp"

#include <algorithm>
#include <array>

#include "base/plural.hpp"
#include "import/gltf/parts.hpp"
#include "import/model/lod_names.hpp"

namespace assetc::importer {
namespace {

constexpr std::uint32_t kJsonChunk = 0x4E4F534A;  // "JSON"
constexpr std::uint32_t kBinChunk = 0x004E4942;   // "BIN\0"
constexpr std::size_t kGlbHeaderBytes = 12;
constexpr std::size_t kChunkHeaderBytes = 8;

constexpr const char* kTooOld =
    "export the model again as glTF 2.0, or convert this file with a program that reads its version, such as "
    "gltf-pipeline";

// glTF before 2.0 has objects where 2.0 has lists. Version 0.8 need not have an asset, and may have a number as
// version.
Result<void> check_age(const Value& root) {
  const auto asset = root.find("asset");
  const auto version = asset && asset->is_object() ? asset->find("version") : std::nullopt;
  if (version) {
    const std::string text = version->node().is_string() ? version->node().as_string() : version->node().text();
    if (!text.starts_with("0.") && text != "1" && !text.starts_with("1.")) return {};
    return asset->refuse(ErrorCode::kVersion, "found glTF " + text + ", which is too old, expected glTF 2.0", kTooOld);
  }
  for (const char* key : {"meshes", "nodes", "accessors", "scenes"}) {
    const auto list = root.find(key);
    if (list && list->is_object())
      return list->refuse(ErrorCode::kVersion,
                          "found an object, as in glTF before 2.0, which is too old, expected glTF 2.0", kTooOld);
  }
  return {};
}

// Version 2.1 is a draft (KhronosGroup/glTF#2585). Its files are read for the content that 2.0 has too.
Result<void> check_version(const Value& root) {
  ASSETC_CHECK(check_age(root));
  ASSETC_TRY(const Value asset, root.get("asset"));
  ASSETC_TRY(const std::string version, asset.string_or("version", ""));
  ASSETC_TRY(const std::string minimum, asset.string_or("minVersion", "2.0"));
  const bool readable = version == "2" || version.starts_with("2.");
  if (readable && (minimum == "2.0" || minimum == "2.1")) return {};
  return asset.refuse(ErrorCode::kVersion,
                      "found glTF version \"" + (readable ? minimum : version) + "\", expected 2.0",
                      "export the model again as glTF 2.0");
}

// Refuses parts of version 2.1 without which the model is incomplete. Lists the others as dropped. Files of version 2.0
// may have properties with these names that mean nothing.
Result<void> check_later_parts(GltfContext& context) {
  const Value& root = context.root;
  ASSETC_TRY(const Value asset, root.get("asset"));
  ASSETC_TRY(const std::string version, asset.string_or("version", ""));
  if (version == "2" || version == "2.0") return {};
  const auto refuse = [](const Value& part, std::string_view what, std::string_view hint) {
    return part.refuse(ErrorCode::kUnsupported,
                       "found " + std::string(what) + " of glTF 2.1, which assetc does not read", hint);
  };
  ASSETC_TRY(const Value nodes, root.array_or_empty("nodes"));
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (const auto external = nodes.item(n).find("externalAsset"))
      return refuse(*external, "an external asset", "export the model with its external assets in one file");
    if (const auto bounds = nodes.item(n).find("boundingVolume")) context.drop("bounding volumes", bounds->pointer());
  }
  ASSETC_TRY(const Value buffers, root.array_or_empty("buffers"));
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    if (const auto chunk = buffers.item(b).find("chunk"))
      return refuse(*chunk, "a buffer in a further chunk", "export the model with one binary chunk");
  }
  constexpr std::array<std::array<const char*, 2>, 3> kLists{
      {{"shapes", "shapes"}, {"externalAssets", "external assets"}, {"files", "files"}}};
  for (const auto& [key, what] : kLists) {
    ASSETC_TRY(const Value items, root.array_or_empty(key));
    context.drop(what, items.pointer() + "/0", static_cast<std::uint32_t>(items.size()));
  }
  if (const auto thumbnail = asset.find("thumbnail")) context.drop("thumbnails", thumbnail->pointer());
  return {};
}

// Skin weights mean nothing in a mesh that no node shows with a skin.
void report_unbound_weights(scene::Scene& scene) {
  std::vector<bool> is_bound(scene.meshes.size()), is_shown(scene.meshes.size());
  for (const scene::Node& node : scene.nodes) {
    if (node.mesh == scene::kNone) continue;
    is_shown[node.mesh] = true;
    if (node.skin != scene::kNone) is_bound[node.mesh] = true;
  }
  for (std::size_t m = 0; m < scene.meshes.size(); ++m) {
    if (is_bound[m]) continue;
    const auto& primitives = scene.meshes[m].primitives;
    for (std::size_t p = 0; p < primitives.size(); ++p) {
      if (primitives[p].influences.empty()) continue;
      add_dropped(scene.dropped, "influences of primitives without a skin",
                  "/meshes/" + std::to_string(m) + "/primitives/" + std::to_string(p));
    }
  }
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
  if (version < 2) {
    return fail_at(ErrorCode::kVersion, byte_place(4),
                   "found GLB version " + std::to_string(version) + ", which is too old, expected 2, that of glTF 2.0",
                   kTooOld);
  }
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
  Budget budget(limits);
  budget.add_source(file.size());
  GltfData data(root, source_path, parts.has_binary ? std::optional(parts.binary) : std::nullopt, read, budget);
  GltfContext context{root, source_path, data, out};
  ASSETC_CHECK(check_later_parts(context));
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
  report_unbound_weights(out.scene);
  link_levels_by_name(out.scene);
  ASSETC_CHECK(read_clips(context));
  read_extras(context);
  report_unread(context);
  return out;
}

}  // namespace assetc::importer
