// Lists extras and extensions that the importer does not read.
#include <algorithm>
#include <array>

#include "import/gltf/parts.hpp"
#include "json/json.hpp"

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
    const Json* node;
    std::size_t next;  // item or member
  };
  std::vector<Frame> stack{{&context.root.node(), 0}};
  const auto place = [&](std::string_view last) {
    std::string pointer;
    for (const Frame& f : stack) {
      // `next` is already past the child of the following frame.
      if (&f == &stack.back()) break;
      const std::size_t child = f.next - 1;
      pointer += "/" + (f.node->is_object() ? pointer_token(f.node->members()[child].name) : std::to_string(child));
    }
    return last.empty() ? pointer : pointer + "/" + pointer_token(last);
  };
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.next == top.node->size()) {
      stack.pop_back();
      continue;
    }
    const std::size_t number = top.next++;
    const bool is_member = top.node->is_object();
    const Json* child = is_member ? &top.node->members()[number].value : &top.node->items()[number];
    if (is_member) {
      const std::string& key = top.node->members()[number].name;
      if (key == "extras") {
        // The names of morph targets, which the scene has.
        if (child->size() == 1 && child->contains("targetNames") && place("").starts_with("/meshes/")) continue;
        if (child->is_null() || (child->is_structured() && child->empty())) continue;
        if (is_of_exporter(*child)) {
          context.keep_minor("extras of an exporter", place(key));
        } else if (place("") == "/asset") {
          context.keep_minor("extras about the file", place(key));  // author, license, source
        } else if (keeps_extras(context, place(""))) {
          context.keep("extras", place(key));
        } else {
          context.drop("extras", place(key));
        }
        continue;
      }
      if (key == "extensions" && child->is_object()) {
        for (const auto& [name, value] : child->members()) {
          const bool of_material = name == "MSFT_lod" && place("").starts_with("/materials/");
          if (is_read_extension(name) && !of_material) continue;
          if (is_neutral_extension(name, value) && place("").starts_with("/materials/")) continue;
          if (has_attributes_of(*top.node, name)) {
            context.drop("extension " + name + ", which cannot do without a dropped attribute", place(""));
          } else {
            drop_extension(context, name, place(""));
          }
        }
        // The lights are objects of their own.
        if (stack.size() == 1 && child->contains("KHR_lights_punctual")) stack.push_back({child, 0});
        continue;
      }
    }
    if (child->is_structured() && !child->empty()) stack.push_back({child, 0});
  }
  const auto count_of = [](const auto& items) { return static_cast<std::uint32_t>(items.size()); };
  add_dropped_cameras(context.out.scene.dropped, "/cameras/0", count_of(context.out.scene.cameras));
  context.keep("lights", "/extensions/KHR_lights_punctual/lights/0", count_of(context.out.scene.lights));
  context.keep("material variants", "/extensions/KHR_materials_variants/variants/0",
               count_of(context.out.scene.variants));
}

}  // namespace assetc::importer
