#include "convert/model.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "assetc/base/hash.hpp"
#include "assetc/formats/hman.hpp"
#include "base/plural.hpp"
#include "filetypes/filetypes.hpp"
#include "import/compiled/hscene.hpp"
#include "import/image/image.hpp"
#include "import/model/model.hpp"
#include "import/texture/ktx2.hpp"
#include "mesh/scene_normals.hpp"
#include "parallel/parallel.hpp"

namespace assetc::convert {
namespace {

constexpr std::string_view kManifestName = "assets.hman";

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? std::string() : std::string(path.substr(0, slash + 1));
}

// The bytes of an optional file; empty bytes if it does not exist.
Result<Bytes> read_optional(const importer::FileReader& read, const std::string& path) {
  auto bytes = read(path);
  if (!bytes && bytes.error().code == ErrorCode::kNotFound) return Bytes();
  if (!bytes) return std::unexpected(std::move(bytes).error().in(path));
  return bytes;
}

// Finds textures and the files of scenes by hash, through the manifest of the output tree that contains the compiled
// file.
class TextureFinder {
 public:
  TextureFinder(std::string_view path, const importer::FileReader& read, std::vector<Warning>& warnings)
      : read_(read), warnings_(warnings) {
    for (root_ = folder_of(path);; root_ = folder_of(std::string_view(root_).substr(0, root_.size() - 1))) {
      if (auto bytes = read(root_ + std::string(kManifestName))) {
        bytes_ = std::move(*bytes);
        if (auto view = hman::View::open(bytes_)) {
          manifest_ = std::move(*view);
        } else {
          warnings_.push_back(
              {WarningKind::kMissingPicture, std::move(view).error().in(root_ + std::string(kManifestName))});
        }
        return;
      }
      if (root_.empty() || root_ == "/") return;
    }
  }

  // The bytes of a file by the hash of its path.
  Result<Bytes> file(std::uint64_t hash, const std::string& what) {
    const hman::EntryView* entry = manifest_ ? manifest_->find(hash) : nullptr;
    if (entry == nullptr) {
      return fail(ErrorCode::kNotFound, "the file of " + what + ", " + hex(hash) + ", is in no manifest",
                  "convert from inside a built output folder, with its " + std::string(kManifestName));
    }
    auto bytes = read_(root_ + std::string(entry->path));
    if (!bytes) return std::unexpected(std::move(bytes).error().in(root_ + std::string(entry->path)));
    return bytes;
  }

  Result<scene::ImageSource> find(std::uint64_t ref) {
    const hman::EntryView* entry = manifest_ ? manifest_->find(ref) : nullptr;
    if (entry == nullptr) {
      warnings_.push_back({WarningKind::kMissingPicture,
                           ErrorCode::kNotFound,
                           {},
                           {},
                           "texture " + hex(ref) + " is in no manifest",
                           "convert from inside a built output folder, with its " + std::string(kManifestName)});
      return scene::ImageSource{hex(ref), {}, {}};
    }
    scene::ImageSource source{std::string(entry->path), {}, {}};
    auto bytes = read_(root_ + source.name);
    if (bytes) {
      source.inline_bytes = std::move(*bytes);
    } else {
      warnings_.push_back({WarningKind::kMissingPicture, std::move(bytes).error().in(root_ + source.name)});
    }
    return source;
  }

 private:
  static std::string hex(std::uint64_t value) {
    std::string text = "0x";
    for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[(value >> shift) & 15];
    return text;
  }

  const importer::FileReader& read_;
  std::vector<Warning>& warnings_;
  std::string root_;  // folder of the manifest: empty, or ends in '/'
  Bytes bytes_;
  std::optional<hman::View> manifest_;
};

// The companion files of a compiled mesh. finder must outlive the result.
Result<importer::Companions> companions_of(const std::string& stem, const importer::FileReader& read,
                                           TextureFinder& finder) {
  importer::Companions out;
  ASSETC_TRY(out.materials, read_optional(read, stem + ".hmat"));
  // A mesh of a scene has the table of the scene: yard.hscene, yard/mesh_0.hmesh, and yard/materials.hmat or, if it is
  // the same, that of the flattened mesh: yard.hmat.
  const std::size_t slash = stem.rfind('/');
  if (out.materials.empty() && slash != stem.npos && std::string_view(stem).substr(slash + 1).starts_with("mesh_")) {
    const std::string folder = stem.substr(0, slash);
    ASSETC_TRY(const Bytes scene, read_optional(read, folder + ".hscene"));
    if (!scene.empty()) {
      ASSETC_TRY(out.materials, read_optional(read, folder + "/materials.hmat"));
      if (out.materials.empty()) {
        ASSETC_TRY(out.materials, read_optional(read, folder + ".hmat"));
      }
    }
  }
  ASSETC_TRY(out.animation, read_optional(read, stem + ".hanim"));
  out.textures = [&finder](std::uint64_t ref) { return finder.find(ref); };
  return out;
}

Result<importer::Imported> open_model(const std::string& path, const Bytes& file, const importer::FileReader& read,
                                      const importer::ClusterCut& cut) {
  const importer::FileProbe exists = [&](std::string_view other) { return read(other).has_value(); };
  if (!importer::is_compiled_model_path(path)) return importer::import_model(path, file, read, exists);
  std::vector<Warning> warnings;
  TextureFinder finder(path, read, warnings);
  if (importer::model_kind(path) == importer::ModelKind::kHscene) {
    importer::Imported scene;
    ASSETC_TRY(scene.scene, importer::import_hscene(file, {[&](std::uint64_t hash, const std::string& what) {
                                                             return finder.file(hash, what);
                                                           },
                                                           [&](std::uint64_t ref) { return finder.find(ref); }}));
    scene.warnings = std::move(warnings);
    return scene;
  }
  ASSETC_TRY(const importer::Companions companions, companions_of(path.substr(0, path.rfind('.')), read, finder));
  ASSETC_TRY(importer::Imported imported, importer::import_model(path, file, read, exists, companions, 0, cut));
  imported.warnings.insert(imported.warnings.begin(), warnings.begin(), warnings.end());
  return imported;
}

}  // namespace

