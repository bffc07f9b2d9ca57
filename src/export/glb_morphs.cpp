#include "export/glb_morphs.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace assetc::exporter {

using scene::MorphTarget;

namespace {

// An accessor without a buffer view: all values are 0, and it takes no bytes.
std::size_t add_zeros(GlbDocument& document, const std::string& attribute, std::size_t vertex_count) {
  const bool pair = attribute.starts_with("TEXCOORD_"), quad = attribute.starts_with("COLOR_");
  Json accessor = {{"componentType", kFloat},
                   {"count", vertex_count},
                   {"type", pair   ? "VEC2"
                            : quad ? "VEC4"
                                   : "VEC3"}};
  if (attribute == "POSITION") {
    accessor["min"] = Json::array({0, 0, 0});
    accessor["max"] = Json::array({0, 0, 0});
  }
  return document.add_accessor(std::move(accessor));
}

// The offsets of the moved vertices as a sparse accessor over zeros, or as a dense one if most vertices move.
template <class V>
std::size_t add_offsets(GlbDocument& document, const std::vector<std::uint32_t>& vertices, const std::vector<V>& values,
                        std::string_view type, std::size_t vertex_count) {
  constexpr std::size_t kDenseShare = 2;
  if (vertices.size() * kDenseShare >= vertex_count) {
    std::vector<V> dense(vertex_count);
    for (std::size_t i = 0; i < vertices.size(); ++i) dense[vertices[i]] = values[i];
    return document.add_accessor(std::span<const V>(dense), type, kFloat, kArrayBuffer);
  }
  Json accessor = {{"componentType", kFloat}, {"count", vertex_count}, {"type", type}};
  accessor["sparse"] = {
      {"count", vertices.size()},
      {"indices",
       {{"bufferView", document.add_view(std::as_bytes(std::span(vertices)))}, {"componentType", kUnsignedInt}}},
      {"values", {{"bufferView", document.add_view(std::as_bytes(std::span(values)))}}}};
  return document.add_accessor(std::move(accessor));
}

Json write_target(GlbDocument& document, const MorphTarget& target, std::size_t vertex_count) {
  Json out = Json::object();
  const auto add = [&](const std::string& name, const auto& values, std::string_view type) {
    if (values.empty()) return;
    out[name] = add_offsets(document, target.vertices, values, type, vertex_count);
  };
  add("POSITION", target.positions, "VEC3");
  add("NORMAL", target.normals, "VEC3");
  add("TANGENT", target.tangents, "VEC3");
  for (std::size_t s = 0; s < target.texcoords.size(); ++s)
    add("TEXCOORD_" + std::to_string(s), target.texcoords[s], "VEC2");
  for (std::size_t s = 0; s < target.colors.size(); ++s) add("COLOR_" + std::to_string(s), target.colors[s], "VEC4");
  if (target.positions.empty()) return out;
  const auto number = out["POSITION"].as_uint();
  document.add_bounds(number, {&target.positions[0].x, target.positions.size() * 3}, 3);
  for (std::size_t axis = 0; axis < 3 && target.vertices.size() < vertex_count; ++axis) {
    Json &low = document.root()["accessors"][number]["min"][axis],
         &high = document.root()["accessors"][number]["max"][axis];
    low = std::min(static_cast<float>(low.as_number()), 0.0f);
    high = std::max(static_cast<float>(high.as_number()), 0.0f);
  }
  return out;
}

}  // namespace

Json add_targets(GlbDocument& document, const std::vector<MorphTarget>& targets, std::size_t vertex_count) {
  Json out = Json::array();
  for (const MorphTarget& target : targets) out.push_back(write_target(document, target, vertex_count));
  std::set<std::string> names;
  for (const Json& target : out.items()) {
    for (const JsonMember& attribute : target.members()) names.insert(attribute.name);
  }
  if (names.empty()) names.insert("POSITION");
  for (Json& target : out.items()) {
    for (const std::string& name : names) {
      if (!target.contains(name)) target[name] = add_zeros(document, name, vertex_count);
    }
  }
  return out;
}

}  // namespace assetc::exporter
