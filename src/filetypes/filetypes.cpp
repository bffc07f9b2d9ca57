#include "filetypes/filetypes.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "filetypes/readers.hpp"

namespace assetc::filetypes {
namespace {

using hman::Kind;
using hpack::PackKind;

const Row kRows[] = {
    // Models.
    {.suffixes = {".gltf"},
     .doc = "glTF 2.0 as JSON, its buffers and images beside it or inside",
     .type = Class::kModel,
     .media_type = "model/gltf+json"},
    {.suffixes = {".glb", ".vrm"},
     .doc = "glTF 2.0 in one binary file; a .vrm is one of a character",
     .type = Class::kModel,
     .media_type = "model/gltf-binary",
     .magic = {{{0, "glTF"}}}},
    {.suffixes = {".obj"},
     .doc = "Wavefront OBJ, its materials in .mtl files",
     .type = Class::kModel,
     .media_type = "model/obj"},
    {.suffixes = {".fbx"},
     .doc = "Autodesk FBX 2011 (7.1) or later, binary or text",
     .type = Class::kModel,
     .magic = {{{0, "Kaydara FBX Binary"}}}},
    {.suffixes = {".hmesh"},
     .doc = "A compiled mesh of version 2 or 1",
     .type = Class::kModel,
     .kind = "mesh",
     .magic = {{{0, "HMSH"}}},
     .manifest_kind = Kind::kMesh,
     .pack_kind = PackKind::kMesh,
     .reader = &kHmeshReader},
    {.suffixes = {".hcluster"},
     .doc = "A compiled mesh in clusters with levels of detail",
     .type = Class::kModel,
     .kind = "mesh",
     .magic = {{{0, "HCLU"}}},
     .manifest_kind = Kind::kMesh,
     .pack_kind = PackKind::kMesh,
     .reader = &kHclusterReader},
    {.suffixes = {".gali"},
     .doc = "A Galileo mesh, as source and compiled",
     .type = Class::kModel,
     .kind = "mesh",
     .magic = {{{0, "GALI"}}},
     .manifest_kind = Kind::kMesh,
     .reader = &kGalileoReader},
    // Images.
    {.suffixes = {".ktx2"},
     .doc = "KTX 2.0, a compiled texture",
     .type = Class::kPicture,
     .kind = "texture",
     .media_type = "image/ktx2",
     .magic = {{{0, "\xABKTX 20\xBB\r\n\x1A\n"}}},
     .manifest_kind = Kind::kTexture,
     .pack_kind = PackKind::kTexture,
     .reader = &kKtx2Reader},
    {.suffixes = {".png"},
     .doc = "PNG",
     .type = Class::kPicture,
     .media_type = "image/png",
     .magic = {{{0, "\x89PNG\r\n\x1A\n"}}}},
    {.suffixes = {".jpg", ".jpeg"},
     .doc = "JPEG",
     .type = Class::kPicture,
     .media_type = "image/jpeg",
     .magic = {{{0, "\xFF\xD8\xFF"}}}},
    {.suffixes = {".webp"},
     .doc = "WebP",
     .type = Class::kPicture,
     .media_type = "image/webp",
     .magic = {{{0, "RIFF"}, {8, "WEBP"}}}},
    {.suffixes = {".tga"}, .doc = "Truevision TGA", .type = Class::kPicture},
    {.suffixes = {".bmp"},
     .doc = "Windows bitmap",
     .type = Class::kPicture,
     .media_type = "image/bmp",
     .magic = {{{0, "BM"}}}},
    {.suffixes = {".hdr"},
     .doc = "Radiance HDR",
     .type = Class::kPicture,
     .media_type = "image/vnd.radiance",
     .magic = {{{0, "#?R"}}},
     .passes_white = true},
    {.suffixes = {".exr"},
     .doc = "OpenEXR",
     .type = Class::kPicture,
     .magic = {{{0, "\x76\x2f\x31\x01"}}},
     .passes_white = true},
    {.suffixes = {".psd", ".psb"},
     .doc = "A Photoshop document, all its layers together",
     .type = Class::kPicture,
     .media_type = "image/vnd.adobe.photoshop",
     .magic = {{{0, "8BPS"}}}},
    {.suffixes = {".tif", ".tiff"},
     .doc = "TIFF, through OpenImageIO's oiiotool",
     .type = Class::kPicture,
     .media_type = "image/tiff"},
    {.suffixes = {".avif"},
     .doc = "AVIF, through OpenImageIO's oiiotool",
     .type = Class::kPicture,
     .media_type = "image/avif",
     .magic = {{{4, "ftypavif"}}}},
    {.suffixes = {".dds"},
     .doc = "A DirectDraw surface of Direct3D 9 or 10",
     .type = Class::kPicture,
     .media_type = "image/vnd-ms.dds",
     .magic = {{{0, "DDS "}}}},
    {.suffixes = {".ktx"},
     .doc = "KTX 1",
     .type = Class::kPicture,
     .media_type = "image/ktx",
     .magic = {{{0, "\xABKTX 11\xBB\r\n\x1A\n"}}}},
    {.suffixes = {".array"},
     .doc = "A folder of pictures, the layers of one texture",
     .type = Class::kPicture,
     .is_folder = true},
    {.suffixes = {".env"}, .doc = "A folder of six cubemap faces", .type = Class::kPicture, .is_folder = true},
    {.suffixes = {".cube"}, .doc = "A color lookup table", .type = Class::kLut},
    // Parts of models.
    {.suffixes = {".mat"}, .doc = "One material, in YAML", .type = Class::kMaterial},
    {.suffixes = {".hmat"},
     .doc = "Compiled materials",
     .type = Class::kMaterial,
     .kind = "material",
     .magic = {{{0, "HMAT"}}},
     .manifest_kind = Kind::kMaterial,
     .pack_kind = PackKind::kMaterial,
     .reader = &kHmatReader},
    {.suffixes = {".hanim"},
     .doc = "Compiled animation clips",
     .type = Class::kAnimation,
     .kind = "animation",
     .magic = {{{0, "HANM"}}},
     .manifest_kind = Kind::kAnimation,
     .pack_kind = PackKind::kAnimation,
     .reader = &kHanimReader},
    {.suffixes = {".hscene"},
     .doc = "A compiled scene: nodes, cameras and lights",
     .type = Class::kScene,
     .kind = "scene",
     .magic = {{{0, "HSCN"}}},
     .manifest_kind = Kind::kScene,
     .pack_kind = PackKind::kScene,
     .reader = &kHsceneReader},
    {.suffixes = {".hfont"},
     .doc = "A compiled font",
     .type = Class::kFont,
     .kind = "font",
     .magic = {{{0, "HFNT"}}},
     .manifest_kind = Kind::kFont,
     .pack_kind = PackKind::kFont,
     .reader = &kHfontReader},
    {.suffixes = {".mtl"}, .doc = "Materials of a Wavefront OBJ", .type = Class::kPart},
    {.suffixes = {".bin"},
     .doc = "A cooked asset, an AAS1 blob; or a buffer of a glTF",
     .type = Class::kPart,
     .kind = "asset",
     .magic = {{{0, "AAS1"}}},
     .reader = &kAas1Reader},
    // Sounds.
    {.suffixes = {".wav"}, .doc = "WAV", .type = Class::kSound, .media_type = "audio/wav"},
    {.suffixes = {".flac"}, .doc = "FLAC", .type = Class::kSound, .media_type = "audio/flac", .magic = {{{0, "fLaC"}}}},
    {.suffixes = {".ogg", ".oga", ".opus"},
     .doc = "Ogg Vorbis, Opus and FLAC",
     .type = Class::kSound,
     .media_type = "audio/ogg",
     .magic = {{{0, "OggS"}}}},
    {.suffixes = {".mp3"}, .doc = "MP3", .type = Class::kSound, .media_type = "audio/mpeg"},
    {.suffixes = {".aiff", ".aif"}, .doc = "AIFF", .type = Class::kSound, .media_type = "audio/aiff"},
    // Fonts.
    {.suffixes = {".ttf"}, .doc = "A TrueType font", .type = Class::kFont, .media_type = "font/ttf"},
    {.suffixes = {".otf"}, .doc = "An OpenType font", .type = Class::kFont, .media_type = "font/otf"},
    // Shaders.
    {.suffixes = {".shader"}, .doc = "A folder of shader stages", .type = Class::kShader, .is_folder = true},
    {.suffixes = {".glsl", ".vert", ".tesc", ".tese", ".geom", ".frag", ".comp", ".task", ".mesh"},
     .doc = "A stage in GLSL",
     .type = Class::kShader},
    {.suffixes = {".rgen", ".rahit", ".rchit", ".rmiss", ".rint", ".rcall"},
     .doc = "A stage of ray tracing in GLSL",
     .type = Class::kShader},
    {.suffixes = {".hlsl"}, .doc = "A stage in HLSL", .type = Class::kShader},
    {.suffixes = {".slang"}, .doc = "A stage in Slang", .type = Class::kShader},
    {.suffixes = {".spv"},
     .doc = "SPIR-V, as source and compiled",
     .type = Class::kShader,
     .kind = "shader",
     .magic = {{{0, "\x03\x02\x23\x07"}}},
     .manifest_kind = Kind::kShader,
     .pack_kind = PackKind::kShader,
     .reader = &kSpirvReader},
    // Files that engines read unchanged.
    {.suffixes = {".lua", ".luau", ".js", ".py", ".wren", ".nut", ".as"},
     .doc = "A script, of cooks",
     .type = Class::kData},
    {.suffixes = {".json", ".csv", ".tsv", ".xml", ".toml", ".yaml", ".yml", ".ini"},
     .doc = "Data as text, of cooks",
     .type = Class::kData},
    {.suffixes = {".bytes", ".dat"}, .doc = "Data, of cooks", .type = Class::kData},
    // Lists of other files.
    {.suffixes = {".hman"},
     .doc = "The manifest: hashes to files",
     .type = Class::kManifest,
     .kind = "manifest",
     .magic = {{{0, "HMAN"}}},
     .pack_kind = PackKind::kManifest,
     .reader = &kHmanReader},
    {.suffixes = {".hpack"},
     .doc = "An output folder in one file",
     .type = Class::kPack,
     .magic = {{{0, "HPAK"}}},
     .reader = &kHpackReader},
    {.suffixes = {".pak"},
     .doc = "A bundle: cooked assets of one platform in one file",
     .type = Class::kPack,
     .kind = "bundle",
     .magic = {{{0, "APAK"}}},
     .reader = &kPakReader},
};

std::string_view extension_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == path.npos ? std::string_view() : path.substr(dot);
}

const Row* find_suffix(std::string_view suffix, bool is_folder) {
  if (suffix.empty()) return nullptr;
  for (const Row& row : kRows) {
    if (row.is_folder == is_folder && std::ranges::find(row.suffixes, suffix) != row.suffixes.end()) return &row;
  }
  return nullptr;
}

}  // namespace

