// The folders that `assetc view` shows. archive_root.cpp has the archives.
#include <algorithm>

#include "cli/report/info_json.hpp"
#include "cli/serve/archive_root.hpp"
#include "engine/look/budgets.hpp"
#include "engine/look/recorded.hpp"
#include "engine/run/build_log.hpp"
#include "engine/target/target.hpp"
#include "filetypes/filetypes.hpp"

namespace assetc::cli {
namespace {

using engine::HttpAnswer;

constexpr std::string_view kRegistryPath = "Registry/AssetRegistry.json";

// A file below a folder, read in pieces. Errors: kNotFound; kConflict if the path leads out of the folder. Names that
// begin with a dot are the records of builds, or hidden: they are not there.
Result<HttpAnswer> file_answer(engine::Disk& disk, const std::string& root, const std::string& path) {
  if (path.empty() || path.front() == '/' || path.front() == '.' || path.find('\\') != path.npos ||
      path.find("/.") != path.npos)
    return no_such(path);
  auto opened = disk.open_below(root, path);
  if (!opened && opened.error().code == ErrorCode::kConflict) return std::unexpected(std::move(opened).error());
  if (!opened) return no_such(path);
  const std::uint64_t size_bytes = opened->size_bytes;
  return part_of_file(path, std::make_shared<const engine::OpenedFile>(std::move(*opened)), 0, size_bytes);
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

}  // namespace

Result<std::unique_ptr<ViewRoot>> open_view_root(const std::string& path, const engine::Profile* profile,
                                                 engine::Disk& disk) {
  ASSETC_TRY(const engine::FileStatus status, disk.status(path));
  if (status.type == engine::FileType::kDirectory) {
    return std::make_unique<Folder>(path, profile != nullptr ? std::optional(*profile) : std::nullopt, disk);
  }
  if (path.ends_with(".hpack")) return open_pack_root(path, disk);
  if (path.ends_with(".pak")) return open_bundle_root(path, disk);
  const std::size_t slash = path.rfind('/');
  auto file = std::make_unique<SingleFile>(slash == path.npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1)),
                                           path.substr(slash == path.npos ? 0 : slash + 1), disk);
  ASSETC_CHECK(file->files());
  return file;
}

}  // namespace assetc::cli
