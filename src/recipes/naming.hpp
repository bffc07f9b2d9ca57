// Names of outputs and textures of a target: by source path, or by UUID.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "assetc/base/result.hpp"
#include "assetc/base/uuid.hpp"
#include "recipes/recipe.hpp"
#include "scene/scene.hpp"

namespace assetc::recipes {

// A material's reference to a texture; both members are null for none.
struct TextureRef {
  std::uint64_t hash = 0;  // hash_asset_ref
  Uuid uuid{};
};

// The naming rules of a ContainerSet.
struct Naming {
  // The suffix of an additional output of a step. name: which output it is; file: its file suffix.
  std::string (*beside)(std::string_view stem, std::string_view name, std::string_view file);
  // The folder to which a leading '/' in a material's references refers; empty: the input folder.
  std::string_view (*root_of)(std::string_view material_path);

  // The stem of the texture for an image of a model. Errors: those of uuid_of.
  Result<std::string> (*image)(const scene::Scene&, std::uint32_t image, const Step& model, Inputs&);
  // The stem for the same image in another mode.
  std::string (*image_in_mode)(std::string_view stem, TextureUsage mode);
  // Whether a picture file next to a model is one asset, regardless of the samplers that use it.
  bool shares_pictures;
  // The stem of the texture that a material needs if the picture itself compiles in another mode.
  // Errors: those of uuid_of.
  Result<std::string> (*picture_in_mode)(const Step& material, const SourceAsset& picture, const std::string& path,
                                         TextureUsage mode, Inputs&);

  // A reference to the texture that a picture becomes on its own. Errors: those of uuid_of.
  Result<TextureRef> (*ref_of_picture)(const SourceAsset&, const std::string& path, Inputs&);
  // A reference to the texture that a step makes under a stem.
  TextureRef (*ref_of_step)(const std::string& stem, Inputs&);
};
extern const Naming kPathNaming, kUuidNaming;

// The UUID of an asset, for targets with UUIDs. Errors: kNotFound: 'Mesh "Seat" has no UUID'. name: for the message.
Result<Uuid> uuid_of(Inputs& inputs, const std::string& asset, std::string_view type, std::string_view name);
// The UUID of an additional output of a step. stem: the text of the UUID of the step's own asset.
Uuid uuid_within(std::string_view stem, std::string_view name);

}  // namespace assetc::recipes
