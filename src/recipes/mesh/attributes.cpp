// Chooses the vertex attributes that the output keeps.
#include <algorithm>
#include <map>

#include "mesh/channels.hpp"
#include "recipes/mesh/parts.hpp"

namespace assetc::recipes {
namespace {

using scene::Primitive;
using scene::TextureUse;
using scene::Vec2;
using scene::Vec4;

// Whether a texture of the material reads a set in another way than the texture coordinates that every vertex has.
bool is_used(const MeshSource& source, std::uint32_t material, const ChosenTexcoords& chosen, std::uint32_t set) {
  if (material == scene::kNone) return false;
  const scene::Material& m = source.scene.materials[material];
  bool is_read = false;
  scene::for_each_texture(m, [&](std::string_view, TextureUsage, const TextureUse& use) {
    if (use.image == scene::kNone || use.texcoord != set) return;
    is_read = is_read || source.raw_texcoords || set != chosen.set || !(use.transform == chosen.transform);
  });
  return is_read;
}

class Keeper {
 public:
  Keeper(const MeshSource& source, const Primitive& primitive, const ChosenTexcoords& chosen,
         mesh::SubmeshInput& submesh, MeshReport& report)
      : source_(source), primitive_(primitive), chosen_(chosen), submesh_(submesh), report_(report) {}

  void run() {
    if (source_.keeps_attributes) {
      keep_numbered_texcoords();
      keep_colors(true);
    } else if (source_.keeps_channels) {
      keep_channels();
      keep_colors(false);
    } else {
      report_lost();
      return;
    }
    for (const scene::CustomAttribute& custom : primitive_.custom) {
      if (keeps(custom.name, false)) submesh_.custom.push_back(&custom);
    }
  }

 private:
  // used: whether `auto` keeps the attribute.
  bool keeps(const std::string& name, bool used) {
    if (source_.attributes.mode != AttributeSelection::Mode::kAuto) return source_.attributes.keeps(name);
    if (!used) {
      report_.leave_out(name, source_.is_gltf() ? submesh_.place + "/attributes/" + name : submesh_.place);
    }
    return used;
  }

  // The set that every vertex has comes first. It is not stored twice if it is also the primitive's first set.
  void keep_channels() {
    if (!submesh_.texcoords.empty()) submesh_.texcoord_sets.push_back(submesh_.texcoords);
    for (std::size_t s = 0; s < primitive_.texcoords.size(); ++s) {
      const std::vector<Vec2>& set = primitive_.texcoords[s];
      const bool is_first = s == 0 && submesh_.texcoords.data() == set.data();
      if (!set.empty() && !is_first && keeps("TEXCOORD_" + std::to_string(s), true))
        submesh_.texcoord_sets.push_back(set);
    }
  }

  void keep_numbered_texcoords() {
    std::vector<mesh::Stream<Vec2>> sets(1, submesh_.texcoords);
    if (source_.raw_texcoords) {
      sets[0] = {};
      if (!primitive_.texcoords.empty()) sets[0] = primitive_.texcoords[0];
    }
    for (std::size_t s = 0; s < primitive_.texcoords.size(); ++s) {
      const std::vector<Vec2>& set = primitive_.texcoords[s];
      if (set.empty() || set.data() == sets[0].data()) continue;
      const bool used = is_used(source_, submesh_.material_slot, chosen_, static_cast<std::uint32_t>(s));
      // If the chosen set is stored with its transform, its other form is not missing.
      const bool is_chosen = !source_.raw_texcoords && s == chosen_.set;
      if (is_chosen && !used && source_.attributes.mode == AttributeSelection::Mode::kAuto) continue;
      if (!keeps("TEXCOORD_" + std::to_string(s), used)) continue;
      sets.resize(std::max(sets.size(), s + 2));
      sets[s + 1] = set;
    }
    if (sets.size() > 1 || source_.raw_texcoords) submesh_.texcoord_sets = std::move(sets);
  }

  void keep_colors(bool numbered) {
    for (std::size_t s = 0; s < primitive_.colors.size(); ++s) {
      const std::vector<Vec4>& set = primitive_.colors[s];
      // glTF multiplies the first set into the base color.
      if (set.empty() || !keeps("COLOR_" + std::to_string(s), s == 0 || !numbered)) continue;
      if (numbered) submesh_.color_sets.resize(s);
      submesh_.color_sets.emplace_back(set);
    }
  }

  void report_lost() {
    const auto sets = [](const auto& all) {
      return static_cast<std::uint32_t>(std::ranges::count_if(all, [](const auto& s) { return !s.empty(); }));
    };
    if (const std::uint32_t count = sets(primitive_.texcoords); count > 1)
      report_.drop("further texture coordinate sets", submesh_.place, count - 1);
    report_.drop("vertex color sets", submesh_.place, sets(primitive_.colors));
    for (const scene::CustomAttribute& custom : primitive_.custom)
      report_.drop("attribute " + custom.name, submesh_.place);
  }

  const MeshSource& source_;
  const Primitive& primitive_;
  const ChosenTexcoords& chosen_;
  mesh::SubmeshInput& submesh_;
  MeshReport& report_;
};

}  // namespace

void keep_attributes(const MeshSource& source, const Primitive& primitive, const ChosenTexcoords& chosen,
                     mesh::SubmeshInput& submesh, MeshReport& report) {
  Keeper(source, primitive, chosen, submesh, report).run();
}

void drop_unlike_custom(std::span<mesh::SubmeshInput> submeshes, MeshReport& report) {
  std::map<std::string_view, const scene::CustomAttribute*> firsts;
  const auto drop = [&](mesh::SubmeshInput& s) {
    std::erase_if(s.custom, [&](const scene::CustomAttribute* custom) {
      const scene::CustomAttribute& first = *firsts.try_emplace(custom->name, custom).first->second;
      if (mesh::same_form(first, *custom)) return false;
      report.drop("attribute " + custom->name + " of another type than in an earlier primitive", s.place);
      return true;
    });
  };
  for (mesh::SubmeshInput& s : submeshes) {
    drop(s);
    for (mesh::SubmeshInput& level : s.levels) drop(level);
  }
}

}  // namespace assetc::recipes
