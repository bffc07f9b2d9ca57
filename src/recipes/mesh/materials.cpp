#include <algorithm>
#include <charconv>
#include <map>

#include "assetc/base/hash.hpp"
#include "base/ascii.hpp"
#include "base/plural.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/mesh/parts.hpp"
#include "recipes/mesh/pictures.hpp"
#include "recipes/texture/usage.hpp"

namespace assetc::recipes {
namespace {

using scene::Material;
using scene::TextureUse;

struct ImageUse {
  std::uint32_t image = scene::kNone;
  TextureUsage mode = TextureUsage::kColor;
  std::string stem;
  bool clamp = false;
  bool only_masked = true;  // every use is the base color of a material with alpha mode MASK and this cutoff
  float alpha_cutoff = 0;
};

bool clamps(const TextureUse& use) {
  return use.sampler.wrap_u == scene::Wrap::kClamp && use.sampler.wrap_v == scene::Wrap::kClamp;
}

// A slot of a material, core or named, and the image in it.
struct UsedSlot {
  const TextureUse& use;
  TextureUsage mode;
  std::string name;
  bool is_base_color;
};

// Records a use of an image and returns its number. If an image is used in a second mode, it becomes a
// second texture.
Result<std::size_t> note_use(std::vector<ImageUse>& uses, const MeshSource& source, std::uint32_t material,
                             const UsedSlot& slot, const Step& step, Inputs& inputs, MeshReport& report) {
  const Material& m = source.scene.materials[material];
  const TextureUse& use = slot.use;
  const bool masked = slot.is_base_color && m.alpha_mode == scene::AlphaMode::kMask;
  const bool clamp = clamps(use);
  const auto same = std::ranges::find_if(
      uses, [&](const ImageUse& known) { return known.image == use.image && known.mode == slot.mode; });
  if (same != uses.end()) {
    same->only_masked = same->only_masked && masked && same->alpha_cutoff == m.alpha_cutoff;
    same->clamp = same->clamp && clamp;
    return static_cast<std::size_t>(same - uses.begin());
  }
  const Naming& naming = step.containers->naming;
  ASSETC_TRY(std::string name, naming.image(source.scene, use.image, step, inputs));
  report.check_name(source.material_place(material), source.scene.images[use.image].name, slot.mode,
                    "the " + slot.name + " texture");
  if (source.is_gltf() && slot_params(source.scene.images[use.image].path, slot.mode).contains(kYDownParam)) {
    report.warn(WarningKind::kMisnamedPicture, source.material_place(material),
                "\"" + source.scene.images[use.image].name +
                    "\" is named as a normal map with Y down (DirectX), so its Y "
                    "is turned up; glTF says that Y is up",
                "if its Y is up, set texture.normal_y: opengl in a rule for the model, or rename the picture");
  }
  if (const auto first = std::ranges::find(uses, use.image, &ImageUse::image); first != uses.end()) {
    report.warn(WarningKind::kMixedUses, source.material_place(material),
                "its " + slot.name + " texture is image " + std::to_string(use.image) + " (" +
                    source.scene.images[use.image].name + "), compiled as " + std::string(to_string(slot.mode)) +
                    " for it and as " + std::string(to_string(first->mode)) + " for another use",
                "it is stored once for each use; if one use is a mistake, give each use its own image");
    name = naming.image_in_mode(name, slot.mode);
  }
  uses.push_back({use.image, slot.mode, std::move(name), clamp, masked, m.alpha_cutoff});
  return uses.size() - 1;
}

Step texture_step(const MeshSource& source, const ImageUse& use, const Step& parent) {
  const scene::ImageSource& image = source.scene.images[use.image];
  Step step;
  step.recipe = find_recipe("texture");
  step.source = parent.source + " image " + std::to_string(use.image) + " (" + image.name + ")";
  step.input_path = image.path;
  step.inline_input = image.inline_bytes;
  step.stem = use.stem;
  step.params = slot_params(image.path, use.mode);
  const bool is_shared = parent.containers->naming.shares_pictures && !image.path.empty();
  if (use.clamp && !is_shared) step.pins.emplace("texture.wrap", "clamp");
  if (use.only_masked) {
    char text[32];
    step.params.emplace("alpha_cutoff",
                        std::string(text, std::to_chars(text, text + sizeof text, use.alpha_cutoff).ptr));
  }
  step.listed = true;
  return step;
}

// Removes what a texture that is left out would have limited to parts of the surface: the factor alone would make all
// of it emit light, or metallic.
void remove_factor(const MaterialSlot& slot, Material& material) {
  if (slot.use == &Material::emissive_texture) material.emissive = {};
  if (slot.use == &Material::metallic_roughness_texture) material.metallic = 0;
}

// The name of each material in refs: its name in lower case, or its number if the name is empty or not unique.
std::vector<std::string> material_leaves(const scene::Scene& scene) {
  std::vector<std::string> leaves;
  leaves.reserve(scene.materials.size());
  for (const Material& m : scene.materials) leaves.push_back(ascii_lower(m.name));
  std::vector<std::string> sorted = leaves;
  std::ranges::sort(sorted);
  for (std::size_t m = 0; m < leaves.size(); ++m) {
    if (leaves[m].empty() || std::ranges::equal_range(sorted, leaves[m]).size() != 1)
      leaves[m] = "material_" + std::to_string(m);
  }
  return leaves;
}

// Warns, in one message for the whole table, of materials whose ref is not their name, and of two materials with the
// same ref.
void warn_of_shared_names(const MeshSource& source, const MaterialTable& table, MeshReport& report) {
  const std::vector<std::string> leaves = material_leaves(source.scene);
  const auto named = [&](std::uint32_t m) { return ascii_lower(source.scene.materials[m].name) == leaves[m]; };
  std::map<std::string_view, std::uint32_t> first;  // the first material with each leaf
  std::vector<std::uint32_t> shared;
  for (const std::uint32_t m : table.sources) {
    const auto [at, added] = first.emplace(leaves[m], m);
    if (!added) {
      report.warn(WarningKind::kSharedMaterialName, source.material_place(m),
                  "it has the same ref as material " + std::to_string(at->second) + ", " + leaves[m],
                  "give each material a unique name");
    } else if (!source.scene.materials[m].name.empty() && !named(m)) {
      shared.push_back(m);
    }
  }
  if (shared.empty()) return;
  const Material& one = source.scene.materials[shared.front()];
  const std::string others =
      shared.size() == 1 ? "" : "; the same is true of " + plural(shared.size() - 1, "other material");
  report.warn(WarningKind::kSharedMaterialName, source.material_place(shared.front()),
              "another material has the same name \"" + one.name + "\", ignoring letter case, so its ref is " +
                  leaves[shared.front()] + others,
              "give each material a unique name");
}

// Warns if a material file has the same ref as a material of the model: engines that look for one may find the other.
void warn_of_material_files(const MeshSource& source, const MaterialTable& table, std::string_view stem, Inputs& inputs,
                            MeshReport& report) {
  const std::vector<std::string> leaves = material_leaves(source.scene);
  for (const std::uint32_t m : table.sources) {
    const std::string_view name = source.scene.materials[m].name;
    for (const std::string_view leaf : {std::string_view(leaves[m]), name}) {
      const std::string path = std::string(stem).append("/").append(leaf).append(".mat");
      if (ascii_lower(leaf) != leaves[m] || !inputs.exists(path)) continue;
      report.warn(WarningKind::kSharedMaterialName, source.material_place(m),
                  "it has the same ref as " + path + ", " + std::string(stem) + "/" + leaves[m],
                  "rename the material or the file");
      break;
    }
  }
}

}  // namespace

void warn_of_material_refs(const MeshSource& source, const MaterialTable& table, std::string_view stem, Inputs& inputs,
                           MeshReport& report) {
  warn_of_shared_names(source, table, report);
  warn_of_material_files(source, table, stem, inputs, report);
}

std::vector<std::uint64_t> source_material_hashes(const scene::Scene& scene, std::string_view stem) {
  std::vector<std::uint64_t> hashes;
  for (const std::string& leaf : material_leaves(scene))
    hashes.push_back(hash_asset_ref(std::string(stem) + "/" + leaf));
  return hashes;
}

MaterialTable build_material_table(const MeshSource& source, std::span<const mesh::SubmeshInput> submeshes,
                                   std::string_view stem) {
  const auto& materials = source.scene.materials;
  MaterialTable table;
  table.slot_of_material.assign(materials.size(), hmesh::kNoMaterial);
  for (const mesh::SubmeshInput& s : submeshes) {
    if (s.material_slot == scene::kNone || table.slot_of_material[s.material_slot] != hmesh::kNoMaterial) continue;
    table.slot_of_material[s.material_slot] = static_cast<std::uint32_t>(table.sources.size());
    table.sources.push_back(s.material_slot);
  }
  const std::vector<std::uint64_t> hashes = source_material_hashes(source.scene, stem);
  for (std::uint32_t material : table.sources) table.hashes.push_back(hashes[material]);
  return table;
}

MaterialTable scene_table_of(const MeshSource& source, MaterialTable flat, std::string_view stem) {
  const std::vector<std::uint64_t> hashes = source_material_hashes(source.scene, stem);
  for (std::uint32_t m = 0; m < source.scene.materials.size(); ++m) {
    if (flat.slot_of_material[m] != hmesh::kNoMaterial) continue;
    flat.slot_of_material[m] = static_cast<std::uint32_t>(flat.sources.size());
    flat.sources.push_back(m);
    flat.hashes.push_back(hashes[m]);
  }
  return flat;
}

// The textures of materials. All uses of a picture are known before its texture has a name, because they decide how it
// is made.
class MaterialBuilder::Textures {
 public:
  Textures(const MeshSource& source, const Step& step, Inputs& inputs, MeshReport& report)
      : source_(source), step_(step), inputs_(inputs), report_(report) {}

