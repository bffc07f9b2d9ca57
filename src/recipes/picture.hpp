// What the picture recipes (texture, environment, array) share: settings to texture options, reading, warnings.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "import/image.hpp"
#include "import/image_program.hpp"
#include "recipes/recipe.hpp"
#include "texture/compile.hpp"

namespace assetc::recipes {

// A step's params["mode"]; kColor when absent. kUsage: no mode of that name.
Result<TextureUsage> mode_of(const Step& step);

// Options for a step's settings and params in a mode. Params: "alpha_cutoff" (a decimal number above 0: keep coverage).
// kUsage: a param of another value, a mode that is none of a picture: kAuto, kCopy.
Result<texture::CompileOptions> compile_options(const Step& step, TextureUsage mode);
// The same for pictures that become one texture: where all are light past white, under a name that says no other use,
// so is the texture.
Result<texture::CompileOptions> compile_options(const Step& step, TextureUsage mode,
                                                std::span<const std::string> pictures);

// Of recipes that decode pictures and encode textures.
std::string picture_libraries();
inline constexpr Program kImageProgram{"oiiotool", importer::image_program_signature, importer::image_program_version};
inline constexpr std::array kPicturePrograms{&kImageProgram};
// Says that the program is about to run, where that picture is one that it reads.
void tell_program(ByteSpan picture, Inputs& inputs);

// What is made of a picture: faces also become light, which has no alpha, and a panorama nothing else; one that is
// shown stays a picture.
enum class PictureUse : std::uint8_t { kTexture, kPanorama, kLightFace, kShown };

// Decodes a picture and warns of what its use will drop unasked: EXIF orientation, a gamma or profile of color that is
// not sRGB's, color in a gray map, alpha in a normal map, in light, in BC1 or in BC6H, numbers that are clipped.
Result<scene::Image> decode_picture(ByteSpan bytes, const texture::CompileOptions& options,
                                    std::vector<Diagnostic>& diagnostics, PictureUse use = PictureUse::kTexture);

// The same for a file beside others; errors and warnings carry its path.
Result<scene::Image> read_picture(const std::string& path, const texture::CompileOptions& options, Inputs& inputs,
                                  std::vector<Diagnostic>& diagnostics, PictureUse use = PictureUse::kTexture);

// The kind that a picture's name asks for beyond color: a normal or a gray map.
std::optional<texture::TexelKind> data_kind(std::string_view path);

// Adds a texture, as the step's container of textures writes it, and what rate-distortion optimization did. name: what
// stands between the step's stem and the container's suffix.
Result<void> add_texture(const texture::EncodedTexture& texture, const Step& step, Product& product,
                         std::string_view name = {}, AssetKind kind = AssetKind::kTexture);

// Whether a file name ends like a picture's; ASCII case is ignored.
bool has_picture_extension(std::string_view name);

// Pictures of a folder that become one texture.
struct PictureSet {
  std::string folder;
  std::span<const std::string> names;  // in the order of the arrangement
  bool are_faces;                      // and so square
  std::string_view one_size_hint;      // what to do about one of another size: "give all layers one size"
  PictureUse use = PictureUse::kTexture;
  TextureUsage mode = TextureUsage::kAuto;  // of the step, where texels are to be checked against it
};

// Reads them one by one, from picture 0 on; errors and warnings carry the picture's path. kInvalidData: not of the
// first one's size, or a face that is not square. Everything but the set itself must outlive the source.
texture::ImageSource picture_source(PictureSet set, const texture::CompileOptions& options, Inputs& inputs,
                                    std::vector<Diagnostic>& diagnostics);

// A picture's header, and the bytes that it was read from, whose size is the file's: its head, or all of it where
// metadata fill the head.
struct PictureHead {
  Bytes bytes;
  Result<importer::ImageInfo> info{};  // or what is wrong with it
};
Result<PictureHead> picture_head(const std::function<Result<Bytes>(std::size_t size)>& head);

// compile_peak_bytes for one encoded picture, or a small constant where its header cannot be read (cook will say why).
std::uint64_t picture_peak_bytes(const PictureHead& head, texture::Arrangement arrangement,
                                 const texture::CompileOptions& options);

}  // namespace assetc::recipes
