#include "engine/meta/importers.hpp"

#include <algorithm>
#include <cassert>

#include "base/exceptions.hpp"
#include "identity/virtual_path.hpp"
#include "import/image.hpp"
#include "import/material.hpp"
#include "import/model.hpp"
#include "import/sub_assets.hpp"

namespace assetc::engine {
namespace {

Result<SourceContent> look_at_picture(const std::string&, const Bytes& bytes, const importer::FileReader&) {
  ASSETC_CHECK(importer::read_image_info(bytes));
  return {};
}

Result<SourceContent> look_at_material(const std::string& path, const Bytes& bytes, const importer::FileReader&) {
  ASSETC_CHECK(importer::import_material(path, bytes, identity::asset_root_of(path)));
  return {};
}

Result<SourceContent> look_at_model(const std::string& path, const Bytes& bytes, const importer::FileReader& read) {
  SourceContent content;
  std::vector<std::string>& reads = content.source_dependencies;
  const auto add = [&](std::string_view other) {
    if (std::ranges::find(reads, other) == reads.end()) reads.emplace_back(other);
  };
  const importer::FileReader noting = [&](std::string_view other) {
    add(other);
    return read(other);
  };
  const importer::FileProbe exists = [&](std::string_view other) { return read(other).has_value(); };
  ASSETC_TRY(const importer::Imported imported,
             catch_exceptions("the importer", "import on a machine with more memory, or split the model",
                              [&] { return importer::import_model(path, bytes, noting, exists); }));
  for (const scene::ImageSource& image : imported.scene.images) {
    if (!image.path.empty()) add(image.path);
  }
  std::ranges::sort(reads);
  content.sub_assets = importer::sub_assets_of(imported.scene);
  return content;
}

constexpr Importer kImporters[] = {
    {"array", "Texture2DArray", "TextureImporter", 1, nullptr},
    {"audio", "Audio", "AudioImporter", 1, nullptr},
    {"data", "Raw", "DataImporter", 1, nullptr},
    {"environment", "TextureCube", "EnvironmentImporter", 1, look_at_picture},
    {"lut", "Texture3D", "LutImporter", 1, nullptr},
    {"material", "Material", "MaterialImporter", 1, look_at_material},
    {"mesh", "Container", "ModelImporter", 1, look_at_model},
    {"script", "Script", "ScriptImporter", 1, nullptr},
    {"shader", "Shader", "ShaderImporter", 1, nullptr},
    {"texture", "Texture2D", "TextureImporter", 1, look_at_picture},
};

}  // namespace

std::span<const Importer> importers() { return kImporters; }

const Importer& importer_of(std::string_view recipe) {
  const auto* const row = std::ranges::find(kImporters, recipe, &Importer::recipe);
  assert(row != std::end(kImporters));
  return *row;
}

}  // namespace assetc::engine
