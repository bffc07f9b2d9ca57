#include "engine/meta/importers.hpp"

#include <algorithm>
#include <cassert>
#include <mutex>

#include "assetc/version.hpp"
#include "base/exceptions.hpp"
#include "formats/text.hpp"
#include "identity/virtual_path.hpp"
#include "import/cube_lut.hpp"
#include "import/embed.hpp"
#include "import/image/image.hpp"
#include "import/material.hpp"
#include "import/model/model.hpp"
#include "import/model/sub_assets.hpp"
#include "import/sound/sound.hpp"
#include "import/texture/file.hpp"
#include "recipes/settings.hpp"
#include "recipes/texture/picture.hpp"
#include "shader/entry_points.hpp"
#include "shader/mentions.hpp"

namespace assetc::engine {
namespace {

// Decodes only to validate. Sources that need much memory are decoded one at a time.
template <class Decode>
auto decode_alone(std::uint64_t decoded_bytes, const Decode& decode) -> decltype(decode()) {
  constexpr std::uint64_t kMuch = 64u << 20;
  static std::mutex mutex;
  std::unique_lock lock(mutex, std::defer_lock);
  if (decoded_bytes > kMuch) lock.lock();
  return catch_exceptions("the importer", "import on a machine with more memory", decode);
}

Result<SourceContent> look_at_picture(const std::string&, const Bytes& bytes, const importer::FileReader&) {
  ASSETC_TRY(const importer::ImageInfo info, importer::read_image_info(bytes, importer::kAnyLayer));
  if (importer::is_texture_file(bytes)) {
    ASSETC_CHECK(importer::as_ktx2(bytes, ktx2::Transfer::kSrgb));
    return {};
  }
  ASSETC_CHECK(
      decode_alone(info.decoded_bytes() + info.scratch_bytes, [&] { return importer::decode_image(bytes, info); }));
  return {};
}

// Checks the layers of an array or the faces of a cubemap.
Result<SourceContent> look_at_pictures(const std::string& path, std::span<const InnerFile> files,
                                       const importer::FileReader& read) {
  for (const InnerFile& file : files) {
    if (file.name.starts_with('.') || !recipes::has_picture_extension(file.name)) continue;
    const std::string full = path + "/" + file.name;
    if (auto looked = look_at_picture(full, file.bytes, read); !looked)
      return std::unexpected(std::move(looked).error().in(full));
  }
  return SourceContent{};
}

Result<SourceContent> look_at_lut(const std::string&, const Bytes& bytes, const importer::FileReader&) {
  ASSETC_CHECK(importer::parse_cube_lut(bytes));
  return {};
}

Result<SourceContent> look_at_sound(const std::string&, const Bytes& bytes, const importer::FileReader&) {
  ASSETC_CHECK(
      decode_alone(importer::estimate_sound_bytes(bytes, bytes.size()), [&] { return importer::import_sound(bytes); }));
  return {};
}

Result<SourceContent> look_at_script(const std::string&, const Bytes& bytes, const importer::FileReader&) {
  if (!formats::is_utf8(as_text(bytes)))
    return fail(ErrorCode::kInvalidData, "the text is not UTF-8", "save it as UTF-8");
  return {};
}

Result<SourceContent> look_at_material(const std::string& path, const Bytes& bytes, const importer::FileReader&) {
  ASSETC_TRY(const importer::Imported imported, importer::import_material(path, bytes, identity::asset_root_of(path)));
  SourceContent content;
  for (const scene::ImageSource& image : imported.scene.images) {
    if (const auto name = importer::asset_name(image.path)) {
      content.asset_names.emplace_back(*name);
    } else {
      content.source_dependencies.push_back(image.path);
    }
  }
  std::ranges::sort(content.source_dependencies);
  return content;
}

Result<SourceContent> look_at_shader(const std::string& path, std::span<const InnerFile> files,
                                     const importer::FileReader& read) {
  std::vector<std::string> names;
  for (const InnerFile& file : files) names.push_back(file.name);
  const auto inner = [&](std::string_view name) { return std::ranges::find(files, name, &InnerFile::name)->bytes; };
  ASSETC_TRY(auto stages,
             shader::stages_of_folder(names, [&](std::string_view name) -> Result<Bytes> { return inner(name); }));
  // In the order of earlier versions: another one would change each .meta.
  std::ranges::stable_sort(stages, {}, &shader::StageSource::file);
  SourceContent content;
  for (const shader::StageSource& stage : stages) {
    // The recipe gives its outputs the same names.
    content.sub_assets.push_back({"Shader", stage.output, {}, stage.output});
    if (stage.language == shader::Language::kSpirv) continue;
    ASSETC_TRY(const auto mentioned, shader::mentioned_files(path + "/" + stage.file, inner(stage.file), read));
    for (const shader::Included& other : mentioned) content.source_dependencies.push_back(other.path);
  }
  return content;
}

Result<SourceContent> look_at_stage(const std::string& path, const Bytes& bytes, const importer::FileReader& read) {
  SourceContent content;
  const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
  ASSETC_TRY(const auto stages, shader::stages_of_file(name, [&]() -> Result<Bytes> { return bytes; }));
  for (const shader::StageSource& stage : stages) {
    if (!stage.output.empty()) content.sub_assets.push_back({"Shader", stage.output, {}, stage.output});
  }
  ASSETC_TRY(const auto mentioned, shader::mentioned_files(path, bytes, read));
  for (const shader::Included& other : mentioned) {
    if (other.path != path) content.source_dependencies.push_back(other.path);
  }
  std::ranges::sort(content.source_dependencies);
  return content;
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

Result<SourceContent> look_at_embed(const std::string& path, const Bytes& bytes, const importer::FileReader&) {
  ASSETC_TRY(importer::Embed embed, importer::import_embed(path, bytes));
  SourceContent content;
  content.source_dependencies.push_back(std::move(embed.file));
  return content;
}

constexpr Importer kImporters[] = {
    {"array", "Texture2DArray", "TextureImporter", 2, nullptr, look_at_pictures},
    {"audio", "Audio", "AudioImporter", 1, look_at_sound},
    {"data", "Raw", "DataImporter", 1, nullptr},
    {"embed", "Raw", "EmbedImporter", 1, look_at_embed},
    {"environment", "TextureCube", "EnvironmentImporter", 2, look_at_picture, look_at_pictures},
    {"lut", "Texture3D", "LutImporter", 1, look_at_lut},
    {"material", "Material", "MaterialImporter", 2, look_at_material},
    {"mesh", "Container", "ModelImporter", 1, look_at_model},
    {"script", "Script", "ScriptImporter", 1, look_at_script},
    {"shader", "Shader", "ShaderImporter", 2, look_at_stage, look_at_shader},
    {"texture", "Texture2D", "TextureImporter", 1, look_at_picture},
};

}  // namespace

std::span<const Importer> importers() { return kImporters; }

ContentHash import_environment() {
  ContentHasher hasher;
  hasher.add(std::uint64_t{ASSETC_VERSION});
  for (const Importer& importer : importers())
    hasher.add(importer.recipe).add(importer.type).add(importer.name).add(std::uint64_t{importer.version});
  for (const recipes::Recipe* recipe : recipes::cooked_recipes()) {
    hasher.add(recipe->name).add(std::uint64_t{recipe->version});
    if (recipe->libraries != nullptr) hasher.add(recipe->libraries());
    for (const recipes::Claim& claim : recipe->claims)
      hasher.add(claim.suffix)
          .add(std::uint64_t{claim.directory})
          .add(claim.strip)
          .add(claim.append)
          .add(recipes::mode_name(claim.mode));
  }
  for (const recipes::SettingField& field : recipes::setting_fields()) hasher.add(field.key).add(field.values);
  return hasher.finish();
}

const Importer& importer_of(std::string_view recipe) {
  const auto* const row = std::ranges::find(kImporters, recipe, &Importer::recipe);
  assert(row != std::end(kImporters));
  return *row;
}

}  // namespace assetc::engine
