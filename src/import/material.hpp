// .mat: one material in YAML. Its keys: docs/guide/materials.md.
#pragma once

#include <optional>
#include <string_view>

#include "import/source.hpp"

namespace assetc::importer {

// One material and its images, in Scene::materials and Scene::images; every image has a path, none inline bytes.
// source_path locates textures: their paths are relative to it, or to `root`, a folder below the input root
// that ends in '/' (empty: the input root itself), with a leading '/'.
// A texture may be named by its asset instead: see asset_name().
// A key that is none is a warning with its line and a guess; a value of a wrong type or range is an error, kUsage,
// with its line.
// Thread safety: pure.
Result<Imported> import_material(std::string_view source_path, const Bytes& file, std::string_view root = {});

// The UUID or the virtual path by which a material names the picture of an image; nothing where it names a file. A text
// without a dot in its last part and with a '/' in it is a virtual path. The view is into image_path.
std::optional<std::string_view> asset_name(std::string_view image_path);

}  // namespace assetc::importer
