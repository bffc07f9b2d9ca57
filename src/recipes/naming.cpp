#include "recipes/naming.hpp"

#include <algorithm>

#include "crypto/sha.hpp"
#include "identity/virtual_path.hpp"

namespace assetc::recipes {
namespace {

constexpr std::string_view kTextureType = "Texture2D";

// "models/chair" and image 3 give "models/chair/tex_3". Another mode of the image gives "models/chair/tex_3_normal".
Result<std::string> image_path(const scene::Scene&, std::uint32_t image, const Step& model, Inputs&) {
  return model.stem + "/tex_" + std::to_string(image);
}

Result<std::string> picture_path_in_mode(const Step& material, const SourceAsset& picture, const std::string&,
                                         TextureUsage mode, Inputs&) {
  const std::string_view leaf = std::string_view(picture.stem).substr(picture.stem.find_last_of('/') + 1);
  return (material.stem + "/").append(to_string(mode)).append("_").append(leaf);
}

Result<std::string> image_uuid(const scene::Scene& scene, std::uint32_t image, const Step& model, Inputs& inputs) {
  std::string asset = scene.images[image].path;
  if (asset.empty()) {
    const auto embedded = std::count_if(scene.images.begin(), scene.images.begin() + image,
                                        [](const scene::ImageSource& other) { return other.path.empty(); });
    asset = (model.input_path + "#").append(kTextureType).append("/").append(std::to_string(embedded));
  }
  ASSETC_TRY(const Uuid uuid, uuid_of(inputs, asset, kTextureType, scene.images[image].name));
  return uuid.to_string();
}

std::string uuid_in_mode(std::string_view stem, TextureUsage mode) {
  return uuid_within(stem, to_string(mode)).to_string();
}

Result<std::string> picture_uuid_in_mode(const Step&, const SourceAsset&, const std::string& path, TextureUsage mode,
                                         Inputs& inputs) {
  ASSETC_TRY(const Uuid picture, uuid_of(inputs, path, kTextureType, path));
  return uuid_in_mode(picture.to_string(), mode);
}

Result<TextureRef> picture_uuid(const SourceAsset& picture, const std::string& path, Inputs& inputs) {
  ASSETC_TRY(const Uuid uuid, uuid_of(inputs, path, kTextureType, path));
  return TextureRef{picture.ref, uuid};
}

}  // namespace

constinit const Naming kPathNaming{
    .beside = [](std::string_view, std::string_view, std::string_view file) { return std::string(file); },
    .root_of = [](std::string_view) { return std::string_view(); },
    .image = image_path,
    .image_in_mode = [](std::string_view stem,
                        TextureUsage mode) { return std::string(stem).append("_").append(to_string(mode)); },
    .shares_pictures = false,
    .picture_in_mode = picture_path_in_mode,
    .ref_of_picture = [](const SourceAsset& picture, const std::string&, Inputs&) -> Result<TextureRef> {
      return TextureRef{.hash = picture.ref};
    },
    .ref_of_step = [](const std::string& stem, Inputs& inputs) { return TextureRef{.hash = inputs.ref(stem)}; }};

// An additional output gets a UUID derived from its name, followed by that name, so that listings show it.
constinit const Naming kUuidNaming{
    .beside = [](std::string_view stem, std::string_view name,
                 std::string_view) { return uuid_within(stem, name).to_string().append(".").append(name); },
    .root_of = identity::asset_root_of,  // in a repository, builds start at its asset folders and cooks above them
    .image = image_uuid,
    .image_in_mode = uuid_in_mode,
    .shares_pictures = true,
    .picture_in_mode = picture_uuid_in_mode,
    .ref_of_picture = picture_uuid,
    .ref_of_step = [](const std::string& stem, Inputs&) { return TextureRef{.uuid = *Uuid::parse(stem)}; }};

Result<Uuid> uuid_of(Inputs& inputs, const std::string& asset, std::string_view type, std::string_view name) {
  const auto uuid = inputs.uuid(asset);
  if (uuid && !uuid->is_nil()) return *uuid;
  // The import reports damaged pictures.
  return fail(
      ErrorCode::kNotFound,
      std::string(type) + " \"" + std::string(name.empty() ? asset : name) + "\" has no UUID, because " +
          asset.substr(0, asset.find('#')) + " was not imported",
      "run `assetc import` and fix the errors that it reports for that file; it skips folders that ignore: lists");
}

Uuid uuid_within(std::string_view stem, std::string_view name) {
  return crypto::uuid_of_name(Uuid::parse(stem).value_or(Uuid{}), as_bytes(name));
}

}  // namespace assetc::recipes
