// Sounds, for targets that accept them.
#include <array>

#include "audio/encode.hpp"
#include "import/sound/sound.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/recipe.hpp"

namespace assetc::recipes {
namespace {

constexpr std::array kAudioClaims{
    Claim{.suffix = ".wav", .strip = ".wav"},   Claim{.suffix = ".flac", .strip = ".flac"},
    Claim{.suffix = ".ogg", .strip = ".ogg"},   Claim{.suffix = ".oga", .strip = ".oga"},
    Claim{.suffix = ".opus", .strip = ".opus"}, Claim{.suffix = ".mp3", .strip = ".mp3"},
    Claim{.suffix = ".aiff", .strip = ".aiff"}, Claim{.suffix = ".aif", .strip = ".aif"},
};
constexpr std::array<std::string_view, 1> kAudioGroups{"audio"};

Result<Product> cook_audio(const Step& step, Inputs& inputs) {
  const SoundContainer* container = step.containers->sound;
  if (container == nullptr) return fail(ErrorCode::kUnsupported, "this target takes no sounds");
  ASSETC_TRY(const Bytes file, step.input(inputs));
  ASSETC_TRY(const scene::Sound sound, importer::import_sound(file));
  ASSETC_TRY(const audio::EncodedSound encoded, audio::encode(sound, step.settings.audio));
  ASSETC_TRY(ByteVector bytes, container->write(encoded));
  Product product;
  if (sound.has_padding) {
    product.diagnostics.push_back(
        warning(WarningKind::kEncoderPadding, ErrorCode::kUnsupported, "",
                "the MP3 does not say how much silence its encoder added at both ends, so all of it is kept",
                "export it as WAV, FLAC or Ogg Vorbis, or with an encoder that writes a LAME tag"));
  }
  for (const scene::LeftOut& left : sound.left_out) {
    product.diagnostics.push_back(
        warning(WarningKind::kDroppedContent, ErrorCode::kInvalidData, "", "dropped: " + left.what, left.hint));
  }
  product.outputs.push_back({std::string(container->suffix), Bytes(std::move(bytes)), {AssetKind::kEmbed}});
  return product;
}

std::string audio_libraries() { return importer::sound_libraries() + audio::libraries(); }

// The file, its samples as floats, the encoded sound, and that in its container.
std::uint64_t audio_peak_bytes(const Step& step, Inputs& inputs) {
  constexpr std::size_t kHeadBytes = 64;  // includes the codec name of an Ogg file
  const auto head = step.head(inputs, kHeadBytes);
  return head ? head->size() + 3 * importer::estimate_sound_bytes(*head, head->size()) : 0;
}

}  // namespace

extern const Recipe kAudioRecipe;
constinit const Recipe kAudioRecipe{.name = "audio",
                                    .version = 3,
                                    .claims = kAudioClaims,
                                    .setting_groups = kAudioGroups,
                                    .stem_matters = false,
                                    .cook = cook_audio,
                                    .estimate_peak_bytes = audio_peak_bytes,
                                    .libraries = audio_libraries};

}  // namespace assetc::recipes
