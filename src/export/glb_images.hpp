// Images of a glTF document: inside its buffer, or as files beside it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/hash.hpp"
#include "assetc/base/result.hpp"
#include "export/glb.hpp"
#include "export/glb_document.hpp"
#include "export/glb_json.hpp"
#include "json/json.hpp"

namespace assetc::exporter {

// The extension that a texture needs for an image of these bytes; null for formats of core glTF. Requires an image that
// GlbImages::add() took.
const char* image_extension(ByteSpan image);

class GlbImages {
 public:
  // stem: images become files whose names begin with it. Empty: they are in the buffer.
  explicit GlbImages(std::string stem) : stem_(std::move(stem)) {}

  // The object of an image. Errors: kUnsupported if it has no bytes, or is neither PNG, JPEG, WebP nor KTX2.
  Result<Json> add(const scene::ImageSource& image, std::size_t number, GlbDocument& document, UsedExtensions& used);
  std::vector<GltfFile> take_files() { return std::move(files_); }

 private:
  // The name of a new file: the stem, '_' and the image's name, or its number if it has none. Characters besides
  // letters, digits, '.' and '-' become '_'. If the name is taken, a number follows it.
  std::string name_file(const scene::ImageSource& image, std::size_t number, std::string_view suffix);

  std::string stem_;
  std::set<std::string> taken_;               // in lower case
  std::map<ContentHash, std::string> known_;  // the file of each content
  std::vector<GltfFile> files_;
};

// A file name as the URI of a glTF document.
std::string uri_of(std::string_view file_name);

}  // namespace assetc::exporter
