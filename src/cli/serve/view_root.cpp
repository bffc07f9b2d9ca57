// The places that `assetc view` shows.
#include <algorithm>
#include <map>
#include <mutex>

#include "assetc/formats/aas1.hpp"
#include "assetc/formats/hpack.hpp"
#include "bundle/reader.hpp"
#include "cli/commands/bundle_files.hpp"
#include "cli/report/info_json.hpp"
#include "cli/serve/view_site.hpp"
#include "engine/look/budgets.hpp"
#include "engine/look/recorded.hpp"
#include "engine/run/build_log.hpp"
#include "engine/target/target.hpp"
#include "filetypes/filetypes.hpp"

namespace assetc::cli {
namespace {

using engine::HttpAnswer;

constexpr std::string_view kRegistryPath = "Registry/AssetRegistry.json";

std::unexpected<Error> no_such(const std::string& path) {
  return std::unexpected(Error{ErrorCode::kNotFound, path, {}, "is not here", {}});
}

// A file below a folder, read in pieces. Errors: kNotFound; kConflict if the path leads out of the folder. Names that
// begin with a dot are the records of builds, or hidden: they are not there.
Result<HttpAnswer> file_answer(engine::Disk& disk, const std::string& root, const std::string& path) {
  if (path.empty() || path.front() == '/' || path.front() == '.' || path.find('\\') != path.npos ||
      path.find("/.") != path.npos)
    return no_such(path);
  auto opened = disk.open_below(root, path);
  if (!opened && opened.error().code == ErrorCode::kConflict) return std::unexpected(std::move(opened).error());
  if (!opened) return no_such(path);
  HttpAnswer answer;
  answer.content_type = media_type(path);
  answer.size_bytes = opened->size_bytes;
  answer.etag = "\"" + std::to_string(opened->version) + "\"";
  answer.headers.emplace_back("Cache-Control", "no-cache");
  answer.read = [read = std::move(opened->read), path](std::uint64_t offset, std::size_t size) -> Result<Bytes> {
    auto bytes = read(offset, size);
    if (!bytes) return std::unexpected(Error{ErrorCode::kIo, path, {}, "cannot be read", {}});
    return bytes;
  };
  return answer;
}

class Folder final : public ViewRoot {
 public:
  Folder(std::string path, std::optional<engine::Profile> profile, engine::Disk& disk)
      : path_(std::move(path)), profile_(std::move(profile)), disk_(disk) {}

  std::string_view type() const override {
    return has(kRegistryPath) ? "cooked" : has(engine::kCacheName) || has("assets.hman") ? "output" : "files";
  }
  Result<std::vector<File>> files() override {
    ASSETC_TRY(const engine::Contents contents, engine::inspect(path_, disk_));
    ASSETC_TRY(const auto origins, engine::recorded_origins(path_, engine::runtime_target(), disk_));
    std::vector<File> files;
    for (const engine::FileInfo& info : contents.files) {
      JsonObject json = file_json(info);
      std::string source;
      if (const auto origin = origins.find(info.path); origin != origins.end()) {
        source = origin->second.source;
        json.add("source", source).add("recipe", origin->second.recipe).add("hash", origin->second.hash.hex());
      }
      files.push_back({info.path, json.str(), profile_ ? source : std::string()});
    }
    return files;
  }
  Result<HttpAnswer> file(const std::string& path) override { return file_answer(disk_, path_, path); }
  Result<HttpAnswer> source(const std::string& path) override {
    return profile_ ? file_answer(disk_, profile_->input, path) : no_such(path);
  }
  std::optional<std::string> text(std::string_view name) override {
    if (name == "build.jsonl") return read(engine::kBuildLogName);
    if (name == "registry.json") return read(kRegistryPath);
    if (name == "diagnostics.jsonl" && profile_ && !profile_->budgets.empty()) return budgets();
    return std::nullopt;
  }

 private:
  bool has(std::string_view name) const { return disk_.status(path_ + "/" + std::string(name)).has_value(); }
  std::optional<std::string> read(std::string_view name) const {
    const auto bytes = disk_.read(path_ + "/" + std::string(name));
    return bytes ? std::optional(std::string(as_text(*bytes))) : std::nullopt;
  }
  std::optional<std::string> budgets() const {
    const auto contents = engine::inspect(path_, disk_);
    if (!contents) return std::nullopt;
    const engine::BudgetReport report =
        engine::hold_budgets(profile_->budgets, engine::budget_items(*contents), profile_->config_file);
    std::string text;
    for (const engine::BudgetUse& use : report.uses) {
      text += json_event("budget")
                  .add("kind", use.budget->kind)
                  .add("match", use.budget->match)
                  .add("unit", use.unit)
                  .add("used", use.used)
                  .add("allowed", use.allowed)
                  .str() +
              "\n";
    }
    return text;
  }

  const std::string path_;
  const std::optional<engine::Profile> profile_;
  engine::Disk& disk_;
};

// A compiled file, with the files beside it that it refers to.
class SingleFile final : public ViewRoot {
 public:
  SingleFile(std::string folder, std::string name, engine::Disk& disk)
      : folder_(std::move(folder)), name_(std::move(name)), disk_(disk) {}
  std::string_view type() const override { return "files"; }
  Result<std::vector<File>> files() override {
    ASSETC_TRY(engine::FileInfo info, engine::inspect_file(folder_ + "/" + name_, disk_));
    info.path = name_;
    return std::vector<File>{{name_, file_json(info).str(), {}}};
  }
  Result<HttpAnswer> file(const std::string& path) override {
    if (filetypes::find_compiled(path) == nullptr) return no_such(path);
    return file_answer(disk_, folder_, path);
  }
  Result<HttpAnswer> source(const std::string& path) override { return no_such(path); }
  std::optional<std::string> text(std::string_view) override { return std::nullopt; }

