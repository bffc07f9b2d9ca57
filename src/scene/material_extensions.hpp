// The material extensions of glTF that are kept as named values (Material::scalars, vectors, textures).
#pragma once

#include <span>
#include <string_view>

#include "scene/texture_usage.hpp"

namespace assetc::scene {

// key: the member of the extension. name: that of the value in a Material.
struct ScalarMember {
  std::string_view key, name;
  float absent;              // the value of an absent member
  bool is_optional = false;  // an absent member has no value
};
struct VectorMember {
  std::string_view key, name;
  float absent;  // of each of its three numbers
};
struct TextureMember {
  std::string_view key, name;
  TextureUsage usage;
  std::string_view scale = {};  // the name of the scale of a normal texture
};
struct MaterialExtension {
  std::string_view name;
  std::span<const ScalarMember> scalars;
  std::span<const VectorMember> vectors;
  std::span<const TextureMember> textures;
};

// In the order of names.
std::span<const MaterialExtension> material_extensions();
const MaterialExtension* find_material_extension(std::string_view name);

// The string literal of the table that equals the name of a value; empty if there is none.
std::string_view known_value_name(std::string_view name);
// The usage of a named texture; kColor for an unknown name.
TextureUsage usage_of_named_texture(std::string_view name);

}  // namespace assetc::scene
