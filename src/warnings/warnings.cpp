#include "warnings/warnings.hpp"

#include <algorithm>
#include <iterator>

namespace assetc {
namespace {

using K = WarningKind;

constexpr WarningRow kWarningRows[] = {
    {K::kMergedNodes, "merged-nodes", true,
     "Several nodes with meshes become one mesh, so that its parts cannot move by themselves.",
     "Bind parts that move to joints, export them to files of their own, or set mesh.merge: false."},
    {K::kEmptyNodes, "empty-nodes", true,
     "Empty nodes, such as sockets, are lost, because the mesh has no place for them.",
     "Make them joints of a skeleton, whose names and places are kept."},
    {K::kOtherSkins, "other-skins", true, "The model has several skins, and only the first is exported.",
     "Join the armatures, or export each skinned mesh to a file of its own."},
    {K::kJointScale, "joint-scale", true, "Nodes above a joint scale its axes differently, which a joint cannot hold.",
     "Apply the scale of the armature before the export."},
    {K::kLevelParts, "level-parts", true,
     "A level of detail of the source has other parts than the full mesh, or there are too many levels; some are left "
     "out.",
     "Give all levels the same materials, and keep no more levels than the container holds."},
    {K::kLevelMaterials, "level-materials", true,
     "A level of detail of the source has other materials than the full mesh, and is drawn with those of the full "
     "mesh.",
     "Give all levels the same materials."},
    {K::kSharedMaterialName, "shared-material-name", true,
     "Several materials have one name or one ref, so that one may be taken for the other.",
     "Give each material a name of its own."},
    {K::kDroppedExtras, "dropped-extras", true,
     "Extras, the data that exporters attach to parts of a glTF, are dropped.",
     "Nothing is needed where the engine does not read them; else keep such data in a file of its own."},
    {K::kDroppedExtension, "dropped-extension", true,
     "An extension of the source that the output cannot hold is dropped.",
     "Export without the extension, or accept that its effect is lost."},
    {K::kDroppedCameras, "dropped-cameras", true, "Cameras are dropped.", "Leave cameras out of the export."},
    {K::kDroppedLights, "dropped-lights", true, "Lights are dropped.",
     "Leave lights out of the export, or place them in the engine."},
    {K::kDroppedMorphs, "dropped-morphs", true, "Morph targets or their animation are dropped.",
     "Animate by joints, or bake the shape."},
    {K::kDroppedAnimation, "dropped-animation", true, "Animation that the output cannot hold is dropped.",
     "Animate joints of a skin, and bake what is animated otherwise."},
    {K::kDroppedGeometry, "dropped-geometry", true,
     "Points, lines or other parts of the geometry that the output cannot hold are dropped.",
     "Convert them to triangles, or leave them out of the export."},
    {K::kDroppedAttribute, "dropped-attribute", true,
     "Attributes of vertices that the output cannot hold are dropped: further texture coordinates, colors, influences.",
     "Leave them out of the export, or choose a mesh.container that keeps them."},
    {K::kDroppedMaterial, "dropped-material", true,
     "Parts of a material that the output cannot hold are dropped: textures or transforms of texture coordinates.",
     "Use the slots and the one set of texture coordinates that materials have."},
    {K::kDroppedContent, "dropped-content", true,
     "Something else in the source that the output cannot hold is dropped.",
     "Leave it out of the export, or choose a container that keeps it."},
    {K::kRepairedMesh, "repaired-mesh", true,
     "Geometry that breaks a rule was repaired: values that are not finite, incomplete triangles, indices of nothing.",
     "Repair the mesh in the tool that it comes from, and export it again."},
    {K::kRepairedWeights, "repaired-weights", true, "Skin weights that are below 0 or do not add up to 1 were scaled.",
     "Normalize the weights before the export."},
    {K::kRepairedNodes, "repaired-nodes", true,
     "A rotation or matrix of a node or joint that means nothing was replaced.",
     "Reset the transform in the tool that it comes from."},
    {K::kRepairedAnimation, "repaired-animation", true, "Keys of an animation whose times do not ascend were moved.",
     "Bake the animation again."},
    {K::kPolygonFan, "polygon-fan", true,
     "A polygon with very many corners was cut as a fan, which fits convex polygons only.",
     "Triangulate the mesh before the export."},
    {K::kGalileoTexcoords, "galileo-texcoords", true,
     "Texture coordinates leave 0 to 1, which the 16-bit channels of a .gali cannot hold.",
     "Move the coordinates into 0 to 1 for readers that do not know the exact channels."},
    {K::kUnknownStatement, "unknown-statement", true,
     "A statement of an OBJ or MTL file is unknown or malformed, and is ignored.", "Correct or remove the line."},
    {K::kRepeatedMaterial, "repeated-material", true,
     "A material library defines a material twice, and the first one counts.", "Remove one of the two."},
    {K::kMissingMaterialLibrary, "missing-material-library", true,
     "A material library of an OBJ is not there, or does not define a material; defaults are used.",
     "Export the .mtl beside the model."},
    {K::kTextEncoding, "text-encoding", true, "A text is not UTF-8 and was read as Latin-1.", "Save it as UTF-8."},
    {K::kFbxSettings, "fbx-settings", true, "Units or axes of an FBX mean nothing, and defaults are used.",
     "Export the file again with its units and axes."},
    {K::kMissingPicture, "missing-picture", true,
     "A picture that a model names is not there or cannot be read, and the texture is left out.",
     "Put it beside the model, or export the model again with its pictures."},
    {K::kMovedPicture, "moved-picture", true,
     "A picture is not where the model says, and one of its name nearby is used.",
     "Export with relative paths, or embed the pictures."},
    {K::kDamagedPicture, "damaged-picture", true, "The data of a picture is damaged, and was read as far as it goes.",
     "Look at the picture, and export it again."},
    {K::kUnknownFilter, "unknown-filter", true,
     "A sampler names a filter of textures that glTF does not have, and engines choose one.",
     "Export the model again."},
    {K::kPartlyReadPicture, "partly-read-picture", true,
     "The file of a picture holds more than the picture that is compiled.",
     "Export what is needed of it as a picture of its own."},
    {K::kPictureColors, "picture-colors", true,
     "A picture says a gamma or color profile other than that of sRGB, which is not applied.",
     "Convert the picture to sRGB, or save it without this if it looks right as it is."},
    {K::kClippedValues, "clipped-values", true, "Values outside of the range that the texture holds are cut off.",
     "Bring the values into the range, or choose a format that holds them, such as rgba16f or texture.usage: hdr."},
    {K::kRoundedValues, "rounded-values", true, "Values of 16 bits are rounded to the 8 bits of rgba8.",
     "Choose a format that keeps more, or save the picture with 8 bits."},
    {K::kDroppedChannels, "dropped-channels", true,
     "Channels of a picture that differ are dropped, because its use or format has no place for them.",
     "Save the picture without them, or say its texture.usage or texture.channels."},
    {K::kMisnamedPicture, "misnamed-picture", true, "A picture is named for one use, and a model uses it for another.",
     "Put it into the slot that it is for, or rename it."},
    {K::kUnlikelyUsage, "unlikely-usage", true,
     "The texels of a picture do not look like what it is compiled as, such as a normal map compiled as color.",
     "Say its texture.usage in a rule, or rename it."},
    {K::kOverruledUsage, "overruled-usage", true,
     "A rule says a texture.usage for a picture that a model uses otherwise, and the model wins.",
     "Take texture.usage out of the rule, or put the picture into the slot that it is for."},
    {K::kMixedUses, "mixed-uses", true, "A picture is used in two ways, and is stored once for each.",
     "Correct the material if one use is a mistake, or give each use a picture of its own."},
    {K::kCopiedTexture, "copied-texture", true,
     "A .ktx2 that cannot be compiled again is copied as it is, whatever texture.format says.",
     "Provide the picture that it was made from."},
    {K::kLayerOrder, "layer-order", true,
     "Layers of a texture array are in the order of their names, which is not that of their numbers.",
     "Give the numbers leading zeros."},
    {K::kIgnoredFile, "ignored-file", true,
     "A file in a folder that is compiled as one asset is no part of that asset, and is left out.",
     "Move it out of the folder, or name it as the asset needs."},
    {K::kUnknownKey, "unknown-key", true, "A .mat has a key that no material has, and it is ignored.",
     "Correct the key, or remove it."},
    {K::kShaderCompiler, "shader-compiler", true, "The compiler of a shader warns.", "Correct the line that it names."},
    {K::kUnknownKeyword, "unknown-keyword", true, "A .cube has a keyword without a meaning, and it is left out.",
     "Remove the line."},
    {K::kHiddenFile, "hidden-file", true, "A source whose name begins with a dot is left out.",
     "Rename it without the dot, or name it under ignore:."},
    {K::kBrokenLink, "broken-link", true, "A symbolic link leads nowhere, and is left out.", "Correct or remove it."},
    {K::kLinkLoop, "link-loop", true, "A symbolic link leads to a folder that it lies in, and is not followed.",
     "Remove it, or name it under ignore:."},
    {K::kOutsideLink, "outside-link", true, "A symbolic link leads out of the input, and is left out.",
     "Set links: follow, or name it under ignore:."},
    {K::kSpecialFile, "special-file", true, "A pipe, socket or device is left out.",
     "Put a file in its place, or name it under ignore:."},
    {K::kOtherOutput, "other-output", true, "A folder in the input is the output of another build, and is left out.",
     "Move it out of the input, or name it under ignore:."},
    {K::kUnmatchedRule, "unmatched-rule", true, "A rule of the configuration matches no source.",
     "Correct its match:, which is a glob over paths below the input, or remove the rule."},
    {K::kUnknownSetting, "unknown-setting", false, "The configuration has a key that means nothing, and it is ignored.",
     "Correct the key, or remove it."},
    {K::kIdleSetting, "idle-setting", false,
     "A setting changes nothing, because no texture that it is for has the format that it is about.",
     "Remove it, or set the format."},
    {K::kConfigurationName, "configuration-name", false,
     "A file has nearly the name of a configuration, and is not read.", "Rename it to assetc.yml."},
    {K::kUnmatchedAccept, "unmatched-accept", false, "An entry of accept: matches no warning any more.", "Remove it."},
    {K::kDroppedCache, "dropped-cache", false,
     "The cache of a build is damaged or of another version, and is not used.", "Nothing: it is written again."},
    {K::kOtherPreset, "other-preset", false, "The output folder was built with another preset before.",
     "Give each preset a folder of its own, with output: or -o."},
    {K::kUnknownOutputs, "unknown-outputs", false, "The output folder has files that no record knows.",
     "If sources that are gone have left them, remove them, or the output folder, and build again."},
    {K::kLargeStep, "large-step", false, "A step may take more memory than the build may use, and ran alone.",
     "Raise --memory, or make the source smaller."},
    {K::kUnusedCache, "unused-cache", false, "A cache that was asked for cannot be used.",
     "Correct cache: or the environment, as the warning says."},
    {K::kUnsignedUploads, "unsigned-uploads", false,
     "Products are uploaded to a shared cache without a signature that others ask for.",
     "Name a key with cache.sign or ASSETC_CACHE_SIGN, or set cache.remote.mode to read."},
    {K::kSharedCache, "shared-cache", false, "The shared cache failed, or holds what nobody who is trusted has signed.",
     "See that the shared cache is up, and who writes to it."},
    {K::kHeldOutput, "held-output", false, "Another build holds the output folder, and the watch waits for it.",
     "Wait, or end the other build."},
    {K::kWatchListeners, "watch-listeners", false, "Listeners of a watch cannot be served.",
     "Close some of them, or remove what is in the place of the socket."},
    {K::kUnregisteredFile, "unregistered-file", false, "A file in a cooked folder is in no registry.",
     "Cook again, which removes files that it made; remove others by hand."},
    {K::kBrokenReference, "broken-reference", false, "A file refers to an asset that was moved or removed.",
     "Correct the reference."},
    {K::kSharedSiblings, "shared-siblings", false, "Two compiled meshes of one name share their .hmat and .hanim.",
     "Give the output another name, or remove the mesh that it replaces."},
    {K::kTextureAsPng, "texture-as-png", false, "A compiled texture that a .glb may not hold is written as PNG.",
     "Compile the texture again, as the warning says."},
    {K::kUnreadablePicture, "unreadable-picture", false,
     "A picture of a model cannot be shown or written, and is left out.", "Compile or export the picture again."}};

constexpr bool are_in_order() {
  for (std::size_t i = 0; i < std::size(kWarningRows); ++i) {
    if (kWarningRows[i].kind != static_cast<K>(i)) return false;
  }
  return std::size(kWarningRows) == static_cast<std::size_t>(kLastWarningKind) + 1;
}
static_assert(are_in_order(), "a row a kind, in the order of the kinds");

}  // namespace

std::span<const WarningRow> warning_rows() { return kWarningRows; }

const WarningRow& row_of(WarningKind kind) { return kWarningRows[static_cast<std::size_t>(kind)]; }

std::optional<WarningKind> parse_warning_kind(std::string_view name) {
  const auto row = std::ranges::find(kWarningRows, name, &WarningRow::name);
  return row == std::end(kWarningRows) ? std::nullopt : std::optional(row->kind);
}

std::vector<std::string_view> acceptable_kinds() {
  std::vector<std::string_view> names;
  for (const WarningRow& row : kWarningRows) {
    if (row.is_acceptable) names.push_back(row.name);
  }
  return names;
}

}  // namespace assetc