 private:
  const std::string folder_, name_;
  engine::Disk& disk_;
};

class Pack final : public ViewRoot {
 public:
  Pack(Bytes file, hpack::View view) : file_(std::move(file)), view_(std::move(view)) {}
  std::string_view type() const override { return "pack"; }
  Result<std::vector<File>> files() override {
    std::vector<File> files;
    for (const hpack::EntryView& entry : view_.entries()) {
      const std::string path(entry.path);
      engine::FileInfo info{.path = path, .size_bytes = entry.size_bytes};
      if (const filetypes::Row* row = filetypes::find_compiled(path); row != nullptr) {
        info.kind = row->kind;
        auto content = row->reader->inspect(view_.payload(entry));
        if (content) {
          info.content = std::move(*content);
        } else {
          info.problem = std::move(content).error();
        }
      }
      JsonObject json = file_json(info);
      json.add("offset", entry.offset_bytes).add("stored_bytes", entry.size_bytes);
      files.push_back({path, json.str(), {}});
    }
    return files;
  }
  Result<HttpAnswer> file(const std::string& path) override {
    const hpack::EntryView* entry = view_.find(path);
    if (entry == nullptr) return no_such(path);
    return engine::answer_of(media_type(path), file_.slice(entry->offset_bytes, entry->size_bytes));
  }
  Result<HttpAnswer> source(const std::string& path) override { return no_such(path); }
  std::optional<std::string> text(std::string_view) override { return std::nullopt; }

 private:
  const Bytes file_;
  const hpack::View view_;
};

class Bundle final : public ViewRoot {
 public:
  explicit Bundle(bundle::Reader bundle) : bundle_(std::move(bundle)) {}
  std::string_view type() const override { return "bundle"; }
  Result<std::vector<File>> files() override {
    std::vector<File> files;
    std::uint64_t decoded = 0;
    for (const pak::Entry& entry : bundle_.entries()) {
      std::uint64_t stored = 0, offset = 0;
      for (const std::uint32_t block : bundle_.view().refs(entry)) {
        const pak::Block& one = bundle_.view().blocks()[block];
        if (stored == 0) offset = one.offset_bytes;
        stored += one.stored_size_bytes;
      }
      const std::string path = entry.uuid.to_string();
      JsonObject json = json_event("file").add("path", path).add("kind", "asset").add("bytes", entry.size_bytes);
      json.add("offset", offset).add("stored_bytes", stored);
      if (const std::string_view name = type_of(entry, decoded); !name.empty()) json.add("type", name);
      files.push_back({path, json.str(), {}});
    }
    return files;
  }
  Result<HttpAnswer> file(const std::string& path) override {
    const auto found =
        std::ranges::find_if(bundle_.entries(), [&](const pak::Entry& e) { return e.uuid.to_string() == path; });
    if (found == bundle_.entries().end()) return no_such(path);
    ASSETC_TRY(ByteVector bytes, bundle_.read(*found, kMaxEntryBytes));
    return engine::answer_of("application/octet-stream", Bytes(std::move(bytes)));
  }
  Result<HttpAnswer> source(const std::string& path) override { return no_such(path); }
  std::optional<std::string> text(std::string_view) override { return std::nullopt; }

 private:
  static constexpr std::uint64_t kMaxEntryBytes = 1ull << 30;
  // So many bytes are decoded to find the types of entries. The page finds the types of the others when it opens them.
  static constexpr std::uint64_t kMaxListBytes = 128u << 20;

  // The name of the type of an entry, which its first bytes say; empty if it is not known. decoded: the bytes that were
  // decoded so far.
  std::string_view type_of(const pak::Entry& entry, std::uint64_t& decoded) const {
    const auto blocks = bundle_.view().refs(entry);
    if (blocks.empty()) return {};
    decoded += bundle_.view().blocks()[blocks.front()].size_bytes;
    if (decoded > kMaxListBytes) return {};
    const auto first = bundle_.read_first_block(entry);
    if (!first || first->size() < sizeof(aas1::BlobHeader)) return {};
    const auto header = load<aas1::BlobHeader>(*first);
    return header.magic == aas1::kMagic ? aas1::type_name(static_cast<aas1::Type>(header.type)) : std::string_view();
  }

  const bundle::Reader bundle_;
};

}  // namespace

Result<std::unique_ptr<ViewRoot>> open_view_root(const std::string& path, const engine::Profile* profile,
                                                 engine::Disk& disk) {
  ASSETC_TRY(const engine::FileStatus status, disk.status(path));
  if (status.type == engine::FileType::kDirectory) {
    return std::make_unique<Folder>(path, profile != nullptr ? std::optional(*profile) : std::nullopt, disk);
  }
  if (path.ends_with(".hpack")) {
    ASSETC_TRY(Bytes file, disk.peek(path));
    auto view = hpack::View::open(file);
    if (!view) return std::unexpected(std::move(view).error().in(path));
    return std::make_unique<Pack>(std::move(file), std::move(*view));
  }
  if (path.ends_with(".pak")) {
    ASSETC_TRY(bundle::Reader bundle, open_bundle(disk, path));
    return std::make_unique<Bundle>(std::move(bundle));
  }
  const std::size_t slash = path.rfind('/');
  auto file = std::make_unique<SingleFile>(slash == path.npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1)),
                                           path.substr(slash == path.npos ? 0 : slash + 1), disk);
  ASSETC_CHECK(file->files());
  return file;
}

}  // namespace assetc::cli