Result<importer::Imported> load_model(const std::string& path, const importer::FileReader& read,
                                      const importer::ClusterCut& cut) {
  if (!importer::is_model_path(path)) {
    return fail(ErrorCode::kUsage, path + " is not a model that can be opened",
                "models end in " + filetypes::list_suffixes(&filetypes::Row::is_model, ", ", " or "));
  }
  auto file = read(path);
  if (!file) return std::unexpected(std::move(file).error().in(path));
  auto model = open_model(path, *file, read, cut);
  if (!model) return std::unexpected(std::move(model).error().in(path));
  for (Warning& warning : model->warnings) warning = std::move(warning).in(path);
  for (scene::Mesh& mesh : model->scene.meshes) {
    for (scene::Primitive& primitive : mesh.primitives) mesh::complete_normals(primitive);
  }
  for (scene::ImageSource& image : model->scene.images) {
    if (!image.inline_bytes.empty() || image.path.empty()) continue;
    if (auto bytes = read(image.path)) {
      image.inline_bytes = std::move(*bytes);
    } else {
      model->warnings.push_back({WarningKind::kMissingPicture, std::move(bytes).error().in(image.path)});
    }
  }
  return model;
}

std::vector<scene::Image> decode_images(const scene::Scene& scene, std::vector<Warning>& warnings,
                                        std::uint64_t max_texels) {
  std::vector<scene::Image> images(scene.images.size());
  std::vector<std::optional<Error>> errors(scene.images.size());
  std::vector<std::optional<importer::ImageInfo>> infos(scene.images.size());
  std::uint64_t texels = 0;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const scene::ImageSource& source = scene.images[i];
    if (source.inline_bytes.empty()) continue;
    auto info = importer::read_image_info(source.inline_bytes);
    if (!info) {
      errors[i] = std::move(info).error().in(source.name);
      continue;
    }
    const std::uint64_t of_image = std::uint64_t{info->width_texels} * info->height_texels;
    if (of_image > max_texels - texels) {
      errors[i] = Error{ErrorCode::kLimit,
                        source.name,
                        {},
                        "found " + counted(of_image, "texel") + " beside " + std::to_string(texels) +
                            " of other pictures, expected at most " + std::to_string(max_texels),
                        "make the pictures smaller"};
      continue;
    }
    texels += of_image;
    infos[i] = std::move(*info);
  }
  parallel_for(images.size(), [&](std::size_t i) {
    if (!infos[i]) return;
    const scene::ImageSource& source = scene.images[i];
    auto image = infos[i]->format == importer::ImageFormat::kKtx2
                     ? importer::decode_ktx2(source.inline_bytes)
                     : importer::decode_image(source.inline_bytes, *infos[i]);
    if (!image) {
      errors[i] = std::move(image).error().in(source.name);
    } else if (image->type == scene::PixelType::kF32) {
      errors[i] = Error{ErrorCode::kUnsupported,
                        source.name,
                        {},
                        "the image has float channels, which the renderer does not show",
                        {}};
    } else {
      if (image->type == scene::PixelType::kU16) {
        ByteVector narrow(image->pixels.size() / 2);
        for (std::size_t k = 0; k < narrow.size(); ++k)
          narrow[k] = static_cast<std::byte>((load<std::uint16_t>(image->pixels, 2 * k) * 255u + 32767u) / 65535u);
        image->pixels = std::move(narrow);
        image->type = scene::PixelType::kU8;
      }
      images[i] = std::move(*image);
    }
  });
  for (std::optional<Error>& error : errors) {
    if (error) warnings.push_back({WarningKind::kUnreadablePicture, std::move(*error)});
  }
  return images;
}

}  // namespace assetc::convert
