#include "import/model/named_files.hpp"

#include <algorithm>

#include "import/gltf/data.hpp"
#include "import/gltf/gltf.hpp"
#include "import/gltf/json.hpp"
#include "import/model/model.hpp"
#include "import/obj/mtl.hpp"
#include "import/text/encoding.hpp"
#include "import/text/lines.hpp"

namespace assetc::importer {
namespace {

// Almost every OBJ names its material libraries within these bytes.
constexpr std::size_t kObjHeadBytes = 64 << 10;

void add(std::vector<std::string>& names, Result<std::string> path) {
  if (path && std::ranges::find(names, *path) == names.end()) names.push_back(std::move(*path));
}

std::vector<std::string> named_by_gltf(std::string_view path, const Bytes& file) {
  std::vector<std::string> names;
  const auto document = JsonDocument::parse(gltf_json_text(file));
  if (!document) return names;
  for (const std::string_view key : {"buffers", "images"}) {
    const auto items = document->root().array_or_empty(key);
    for (std::size_t i = 0; items && i < items->size(); ++i) {
      const auto uri = items->item(i).find("uri");
      const auto text = uri ? uri->text() : std::nullopt;
      if (text && !is_data_uri(*text)) add(names, resolve_uri(path, *text));
    }
  }
  return names;
}

std::vector<std::string> named_by_obj(std::string_view path, std::string_view bytes, const FileReader& read) {
  std::vector<std::string> names;
  std::string storage;
  Lines lines(read_text(bytes, storage).utf8);
  while (const auto line = lines.next()) {
    Words words(*line);
    if (words.next() != "mtllib") continue;
    const auto library = resolve_path(path, words.rest());
    const auto file = library ? read(*library) : Result<Bytes>();
    if (!file || !library) continue;
    Imported imported;
    read_mtl(*library, as_text(*file), imported);
    for (const scene::ImageSource& image : imported.scene.images) add(names, image.path);
  }
  return names;
}

}  // namespace

std::vector<std::string> named_files(std::string_view path, const std::function<Result<Bytes>(std::size_t)>& head,
                                     const FileReader& read) {
  const ModelKind kind = model_kind(path);
  if (kind == ModelKind::kFbx || is_compiled_model_path(path)) return {};
  const bool is_obj = kind == ModelKind::kObj;
  auto start = head(is_obj ? kObjHeadBytes : kGltfHeadBytes);
  if (!start) return {};
  if (is_obj) return named_by_obj(path, as_text(*start).substr(0, kObjHeadBytes), read);
  const std::size_t end = std::min(start->size(), gltf_json_end(*start));
  if (end > kGltfHeadBytes) start = head(end);
  return start ? named_by_gltf(path, *start) : std::vector<std::string>();
}

}  // namespace assetc::importer
