#include "export/glb_references.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <string>
#include <utility>

namespace assetc::exporter {
namespace {

using scene::ReferenceKind;

// A node that must draw has the number of a node.
ReferenceKind array_of(ReferenceKind kind) { return kind == ReferenceKind::kDrawingNode ? ReferenceKind::kNode : kind; }

void each_item(Json& parent, std::string_view array, const std::string& place,
               const std::function<void(Json&, const std::string&)>& f) {
  Json* const items = parent.find(array);
  if (items == nullptr) return;
  for (std::size_t i = 0; i < items->size(); ++i)
    f(items->items()[i], place + "/" + std::string(array) + "/" + std::to_string(i));
}

// The document itself comes first.
void each_object(Json& root, const std::function<void(Json&, const std::string&)>& f) {
  f(root, std::string(kDocumentPlace));
  if (Json* const asset = root.find("asset")) f(*asset, "/asset");
  for (const char* array : {"nodes", "materials", "cameras", "skins", "animations", "scenes"})
    each_item(root, array, {}, f);
  each_item(root, "meshes", {}, [&](Json& mesh, const std::string& place) {
    f(mesh, place);
    each_item(mesh, "primitives", place, f);
  });
  if (Json* const extensions = root.find("extensions")) {
    if (Json* const lights = extensions->find("KHR_lights_punctual"))
      each_item(*lights, "lights", "/extensions/KHR_lights_punctual", f);
  }
}

// An object of the document is written without extensions whose values are those that readers assume. A property that a
// JSON pointer names needs the extension, so it is added.
bool has_property(Json& root, std::string_view pointer, UsedExtensions& used) {
  constexpr std::string_view kAssumed[] = {"KHR_node_visibility", "KHR_texture_transform"};
  // It is written as a color and a strength, but not always those of the source.
  if (pointer.contains("/KHR_materials_emissive_strength/")) return false;
  Json* object = &root;
  bool is_in_extensions = false;
  while (pointer.starts_with('/')) {
    pointer.remove_prefix(1);
    const std::string_view segment = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(segment.size());
    if (segment == "emissiveFactor") {
      const Json* const extensions = object->find("extensions");
      return extensions == nullptr || !extensions->contains("KHR_materials_emissive_strength");
    }
    if (object->is_array()) {
      std::size_t i = 0;
      const auto [end, error] = std::from_chars(segment.data(), segment.data() + segment.size(), i);
      if (error != std::errc() || end != segment.data() + segment.size() || i >= object->size()) return true;
      object = &object->items()[i];
      continue;
    }
    Json* member = object->find(segment);
    const bool is_assumed = std::ranges::find(kAssumed, segment) != std::end(kAssumed);
    if (member == nullptr && ((is_in_extensions && is_assumed) || segment == "extensions")) {
      if (segment == "extensions" && std::ranges::none_of(kAssumed, [&](std::string_view name) {
            return pointer.starts_with("/" + std::string(name) + "/");
          }))
        return true;
      if (is_in_extensions) used.names.insert(std::string(segment));
      object->add(std::string(segment), Json::object());
      member = object->find(segment);
    }
    if (member == nullptr) return true;
    is_in_extensions = segment == "extensions";
    object = member;
  }
  return true;
}

}  // namespace

std::uint32_t NewNumbers::find(ReferenceKind kind, std::uint32_t number) const {
  const auto of_kind = numbers_.find(array_of(kind));
  if (of_kind == numbers_.end()) return scene::kNone;
  const auto found = of_kind->second.find(number);
  return found == of_kind->second.end() ? scene::kNone : found->second;
}

bool NewNumbers::are_unmoved(ReferenceKind kind) const {
  const auto of_kind = numbers_.find(array_of(kind));
  return of_kind == numbers_.end() ||
         std::ranges::all_of(of_kind->second, [](const auto& number) { return number.first == number.second; });
}

void resolve_extensions(Json& root, const NewNumbers& numbers, UsedExtensions& used) {
  const auto is_concerned = [&](const std::string& name) {
    return scene::has_reference_rule(name) || used.omitted_of_document.contains(name);
  };
  if (std::ranges::none_of(used.names, is_concerned)) return;
  const scene::ReferenceVisitor visitor{
      [&](ReferenceKind kind, std::uint32_t number, scene::TextureUsage) { return numbers.find(kind, number); },
      [&](ReferenceKind kind) { return numbers.are_unmoved(kind); },
      [&](std::string_view pointer) { return has_property(root, pointer, used); }};
  std::set<std::string> kept;
  each_object(root, [&](Json& object, const std::string& place) {
    Json* const extensions = object.find("extensions");
    if (extensions == nullptr) return;
    std::vector<std::string> omitted;
    for (JsonMember& extension : extensions->members()) {
      if (!is_concerned(extension.name)) continue;
      if (used.omitted_of_document.contains(extension.name) ||
          !scene::renumber_references(extension.name, extension.value, visitor)) {
        omitted.push_back(extension.name);
        omit_extension(extension.name, place, used);
      } else {
        kept.insert(extension.name);
      }
    }
    for (const std::string& name : omitted) extensions->erase(name);
    if (extensions->empty()) object.erase("extensions");
  });
  std::erase_if(used.names, [&](const std::string& name) { return is_concerned(name) && !kept.contains(name); });
}

}  // namespace assetc::exporter
