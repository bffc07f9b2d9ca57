#include "scene/material_extensions.hpp"

#include <algorithm>
#include <array>

#include "import/gltf/parts.hpp"
#include "json/json.hpp"

namespace assetc::importer {
namespace {

Result<void> read_extension(GltfContext& context, const scene::MaterialExtension& row, const Value& json,
                            scene::Material& m) {
  for (const scene::ScalarMember& member : row.scalars) {
    if (member.is_optional && !json.find(member.key)) continue;
    ASSETC_TRY(const float value, json.float_or(member.key, member.absent));
    m.scalars.push_back({member.name, value});
  }
  for (const scene::VectorMember& member : row.vectors) {
    std::array<float, 3> v{member.absent, member.absent, member.absent};
    ASSETC_CHECK(json.floats(member.key, v));
    m.vectors.push_back({member.name, {v[0], v[1], v[2]}});
  }
  for (const scene::TextureMember& member : row.textures) {
    float scale = 1;
    const bool scaled = !member.scale.empty();
    ASSETC_TRY(scene::TextureUse use, read_texture(context, json, member.key, scaled ? &scale : nullptr, "scale"));
    if (use.image == scene::kNone) continue;
    m.textures.push_back({member.name, member.usage, use});
    if (scaled) m.scalars.push_back({member.scale, scale});
  }
  return {};
}

}  // namespace

void read_material_extensions(GltfContext& context, const Value& json, scene::Material& material) {
  for (const scene::MaterialExtension& row : scene::material_extensions()) {
    const auto extension = json.extension(row.name);
    if (!extension) continue;
    const std::size_t warnings = context.out.warnings.size();
    scene::Material with = material;
    const bool whole = read_extension(context, row, *extension, with).has_value();
    if (whole && context.out.warnings.size() == warnings) {
      material = std::move(with);
      continue;
    }
    auto& said = context.out.warnings;
    said.erase(said.begin() + static_cast<std::ptrdiff_t>(warnings), said.end());
    context.unread_extensions.push_back(row.name);
  }
}

bool is_neutral_extension(std::string_view name, const Json& value) {
  const scene::MaterialExtension* row = scene::find_material_extension(name);
  if (row == nullptr || !value.is_object()) return false;
  return std::ranges::all_of(value.members(), [&](const JsonMember& member) {
    const auto is_default = [](const Json& number, float absent) {
      return number.is_number() && static_cast<float>(number.as_number()) == absent;
    };
    const auto scalar = std::ranges::find(row->scalars, member.name, &scene::ScalarMember::key);
    if (scalar != row->scalars.end()) return !scalar->is_optional && is_default(member.value, scalar->absent);
    const auto vector = std::ranges::find(row->vectors, member.name, &scene::VectorMember::key);
    return vector != row->vectors.end() && member.value.is_array() &&
           std::ranges::all_of(member.value.items(), [&](const Json& v) { return is_default(v, vector->absent); });
  });
}

bool is_material_extension(std::string_view name) { return scene::find_material_extension(name) != nullptr; }

}  // namespace assetc::importer
