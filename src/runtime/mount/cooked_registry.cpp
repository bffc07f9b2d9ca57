#include "runtime/mount/cooked_registry.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "assetc/formats/aas1_audio.hpp"
#include "assetc/formats/aas1_material.hpp"
#include "assetc/formats/aas1_texture.hpp"
#include "base/ascii.hpp"
#include "formats/message.hpp"
#include "formats/text.hpp"
#include "runtime/mount/json.hpp"
#include "runtime/mount/mount_point.hpp"

namespace assetc::runtime {
namespace {

using formats::message;
using formats::quote;

constexpr int kSchemaVersion = 1;

// The members of all Descs. The type decides which are used.
struct Fields {
  std::uint32_t width = 0, height = 0, depth = 1, layers = 1, mip_count = 0;
  bool srgb = false;
  std::string format, index_format, shading_model, codec;
  std::uint32_t submeshes = 0, lods = 0, vertices = 0, indices = 0, triangles = 0;
  std::array<float, 3> low{}, high{};
  std::uint32_t textures = 0;
  std::uint32_t channels = 0, sample_rate = 0;
  double duration = 0;
};

Result<std::uint32_t> read_count(JsonReader& json) {
  ASSETC_TRY(const double number, json.number());
  if (number < 0 || number > std::numeric_limits<std::uint32_t>::max() || number != std::floor(number))
    return json.wrong("found a number that is not a valid count");
  return static_cast<std::uint32_t>(number);
}

Result<void> read_corner(JsonReader& json, std::array<float, 3>& out) {
  std::size_t i = 0;
  return json.array([&]() -> Result<void> {
    ASSETC_TRY(const double number, json.number());
    if (i < out.size()) out[i++] = static_cast<float>(number);
    return {};
  });
}

Result<Fields> read_fields(JsonReader& json) {
  Fields f;
  const auto member = [&](std::string_view key) -> Result<void> {
    const auto count = [&](std::uint32_t& out) -> Result<void> {
      ASSETC_TRY(out, read_count(json));
      return {};
    };
    const auto text = [&](std::string& out) -> Result<void> {
      ASSETC_TRY(out, json.string());
      return {};
    };
    if (key == "Width") return count(f.width);
    if (key == "Height") return count(f.height);
    if (key == "Depth") return count(f.depth);
    if (key == "Layers") return count(f.layers);
    if (key == "MipCount") return count(f.mip_count);
    if (key == "Format") return text(f.format);
    if (key == "IndexFormat") return text(f.index_format);
    if (key == "ShadingModel") return text(f.shading_model);
    if (key == "Codec") return text(f.codec);
    if (key == "SubMeshes") return count(f.submeshes);
    if (key == "LodCount") return count(f.lods);
    if (key == "VertexCount") return count(f.vertices);
    if (key == "IndexCount") return count(f.indices);
    if (key == "TriangleCount") return count(f.triangles);
    if (key == "Channels") return count(f.channels);
    if (key == "SampleRate") return count(f.sample_rate);
    if (key == "SRGB") {
      ASSETC_TRY(f.srgb, json.boolean());
      return {};
    }
    if (key == "Duration") {
      ASSETC_TRY(f.duration, json.number());
      return {};
    }
    if (key == "Bounds") {
      return json.object([&](std::string_view corner) {
        return corner == "Min" ? read_corner(json, f.low) : corner == "Max" ? read_corner(json, f.high) : json.skip();
      });
    }
    if (key == "TextureBindings") {
      return json.array([&] {
        ++f.textures;
        return json.skip();
      });
    }
    return json.skip();
  };
  ASSETC_CHECK(json.object(member));
  return f;
}

std::uint32_t format_number(std::string_view name) {
  for (std::size_t i = 0; i < kTexelFormatCount; ++i) {
    const auto format = static_cast<TexelFormat>(i);
    if (ascii_lower(name) == to_string(format)) return aas1::format_number(format).value_or(0);
  }
  return 0;
}

registry::Desc desc_of(aas1::Type type, const Fields& f) {
  if (aas1::is_texture(type))
    return registry::TextureDesc{f.width,     f.height,        std::max(f.depth, f.layers), format_number(f.format),
                                 f.mip_count, f.srgb ? 1u : 0u};
  if (type == aas1::Type::kMesh)
    return registry::MeshDesc{
        f.vertices, f.indices, f.index_format == "U16" ? 2u : 4u, f.submeshes, std::max(f.lods, 1u), f.low, f.high};
  if (type == aas1::Type::kClusters)
    return registry::MeshDesc{
        0, static_cast<std::uint32_t>(std::min(f.triangles, 0xFFFFFFFFu / 3) * 3), 1, 0, f.lods, f.low, f.high};
  if (type == aas1::Type::kMaterial) {
    const auto model = f.shading_model == "Unlit" ? aas1::ShadingModel::kUnlit : aas1::ShadingModel::kMetallicRoughness;
    return registry::MaterialDesc{static_cast<std::uint32_t>(model), 0, f.textures};
  }
  if (type == aas1::Type::kAudio) {
    const auto codec = f.codec == "PCM" ? aas1::AudioCodec::kPcm : aas1::AudioCodec::kOggVorbis;
    const double frames = std::clamp(std::round(f.duration * f.sample_rate), 0.0, 4294967295.0);
    return registry::AudioDesc{static_cast<std::uint32_t>(codec), f.channels, f.sample_rate,
                               static_cast<std::uint32_t>(frames)};
  }
  return {};
}

std::optional<aas1::Type> type_of_name(std::string_view name) {
  for (unsigned number = 1; number < 256; ++number) {
    const auto type = static_cast<aas1::Type>(number);
    if (!name.empty() && aas1::type_name(type) == name) return type;
  }
  return std::nullopt;
}

Result<Uuid> read_uuid(JsonReader& json) {
  ASSETC_TRY(const std::string text, json.string());
  const auto uuid = Uuid::parse(text);
  if (!uuid || uuid->is_nil()) return json.wrong("found " + quote(text) + ", expected a UUID");
  return *uuid;
}

// A UUID, or an object that contains one.
Result<void> read_uuids(JsonReader& json, std::vector<Uuid>& out) {
  return json.array([&]() -> Result<void> {
    if (json.at_string()) {
      ASSETC_TRY(const Uuid uuid, read_uuid(json));
      out.push_back(uuid);
      return {};
    }
    return json.object([&](std::string_view key) -> Result<void> {
      if (key != "Uuid") return json.skip();
      ASSETC_TRY(const Uuid uuid, read_uuid(json));
      out.push_back(uuid);
      return {};
    });
  });
}

struct Row {
  registry::Asset asset;
  std::string file;
};

Result<Row> read_asset(JsonReader& json) {
  Row row;
  Fields fields;
  aas1::Type type{};
  const auto member = [&](std::string_view key) -> Result<void> {
    if (key == "Uuid") {
      ASSETC_TRY(row.asset.uuid, read_uuid(json));
    } else if (key == "Type") {
      ASSETC_TRY(const std::string name, json.string());
      const auto known = type_of_name(name);
      if (!known) return json.wrong("found the unknown type " + quote(name));
      type = *known;
    } else if (key == "VirtualPath") {
      ASSETC_TRY(row.asset.virtual_path, json.string());
    } else if (key == "CookedPath") {
      ASSETC_TRY(row.file, json.string());
      if (const auto fault = formats::path_fault(row.file); !fault.empty())
        return json.wrong(message("path ", quote(row.file), " is not below the cooked folder: ", fault));
    } else if (key == "Dependencies") {
      return read_uuids(json, row.asset.hard_dependencies);
    } else if (key == "SoftDependencies") {
      return read_uuids(json, row.asset.soft_dependencies);
    } else if (key == "OuterDependencies") {
      return read_uuids(json, row.asset.outer_hard_dependencies);
    } else if (key == "OuterSoftDependencies") {
      return read_uuids(json, row.asset.outer_soft_dependencies);
    } else if (key == "Container") {
      ASSETC_TRY(row.asset.container, read_uuid(json));
    } else if (key == "SharedFile") {
      ASSETC_TRY(row.asset.shared_file, read_uuid(json));
    } else if (key == "Tags") {
      return json.array([&]() -> Result<void> {
        ASSETC_TRY(std::string tag, json.string());
        row.asset.tags.push_back(std::move(tag));
        return {};
      });
    } else if (key == "Desc") {
      ASSETC_TRY(fields, read_fields(json));
    } else {
      return json.skip();
    }
    return {};
  };
  ASSETC_CHECK(json.object(member));
  if (row.asset.uuid.is_nil()) return json.wrong("found an asset without a Uuid");
  row.asset.type = static_cast<registry::TypeNumber>(type);
  row.asset.desc = desc_of(type, fields);
  return row;
}

Result<registry::Redirector> read_redirector(JsonReader& json) {
  registry::Redirector redirector;
  const auto member = [&](std::string_view key) -> Result<void> {
    if (key == "OldUuid") {
      ASSETC_TRY(redirector.old_uuid, read_uuid(json));
    } else if (key == "NewUuid") {
      ASSETC_TRY(redirector.new_uuid, read_uuid(json));
    } else if (key == "OldVirtualPath") {
      ASSETC_TRY(redirector.old_virtual_path, json.string());
    } else {
      return json.skip();
    }
    return {};
  };
  ASSETC_CHECK(json.object(member));
  if (redirector.old_uuid.is_nil() || redirector.new_uuid.is_nil())
    return json.wrong("found a redirector without an OldUuid or NewUuid");
  return redirector;
}

}  // namespace

Result<CookedRegistry> CookedRegistry::from_binary(Bytes file) {
  CookedRegistry out;
  out.bytes = aligned(std::move(file));
  ASSETC_TRY(out.view, registry::View::open(out.bytes));
  return out;
}

Result<CookedRegistry> CookedRegistry::from_json(std::string_view text) {
  JsonReader json(text);
  std::vector<Row> rows;
  std::vector<registry::Redirector> redirectors;
  bool has_schema = false;
  const auto member = [&](std::string_view key) -> Result<void> {
    if (key == "SchemaVersion") {
      ASSETC_TRY(const double schema, json.number());
      if (schema != kSchemaVersion)
        return fail_at(ErrorCode::kVersion, "/SchemaVersion", message("found ", schema, ", expected ", kSchemaVersion),
                       "cook with the same version of assetc as this runtime");
      has_schema = true;
      return {};
    }
    if (key == "Assets") {
      return json.array([&]() -> Result<void> {
        ASSETC_TRY(Row row, read_asset(json));
        rows.push_back(std::move(row));
        return {};
      });
    }
    if (key == "Redirectors") {
      return json.array([&]() -> Result<void> {
        ASSETC_TRY(registry::Redirector redirector, read_redirector(json));
        redirectors.push_back(std::move(redirector));
        return {};
      });
    }
    return json.skip();
  };
  ASSETC_CHECK(json.object(member));
  ASSETC_CHECK(json.end());
  if (!has_schema) return fail_at(ErrorCode::kInvalidData, "/SchemaVersion", "found nothing, expected a number");

  std::ranges::stable_sort(rows, {}, [](const Row& row) -> const Uuid& { return row.asset.uuid; });
  CookedRegistry out;
  std::vector<registry::Asset> assets;
  for (Row& row : rows) {
    const Uuid& named = row.asset.shared_file.is_nil() ? row.asset.uuid : row.asset.shared_file;
    if (!row.file.empty() && row.file != "Assets/" + named.to_string() + ".bin") out.files.resize(rows.size());
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!out.files.empty()) out.files[i] = std::move(rows[i].file);
    assets.push_back(std::move(rows[i].asset));
  }
  // Redirectors to another redirector or to another mount are resolved by the catalog.
  const auto leads_out = std::stable_partition(redirectors.begin(), redirectors.end(), [&](const auto& redirector) {
    return std::ranges::binary_search(assets, redirector.new_uuid, {}, &registry::Asset::uuid);
  });
  out.redirectors.assign(std::make_move_iterator(leads_out), std::make_move_iterator(redirectors.end()));
  std::ranges::sort(out.redirectors, {}, &registry::Redirector::old_uuid);
  redirectors.erase(leads_out, redirectors.end());
  ASSETC_TRY(ByteVector binary, registry::write(std::move(assets), std::move(redirectors)));
  out.bytes = Bytes(std::move(binary));
  ASSETC_TRY(out.view, registry::View::open(out.bytes));
  return out;
}

}  // namespace assetc::runtime
