#include "warnings/warnings.hpp"

#include <algorithm>
#include <iterator>

namespace assetc {
namespace {

using K = WarningKind;

constexpr WarningRow kWarningRows[] = {
    {K::kMergedNodes, "merged-nodes", true,
     "Several nodes with meshes are merged into one mesh, so its parts cannot move independently.",
     "Bind parts that move to joints, export them to separate files, or set mesh.merge: false."},
    {K::kEmptyNodes, "empty-nodes", true,
     "Empty nodes, such as sockets, are dropped, because a mesh cannot store them.",
     "Make them joints of a skeleton, which keep their names and positions."},
    {K::kOtherSkins, "other-skins", true, "The model has several skins, and only the first is exported.",
     "Join the armatures, or export each skinned mesh to a separate file."},
    {K::kJointScale, "joint-scale", true,
     "Nodes above a joint scale its axes by different factors, which a joint cannot store, so the pose may differ.",
     "Apply the scale of the armature before the export."},
    {K::kLevelParts, "level-parts", true,
     "A source LOD has more or fewer parts than the full mesh, or there are too many LODs, and some LODs are left out.",
     "Give all LODs the same materials, and keep no more LODs than the container can store."},
    {K::kLevelMaterials, "level-materials", true,
     "A source LOD has other materials than the full mesh, and is drawn with the materials of the full mesh.",
     "Give all LODs the same materials."},
    {K::kSharedMaterialName, "shared-material-name", true,
     "Several materials have the same name, ignoring case, or the same ref, so one may be mistaken for another.",
     "Give each material a unique name."},
    {K::kDroppedExtras, "dropped-extras", true,
     "The extras of a glTF (data that exporters attach to its parts) are dropped.",
     "Do nothing if the engine does not read them; otherwise keep the data in a separate file."},
    {K::kDroppedExtension, "dropped-extension", true,
     "An extension of the source is dropped, because the output cannot store it.",
     "Export without the extension, or accept that its effect is lost."},
    {K::kDroppedCameras, "dropped-cameras", true, "Cameras are dropped.", "Leave cameras out of the export."},
    {K::kDroppedLights, "dropped-lights", true, "Lights are dropped.",
     "Leave lights out of the export, or place them in the engine."},
    {K::kDroppedMorphs, "dropped-morphs", true, "Morph targets or their animation are dropped.",
     "Animate with joints, or bake the shape."},
    {K::kDroppedAnimation, "dropped-animation", true, "Animation is dropped, because the output cannot store it.",
     "Animate the joints of a skin, and bake any other animation."},
    {K::kDroppedGeometry, "dropped-geometry", true,
     "Surfaces, curves or other geometry are dropped, because the output cannot store them.",
     "Convert them to triangles or lines, or leave them out of the export."},
    {K::kDroppedAttribute, "dropped-attribute", true,
     "Vertex attributes that the output cannot store are dropped: extra texture coordinates, colors or joint "
     "influences.",
     "Leave them out of the export, or choose a mesh.container that keeps them."},
    {K::kDroppedMaterial, "dropped-material", true,
     "Parts of a material that the output cannot store are dropped: textures, also those that need another set or "
     "transform of texture coordinates than the material's first texture.",
     "Use only the texture slots and the single set of texture coordinates that a material supports, or set mesh.scene "
     "to auto."},
    {K::kDroppedContent, "dropped-content", true,
     "Other content of the source is dropped, because the output cannot store it.",
     "Leave it out of the export, or choose a container that keeps it."},
    {K::kFlattened, "flattened", true,
     "A flat mesh with its materials and clips lacks something that the scene written beside it has.",
     "Load the scene; or set mesh.scene to true, which writes no flat files."},
    {K::kSceneAlone, "scene-alone", true,
     "A model draws its meshes so often that a flat mesh would be far larger than they are, so only a scene is "
     "written.",
     "Load the scene; or set mesh.scene to false, which writes the flat mesh alone."},
    {K::kLargerOutput, "larger-output", true, "An optimized model is larger than its source.",
     "Choose another format for pictures or meshes, as the message says; or keep the source."},
    {K::kUnreducedMesh, "unreduced-mesh", true,
     "The coarsest level of clusters has many triangles, because most of its points cannot move.",
     "Join vertices that should be one, and simplify where many triangles meet; or set mesh.lod: levels."},
    {K::kRepairedMesh, "repaired-mesh", true,
     "Invalid geometry was repaired: values that are not finite, incomplete triangles or indices out of range.",
     "Repair the mesh in the tool that made it, and export it again."},
    {K::kRepairedWeights, "repaired-weights", true,
     "Skin weights that are negative or do not add up to 1 were normalized, or vertices without weights were bound to "
     "a "
     "joint.",
     "Normalize the weights before the export."},
    {K::kRepairedNodes, "repaired-nodes", true, "An invalid rotation or matrix of a node or joint was replaced.",
     "Reset the transform in the tool that made the model."},
    {K::kRepairedAnimation, "repaired-animation", true,
     "Key times that do not increase were raised, or a clip with negative times was moved to start at 0.",
     "Bake the animation again."},
    {K::kPolygonFan, "polygon-fan", true,
     "A polygon with very many corners was triangulated as a fan, which is correct only for convex polygons.",
     "Triangulate the mesh before the export."},
    {K::kGalileoTexcoords, "galileo-texcoords", true,
     "Texture coordinates are outside 0 to 1, which the 16-bit channels of a .gali cannot store.",
     "Move the coordinates into 0 to 1 if a reader does not know the exact channels of assetc."},
    {K::kUnknownStatement, "unknown-statement", true,
     "A statement of an OBJ or MTL file is unknown or malformed, and is ignored.", "Correct or remove the line."},
    {K::kRepeatedMaterial, "repeated-material", true,
     "A material library defines a material twice, and only the first definition is used.",
     "Remove one of the two definitions."},
    {K::kMissingMaterialLibrary, "missing-material-library", true,
     "A material library of an OBJ is missing or does not define a material, and default values are used.",
     "Export the .mtl to the folder of the model."},
    {K::kTextEncoding, "text-encoding", true, "A text file is not UTF-8 and was read as Latin-1.", "Save it as UTF-8."},
    {K::kFbxSettings, "fbx-settings", true, "The units or axes of an FBX are invalid, and defaults are used.",
     "Export the file again with valid units and axes."},
    {K::kMissingPicture, "missing-picture", true,
     "A picture that a model names is missing or cannot be read, and the texture is left out.",
     "Put the picture next to the model, or export the model again with its pictures."},
    {K::kMovedPicture, "moved-picture", true,
     "A picture is not at the path that the model gives, and a file with the same name is used: one nearby, or the "
     "only one of the project.",
     "Export with relative paths, or embed the pictures."},
    {K::kDamagedPicture, "damaged-picture", true, "A JPEG has minor damage, and is decoded as image viewers decode it.",
     "Look at the picture, and export it again."},
    {K::kUnknownFilter, "unknown-filter", true,
     "A sampler names a texture filter that glTF does not define, and the engine chooses one.",
     "Export the model again."},
    {K::kPartlyReadPicture, "partly-read-picture", true,
     "A picture file holds more than is compiled, such as further frames, parts or channels.",
     "Export the content that you need as a separate picture."},
    {K::kPictureColors, "picture-colors", true,
     "A picture declares primaries, a gamma, a color profile or an exposure other than sRGB, which is not applied.",
     "Convert the picture to sRGB, or remove the declaration if the picture looks right without it."},
    {K::kClippedValues, "clipped-values", true, "Values outside the range that the texture can store are clipped.",
     "Scale the values into the range, or use a wider range, such as texture.format: rgba16f or texture.usage: hdr."},
    {K::kRoundedValues, "rounded-values", true, "Values of 16 bits are rounded to the 8 bits of rgba8.",
     "Choose a format with more precision, or save the picture with 8 bits."},
    {K::kDroppedChannels, "dropped-channels", true,
     "Channels with data of their own are dropped, because the usage or format of the picture cannot store them.",
     "Save the picture without these channels, or set its texture.usage or texture.channels."},
    {K::kMisnamedPicture, "misnamed-picture", true,
     "The name of a picture stands for one usage, and a model uses the picture for another.",
     "Put the picture into the right slot, or rename it."},
    {K::kUnlikelyUsage, "unlikely-usage", true,
     "The texels of a picture do not look like its usage, such as a normal map that is compiled as color.",
     "Set its texture.usage in a rule, or rename it."},
    {K::kOverruledUsage, "overruled-usage", true,
     "A rule sets a texture.usage for a picture, but a model uses the picture differently, and the model wins.",
     "Remove texture.usage from the rule, or put the picture into the right slot."},
    {K::kMixedUses, "mixed-uses", true, "A picture is used in two ways, and is stored once for each.",
     "Correct the material if one use is a mistake, or give each use its own picture."},
    {K::kCopiedTexture, "copied-texture", true,
     "A .ktx2 cannot be compiled to the texture.format that is set, and is copied unchanged.",
     "Provide the picture that the .ktx2 was made from."},
    {K::kLayerOrder, "layer-order", true,
     "Layers of a texture array are in the order of their names, which differs from the order of their numbers.",
     "Add leading zeros to the numbers."},
    {K::kIgnoredFile, "ignored-file", true,
     "A file in a folder that is compiled as one asset does not belong to the asset, and is ignored.",
     "Move it out of the folder, or give it a name that the asset expects."},
    {K::kUnknownKey, "unknown-key", true, "A .mat has an unknown key, which is ignored.", "Correct or remove the key."},
    {K::kShaderCompiler, "shader-compiler", true, "The shader compiler reported a warning.",
     "Correct the line that the warning names."},
    {K::kSharedBinding, "shared-binding", true,
     "Two stages of a shader have uniform buffers of different sizes, or textures or samplers of different names, at "
     "one "
     "set and binding.",
     "Give each a register, binding or set of its own, or declare the same in both stages."},
    {K::kUnknownKeyword, "unknown-keyword", true, "A .cube has an unknown keyword, which is ignored.",
     "Remove the line."},
    {K::kMissingCharacters, "missing-characters", true, "A font lacks characters of the files that font.strings names.",
     "Use a font with these characters, or remove them from the texts."},
    {K::kEncoderPadding, "encoder-padding", true,
     "An MP3 does not say how much silence its encoder added at both ends, so a loop of it has a gap.",
     "Export it as WAV, FLAC or Ogg Vorbis, or with an encoder that writes a LAME tag."},
    {K::kHiddenFile, "hidden-file", true, "A source whose name begins with a dot is ignored.",
     "Rename it without the dot, or list it under ignore:."},
    {K::kBrokenLink, "broken-link", true, "The target of a symbolic link does not exist, and the link is ignored.",
     "Correct or remove the link."},
    {K::kLinkLoop, "link-loop", true, "A symbolic link points to a folder that contains the link, and is not followed.",
     "Remove the link, or list it under ignore:."},
    {K::kOutsideLink, "outside-link", true, "A symbolic link points outside the input folder, and is ignored.",
     "Set links: follow, or list the link under ignore:."},
    {K::kSpecialFile, "special-file", true, "A pipe, socket or device is ignored.",
     "Replace it with a file, or list it under ignore:."},
    {K::kOtherOutput, "other-output", true, "A folder in the input is the output of another build, and is ignored.",
     "Move it out of the input, or list it under ignore:."},
    {K::kUnmatchedRule, "unmatched-rule", true, "A rule of the configuration matches no source.",
     "Correct match:, a glob over paths below the input folder, or remove the rule."},
    {K::kEngineSetting, "engine-setting", true,
     "A file that Unity or Godot keeps beside a source is not read, is damaged, or has a value that cannot be "
     "followed.",
     "Set from:, correct the file, or set the setting in a rule."},
    {K::kUnknownSetting, "unknown-setting", false, "The configuration or a .meta has an unknown key, which is ignored.",
     "Correct or remove the key."},
    {K::kIdleSetting, "idle-setting", false,
     "A setting has no effect, because no texture that it applies to has the required format.",
     "Remove the setting, or set the format."},
    {K::kConfigurationName, "configuration-name", false,
     "The name of a file is similar to that of the configuration, and the file is not read.",
     "Rename it to assetc.yml."},
    {K::kUnmatchedAccept, "unmatched-accept", false, "An entry of accept: no longer matches any warning.",
     "Remove the entry."},
    {K::kDroppedCache, "dropped-cache", false,
     "The cache of a build is damaged or of another version, and is not used.",
     "Do nothing, because the build writes the cache again."},
    {K::kOtherPreset, "other-preset", false, "The output folder was last built with another preset.",
     "Give each preset its own output folder, with output: or -o."},
    {K::kUnknownOutputs, "unknown-outputs", false, "The output folder has files that no build record lists.",
     "If they are outputs of sources that were removed, delete them or the output folder, and build again."},
    {K::kLargeStep, "large-step", false, "A step may need more memory than the build may use, and ran alone.",
     "Raise --memory, or make the source smaller."},
    {K::kRepeatedTexture, "repeated-texture", false, "Many models have the same picture, and each has its own texture.",
     "Set texture.share to content."},
    {K::kCompressedGraphics, "compressed-graphics", false,
     "Pixel art or other graphics are stored in blocks, which lose quality or are larger than the texels.",
     "Set texture.compress to auto."},
    {K::kUnusedCache, "unused-cache", false, "A cache that is configured cannot be used.",
     "Correct cache: or the environment variable, as the warning says."},
    {K::kUnsignedUploads, "unsigned-uploads", false,
     "Products are uploaded to a shared cache without a signature that other machines require.",
     "Set a key with cache.sign or ASSETC_CACHE_SIGN, or set cache.remote.mode to read."},
    {K::kSharedCache, "shared-cache", false,
     "The shared cache failed, or has products that no key of cache.trust has signed.",
     "Check that the shared cache is up, and who writes to it."},
    {K::kHeldOutput, "held-output", false, "Another build has locked the output folder, and the watch waits for it.",
     "Wait, or end the other build."},
    {K::kWatchListeners, "watch-listeners", false, "The watch cannot serve some or all of its listeners.",
     "Close some listeners, or remove the file at the path of the socket."},
    {K::kWatchPolls, "watch-polls", false,
     "The system does not report all changes to the watch, which looks for them once a second or less often.",
     "Raise the limit of watched folders, or move the project to a disk of this system."},
    {K::kUnregisteredFile, "unregistered-file", false, "A file in a cooked folder is in no registry.",
     "Cook again to remove files that assetc made, and delete other files by hand."},
    {K::kBrokenReference, "broken-reference", false, "A file refers to an asset that was moved or removed.",
     "Correct the reference."},
    {K::kSharedSiblings, "shared-siblings", false,
     "Two compiled meshes with the same name share a .hmat or .hanim, or a new mesh takes one that was already there.",
     "Give the output another name, or remove the old mesh or file."},
    {K::kTextureAsPng, "texture-as-png", false,
     "A compiled texture is written as PNG, because a .glb cannot contain it.",
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
