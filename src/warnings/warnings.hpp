// The warnings of the compiler. A warning is an error that stops nothing and has a kind. Configurations accept warnings
// by kind, and programs identify them by kind.
//
// To add a kind, add a line here, a row in warnings.cpp, and a line in docs/reference/warnings.md. Tests compare the
// three.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assetc/base/result.hpp"

namespace assetc {

// In the order of the table.
enum class WarningKind : std::uint8_t {
  // Models.
  kMergedNodes,
  kEmptyNodes,
  kOtherSkins,
  kJointScale,
  kLevelParts,
  kLevelMaterials,
  kSharedMaterialName,
  kDroppedExtras,
  kDroppedExtension,
  kDroppedCameras,
  kDroppedLights,
  kDroppedMorphs,
  kDroppedAnimation,
  kDroppedGeometry,
  kDroppedAttribute,
  kDroppedMaterial,
  kDroppedContent,
  kFlattened,
  kSceneAlone,
  kLargerOutput,
  kUnreducedMesh,
  kRepairedMesh,
  kRepairedWeights,
  kRepairedNodes,
  kRepairedAnimation,
  kPolygonFan,
  kGalileoTexcoords,
  kUnknownStatement,
  kRepeatedMaterial,
  kMissingMaterialLibrary,
  kTextEncoding,
  kFbxSettings,
  // Images.
  kMissingPicture,
  kMovedPicture,
  kDamagedPicture,
  kUnknownFilter,
  kPartlyReadPicture,
  kPictureColors,
  kClippedValues,
  kRoundedValues,
  kDroppedChannels,
  kMisnamedPicture,
  kUnlikelyUsage,
  kOverruledUsage,
  kMixedUses,
  kCopiedTexture,
  kLayerOrder,
  kIgnoredFile,
  // Materials, shaders, tables.
  kUnknownKey,
  kShaderCompiler,
  kSharedBinding,
  kUnknownKeyword,
  kMissingCharacters,
  // Sounds.
  kEncoderPadding,
  // The tree of sources.
  kHiddenFile,
  kBrokenLink,
  kLinkLoop,
  kOutsideLink,
  kSpecialFile,
  kOtherOutput,
  kUnmatchedRule,
  // Warnings that belong to no source.
  kEngineSetting,
  kUnknownSetting,
  kIdleSetting,
  kConfigurationName,
  kUnmatchedAccept,
  kDroppedCache,
  kOtherPreset,
  kUnknownOutputs,
  kLargeStep,
  kRepeatedTexture,
  kCompressedGraphics,
  kUnusedCache,
  kUnsignedUploads,
  kSharedCache,
  kHeldOutput,
  kWatchListeners,
  kWatchPolls,
  kUnregisteredFile,
  kBrokenReference,
  kSharedSiblings,
  kTextureAsPng,
  kUnreadablePicture,
};
inline constexpr WarningKind kLastWarningKind = WarningKind::kUnreadablePicture;

struct WarningRow {
  WarningKind kind;
  std::string_view name;  // stable: "merged-nodes"
  bool is_acceptable;     // every build of the same sources and settings reports it, so a project may accept it
  std::string_view means, remedy;  // one sentence each
};

// One row for each kind, in the order of the kinds.
std::span<const WarningRow> warning_rows();
const WarningRow& row_of(WarningKind kind);
inline std::string_view to_string(WarningKind kind) { return row_of(kind).name; }
std::optional<WarningKind> parse_warning_kind(std::string_view name);
// Returns the names of kinds that a project may accept.
std::vector<std::string_view> acceptable_kinds();

struct Warning : Error {
  WarningKind kind;

  Warning(WarningKind of, Error error) : Error(std::move(error)), kind(of) {}
  Warning(WarningKind of, ErrorCode error_code, std::string in_file, std::string at_place, std::string found,
          std::string remedy = {})
      : Error{error_code, std::move(in_file), std::move(at_place), std::move(found), std::move(remedy)}, kind(of) {}
  // The same as Error::in().
  Warning in(std::string_view file_name) && { return {kind, std::move(static_cast<Error&>(*this)).in(file_name)}; }
};

}  // namespace assetc
