// Extras and extensions that the importer does not read, kept as JSON.
#include <algorithm>
#include <array>
#include <set>

#include "import/gltf/parts.hpp"
#include "json/json.hpp"
#include "scene/extension_references.hpp"

namespace assetc::importer {
namespace {

// Whether arrays and objects are nested at most kMaxExtraDepth deep. Text is written recursively.
bool is_shallow(const Json& value) {
  std::vector<const Json*> level{&value}, next;
  for (std::size_t depth = 0; !level.empty(); ++depth) {
    if (depth > scene::kMaxExtraDepth) return false;
    next.clear();
    for (const Json* v : level) {
      for (const Json& item : v->items())
        if (item.is_structured()) next.push_back(&item);
      for (const JsonMember& member : v->members())
        if (member.value.is_structured()) next.push_back(&member.value);
    }
    std::swap(level, next);
  }
  return true;
}

// Whether a value says nothing.
bool is_empty(const Json& value) { return value.is_null() || (value.is_structured() && value.empty()); }

// Marks the objects to which extensions refer. Numbers that the document does not have stay unknown.
class ReferredObjects {
 public:
  explicit ReferredObjects(GltfContext& context) : context_(context) {}

  void add(std::string_view extension, const Json& data) {
    if (!scene::has_reference_rule(extension)) return;
    Json copy = data;
    scene::renumber_references(extension, copy, visitor_);
  }

 private:
  using Kind = scene::ReferenceKind;

  std::uint32_t mark(Kind kind, std::uint32_t number, scene::TextureUsage usage) {
    scene::Scene& scene = context_.out.scene;
    const auto mark_in = [&](auto& items) {
      if (number < items.size()) items[number].referred_as = number;
    };
    if (kind == Kind::kNode || kind == Kind::kDrawingNode) mark_in(scene.nodes);
    if (kind == Kind::kDrawingNode && number < scene.nodes.size()) scene.nodes[number].must_draw = true;
    if (kind == Kind::kMesh) mark_in(scene.meshes);
    if (kind == Kind::kMaterial) mark_in(scene.materials);
    if (kind == Kind::kImage) mark_in(scene.images);
    if (kind == Kind::kClip) mark_in(scene.clips);
    if (kind == Kind::kTexture) add_texture(number, usage);
    return number;
  }

  void add_texture(std::uint32_t number, scene::TextureUsage usage) {
    const auto textures = context_.root.array_or_empty("textures");
    if (!textures || number >= textures->size() || !textures_.insert(number).second) return;
    auto use = read_texture_object(context_, textures->item(number));
    if (use) context_.out.scene.referred_textures.push_back({number, usage, std::move(*use)});
  }

  // All of them may be meant.
  bool mark_all(Kind kind) {
    const scene::Scene& scene = context_.out.scene;
    const std::size_t count = kind == Kind::kNode || kind == Kind::kDrawingNode ? scene.nodes.size()
                              : kind == Kind::kMesh                             ? scene.meshes.size()
                              : kind == Kind::kMaterial                         ? scene.materials.size()
                              : kind == Kind::kClip                             ? scene.clips.size()
                              : kind == Kind::kImage                            ? scene.images.size()
                                                                                : 0;
    if (!all_.insert(kind).second) return true;
    for (std::size_t i = 0; i < count; ++i) mark(kind, static_cast<std::uint32_t>(i), scene::TextureUsage::kAuto);
    return true;
  }

  GltfContext& context_;
  std::set<std::uint32_t> textures_;
  std::set<Kind> all_;
  scene::ReferenceVisitor visitor_{
      [this](Kind kind, std::uint32_t number, scene::TextureUsage usage) { return mark(kind, number, usage); },
      [this](Kind kind) { return mark_all(kind); }, [](std::string_view) { return true; }};
};

class ExtrasReader {
 public:
  explicit ExtrasReader(GltfContext& context) : context_(context), referred_(context) {}

  // The extras and unknown extensions of an object; an empty object if it has none.
  Json members_of(const Value& object) {
    Json out = Json::object();
    if (!object.is_object()) return out;
    const Json& node = object.node();
    if (const Json* extras = node.find("extras"); extras != nullptr && !is_empty(*extras))
      add(out, "extras", *extras, object);
    Json unknown = Json::object();
    const bool is_material = object.pointer().starts_with("/materials/");
    for (const auto& [name, value] : node["extensions"].members()) {
      const bool is_unread = std::ranges::find(context_.unread_extensions, name) != context_.unread_extensions.end();
      const bool is_value = is_material && is_material_extension(name) && !is_unread;
      if (is_value || (is_read_extension(name) && !(is_material && name == "MSFT_lod"))) continue;
      if (has_attributes_of(node, name)) continue;
      add(unknown, name, value, object);
    }
    if (!unknown.empty()) out["extensions"] = std::move(unknown);
    return out;
  }

  scene::ExtraJson text_of(const Value& object) { return text_of(members_of(object)); }
  static scene::ExtraJson text_of(const Json& members) {
    return members.empty() ? scene::ExtraJson() : members.text({.is_sorted = true});
  }

