// The table of AAS1 without meshes: docs/formats/aas1.md. Internal to its readers. The rules that a row cannot say are
// in aas1_*.cpp, web/page/src/aas1.js and aas1_model.js: arrays that a Desc refers to, sides and levels of textures,
// names and UUIDs that occur once or are not nil, chunks of sounds, ancestors of nodes.
#pragma once

#include "assetc/formats/aas1.hpp"
#include "assetc/formats/aas1_audio_view.hpp"
#include "assetc/formats/aas1_clusters.hpp"
#include "assetc/formats/aas1_material_view.hpp"
#include "assetc/formats/aas1_texture.hpp"
#include "formats/table.hpp"

namespace assetc::aas1::table {

using namespace formats;
using formats::Field, formats::Part, formats::Record, formats::Section, formats::Size;
using enum formats::Type;
using enum Rule;

// kNodes: of a model.
enum Count : std::uint8_t { kNodes };
inline constexpr std::string_view kCountNames[] = {"nodes"};
inline constexpr std::uint32_t kMost = 0xFFFFFFFF;

inline constexpr Field kBlobFields[] = {
    {"magic", kU32, 1, kEqual, kMagic},
    {"version", kU16, 1, Rule::kVersion, aas1::kVersion, 0, "AAS1 version"},
    {"type", kU8, 1, kSet, 0x7Eu | 0x7FFu << 16, 0, "asset type"},  // 1 to 6, 16 to 26
    {"flags", kU8},
    {"desc_size_bytes", kU32},
    {"data_size_bytes", kU32},
};
inline constexpr Record kBlob{"blob header", kBlobFields, true};
inline constexpr Field kExtensionsFields[] = {
    {"magic", kU32, 1, kEqual, kExtensionMagic},
    {"count", kU32, 1, kRange, 1, kMaxExtensions, "extension count"},
};
inline constexpr Record kExtensions{"extensions header", kExtensionsFields, true};
inline constexpr Field kExtensionFields[] = {
    {"id", kU32},  // once in a file
    {"size_bytes", kU32, 1, kRange, 1, kMost, "size"},
};
inline constexpr Record kExtension{"extension", kExtensionFields};

inline constexpr Field kTextureFields[] = {
    {"width_texels", kU32, 1, kRange, 1, ktx2::kMaxExtentTexels, "width"},
    {"height_texels", kU32, 1, kRange, 1, ktx2::kMaxExtentTexels, "height"},
    {"format", kU32},  // format_of()
    {"mip_count", kU32},
    {"row_pitch_bytes", kU32},
};
inline constexpr Record kTexture{"texture", kTextureFields, true};
inline constexpr Field kShapeFields[] = {
    {"depth_texels", kU32, 1, kRange, 1, ktx2::kMaxExtentTexels, "depth"},
    {"layer_count", kU32, 1, kRange, 1, ktx2::kMaxLayers, "layer count"},
    {"face_count", kU32},
};
inline constexpr Record kShape{"texture shape", kShapeFields, true};

inline constexpr Field kMaterialFields[] = {
    {"shading_model", kU32},
    {"blend_mode", kU32, 1, kRange, 0, 2, "blend mode"},
    {"flags", kU32},
    {"alpha_cutoff", kF32, 1, kFinite, 0, 0, "alpha cutoff"},
    {"scalar_count", kU32},
    {"vector_count", kU32},
    {"texture_count", kU32},
    {"scalars_offset_bytes", kU32},
    {"vectors_offset_bytes", kU32},
    {"textures_offset_bytes", kU32},
};
inline constexpr Record kMaterial{"material", kMaterialFields, true};
inline constexpr Field kScalarFields[] = {{"name_hash", kU32}, {"value", kF32, 1, kFinite}};
inline constexpr Record kScalar{"scalar", kScalarFields};
inline constexpr Field kVectorFields[] = {{"name_hash", kU32}, {"value", kF32, 4, kFinite}};
inline constexpr Record kVector{"vector", kVectorFields};
inline constexpr Field kTextureParameterFields[] = {
    {"name_hash", kU32},
    {"texture", kU8, 16},
    {"type", kU8, 1, kSet, 1u << 1 | 0xFu << 16, 0, "asset of type"},  // 1, 16 to 19
    {"reserved", kU8, 3},
    {"sampler_flags", kU32},
};
inline constexpr Record kTextureParameter{"texture parameter", kTextureParameterFields};

inline constexpr Field kAudioFields[] = {
    {"codec", kU32, 1, kRange, 1, 2, "audio codec"},
    {"sample_format", kU32, 1, kRange, 1, 2, "sample format"},
    {"channel_count", kU32, 1, kRange, 1, kMaxChannels, "channel count"},
    {"sample_rate_hz", kU32, 1, kRange, 1, kMost, "sample rate"},
    {"frame_count", kU32, 1, kRange, 1, kMost, "frame count"},
    {"chunk_count", kU32},
    {"frames_per_chunk", kU32, 1, kRange, 1, kMost, "frames of a chunk"},
    {"chunk_table_offset_bytes", kU32},
    {"data_offset_bytes", kU32},
    {"data_size_bytes", kU32},
};
inline constexpr Record kAudio{"audio", kAudioFields, true};
inline constexpr Field kLoopFields[] = {
    {"first_frame", kU32}, {"end_frame", kU32}, {"kind", kU32, 1, kRange, 0, 2}, {"repeats", kU32}};
inline constexpr Record kLoop{"loop", kLoopFields};

inline constexpr Field kPayloadFields[] = {
    {"encoding", kU32}, {"offset_bytes", kU32}, {"size_bytes", kU32}, {"reserved", kU32}};
inline constexpr Record kPayload{"payload", kPayloadFields, true};
inline constexpr Field kRedirectorFields[] = {
    {"old_uuid", kU8, 16}, {"new_uuid", kU8, 16}, {"path_offset_bytes", kU32}, {"path_size_bytes", kU32}};
inline constexpr Record kRedirector{"redirector", kRedirectorFields, true};

inline constexpr Field kSkeletonFields[] = {
    {"joint_count", kU32, 1, kRange, 1, kMost, "joint count"},
    {"joints_offset_bytes", kU32},
    {"names_offset_bytes", kU32},
    {"names_size_bytes", kU32},
};
inline constexpr Record kSkeleton{"skeleton", kSkeletonFields, true};
inline constexpr Field kModelFields[] = {
    {"node_count", kU32}, {"nodes_offset_bytes", kU32}, {"names_offset_bytes", kU32}, {"names_size_bytes", kU32}};
inline constexpr Record kModel{"model", kModelFields, true};
inline constexpr Field kNodeFields[] = {
    {"parent", kI32, 1, kParent, kNodes},
    {"detail_of", kI32, 1, kParent, kNodes, 0, "full node"},
    {"mesh", kU8, 16},
    {"skeleton", kU8, 16},
    {"translation", kF32, 3, kFinite},
    {"rotation", kF32, 4, kFinite},
    {"scale", kF32, 3, kFinite},
};
inline constexpr Record kNode{"node", kNodeFields};
inline constexpr Field kClustersFields[] = {
    {"material_count", kU32}, {"materials_offset_bytes", kU32}, {"file_offset_bytes", kU32}, {"file_size_bytes", kU32}};
inline constexpr Record kClusters{"clusters", kClustersFields, true};

inline constexpr const Record* kRecords[] = {
    &kBlob,  &kExtensions, &kExtension, &kTexture,    &kShape,    &kMaterial, &kScalar, &kVector,  &kTextureParameter,
    &kAudio, &kLoop,       &kPayload,   &kRedirector, &kSkeleton, &kModel,    &kNode,   &kClusters};

static_assert(kBlob.size_bytes == sizeof(BlobHeader) && kExtensions.size_bytes == sizeof(ExtensionHeader));
static_assert(kExtension.size_bytes == sizeof(ExtensionEntry) && kTexture.size_bytes == sizeof(Texture2DDesc));
static_assert(kShape.size_bytes == sizeof(ShapeDesc) && kMaterial.size_bytes == sizeof(MaterialDesc));
static_assert(kScalar.size_bytes == sizeof(ScalarParameter) && kVector.size_bytes == sizeof(VectorParameter));
static_assert(kTextureParameter.size_bytes == sizeof(TextureParameter) && kAudio.size_bytes == sizeof(AudioDesc));
static_assert(kLoop.size_bytes == sizeof(Loop) && kPayload.size_bytes == sizeof(PayloadDesc));
static_assert(kRedirector.size_bytes == sizeof(RedirectorDesc) && kSkeleton.size_bytes == sizeof(SkeletonDesc));
static_assert(kModel.size_bytes == sizeof(ModelDesc) && kNode.size_bytes == sizeof(ModelNode));
static_assert(kClusters.size_bytes == sizeof(ClustersDesc));

}  // namespace assetc::aas1::table
