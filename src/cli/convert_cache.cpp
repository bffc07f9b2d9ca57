#include "cli/convert_cache.hpp"

#include <map>
#include <optional>

#include "base/ascii.hpp"
#include "cli/store.hpp"

namespace assetc::cli {
namespace {

using engine::Dependency, engine::DependencyKind;

// Of a path, below the folder of the input where it lies there: checkouts lie anywhere.
std::string_view below(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) ? path.substr(folder.size()) : path;
}
std::string from(std::string_view path, std::string_view folder) {
  return path.starts_with('/') ? std::string(path) : std::string(folder).append(path);
}

std::string_view stem_of(std::string_view path) { return path.substr(0, path.rfind('.')); }

// Of the output's name: its suffix and, of a mesh, which refers to its materials and textures by it, all of it.
ContentHash key_of(std::string_view input, std::string_view output, const convert::ConvertOptions& options) {
  ContentHasher hasher;
  hasher.add(std::string_view("convert 2")).add(std::string_view(ASSETC_VERSION)).add(input);
  const std::string suffix = ascii_lower(output.substr(stem_of(output).size()));
  hasher.add(std::string_view(suffix));
  if (suffix == ".hmesh" || suffix == ".gali") hasher.add(stem_of(output)).add(std::uint64_t{options.beside_input});
  for (const recipes::Recipe* recipe : recipes::all_recipes()) {
    hasher.add(recipe->name).add(std::uint64_t{recipe->version});
    if (recipe->libraries != nullptr) hasher.add(std::string_view(recipe->libraries()));
  }
  for (const recipes::SettingField& field : recipes::setting_fields())
    hasher.add(std::string_view(field.get(options.settings)));
  const texture::ImageIndex& image = options.image;
  hasher.add(std::uint64_t{options.rebuild});
  hasher.add(std::uint64_t{options.most_lods.has_value()}).add(std::uint64_t{options.most_lods.value_or(0)});
  hasher.add(std::uint64_t{options.keep_ktx2});
  for (const std::uint32_t part : {image.level, image.layer, image.face, image.slice}) hasher.add(std::uint64_t{part});
  return hasher.finish();
}

// What a conversion read, and what was not there.
class Reads {
 public:
  Reads(const importer::FileReader& read, std::string_view folder) : read_(read), folder_(folder) {}
  Result<Bytes> operator()(std::string_view path) {
    auto bytes = read_(path);
    seen_.insert_or_assign(std::string(below(path, folder_)),
                           bytes ? std::optional(content_hash(*bytes)) : std::nullopt);
    return bytes;
  }
  std::vector<Dependency> dependencies() const {
    std::vector<Dependency> all;
    all.reserve(seen_.size());
    for (const auto& [path, hash] : seen_)
      all.push_back({path, hash ? DependencyKind::kRead : DependencyKind::kAbsent, hash.value_or(ContentHash())});
    return all;
  }

 private:
  const importer::FileReader& read_;
  std::string_view folder_;
  std::map<std::string, std::optional<ContentHash>> seen_;
};

std::optional<convert::Converted> restored(engine::LocalStore& store, const engine::StoredProduct& product,
                                           const std::string& made_as, const importer::FileReader& read,
                                           std::string_view folder) {
  const engine::StepRecord& record = product.record();
  if (!record.input_path.empty() && record.input_path != folder) return std::nullopt;
  for (const Dependency& before : record.dependencies) {
    const auto now = read(from(before.path, folder));
    const bool same = before.kind == DependencyKind::kRead ? now && content_hash(*now) == before.hash : !now;
    if (!same) return std::nullopt;
  }
  convert::Converted found;
  for (std::size_t i = 0; i < record.outputs.size(); ++i) {
    const engine::OutputRecord& output = record.outputs[i];
    const std::uint64_t size = output.signature.size_bytes;
    auto bytes = size <= engine::kInlineBytes ? std::optional(product.small()[i]) : store.blob(output.hash, size);
    if (!bytes) return std::nullopt;
    // The first is what was asked for, in whatever letter case.
    std::string path = i == 0 ? made_as : std::string(stem_of(made_as)).append(output.suffix);
    found.files.push_back({std::move(path), std::move(*bytes)});
  }
  for (const engine::DiagnosticRecord& d : record.diagnostics) {
    found.diagnostics.push_back({d.severity, Error{d.code, d.file.empty() ? std::string() : from(d.file, folder),
                                                   std::string(d.place), std::string(d.what), std::string(d.hint)}});
  }
  return found;
}

void keep(engine::LocalStore& store, const ContentHash& key, const convert::Converted& made,
          const std::vector<Dependency>& dependencies, std::string_view folder) {
  engine::StepRecord record;
  record.recipe = "convert";
  record.dependencies = dependencies;
  std::vector<Bytes> small;
  const std::size_t stem = stem_of(made.files.front().path).size();
  for (const convert::ConvertedFile& file : made.files) {
    const ContentHash hash = content_hash(file.bytes);
    const bool is_small = file.bytes.size() <= engine::kInlineBytes;
    record.outputs.push_back({std::string_view(file.path).substr(stem), hash, {.size_bytes = file.bytes.size()}, {}});
    small.push_back(is_small ? file.bytes : Bytes());
    if (!is_small) store.put_blob(hash, file.bytes);
  }
  for (const recipes::Diagnostic& d : made.diagnostics) {
    record.diagnostics.push_back(
        {d.severity, d.what.code, below(d.what.file, folder), d.what.place, d.what.what, d.what.hint});
    // What is said of a file of the folder holds there alone.
    if (!folder.empty() && (d.what.what.contains(folder) || d.what.hint.contains(folder))) record.input_path = folder;
  }
  store.put({key, record, small});
}

}  // namespace

Result<convert::Converted> convert_or_restore(const Arguments& arguments, Console& console, engine::Disk& disk,
                                              const std::string& input, const std::string& output,
                                              const importer::FileReader& read,
                                              const convert::ConvertOptions& options) {
  Stores stores(arguments, console, disk, {});
  engine::LocalStore* const store = stores.local();
  if (store == nullptr) return convert::convert_file(input, output, read, options);
  const std::string_view folder = std::string_view(input).substr(0, input.rfind('/') + 1);
  const ContentHash key = key_of(below(input, folder), output, options);
  for (const engine::StoredProduct& product : store->find(key)) {
    if (auto found = restored(*store, product, output, read, folder)) return std::move(*found);
  }
  Reads reads(read, folder);
  ASSETC_TRY(convert::Converted made, convert::convert_file(input, output, std::ref(reads), options));
  keep(*store, key, made, reads.dependencies(), folder);
  stores.finish();
  return made;
}

}  // namespace assetc::cli
