// X.meta: who the source X is, for good. A JSON object that people, tools and git edit in turn, so that what nobody
// means to change keeps its bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"
#include "assetc/base/uuid.hpp"

namespace assetc::identity {

constexpr std::string_view kMetaSuffix = ".meta";
constexpr std::size_t kMaxMetaBytes = 16u << 20;
constexpr std::size_t kMaxSubAssets = 100'000;

// What an asset was called before: lookups of either find it.
struct Redirect {
  Uuid uuid;
  std::string virtual_path;
  bool operator==(const Redirect&) const = default;
};

// An asset inside a container: a mesh of a glTF, say.
struct SubAsset {
  Uuid uuid;
  std::string type;
  std::string name;  // as the source has it, or what its place is called: "Mesh_2"
  std::string virtual_path;
  std::string fingerprint;  // tells contents apart, for a match when names changed; may be empty
  std::vector<Redirect> redirects = {};
  bool operator==(const SubAsset&) const = default;
};

// What a person asks of the import: a scalar of ImportSettings, of an object in it by a dotted key.
struct ImportSetting {
  std::string key;    // "SRGB", "texture.quality"
  std::string value;  // "true", "best"
  bool operator==(const ImportSetting&) const = default;
};

// What tools read of a .meta. Paths are relative to the root, with '/'.
struct Meta {
  Uuid uuid;
  std::string type;  // "Texture2D", "Mesh", "Container" ...
  std::string virtual_path;
  std::string source_path;
  std::string importer;
  std::uint32_t importer_version = 0;
  std::vector<std::string> source_dependencies;
  std::vector<std::string> dependencies;
  std::vector<SubAsset> sub_assets;
  std::vector<Redirect> redirects;
  std::vector<std::string> tags;
  std::string license;
  std::vector<ImportSetting> import_settings;  // written into a new file alone
  bool operator==(const Meta&) const = default;
};

class MetaFile {
 public:
  // Fails on text that is no JSON object, on members of the wrong kind, on one said twice, on an absolute path or one
  // with "..", on a UUID that is none or nil, on what breaks the rules of virtual paths, and on git's conflict markers.
  // Places are lines or JSON pointers.
  static Result<MetaFile> parse(std::string text);
  // A new file: every member in the documented order, also the empty ones that people fill in.
  static MetaFile create(const Meta& meta);

  const Meta& meta() const { return meta_; }
  const std::string& text() const { return text_; }

  // The same file, saying `next`: a member whose value changed is replaced where it stands, a new one follows the one
  // before it in the documented order, and every other byte is kept, those of unknown members too.
  MetaFile with(const Meta& next) const;

 private:
  MetaFile() = default;
  std::string text_;
  Meta meta_;
};

}  // namespace assetc::identity
