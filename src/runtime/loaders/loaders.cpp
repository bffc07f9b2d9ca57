#include <utility>

#include "assetc/formats/aas1_audio.hpp"
#include "assetc/formats/hfont.hpp"
#include "assetc/runtime/all_loaders.hpp"
#include "assetc/runtime/animation.hpp"
#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/clusters.hpp"
#include "assetc/runtime/scene.hpp"
#include "assetc/runtime/text.hpp"
#include "formats/reader.hpp"
#include "runtime/loaders/fallbacks.hpp"
#include "runtime/loaders/held.hpp"
#include "runtime/mount/slice.hpp"

namespace assetc::runtime {
namespace {

bool is_blob(ByteSpan bytes) { return is_aas1_blob(bytes, aas1::kMagic); }

// For data that is read in place.
template <class T>
Loader<T> in_place(std::function<Result<T>(LoadInput&)> decode) {
  return {.decode = std::move(decode), .decoded_bytes = nothing, .size_bytes = held_bytes<T>};
}

template <class View>
Loader<Viewed<View>> viewed() {
  return in_place<Viewed<View>>([](LoadInput& in) -> Result<Viewed<View>> {
    ASSETC_TRY(View view, View::open(in.bytes));
    return Viewed<View>{std::move(in.bytes), std::move(view)};
  });
}

Result<AnimationData> load_animation(LoadInput& in) {
  Bytes clips = in.bytes;
  AssetHandle model;
  if (is_blob(in.bytes)) {
    ASSETC_TRY(const aas1::PayloadView blob, aas1::PayloadView::open(in.bytes));
    if (blob.encoding() != aas1::kEncodingHanim && blob.encoding() != aas1::kEncodingHanimCompressed)
      return fail(ErrorCode::kUnsupported, "found a clip in an encoding other than .hanim");
    clips = slice_of(in.bytes, blob.payload());
    if (!blob.model().is_nil()) model = in.catalog.find(blob.model()).value_or(AssetHandle{.uuid = blob.model()});
  }
  if (hanim::version_of(clips) == hanim::kCompressedVersion) {
    ASSETC_TRY(hanim::CompressedView view, hanim::CompressedView::open(clips));
    return AnimationData{clips, {}, std::move(view), model};
  }
  ASSETC_TRY(hanim::View view, hanim::View::open(clips));
  return AnimationData{clips, std::move(view), {}, model};
}

Result<ShaderData> reflected(ShaderData shader) {
  if (shader.encoding == aas1::kEncodingSpirv) {
    ASSETC_TRY(shader.wants, spirv::reflect(shader.code));
  }
  return shader;
}

Result<ShaderData> load_shader(LoadInput& in) {
  if (!is_blob(in.bytes)) {
    if (in.bytes.size() < 4 || load<std::uint32_t>(in.bytes) != spirv::kMagic)
      return formats::invalid(0, "found a magic number other than that of SPIR-V");
    return reflected({in.bytes, aas1::kEncodingSpirv});
  }
  ASSETC_TRY(const aas1::PayloadView blob, aas1::PayloadView::open(in.bytes));
  return reflected({slice_of(in.bytes, blob.payload()), blob.encoding()});
}

Result<FontData> load_font(LoadInput& in) {
  ASSETC_TRY(hfont::View view, hfont::View::open(in.bytes));
  AssetHandle atlas;
  if (const std::uint64_t hash = view.desc().texture; hash != 0) {
    // An atlas that does not exist yet is a dependency too: the fallback is used until it is built.
    atlas = in.catalog.find(hash).value_or(AssetHandle{.path_hash = hash, .type = AssetType::kTexture2D});
    in.hard = {atlas};
  }
  return FontData{in.bytes, std::move(view), atlas};
}

FontData empty_font(AssetType /*type*/) {
  const hfont::Model model{.desc = {.atlas_width_texels = 1,
                                    .atlas_height_texels = 1,
                                    .size_texels = 1,
                                    .range_texels = 1,
                                    .ascender = 1,
                                    .line_height = 1,
                                    .units_per_em = 1},
                           .glyphs = {{}},
                           .characters = {},
                           .kerning = {},
                           .name = {}};
  Bytes bytes(must(hfont::write(model)));
  hfont::View view = must(hfont::View::open(bytes));
  return {std::move(bytes), std::move(view), {}};
}

AudioData silence(AssetType /*type*/) {
  constexpr std::int16_t kFrame = 0;
  aas1::Audio audio;
  audio.frame_count = audio.frames_per_chunk = 1;
  audio.chunks = {object_bytes(kFrame)};
  return must_view<aas1::AudioView>(aas1::write(audio));
}

}  // namespace

Result<RawData> load_raw(LoadInput& in) {
  if (!is_blob(in.bytes)) return RawData{std::move(in.bytes)};
  ASSETC_TRY(const aas1::PayloadView blob, aas1::PayloadView::open(in.bytes));
  return RawData{slice_of(in.bytes, blob.payload())};
}

Loader<AnimationData> animation_loader() {
  Loader<AnimationData> loader = in_place<AnimationData>(load_animation);
  loader.fallback = [](AssetType) { return AnimationData{}; };
  return loader;
}

Loader<AudioData> audio_loader() {
  Loader<AudioData> loader = viewed<aas1::AudioView>();
  loader.fallback = silence;
  return loader;
}

Loader<SkeletonData> skeleton_loader() {
  Loader<SkeletonData> loader = viewed<aas1::SkeletonView>();
  loader.fallback = bind_pose;
  return loader;
}

Loader<ShaderData> shader_loader() {
  return {.decode = load_shader,
          .decoded_bytes = nothing,
          .size_bytes = [](const ShaderData& shader) -> std::uint64_t { return shader.code.size(); },
          .fallback = error_shader};
}

Loader<FontData> font_loader() {
  return {.decode = load_font, .decoded_bytes = nothing, .size_bytes = held_bytes<FontData>, .fallback = empty_font};
}

Loader<RawData> raw_loader() {
  Loader<RawData> loader = in_place<RawData>(load_raw);
  loader.fallback = [](AssetType) { return RawData{}; };
  return loader;
}

void add_loaders(Manager& manager) { add_loaders(manager, {}); }

void add_loaders(Manager& manager, Loaders loaders) {
  for (const AssetType type : {AssetType::kTexture2D, AssetType::kTextureCube, AssetType::kTexture2DArray,
                               AssetType::kTextureCubeArray, AssetType::kTexture3D})
    manager.add(type, loaders.texture);
  manager.add(AssetType::kMesh, std::move(loaders.mesh));
  manager.add(AssetType::kMaterial, std::move(loaders.material));
  manager.add(AssetType::kAnimation, std::move(loaders.animation));
  manager.add(AssetType::kAudio, std::move(loaders.audio));
  manager.add(AssetType::kSkeleton, std::move(loaders.skeleton));
  manager.add(AssetType::kModel, std::move(loaders.scene));
  manager.add(AssetType::kClusters, std::move(loaders.clusters));
  manager.add(AssetType::kShader, std::move(loaders.shader));
  manager.add(AssetType::kFont, std::move(loaders.font));
  manager.add(AssetType::kRaw, loaders.raw);
  manager.add(AssetType::kScript, std::move(loaders.raw));
}

}  // namespace assetc::runtime
