#include "export/glb_images.hpp"

#include <algorithm>
#include <iterator>

#include "base/ascii.hpp"
#include "base/percent.hpp"
#include "filetypes/filetypes.hpp"

namespace assetc::exporter {
namespace {

// A picture that a GLB can embed.
struct Embedded {
  std::string_view media_type;
  const char* extension;  // null for formats of core glTF
  std::string_view suffix;
};
constexpr Embedded kEmbedded[] = {{"image/png", nullptr, ".png"},
                                  {"image/jpeg", nullptr, ".jpg"},
                                  {"image/webp", "EXT_texture_webp", ".webp"},
                                  {"image/ktx2", "KHR_texture_basisu", ".ktx2"}};

const Embedded* find_embedded(ByteSpan image) {
  const filetypes::Row* row = filetypes::find_magic(image);
  if (row == nullptr) return nullptr;
  const auto found = std::ranges::find(kEmbedded, row->media_type, &Embedded::media_type);
  return found == std::end(kEmbedded) ? nullptr : &*found;
}

constexpr bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

}  // namespace

const char* image_extension(ByteSpan image) { return find_embedded(image)->extension; }

std::string uri_of(std::string_view file_name) { return percent_encoded(file_name, "-._"); }

std::string GlbImages::name_file(const scene::ImageSource& image, std::size_t number, std::string_view suffix) {
  constexpr std::size_t kMostBytes = 80;
  std::string_view name = image.name;
  name = name.substr(name.find_last_of("/\\") + 1);
  if (const filetypes::Row* row = filetypes::find_row(name); row != nullptr && name.rfind('.') != 0)
    name = name.substr(0, name.rfind('.'));
  std::string base(name.substr(0, kMostBytes));
  std::ranges::replace_if(base, [](char c) { return !is_plain(c); }, '_');
  if (base.empty()) base = std::to_string(number);
  base = stem_ + "_" + base;
  std::string out = base + std::string(suffix);
  for (int n = 2; !taken_.insert(ascii_lower(out)).second; ++n) {
    out = base;
    out.append("_").append(std::to_string(n)).append(suffix);
  }
  return out;
}

Result<Json> GlbImages::add(const scene::ImageSource& image, std::size_t number, GlbDocument& document,
                            UsedExtensions& used) {
  const std::string where = "/images/" + std::to_string(number);
  if (image.inline_bytes.empty()) {
    return fail_at(ErrorCode::kUnsupported, where, "image \"" + image.name + "\" has no bytes to embed",
                   "load the image before writing the GLB");
  }
  const Embedded* embedded = find_embedded(image.inline_bytes);
  if (embedded == nullptr) {
    return fail_at(ErrorCode::kUnsupported, where, "image \"" + image.name + "\" is neither PNG, JPEG, WebP nor KTX2",
                   "convert it to PNG");
  }
  // Declared even if no texture uses the image, because core glTF does not have the media type.
  if (embedded->extension != nullptr) used.names.insert(embedded->extension);
  Json out;
  if (stem_.empty()) {
    out = {{"bufferView", document.add_view(image.inline_bytes)}, {"mimeType", embedded->media_type}};
  } else {
    std::string& file = known_[content_hash(image.inline_bytes)];
    if (file.empty()) {
      file = name_file(image, number, embedded->suffix);
      files_.push_back({file, image.inline_bytes});
    }
    out = {{"uri", uri_of(file)}, {"mimeType", embedded->media_type}};
  }
  if (!image.name.empty()) out["name"] = image.name;
  return out;
}

}  // namespace assetc::exporter
