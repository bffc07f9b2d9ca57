// The tables of .hanim versions 1 and 2: docs/formats/hanim.md. Internal to their readers. Rules for names, times of
// keys, tags, segments and the joints that tracks move are in hanim.cpp, compressed.cpp and hanim.js.
#pragma once

#include "formats/hanim/layout.hpp"
#include "formats/table.hpp"

namespace assetc::hanim::table {

using namespace formats;
using formats::Field, formats::Part, formats::Section, formats::Size;
using TableRecord = formats::Record;
using enum Type;
using enum Rule;

enum Count : std::uint8_t { kNameBytes };
inline constexpr std::string_view kCountNames[] = {"nameBytes"};
inline constexpr std::uint32_t kMost = 0xFFFFFFFF;

// ---- version 1: records follow one another with names and keys between, so that each is checked alone ----

inline constexpr Field kHeaderFields[] = {
    {"magic", kU32, 1, kEqual, kMagic},
    {"version", kU32, 1, Rule::kVersion, hanim::kVersion},
    {"clip_count", kU32},
    {"flags", kU32},
};
inline constexpr TableRecord kHeader{"header", kHeaderFields, true};

inline constexpr Field kClipFields[] = {
    {"duration_seconds", kF32, 1, kFromZero, 0, 0, "duration"},
    {"channel_count", kU32},
};
inline constexpr TableRecord kClip{"named clip", kClipFields};

inline constexpr Field kChannelFields[] = {
    {"joint", kU32},  // check_joints()
    {"path", kU8, 1, kRange, 0, 2, "channel path"},
    {"interpolation", kU8, 1, kRange, 0, 1},
    {"components", kU8},  // 4 for a rotation, else 3
    {"reserved", kU8},
    {"key_count", kU32, 1, kRange, 1, kMost, "key count"},
};
inline constexpr TableRecord kChannel{"channel", kChannelFields};

inline constexpr Field kJointCountFields[] = {{"joint_count", kU32, 1, kRange, 1, kMost, "joint count"}};
inline constexpr TableRecord kJointCount{"joint count", kJointCountFields, true};

inline constexpr Field kJointFields[] = {
    {"parent", kI32, 1, kEarlier},
    {"translation", kF32, 3, kFinite},
    {"rotation", kF32, 4, kFinite},
    {"scale", kF32, 3, kFinite},
};
inline constexpr TableRecord kJoint{"named joint", kJointFields};

// ---- version 2 ----

inline constexpr Field kCompressedHeaderFields[] = {
    {"magic", kU32, 1, kEqual, kMagic},
    {"version", kU32, 1, Rule::kVersion, kCompressedVersion},
    {"clip_count", kU32},
    {"joint_count", kU32},
    {"name_bytes", kU32, 1, kCount, kNameBytes},
    {"error", kF32, 1, kFromZero},
    {"radius", kF32, 1, kFromZero},
    {"flags", kU32, 1, kBits, kOfScene},  // and 0 if the file has joints
};
inline constexpr TableRecord kCompressedHeader{"header of version 2", kCompressedHeaderFields, true};

inline constexpr Field kFileJointFields[] = {
    {"name_offset", kU32, 1, kSlice, kNameBytes, 0, "bytes of names"},
    {"name_size", kU32},
    {"parent", kI32, 1, kEarlier},
    {"translation", kF32, 3, kFinite},
    {"rotation", kF32, 4, kFinite},
    {"scale", kF32, 3, kFinite},
};
inline constexpr TableRecord kFileJoint{"joint", kFileJointFields};

inline constexpr Field kFileClipFields[] = {
    {"name_offset", kU32, 1, kSlice, kNameBytes, 0, "bytes of names"},
    {"name_size", kU32},
    {"offset", kU64},  // where the clip before ends
    {"size", kU64},
};
inline constexpr TableRecord kFileClip{"clip", kFileClipFields};

inline constexpr Section kFileSections[] = {{&kFileJoint, 3}, {&kFileClip, 2}};
inline constexpr Part kFile{"the file", &kCompressedHeader, kFileSections, Texts::kSized, 4, true};

inline constexpr Field kClipHeaderFields[] = {
    {"duration", kF32, 1, kFromZero},
    {"frame_count", kU32},     // check_samples()
    {"segment_frames", kU16},  // check_samples()
    {"flags", kU16, 1, kBits, layout::kHasTimes},
    {"weight_count", kU32},
    {"constant_count", kU32},
    {"rotation_count", kU32},
    {"vector_count", kU32},
    {"curve_count", kU32},
};
inline constexpr TableRecord kClipHeader{"header of a clip", kClipHeaderFields, true};

inline constexpr Field kWeightFields[] = {{"node", kU32}, {"first", kU32}};
inline constexpr TableRecord kWeight{"morph weights", kWeightFields};
inline constexpr Field kConstantFields[] = {{"tag", kU32}, {"value", kF32, 3, kFinite}};
inline constexpr TableRecord kConstant{"constant", kConstantFields};
inline constexpr Field kTagFields[] = {{"tag", kU32}};
inline constexpr TableRecord kTag{"tag", kTagFields};
inline constexpr Field kVectorRangeFields[] = {  // at most 2^76
    {"origin", kF32, 3},
    {"base_unit", kF32, 3},
    {"step", kF32}};
inline constexpr TableRecord kVectorRange{"vector range", kVectorRangeFields};
inline constexpr Field kCurveFields[] = {
    {"tag", kU32},
    {"kind", kU32, 1, kRange, 0, 2},
    {"key_count", kU32, 1, kRange, 1, kMost, "key count"},
    {"offset", kU32, 1, kMultiple, 4, 0, "offset of keys"},
};
inline constexpr TableRecord kCurve{"curve", kCurveFields};

enum ClipSection : std::size_t { kWeightSection, kConstantSection, kTagSection, kVectorSection, kCurveSection };
inline constexpr Section kClipSections[] = {
    {&kWeight, 4}, {&kConstant, 5}, {&kTag, 6, 2}, {&kVectorRange, 7}, {&kCurve, 8}};
inline constexpr Part kClipPart{"the clip", &kClipHeader, kClipSections, Texts::kNone, 0, true};

inline constexpr const TableRecord* kRecords[] = {&kHeader, &kClip, &kChannel, &kJointCount, &kJoint};
inline constexpr const Part* kParts[] = {&kFile, &kClipPart};

static_assert(kJoint.size_bytes == sizeof(std::int32_t) + sizeof(Transform));
static_assert(kCompressedHeader.size_bytes == sizeof(layout::CompressedHeader));
static_assert(kFileJoint.size_bytes == sizeof(layout::FileJoint) && kFileClip.size_bytes == sizeof(layout::FileClip));
static_assert(kClipHeader.size_bytes == sizeof(layout::ClipHeader) && kWeight.size_bytes == sizeof(layout::Weight));
static_assert(kConstant.size_bytes == sizeof(layout::Constant) && kCurve.size_bytes == sizeof(layout::Curve));
static_assert(kVectorRange.size_bytes == sizeof(layout::VectorRange));

}  // namespace assetc::hanim::table