 private:
  void add(Json& to, const std::string& name, const Json& value, const Value& object) {
    if (is_shallow(value)) {
      to[name] = value;
      referred_.add(name, value);
    } else {
      context_.drop("extras nested too deeply", object.place());
    }
  }

  GltfContext& context_;
  ReferredObjects referred_;
};

// Sets the extra of each item of an array of the root.
template <class T>
void read_all(ExtrasReader& reader, const Value& parent, const char* array, std::vector<T>& items) {
  const auto objects = parent.array_or_empty(array);
  if (!objects) return;
  for (std::size_t i = 0; i < std::min(items.size(), objects->size()); ++i)
    items[i].extra = reader.text_of(objects->item(i));
}

}  // namespace

bool is_of_exporter(const Json& extras) {
  // FBX2glTF tells the shading model of FBX materials. Custom properties of users are "userProperties" beside it.
  constexpr std::array<std::string_view, 2> kFromFbx{"shadingModel", "isTruePBR"};
  // Settings of Blender and its add-ons, which custom properties take along; of the exporters for 3ds Max.
  constexpr std::array<std::string_view, 8> kSettings{
      "_RNA_UI",           "cycles",     "cycles_curves", "cycles_visibility",
      "FBXBundleSettings", "blenderkit", "blenderkitUI",  "babylonSeparateCullingPass"};
  const auto is_known = [&](const JsonMember& member) {
    if (member.name == "fromFBX") {
      return member.value.is_object() && std::ranges::all_of(member.value.members(), [&](const JsonMember& m) {
               return std::ranges::find(kFromFbx, m.name) != kFromFbx.end();
             });
    }
    return std::ranges::find(kSettings, member.name) != kSettings.end();
  };
  return extras.is_object() && std::ranges::all_of(extras.members(), is_known);
}

bool has_attributes_of(const Json& primitive, std::string_view extension) {
  const Json* attributes = primitive.find("attributes");
  return attributes != nullptr && std::ranges::any_of(attributes->members(), [&](const JsonMember& member) {
           return member.name.starts_with(extension) && member.name.substr(extension.size()).starts_with(':');
         });
}

bool keeps_extras(const GltfContext& context, std::string_view pointer) {
  if (pointer.empty() || pointer == "/asset") return true;
  if (context.shown_scene != scene::kNone && pointer == "/scenes/" + std::to_string(context.shown_scene)) return true;
  // "/nodes/3", "/meshes/0/primitives/1"
  constexpr std::array<std::string_view, 7> kArrays{"/nodes/",
                                                    "/meshes/",
                                                    "/materials/",
                                                    "/cameras/",
                                                    "/skins/",
                                                    "/animations/",
                                                    "/extensions/KHR_lights_punctual/lights/"};
  for (const std::string_view array : kArrays) {
    if (!pointer.starts_with(array)) continue;
    std::string_view rest = pointer.substr(array.size());
    if (array == "/meshes/") {
      const std::size_t slash = rest.find("/primitives/");
      if (slash != rest.npos) rest.remove_prefix(slash + std::string_view("/primitives/").size());
    }
    return !rest.contains('/');
  }
  return false;
}

void read_extras(GltfContext& context) {
  scene::Scene& scene = context.out.scene;
  ExtrasReader reader(context);
  read_all(reader, context.root, "nodes", scene.nodes);
  read_all(reader, context.root, "materials", scene.materials);
  read_all(reader, context.root, "cameras", scene.cameras);
  read_all(reader, context.root, "skins", scene.skins);
  read_all(reader, context.root, "animations", scene.clips);
  if (const auto lights = context.root.extension("KHR_lights_punctual"))
    read_all(reader, *lights, "lights", scene.lights);
  if (const auto meshes = context.root.array_or_empty("meshes")) {
    for (std::size_t m = 0; m < scene.meshes.size(); ++m) {
      Json members = reader.members_of(meshes->item(m));
      Json primitives = Json::array();
      const auto listed = meshes->item(m).array_or_empty("primitives");
      for (std::size_t p = 0; listed && p < listed->size(); ++p)
        primitives.push_back(reader.members_of(listed->item(p)));
      if (std::ranges::any_of(primitives.items(), [](const Json& p) { return !p.empty(); }))
        members["primitives"] = std::move(primitives);
      scene.meshes[m].extra = ExtrasReader::text_of(members);
    }
  }
  if (const auto scenes = context.root.array_or_empty("scenes"); scenes && context.shown_scene != scene::kNone)
    scene.extra = reader.text_of(scenes->item(context.shown_scene));
  // The members of "asset" and of the root are one object.
  Json document = reader.members_of(context.root);
  if (const auto asset = context.root.find("asset")) {
    Json members = reader.members_of(*asset);
    for (const char* text : {"copyright", "generator"}) {
      if (const auto value = asset->find(text); value && value->text()) members[text] = *value->text();
    }
    if (!members.empty()) document["asset"] = std::move(members);
  }
  scene.asset_extra = ExtrasReader::text_of(document);
}

}  // namespace assetc::importer
