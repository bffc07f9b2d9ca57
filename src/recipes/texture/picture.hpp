// Shared code of the picture recipes (texture, environment, array): texture options from settings, reading, warnings.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "import/image/image.hpp"
#include "import/image/program.hpp"
#include "recipes/recipe.hpp"
#include "texture/compile.hpp"

namespace assetc::recipes {

// A param without a value: the texture is scaled until its sides are multiples of 4, as KHR_texture_basisu requires.
inline constexpr std::string_view kBlockSidesParam = "block_sides";

// A step's params["mode"]; kColor if absent. Errors: kUsage for an unknown mode.
Result<TextureUsage> mode_of(const Step& step);

// Options from a step's settings and params in a mode.
// Params: "alpha_cutoff" (a decimal number above 0: keep coverage); kBlockSidesParam.
// Errors: kUsage for a param with another value, and for modes that pictures do not have: kAuto, kCopy.
Result<texture::CompileOptions> compile_options(const Step& step, TextureUsage mode);
// The same for pictures that become one texture. If all of them hold light above 1 and the name gives no other use, the
// texture is HDR.
Result<texture::CompileOptions> compile_options(const Step& step, TextureUsage mode,
                                                std::span<const std::string> pictures);

// Library versions of recipes that decode pictures and encode textures.
std::string picture_libraries();
inline constexpr Program kImageProgram{"oiiotool", importer::image_program_signature, importer::image_program_version};
// Not inline: GCC 12 for mingw-w64 writes it into different sections of two sources, which ld refuses.
[[maybe_unused]] constexpr std::array kPicturePrograms{&kImageProgram};
// Reports to inputs that the program is about to run, if it reads that picture.
void tell_program(ByteSpan picture, Inputs& inputs);

// What a picture is decoded for: a texture; a panorama, which becomes light only; a face, which becomes a texture and
// light; display. Light has no alpha.
enum class PictureUse : std::uint8_t { kTexture, kPanorama, kLightFace, kShown };

// Decodes a picture. Colors and light become those of BT.709, if the picture declares primaries that are converted.
// Warns of everything that its use drops without being asked: a gamma, color profile or exposure, color in a gray map,
// alpha in a normal map, in light, in BC1 or in BC6H, and clipped values.
Result<scene::Image> decode_picture(ByteSpan bytes, const texture::CompileOptions& asked,
                                    std::vector<Diagnostic>& diagnostics, PictureUse use = PictureUse::kTexture);

// Decodes a picture that becomes a picture of another format, such as a PNG in a .glb: the same conversions and
// warnings, and all channels stay.
Result<scene::Image> decode_for_picture(ByteSpan bytes, bool is_color, std::vector<Diagnostic>& diagnostics);

// The same as decode_picture for another file; errors and warnings carry its path.
Result<scene::Image> read_picture(const std::string& path, const texture::CompileOptions& options, Inputs& inputs,
                                  std::vector<Diagnostic>& diagnostics, PictureUse use = PictureUse::kTexture);

// Warns of values that the format clips or rounds. decode_picture does so by itself.
void warn_of_storage(const scene::Image& image, const texture::CompileOptions& options, PictureUse use,
                     std::vector<Diagnostic>& diagnostics);

// The kind that a picture's name requests, if it is not color: a normal map or a gray map.
std::optional<texture::TexelKind> data_kind(std::string_view path);

// Adds a texture, written by the step's texture container, and the RDO report.
// name: the part of the output's name between the step's stem and the container's suffix.
Result<void> add_texture(const texture::EncodedTexture& texture, const Step& step, Product& product,
                         std::string_view name = {}, AssetKind kind = AssetKind::kTexture);

// Whether a file name ends like a picture's; ASCII case does not matter.
bool has_picture_extension(std::string_view name);

// Pictures of a folder that form one texture.
struct PictureSet {
  std::string folder;
  std::span<const std::string> names;  // in the order of the arrangement
  bool are_faces;                      // true: each must be square
  std::string_view one_size_hint;      // the hint for a picture of another size: "give all layers one size"
  PictureUse use = PictureUse::kTexture;
  TextureUsage mode = TextureUsage::kAuto;  // the mode of the step, if texels are checked against it
  Params params{};                          // those of the step, for the same check
};

// Reads the pictures one by one, starting at picture 0. Errors and warnings carry the picture's path.
// Errors: kInvalidData if a picture differs in size from the first, or a face is not square. Everything except the set
// itself must outlive the source.
texture::ImageSource picture_source(PictureSet set, const texture::CompileOptions& options, Inputs& inputs,
                                    std::vector<Diagnostic>& diagnostics);

// A picture's header, and the bytes that it was read from: the head of the file, or the whole file if metadata fills
// the head. The size of bytes is that of the file.
struct PictureHead {
  Bytes bytes;
  Result<importer::ImageInfo> info{};  // or the error of reading it
};
Result<PictureHead> picture_head(const std::function<Result<Bytes>(std::size_t size)>& head,
                                 const TextureSettings& settings);

// compile_peak_bytes for one encoded picture. If the header cannot be read, a small constant: cook will report the
// error.
std::uint64_t picture_peak_bytes(const PictureHead& head, texture::Arrangement arrangement,
                                 const texture::CompileOptions& options);

}  // namespace assetc::recipes
