// Lists extras and extensions that the importer does not read.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "import/gltf_parts.hpp"

namespace assetc::importer {
namespace {

constexpr std::array<std::string_view, 16> kRead{"KHR_animation_pointer",
                                                 "EXT_mesh_gpu_instancing",
                                                 "EXT_meshopt_compression",
                                                 "EXT_texture_webp",
                                                 "KHR_draco_mesh_compression",
                                                 "KHR_mesh_quantization",
                                                 "KHR_materials_emissive_strength",
                                                 "KHR_materials_unlit",
                                                 "KHR_meshopt_compression",
                                                 "KHR_materials_pbrSpecularGlossiness",
                                                 "KHR_texture_basisu",
                                                 "KHR_texture_transform",
                                                 "MSFT_lod",
                                                 "KHR_lights_punctual",
                                                 "KHR_materials_variants",
                                                 "KHR_node_visibility"};

// Extensions that change the look or behavior of a model, but not its geometry. A file may require them. Their data is
// dropped with a warning, like all data that the formats cannot hold.
constexpr std::array<std::string_view, 8> kDroppable{
    "EXT_lights_ies",    "EXT_lights_image_based", "EXT_mesh_features", "EXT_structural_metadata",
    "KHR_interactivity", "KHR_node_hoverability",  "KHR_xmp_json_ld",   "KHR_node_selectability"};

bool is_droppable(std::string_view name) {
  return name.starts_with("KHR_materials_") || std::ranges::find(kDroppable, name) != kDroppable.end();
}

// Records an extension as dropped. If a material extension was read, the scene holds it, and only writers that cannot
// store it report it.
void drop_extension(GltfContext& context, const std::string& name, const std::string& where) {
  const bool is_value = is_material_extension(name) && where.starts_with("/materials/") &&
                        std::ranges::find(context.unread_extensions, name) == context.unread_extensions.end();
  if (!is_value && keeps_extras(context, where)) return context.keep("extension " + name, where);
  context.drop("extension " + name, where);
  auto& dropped = context.out.scene.dropped;
  const auto entry = std::ranges::find_if(
      dropped, [&](const scene::Dropped& d) { return d.what == "extension " + name && !d.is_in_scene; });
  entry->is_in_materials = is_value && (entry->count == 1 || entry->is_in_materials);
}

}  // namespace

bool is_read_extension(std::string_view name) { return std::ranges::find(kRead, name) != kRead.end(); }

Result<void> check_extensions(GltfContext& context) {
  ASSETC_TRY(const Value required, context.root.array_or_empty("extensionsRequired"));
  for (std::size_t i = 0; i < required.size(); ++i) {
    ASSETC_TRY(const std::string name, required.item(i).as_string());
    if (is_read_extension(name) || is_droppable(name)) continue;
    return required.item(i).refuse(ErrorCode::kUnsupported,
                                   "the file requires the extension " + name + ", which assetc does not read",
                                   "export without it, or as an optional extension");
  }
  return {};
}

void report_unread(GltfContext& context) {
  // Walks the document with an explicit stack, because the file decides the depth of nesting.
  struct Frame {
    const nlohmann::json* node;
    nlohmann::json::const_iterator next;
  };
  std::vector<Frame> stack;
  const nlohmann::json& root = context.root.node();
  stack.push_back({&root, root.begin()});
  const auto place = [&](std::string_view last) {
    std::string pointer;
    for (const Frame& f : stack) {
      // `next` is already past the child of the following frame.
      if (&f == &stack.back()) break;
      const auto child = std::prev(f.next);
      pointer += "/" + (f.node->is_object() ? pointer_token(child.key()) : std::to_string(child - f.node->begin()));
    }
    return last.empty() ? pointer : pointer + "/" + pointer_token(last);
  };
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.next == top.node->end()) {
      stack.pop_back();
      continue;
    }
    const auto child = top.next++;
    if (top.node->is_object()) {
      const std::string& key = child.key();
      if (key == "extras") {
        // The names of morph targets, which the scene has.
        if (child->size() == 1 && child->contains("targetNames") && place("").starts_with("/meshes/")) continue;
        if (child->empty()) continue;
        if (keeps_extras(context, place(""))) {
          context.keep("extras", place(key));
        } else {
          context.drop("extras", place(key));
        }
        continue;
      }
      if (key == "extensions" && child->is_object()) {
        for (auto e = child->begin(); e != child->end(); ++e) {
          const bool of_material = e.key() == "MSFT_lod" && place("").starts_with("/materials/");
          if (is_read_extension(e.key()) && !of_material) continue;
          drop_extension(context, e.key(), place(""));
        }
        // The lights are objects of their own.
        if (stack.size() == 1 && child->contains("KHR_lights_punctual")) stack.push_back({&*child, child->begin()});
        continue;
      }
    }
    if (child->is_structured() && !child->empty()) stack.push_back({&*child, child->begin()});
  }
  const auto count_of = [](const auto& items) { return static_cast<std::uint32_t>(items.size()); };
  context.keep("cameras", "/cameras/0", count_of(context.out.scene.cameras));
  context.keep("lights", "/extensions/KHR_lights_punctual/lights/0", count_of(context.out.scene.lights));
  context.keep("material variants", "/extensions/KHR_materials_variants/variants/0",
               count_of(context.out.scene.variants));
}

}  // namespace assetc::importer
