// The identities of all assets in a repository, for builds whose outputs are named by UUID.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "assetc/base/result.hpp"
#include "assetc/base/uuid.hpp"
#include "assetc/formats/registry.hpp"
#include "engine/disk/disk.hpp"
#include "identity/meta.hpp"

namespace assetc::engine {

// An asset as indexes list it: a source's main asset or one inside the source.
struct NamedAsset {
  Uuid uuid;
  std::string_view type;
  std::string_view virtual_path;
  std::string_view source_path;
};

// Immutable. Views stay valid as long as this object exists.
class Identities {
 public:
  // metas: sources that match their .meta. refused: for other sources, by path, why their .meta cannot be used. twins:
  // folders that several paths lead to; find() takes each of them.
  Identities(std::vector<identity::Meta> metas, std::unordered_map<std::string, Error> refused,
             std::vector<Tree::Twin> twins = {});
  Identities(Identities&&) = default;
  Identities& operator=(Identities&&) = default;

  // Finds an asset by source path ("Assets/chair.gltf"), by source path and part ("Assets/chair.gltf#Mesh/0", the first
  // mesh of the file), by UUID, or by virtual path. Old names of assets are found too, unless another asset has the
  // name now.
  std::optional<Uuid> find(std::string_view asset) const;
  const NamedAsset* find(const Uuid& uuid) const;
  template <class Take>
  void each(const Take& take) const {
    for (const auto& [uuid, asset] : assets_) take(asset);
  }
  // Adds the assets of another cook, that of the game which a mod extends. find() by name then finds an asset of the
  // base if no asset here has the name. No source of this build makes them.
  void add_base(const registry::View& base);
  // The type of an asset of the base: "Texture2D". Empty if it is not in the base, or if an asset here has its UUID.
  std::string_view base_type(const Uuid& uuid) const;

  // Why a source has no UUID here. Null if it has one.
  const Error* refused(std::string_view source_path) const;
  // The import settings of a source, one line "key=value" each. Empty if there are none.
  std::string_view settings(std::string_view source_path) const;
  const std::vector<identity::Meta>& metas() const { return metas_; }  // sorted by source path

 private:
  void add_names(const Uuid& uuid, std::string_view virtual_path, const Uuid& asset);

  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
  };
  std::vector<identity::Meta> metas_;
  std::vector<Tree::Twin> twins_;
  std::unordered_map<std::string, Uuid, TextHash, std::equal_to<>> uuids_;
  std::unordered_map<std::string, Uuid> names_;  // keys: virtual_key(), or a UUID as text
  std::unordered_map<Uuid, NamedAsset> assets_;
  std::unordered_map<Uuid, std::string_view> base_types_;  // the names of aas1::Type
  std::unordered_map<std::string, Error> refused_;
  std::unordered_map<std::string_view, std::string> settings_;
};

}  // namespace assetc::engine