  // number: of the slot among all slots of the material, core and named.
  Result<void> use(std::uint32_t material, std::size_t number, const UsedSlot& slot) {
    const auto [known, is_new] = use_of_slot_.try_emplace({material, number});
    if (is_new) {
      ASSETC_TRY(known->second, find(material, slot));
    }
    return {};
  }
  // Names the textures of all uses.
  Result<void> name() {
    for (const ImageUse& use : uses_) {
      Step step = texture_step(source_, use, step_);
      ASSETC_TRY(const TextureMaker maker, inputs_.share(step));
      refs_.push_back(step_.containers->naming.ref_of_step(step.stem, inputs_));
      if (maker == TextureMaker::kSource) {
        if (std::ranges::find(references_, step.stem) == references_.end()) references_.push_back(step.stem);
      } else if (std::ranges::find(steps_, step.stem, &Step::stem) == steps_.end()) {
        steps_.push_back(std::move(step));
      }
    }
    return {};
  }
  // Empty if the slot has no image, or its image is missing. Call after name().
  TextureRef ref_of(std::uint32_t material, std::size_t number) const {
    const std::optional<std::size_t> use = use_of_slot_.at({material, number});
    return use ? refs_[*use] : TextureRef{};
  }
  std::vector<Step>& steps() { return steps_; }
  std::vector<std::string>& references() { return references_; }

