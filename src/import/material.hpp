// Imports .mat files: one material in YAML. Keys: docs/guide/materials.md. One of Unity is recognized by its content.
#pragma once

#include <optional>
#include <string_view>

#include "import/model/source.hpp"

namespace assetc::importer {

// Returns one material and its images, in Scene::materials and Scene::images. Every image has a path and no inline
// bytes.
//
// Texture paths are relative to source_path. A leading '/' means relative to `root`, a folder below the input root that
// ends in '/' (empty: the input root). A texture may also be given by the name of its asset, see asset_name().
//
// An unknown key gives a warning with its line and a guess. A value of the wrong type or range is an error, kUsage,
// with its line. Thread safety: pure.
Result<Imported> import_material(std::string_view source_path, const Bytes& file, std::string_view root = {});

// The UUID or virtual path of the asset that an image refers to; nothing if the image is a file. A text is a virtual
// path if it contains a '/' and its last part has no dot. The view points into image_path.
std::optional<std::string_view> asset_name(std::string_view image_path);

}  // namespace assetc::importer