std::span<const Row> all_rows() { return kRows; }

const Row* find_row(std::string_view path, bool is_folder) {
  return find_suffix(ascii_lower(extension_of(path)), is_folder);
}

const Row* find_compiled(std::string_view path) {
  const Row* row = find_suffix(extension_of(path), false);
  return row != nullptr && row->is_compiled() ? row : nullptr;
}

bool has_magic(const Row& row, ByteSpan file) {
  if (row.magic[0].bytes.empty()) return false;
  return std::ranges::all_of(row.magic, [text = as_text(file)](const Magic& magic) {
    return text.size() >= magic.offset_bytes && text.substr(magic.offset_bytes).starts_with(magic.bytes);
  });
}

const Row* find_magic(ByteSpan file) {
  const auto found = std::ranges::find_if(kRows, [&](const Row& row) { return has_magic(row, file); });
  return found == std::end(kRows) ? nullptr : &*found;
}

// Sources: git-lfs/docs/spec.md; git-merge(1), "How conflicts are presented".
Result<void> check_whole(ByteSpan file) {
  constexpr std::size_t kMaxPointerBytes = 1024, kStartBytes = 1024;
  constexpr std::string_view kFirstLine = "version https://git-lfs.github.com/spec/";
  const std::string_view text = as_text(file);
  if (file.size() < kMaxPointerBytes && text.starts_with(kFirstLine))
    return fail(ErrorCode::kInvalidData, "is a pointer of Git LFS, not the file itself", "run `git lfs pull`");
  if (text.substr(0, kStartBytes).contains('\0')) return {};  // no text
  const auto line_with = [text](std::string_view marker, std::size_t from) {
    std::size_t at = text.find(marker, from);
    while (at != text.npos && at != 0 && text[at - 1] != '\n') at = text.find(marker, at + 1);
    return at;
  };
  const std::size_t ours = line_with("<<<<<<< ", 0);
  if (ours == text.npos) return {};
  const std::size_t middle = line_with("=======", ours);
  if (middle == text.npos || line_with(">>>>>>> ", middle) == text.npos) return {};
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(ours), '\n');
  return fail_at(ErrorCode::kInvalidData, "line " + std::to_string(line), "found git's conflict markers",
                 "resolve the conflict");
}

std::string list_suffixes(const std::function<bool(const Row&)>& is, std::string_view separator,
                          std::string_view last_separator) {
  std::vector<std::string_view> suffixes;
  for (const Row& row : kRows) {
    if (is(row)) suffixes.push_back(row.suffix());
  }
  std::string text;
  for (std::size_t i = 0; i < suffixes.size(); ++i) {
    if (i > 0) text += i + 1 == suffixes.size() ? last_separator : separator;
    text += suffixes[i];
  }
  return text;
}

Result<void> check_file(std::string_view path, ByteSpan file) {
  const Row* row = find_compiled(path);
  if (row == nullptr) return {};
  ASSETC_CHECK(row->reader->open(file));
  return row->reader->check == nullptr ? Result<void>() : row->reader->check(file);
}

}  // namespace assetc::filetypes
