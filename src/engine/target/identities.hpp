// Who is who in a repository, for builds whose outputs are named by UUID.
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
#include "identity/meta.hpp"

namespace assetc::engine {

// An asset as indexes list it: a source's, or one inside a source.
struct NamedAsset {
  Uuid uuid;
  std::string_view type;
  std::string_view virtual_path;
  std::string_view source_path;
};

// Immutable once made; views live as long as it does.
class Identities {
 public:
  // metas: of sources that are as their .meta says. refused: why the .meta of a source cannot be gone by, by its path.
  Identities(std::vector<identity::Meta> metas, std::unordered_map<std::string, Error> refused);
  Identities(Identities&&) = default;
  Identities& operator=(Identities&&) = default;

  // Of a source, "Assets/chair.gltf", or of what is in it: "Assets/chair.gltf#Mesh/0", the first mesh of the file.
  // Or by name: a UUID or a virtual path, that it has or, where no other has it, that it had.
  std::optional<Uuid> find(std::string_view asset) const;
  const NamedAsset* find(const Uuid& uuid) const;
  template <class Take>
  void each(const Take& take) const {
    for (const auto& [uuid, asset] : assets_) take(asset);
  }
  // Why a source has no UUID here; null where it has one.
  const Error* refused(std::string_view source_path) const;
  // The import settings of a source, a line "key=value" each; empty for none.
  std::string_view settings(std::string_view source_path) const;
  const std::vector<identity::Meta>& metas() const { return metas_; }  // by source path

 private:
  void add_names(const Uuid& uuid, std::string_view virtual_path, const Uuid& asset);

  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
  };
  std::vector<identity::Meta> metas_;
  std::unordered_map<std::string, Uuid, TextHash, std::equal_to<>> uuids_;
  std::unordered_map<std::string, Uuid> names_;  // by virtual_key, or the text of a UUID
  std::unordered_map<Uuid, NamedAsset> assets_;
  std::unordered_map<std::string, Error> refused_;
  std::unordered_map<std::string_view, std::string> settings_;
};

}  // namespace assetc::engine
