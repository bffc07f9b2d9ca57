// X.meta gives the source X its permanent identity. It is a JSON object that people, tools and git edit in turn. Tools
// therefore keep every byte that they do not have to change.
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
// X.assetc is the .meta of X where X.meta is a file of Unity. The name does not end in .meta: Unity deletes each such
// file that belongs to nothing.
constexpr std::string_view kMetaBesideSuffix = ".assetc";
constexpr std::size_t kMaxMetaBytes = 16u << 20;
constexpr std::size_t kMaxSubAssets = 100'000;

// A former UUID of an asset, and its former virtual path if it had another. A lookup of either finds the asset.
struct Redirect {
  Uuid uuid;
  std::string virtual_path;
  bool operator==(const Redirect&) const = default;
};

// An asset inside a container, for example a mesh of a glTF.
struct SubAsset {
  Uuid uuid;
  std::string type;
  std::string name;  // from the source; if it has none, made of its place: "Mesh_2"
  std::string virtual_path;
  std::string fingerprint;  // identifies the content, for a match after a rename; may be empty
  std::vector<Redirect> redirects = {};
  // Whether the source lacks it. Not in the file: an artist hides a part for one export, and wants its UUID back.
  bool is_absent = false;
  bool operator==(const SubAsset& other) const {
    return uuid == other.uuid && type == other.type && name == other.name && virtual_path == other.virtual_path &&
           fingerprint == other.fingerprint && redirects == other.redirects;
  }
};

// A setting that a person wrote for the import: a scalar of ImportSettings. Inside a nested object, its key is dotted.
struct ImportSetting {
  std::string key;    // "SRGB", "texture.quality"
  std::string value;  // "true", "best"
  bool operator==(const ImportSetting&) const = default;
};

// The parts of a .meta that tools read. Paths are relative to the root, with '/'.
struct Meta {
  Uuid uuid;
  std::string type;  // "Texture2D", "Mesh", "Container" ...
  std::string virtual_path;
  std::string source_path;  // empty in a file that a person began: it is that of the source beside it
  std::string importer;
  std::uint32_t importer_version = 0;
  std::vector<std::string> source_dependencies;
  std::vector<std::string> dependencies;       // of other assets, by UUID or virtual path; they load with this one
  std::vector<std::string> soft_dependencies;  // the same; they may load later, or never
  std::vector<SubAsset> sub_assets;
  std::vector<Redirect> redirects;
  std::vector<std::string> tags;
  std::string license;
  std::vector<ImportSetting> import_settings;  // written into a new file only
  bool is_beside = false;                      // whether its file is X.assetc. Not in the file
  // The path of its file. Requires a source_path.
  std::string file() const { return source_path + std::string(is_beside ? kMetaBesideSuffix : kMetaSuffix); }
  bool operator==(const Meta&) const = default;
};

// The file or folder that a .meta of this path describes: "a.png" of "a.png.meta" and of "a.png.assetc". Empty if
// the path is not that of a .meta.
std::string_view owner_of_meta(std::string_view path);

// Whether the text is that of a .meta of Unity: it has `fileFormatVersion:` and `guid:` as lines of their own. Such a
// file describes the same X as ours would, and is never changed.
bool is_unity_meta(std::string_view text);

// A member that assetc does not read.
struct UnknownMember {
  std::string place;  // a JSON pointer
  std::string near;   // the member that was perhaps meant; may be empty
};

class MetaFile {
 public:
  // Fails if:
  //
  // - the text is that of a .meta of Unity, is not a JSON object, or has git's conflict markers;
  // - a member has the wrong kind or appears twice;
  // - a path is absolute or contains "..", or a virtual path breaks the rules;
  // - a UUID is malformed or nil.
  //
  // Places are lines or JSON pointers.
  static Result<MetaFile> parse(std::string text);
  // A new file with every member in the documented order, including the empty ones that people fill in.
  static MetaFile create(const Meta& meta);

  const Meta& meta() const { return meta_; }
  const std::string& text() const { return text_; }
  // In the order of the text. Empty for a file that was not parsed.
  const std::vector<UnknownMember>& unknown_members() const { return unknown_members_; }

  // The same file with the values of `next`. A changed member is replaced in place. A new member is inserted after its
  // predecessor in the documented order. Every other byte is kept, including those of unknown members.
  MetaFile with(const Meta& next) const;

 private:
  MetaFile() = default;
  std::string text_;
  Meta meta_;
  std::vector<UnknownMember> unknown_members_;
};

}  // namespace assetc::identity
