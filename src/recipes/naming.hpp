// How a target names outputs and textures: by the path of their source, or by UUID.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "assetc/base/result.hpp"
#include "assetc/base/uuid.hpp"
#include "recipes/recipe.hpp"
#include "scene/scene.hpp"

namespace assetc::recipes {

// A texture as a material of the target refers to it; both are null for none.
struct TextureRef {
  std::uint64_t hash = 0;  // hash_asset_ref
  Uuid uuid{};
};

// A row of a ContainerSet.
struct Naming {
  // The suffix of an output that a step makes beside its own. name: which one it is; file: the suffix of a file.
  std::string (*beside)(std::string_view stem, std::string_view name, std::string_view file);
  // The folder at which a leading '/' of a material's references starts; empty: the input folder.
  std::string_view (*root_of)(std::string_view material_path);

  // The stem of the texture of an image of a model. Errors: uuid_of.
  Result<std::string> (*image)(const scene::Scene&, std::uint32_t image, const Step& model, Inputs&);
  // The stem of the same image in a further mode.
  std::string (*image_in_mode)(std::string_view stem, TextureUsage mode);
  // Whether a picture beside a model is one asset, whatever the samplers of those who use it say.
  bool shares_pictures;
  // The stem of the texture that a material asks for, as the picture's own is compiled in another mode. Errors:
  // uuid_of.
  Result<std::string> (*picture_in_mode)(const Step& material, const SourceAsset& picture, const std::string& path,
                                         TextureUsage mode, Inputs&);

  // To the texture that a picture becomes on its own. Errors: uuid_of.
  Result<TextureRef> (*ref_of_picture)(const SourceAsset&, const std::string& path, Inputs&);
  // To the texture that a step makes under a stem.
  TextureRef (*ref_of_step)(const std::string& stem, Inputs&);
};
extern const Naming kPathNaming, kUuidNaming;

// Who an asset is, or kNotFound: 'Mesh "Seat" has no UUID'. name: for the message. Of a target with UUIDs.
Result<Uuid> uuid_of(Inputs& inputs, const std::string& asset, std::string_view type, std::string_view name);
// Who something that a step makes beside its own asset is: stem is the text of that one's UUID.
Uuid uuid_within(std::string_view stem, std::string_view name);

}  // namespace assetc::recipes
