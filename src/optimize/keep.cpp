#include "optimize/keep.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "assetc/base/hash.hpp"
#include "base/plural.hpp"
#include "json/json.hpp"

namespace assetc::optimize {
namespace {

using scene::kNone;

constexpr std::array<std::pair<std::string_view, bool Keep::*>, 4> kParts{
    {{"names", &Keep::names}, {"nodes", &Keep::nodes}, {"extras", &Keep::extras}, {"materials", &Keep::materials}}};

void note(std::vector<Error>& notes, std::string what) {
  notes.push_back({ErrorCode::kUnsupported, {}, {}, std::move(what), {}});
}

bool clear_name(std::string& name) {
  const bool had = !name.empty();
  name.clear();
  return had;
}

// Returns whether there were extras.
bool strip_extras(Json& object) {
  bool had = object.erase("extras");
  for (const char* part : {"asset", "primitives"}) {
    Json* inner = object.find(part);
    if (inner == nullptr) continue;
    if (inner->is_object()) had |= strip_extras(*inner);
    bool is_empty = !inner->is_structured() ? inner->is_null() : inner->empty();
    if (inner->is_array()) {
      is_empty = true;
      for (Json& item : inner->items()) {
        if (item.is_object()) had |= strip_extras(item);
        is_empty = is_empty && (item.is_null() || (item.is_structured() && item.empty()));
      }
    }
    if (is_empty) object.erase(part);
  }
  return had;
}

bool strip_extras(scene::ExtraJson& text) {
  if (!text.contains("\"extras\"")) return false;
  Json object = Json::parse(text, JsonOrder::kByName).value_or(Json());
  if (!object.is_object() || !strip_extras(object)) return false;
  text = object.empty() ? std::string() : object.text();
  return true;
}

// The bytes of a material's values: equal if the materials are, but for the name.
class MaterialKey {
 public:
  explicit MaterialKey(const scene::Material& m) {
    add(m.base_color), add(m.emissive), add(m.metallic), add(m.roughness), add(m.normal_scale);
    add(m.occlusion_strength), add(m.alpha_cutoff), add(m.alpha_mode), add(m.double_sided), add(m.unlit);
    for (const scene::TextureUse* use : {&m.base_color_texture, &m.metallic_roughness_texture, &m.normal_texture,
                                         &m.occlusion_texture, &m.emissive_texture})
      add_use(*use);
    for (const scene::NamedScalar& s : m.scalars) add_text(s.name), add(s.value);
    add_text("vectors");
    for (const scene::NamedVector& v : m.vectors) add_text(v.name), add(v.value);
    add_text("textures");
    for (const scene::NamedTexture& t : m.textures) add_text(t.name), add_use(t.use);
    text_ += m.extra;
  }
  std::string take() { return std::move(text_); }

 private:
  template <class T>
  void add(const T& value) {
    text_.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  void add_text(std::string_view text) { text_.append(text).push_back('\0'); }
  void add_use(const scene::TextureUse& use) {
    const scene::Sampler& s = use.sampler;
    add(use.image), add(use.texcoord), add(s.wrap_u), add(s.wrap_v), add(s.mag), add(s.min), add(s.mip);
    add(use.transform.offset), add(use.transform.rotation), add(use.transform.scale);
  }
  std::string text_;
};

}  // namespace

Result<Keep> parse_keep(std::string_view text) {
  if (text == "all") return Keep{};
  Keep keep{false, false, false, false};
  if (text == "none") return keep;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const auto part = std::ranges::find(kParts, word, [](const auto& p) { return p.first; });
    if (part == kParts.end()) {
      return fail(ErrorCode::kUsage, "found \"" + std::string(word) + "\", expected names, nodes, extras or materials",
                  "give a list such as names,extras, or all or none");
    }
    keep.*(part->second) = true;
    at = end + 1;
  }
  return keep;
}

std::string to_string(const Keep& keep) {
  std::string out;
  for (const auto& [word, member] : kParts) {
    if (!(keep.*member)) continue;
    if (!out.empty()) out += ',';
    out += word;
  }
  return out.empty() ? "none" : out;
}

void remove_extras(scene::Scene& scene, std::vector<Error>& notes) {
  std::size_t count = 0;
  const auto each = [&](auto& items) {
    for (auto& item : items) count += strip_extras(item.extra) ? 1 : 0;
  };
  each(scene.meshes), each(scene.nodes), each(scene.materials), each(scene.skins), each(scene.clips);
  each(scene.cameras), each(scene.lights);
  count += strip_extras(scene.extra) ? 1 : 0;
  count += strip_extras(scene.asset_extra) ? 1 : 0;
  if (count != 0) note(notes, "left out the extras of " + plural(count, "object"));
}

void remove_names(scene::Scene& scene, std::vector<Error>& notes) {
  std::size_t count = 0;
  const auto each = [&](auto& items) {
    for (auto& item : items) count += clear_name(item.name) ? 1 : 0;
  };
  for (scene::Mesh& m : scene.meshes) {
    each(m.primitives);
    count += m.morph_names.size();
    m.morph_names.clear();
  }
  each(scene.meshes), each(scene.nodes), each(scene.materials), each(scene.skins);
  each(scene.cameras), each(scene.lights), each(scene.images);
  count += clear_name(scene.name) ? 1 : 0;
  if (count != 0) note(notes, "left out " + plural(count, "name"));
}

void merge_materials(scene::Scene& scene, std::vector<Error>& notes) {
  std::map<std::string, std::uint32_t> known;
  std::vector<std::uint32_t> number(scene.materials.size());
  std::vector<scene::Material> kept;
  for (std::size_t m = 0; m < scene.materials.size(); ++m) {
    const auto next = static_cast<std::uint32_t>(kept.size());
    const bool is_referred = scene.materials[m].referred_as != kNone;
    number[m] = is_referred ? next : known.try_emplace(MaterialKey(scene.materials[m]).take(), next).first->second;
    if (number[m] == next) kept.push_back(std::move(scene.materials[m]));
  }
  if (kept.size() == number.size()) {
    scene.materials = std::move(kept);
    return;
  }
  note(notes,
       "merged " + plural(number.size() - kept.size(), "material") + " into others that differ only in their name");
  scene.materials = std::move(kept);
  for (scene::Mesh& mesh : scene.meshes) {
    for (scene::Primitive& p : mesh.primitives) {
      if (p.material != kNone) p.material = number[p.material];
      for (scene::VariantMaterial& v : p.variant_materials) v.material = number[v.material];
    }
  }
}

}  // namespace assetc::optimize