 private:
  Result<std::optional<std::size_t>> find(std::uint32_t material, const UsedSlot& slot) {
    const std::uint32_t image = slot.use.image;
    if (image == scene::kNone) return std::nullopt;
    const scene::ImageSource& from = source_.scene.images[image];
    // An image without pixels: the importer has warned.
    if (from.path.empty() && from.inline_bytes.empty()) return std::nullopt;
    if (from.path.empty() || inputs_.exists(from.path))
      return note_use(uses_, source_, material, slot, step_, inputs_, report_);
    const SameNames found = same_names_of(from.path, step_, inputs_);
    std::string what = "the image file \"" + from.path + "\" is not there";
    if (source_.is_gltf()) {
      if (!found.exact.empty()) what += "; a file of that name is " + found.exact.front();
      return fail_at(ErrorCode::kNotFound, "/images/" + std::to_string(image) + "/uri", what + similar_hint(found),
                     "put it beside the model, or export again with its images");
    }
    report_.warn(WarningKind::kMissingPicture, source_.material_place(material),
                 what + similar_hint(found) + "; the texture is left out", "put it beside the model");
    return std::nullopt;
  }

  const MeshSource& source_;
  const Step& step_;
  Inputs& inputs_;
  MeshReport& report_;
  std::vector<ImageUse> uses_;
  std::map<std::pair<std::uint32_t, std::size_t>, std::optional<std::size_t>> use_of_slot_;
  std::vector<TextureRef> refs_;  // of each use
  std::vector<Step> steps_;
  std::vector<std::string> references_;
};

MaterialBuilder::MaterialBuilder(const MeshSource& source, const Step& step, Inputs& inputs, MeshReport& report)
    : source_(source), textures_(std::make_unique<Textures>(source, step, inputs, report)) {}
MaterialBuilder::~MaterialBuilder() = default;

namespace {

// Calls visit(number, slot) for each slot of a material, core and named, that a table keeps; remove(slot) for others.
template <class Visit, class Remove>
Result<void> for_each_slot(const Material& m, bool keeps_all_textures, const Visit& visit, const Remove& remove) {
  for (std::size_t s = 0; s < kMaterialSlots.size(); ++s) {
    const MaterialSlot& slot = kMaterialSlots[s];
    if (!keeps_all_textures && !reads_flat_texcoords(m, m.*slot.use)) {
      remove(slot);
      continue;
    }
    ASSETC_CHECK(
        visit(s, UsedSlot{m.*slot.use, slot.mode, std::string(slot.name), slot.use == &Material::base_color_texture}));
  }
  for (std::size_t t = 0; keeps_all_textures && t < m.textures.size(); ++t) {
    const scene::NamedTexture& texture = m.textures[t];
    ASSETC_CHECK(
        visit(kMaterialSlots.size() + t, UsedSlot{texture.use, texture.usage, std::string(texture.name), false}));
  }
  return {};
}

}  // namespace

Result<MaterialBuilder::Made> MaterialBuilder::build(std::span<const Wanted> tables) && {
  for (const Wanted& wanted : tables) {
    for (const std::uint32_t material : wanted.table.sources) {
      const auto use = [&](std::size_t number, const UsedSlot& slot) { return textures_->use(material, number, slot); };
      ASSETC_CHECK(
          for_each_slot(source_.scene.materials[material], wanted.keeps_all_textures, use, [](const MaterialSlot&) {}));
    }
  }
  ASSETC_CHECK(textures_->name());
  Made made;
  for (const Wanted& wanted : tables) {
    std::vector<CompiledMaterial>& compiled = made.materials.emplace_back();
    compiled.reserve(wanted.table.sources.size());
    for (const std::uint32_t material : wanted.table.sources) {
      const Material& m = source_.scene.materials[material];
      CompiledMaterial& one = compiled.emplace_back(m);
      const auto refer = [&](std::size_t number, const UsedSlot&) -> Result<void> {
        const TextureRef ref = textures_->ref_of(material, number);
        if (number < kMaterialSlots.size())
          one.textures[number] = ref;
        else
          one.named_textures.push_back(ref);
        return {};
      };
      ASSETC_CHECK(for_each_slot(m, wanted.keeps_all_textures, refer,
                                 [&](const MaterialSlot& slot) { remove_factor(slot, one.material); }));
    }
  }
  made.texture_steps = std::move(textures_->steps());
  made.references = std::move(textures_->references());
  return made;
}

}  // namespace assetc::recipes
