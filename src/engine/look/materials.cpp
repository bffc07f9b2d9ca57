#include "engine/look/materials.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>

#include "assetc/base/hash.hpp"
#include "assetc/formats/hmat.hpp"
#include "engine/look/outputs.hpp"
#include "parallel/parallel.hpp"

namespace assetc::engine {
namespace {

constexpr std::string_view kMaterialSuffix = ".hmat", kTextureSuffix = ".ktx2";

// A number for each content of a texture: that of its file, or of the ref if no file has it.
class Textures {
 public:
  Textures(const std::string& output, const Tree& tree, Disk& disk) {
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < tree.size(); ++i) {
      if (tree[i].type == FileType::kFile && tree.path(i).ends_with(kTextureSuffix)) paths.emplace_back(tree.path(i));
    }
    std::vector<ContentHash> hashes(paths.size());
    parallel_for(paths.size(), [&](std::size_t i) {
      if (const auto bytes = disk.read(output + "/" + paths[i])) hashes[i] = content_hash(*bytes);
    });
    std::map<ContentHash, std::uint64_t> numbers;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const std::uint64_t ref = hash_asset_ref(paths[i].substr(0, paths[i].size() - kTextureSuffix.size()));
      numbers_.emplace(ref, numbers.try_emplace(hashes[i], ref).first->second);
    }
  }

  std::uint64_t of(std::uint64_t ref) const {
    const auto at = numbers_.find(ref);
    return at == numbers_.end() ? ref : at->second;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> numbers_;  // by ref
};

// The bytes of a row.
using Key = std::array<std::byte, sizeof(hmat::GpuMaterial)>;
Key key_of(hmat::GpuMaterial row, const Textures* textures) {
  for (std::uint64_t* ref : {&row.base_color_texture, &row.metallic_roughness_texture, &row.normal_texture,
                             &row.occlusion_texture, &row.emissive_texture})
    *ref = textures != nullptr ? textures->of(*ref) : *ref != 0 ? 1 : 0;
  return std::bit_cast<Key>(row);
}

}  // namespace

Result<MaterialGroups> find_equal_materials(const std::string& output, Disk& disk) {
  ASSETC_TRY(const OutputFolder folder, open_output(output, disk));
  const Tree& tree = folder.tree;
  const Textures textures(output, tree, disk);
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].type == FileType::kFile && tree.path(i).ends_with(kMaterialSuffix)) paths.emplace_back(tree.path(i));
  }
  std::ranges::sort(paths);
  MaterialGroups out;
  // By all values; by the values without textures, with one material of each of the former.
  std::map<Key, std::vector<MaterialPlace>> equal, similar;
  for (const std::string& path : paths) {
    auto bytes = disk.read(output + "/" + path);
    if (!bytes) return std::unexpected(std::move(bytes).error());
    const auto view = hmat::View::open(*bytes);
    if (!view) {
      out.unreadable.push_back(Error(view.error()).in(path));
      continue;
    }
    for (std::uint32_t row = 0; row < view->materials().size(); ++row) {
      const hmat::GpuMaterial& material = view->materials()[row];
      std::vector<MaterialPlace>& places = equal[key_of(material, &textures)];
      if (places.empty()) similar[key_of(material, nullptr)].push_back({path, row});
      places.push_back({path, row});
      ++out.materials;
    }
  }
  out.different = equal.size();
  out.different_without = similar.size();
  for (auto* groups : {&equal, &similar}) {
    for (auto& [key, places] : *groups) {
      if (places.size() > 1) out.groups.push_back({groups == &equal, std::move(places)});
    }
  }
  std::ranges::stable_sort(out.groups, [](const MaterialGroup& a, const MaterialGroup& b) {
    if (a.has_same_textures != b.has_same_textures) return a.has_same_textures;
    if (a.places.size() != b.places.size()) return a.places.size() > b.places.size();
    return a.places.front().path < b.places.front().path;
  });
  return out;
}

}  // namespace assetc::engine
