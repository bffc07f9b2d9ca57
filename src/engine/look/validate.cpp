#include "engine/look/validate.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "assetc/formats/aas1.hpp"
#include "assetc/formats/registry.hpp"
#include "base/plural.hpp"
#include "base/text_place.hpp"
#include "bundle/reader.hpp"
#include "engine/look/recorded.hpp"
#include "engine/publish/bundles.hpp"
#include "engine/state/cache.hpp"
#include "engine/target/cooked.hpp"
#include "engine/target/listed_blob.hpp"
#include "filetypes/filetypes.hpp"
#include "formats/text.hpp"
#include "identity/virtual_path.hpp"
#include "json/json.hpp"
#include "parallel/parallel.hpp"

namespace assetc::engine {
namespace {

using registry::kBinaryPath;
using registry::kJsonPath;

constexpr const char* kCookHint = "cook again";

struct ListedRow {
  Uuid uuid;
  std::string place;  // in the JSON
  Json json;
};

class Validation {
 public:
  Validation(const std::string& cooked, std::span<const bundle::Rule> rules, Disk& disk)
      : cooked_(cooked), rules_(rules), disk_(disk) {}

  Result<ValidateReport> run() {
    ASSETC_TRY(const Bytes text, disk_.read(full(kJsonPath)));
    recorded_ = find_recorded();
    ASSETC_CHECK(read_json(as_text(text)));
    check_dependencies();
    check_binary();
    check_files();
    check_bundles();
    check_rules(as_text(text));
    std::ranges::stable_sort(report_.problems, {}, &Error::file);
    return std::move(report_);
  }

 private:
  std::string full(std::string_view path) const { return cooked_ + "/" + std::string(path); }

  void problem(ErrorCode code, std::string_view file, std::string place, std::string what,
               std::string hint = kCookHint) {
    report_.problems.push_back({code, std::string(file), std::move(place), std::move(what), std::move(hint)});
  }

  Result<void> read_json(std::string_view text) {
    const auto parsed = Json::parse(text);
    if (!parsed && parsed.error().is_out_of_range) {
      return std::unexpected(
          Error{ErrorCode::kInvalidData, std::string(kJsonPath), {}, "holds a number that is out of range", kCookHint});
    }
    if (!parsed) {
      return std::unexpected(Error{ErrorCode::kInvalidData, std::string(kJsonPath),
                                   text_place(text, parsed.error().offset), "is not JSON here", kCookHint});
    }
    const Json& root = *parsed;
    const auto wrong = [](const std::string& place, std::string what) {
      return std::unexpected(Error{ErrorCode::kInvalidData, std::string(kJsonPath), place, std::move(what), kCookHint});
    };
    if (!root.is_object()) return wrong("/", "found no object");
    const Json* version = root.find("SchemaVersion");
    if (version == nullptr || !version->is_integer()) return wrong("/SchemaVersion", "found no number");
    if (*version != registry::kJsonSchemaVersion) {
      return std::unexpected(
          Error{ErrorCode::kVersion, std::string(kJsonPath), "/SchemaVersion",
                "found schema " + version->text() + ", expected " + std::to_string(registry::kJsonSchemaVersion),
                "use the assetc that cooked it"});
    }
    if (const Json* incomplete = root.find("Incomplete"); incomplete != nullptr && *incomplete == true) {
      problem(ErrorCode::kInvalidData, kJsonPath, "/Incomplete",
              "it lacks sources that failed, and those that depend on them", "cook until nothing fails");
    }
    const Json* assets = root.find("Assets");
    if (assets == nullptr || !assets->is_array()) return wrong("/Assets", "found no array");
    for (std::size_t i = 0; i < assets->size(); ++i) add_asset((*assets)[i], "/Assets/" + std::to_string(i));
    if (const Json* old = root.find("Redirectors")) {
      if (!old->is_array()) return wrong("/Redirectors", "found no array");
      for (std::size_t i = 0; i < old->size(); ++i) add_redirector((*old)[i], "/Redirectors/" + std::to_string(i));
    }
    report_.assets = rows_.size();
    return {};
  }

  // A member that must be text. Reports a problem and returns nullopt otherwise.
  std::optional<std::string> text_of(const Json& object, const char* key, const std::string& place) {
    const Json* at = object.find(key);
    if (at != nullptr && at->is_string()) return at->as_string();
    problem(ErrorCode::kInvalidData, kJsonPath, place + "/" + key, "found no text");
    return std::nullopt;
  }
  std::optional<Uuid> uuid_of(const Json& object, const char* key, const std::string& place) {
    const std::optional<std::string> text = text_of(object, key, place);
    if (!text) return std::nullopt;
    const std::optional<Uuid> uuid = Uuid::parse(*text);
    if (!uuid || uuid->is_nil()) {
      problem(ErrorCode::kInvalidData, kJsonPath, place + "/" + key, "found \"" + *text + "\", expected a UUID");
      return std::nullopt;
    }
    return uuid;
  }

  void add_asset(const Json& json, const std::string& place) {
    const std::optional<Uuid> uuid = uuid_of(json, "Uuid", place);
    const std::optional<std::string> path = text_of(json, "VirtualPath", place);
    const std::optional<std::string> file = text_of(json, "CookedPath", place);
    if (!uuid || !path || !file || !text_of(json, "Type", place)) return;
    if (const std::string_view fault = formats::path_fault(*file); !fault.empty()) {
      problem(ErrorCode::kInvalidData, kJsonPath, place + "/CookedPath",
              "found \"" + *file + "\", expected a path below the cooked folder: " + std::string(fault));
      return;
    }
    if (const auto [at, is_new] = rows_.try_emplace(*uuid, ListedRow{*uuid, place, json}); !is_new) {
      problem(ErrorCode::kConflict, kJsonPath, place + "/Uuid",
              uuid->to_string() + " is also the UUID of " + at->second.place,
              "run `assetc import`: a copy gets a UUID of its own");
      return;
    }
    if (const auto fine = identity::check_virtual_path(*path); !fine)
      problem(ErrorCode::kInvalidData, kJsonPath, place + "/VirtualPath", fine.error().what, fine.error().hint);
    if (const auto [at, is_new] = paths_.try_emplace(identity::virtual_key(*path), place); !is_new) {
      problem(ErrorCode::kConflict, kJsonPath, place + "/VirtualPath",
              "\"" + *path + "\" is also the path of " + at->second + ", if case is ignored",
              "give one of the assets another path");
    }
    const bool is_shared = json.find("SharedFile") != nullptr;
    const std::optional<Uuid> name = is_shared ? uuid_of(json, "SharedFile", place) : uuid;
    if (recorded_ && name && *file != "Assets/" + name->to_string() + ".bin") {
      problem(ErrorCode::kInvalidData, kJsonPath, place + "/CookedPath",
              "found \"" + *file + "\", expected the file of its " + (is_shared ? "SharedFile" : "UUID"));
    }
    files_.insert(*file);
  }

  void add_redirector(const Json& json, const std::string& place) {
    const std::optional<Uuid> from = uuid_of(json, "OldUuid", place), to = uuid_of(json, "NewUuid", place);
    ++report_.redirectors;
    if (!from || !to) return;
    if (!rows_.contains(*to)) {
      problem(ErrorCode::kNotFound, kJsonPath, place + "/NewUuid",
              "leads to " + to->to_string() + ", which is not an asset");
    }
    if (rows_.contains(*from)) {
      problem(ErrorCode::kConflict, kJsonPath, place + "/OldUuid", from->to_string() + " is an asset's own UUID");
    }
    if (const auto [at, is_new] = old_uuids_.try_emplace(*from, place); !is_new) {
      problem(ErrorCode::kConflict, kJsonPath, place + "/OldUuid",
              from->to_string() + " is also the old UUID of " + at->second);
    }
    const Json& old = json["OldVirtualPath"];
    const std::string path = old.is_string() ? old.as_string() : std::string();
    if (path.empty()) return;
    if (const auto [at, is_new] = paths_.try_emplace(identity::virtual_key(path), place); !is_new) {
      problem(ErrorCode::kConflict, kJsonPath, place + "/OldVirtualPath",
              "\"" + path + "\" is also a virtual path of " + at->second);
    }
  }

  std::vector<Uuid> uuids_in(const ListedRow& row, const char* key) {
    std::vector<Uuid> uuids;
    const Json* list = row.json.find(key);
    if (list == nullptr) return uuids;
    if (!list->is_array()) {
      problem(ErrorCode::kInvalidData, kJsonPath, row.place + "/" + key, "found no array");
      return uuids;
    }
    for (const Json& item : list->items()) {
      const std::optional<Uuid> uuid = item.is_string() ? Uuid::parse(item.as_string()) : std::nullopt;
      if (uuid) {
        uuids.push_back(*uuid);
      } else {
        problem(ErrorCode::kInvalidData, kJsonPath, row.place + "/" + key, "found a value that is not a UUID");
      }
    }
    return uuids;
  }

  void check_dependencies() {
    std::vector<registry::Asset> assets;
    bool whole = true;
    for (const auto& [uuid, row] : rows_) {
      registry::Asset& asset = assets.emplace_back();
      asset.uuid = uuid;
      asset.virtual_path = row.json["VirtualPath"].as_string();
      for (const char* key : {"Dependencies", "SoftDependencies"}) {
        for (const Uuid& to : uuids_in(row, key)) {
          ++report_.dependencies;
          if (!rows_.contains(to)) {
            whole = false;
            problem(ErrorCode::kNotFound, kJsonPath, row.place + "/" + key,
                    asset.virtual_path + " depends on " + to.to_string() + ", which is not an asset");
          } else {
            asset.hard_dependencies.push_back(to);
          }
        }
      }
      // They are assets of other cooks.
      for (const char* key : {"OuterDependencies", "OuterSoftDependencies"}) {
        for (const Uuid& to : uuids_in(row, key)) {
          ++report_.dependencies;
          if (!rows_.contains(to)) continue;
          problem(ErrorCode::kConflict, kJsonPath, row.place + "/" + key,
                  asset.virtual_path + " has the outer dependency " + to.to_string() + ", which is an asset");
        }
      }
    }
    // The writer of the binary form finds cycles.
    if (!whole || !report_.problems.empty()) return;
    if (const auto written = registry::write(std::move(assets), {}); !written)
      problem(written.error().code, kJsonPath, "/Assets", written.error().what, written.error().hint);
  }

  void check_binary() {
    const auto bytes = disk_.read(full(kBinaryPath));
    // Other tools write only the JSON.
    if (!bytes && bytes.error().code == ErrorCode::kNotFound && !recorded_) return;
    if (!bytes) return problem(bytes.error().code, kBinaryPath, {}, bytes.error().what);
    const auto view = registry::View::open(*bytes);
    if (!view) return problem(view.error().code, kBinaryPath, view.error().place, view.error().what, view.error().hint);
    if (const auto fine = view->check(); !fine)
      return problem(fine.error().code, kBinaryPath, fine.error().place, fine.error().what, fine.error().hint);
    bool same = view->size() == rows_.size();
    for (const auto& [uuid, row] : rows_) {
      const auto at = view->find(uuid);
      same =
          same && at && view->uuid(*at) == uuid && view->asset(*at).virtual_path == row.json["VirtualPath"].as_string();
    }
    if (!same)
      problem(ErrorCode::kInvalidData, kBinaryPath, {}, "does not list the assets of " + std::string(kJsonPath));
  }

  void check_files() {
    std::vector<const ListedRow*> rows;
    rows.reserve(rows_.size());
    for (const auto& [uuid, row] : rows_) rows.push_back(&row);
    std::vector<std::vector<Error>> problems(rows.size());
    std::vector<std::optional<BudgetItem>> items(rows.size());
    parallel_for(rows.size(), [&](std::size_t i) { check_file(*rows[i], problems[i], items[i]); });
    std::set<std::string> counted;  // a file that assets share is in memory once
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (items[i] && counted.insert(rows[i]->json["CookedPath"].as_string()).second)
        report_.items.push_back(std::move(*items[i]));
    }
    for (std::vector<Error>& part : problems) std::ranges::move(part, std::back_inserter(report_.problems));
    report_.files = files_.size();
    if (recorded_) report_.compared = files_.size();
    if (const auto names = disk_.list(full("Assets"))) {
      for (const std::string& name : *names) {
        if (!files_.contains("Assets/" + name)) report_.unregistered.push_back("Assets/" + name);
      }
    }
  }

  // The records of the cook, if they are complete.
  std::optional<Recorded> find_recorded() {
    auto found = recorded_of(cooked_, cooked_target(), disk_);
    if (!found) {
      problem(found.error().code, kCacheName, {}, found.error().what);
    } else if (*found && !(*found)->dropped.empty()) {
      problem(ErrorCode::kInvalidData, kCacheName, {}, (*found)->dropped);
    } else {
      return std::move(*found);
    }
    return std::nullopt;
  }

  // As check() does for a .spv: the rules of SPIR-V, and one descriptor at each place.
  static Result<void> check_shader(ByteSpan blob, const aas1::Description& description) {
    if (description.type != aas1::type_name(aas1::Type::kShader)) return {};
    ASSETC_TRY(const aas1::PayloadView shader, aas1::PayloadView::open(blob));
    return filetypes::check_file(".spv", shader.payload());
  }

  void check_file(const ListedRow& row, std::vector<Error>& problems, std::optional<BudgetItem>& item) {
    const std::string path = row.json["CookedPath"].as_string();
    const auto say = [&](const Error& error) {
      Error located = error;
      if (located.hint.empty()) located.hint = kCookHint;
      problems.push_back(std::move(located).in(path));
    };
    const auto bytes = disk_.read(full(path));
    if (!bytes) return say(bytes.error());
    if (recorded_) {
      // Records know each output by its own name.
      const auto at = recorded_->contents.find("Assets/" + row.uuid.to_string() + ".bin");
      if (at == recorded_->contents.end()) {
        say({ErrorCode::kInvalidData, {}, {}, "was not written by the last cook", kCookHint});
      } else if (content_hash(*bytes) != at->second) {
        return say({ErrorCode::kInvalidData, {}, {}, "does not have the bytes that the cook wrote", kCookHint});
      }
    }
    const Json* hash = row.json.find("Sha256");
    if (hash != nullptr && !hash->is_string())
      return say({ErrorCode::kInvalidData, {}, {}, "has a Sha256 that is no text", {}});
    const auto description = describe_listed(*bytes, hash != nullptr ? std::string_view(hash->as_string()) : "");
    if (!description) return say(description.error());
    std::uint32_t side = 0;
    for (const aas1::DescriptionField& field : description->fields) {
      if (field.name == "Width" || field.name == "Height" || field.name == "Depth")
        side = std::max(side, static_cast<std::uint32_t>(std::strtoul(field.json.c_str(), nullptr, 10)));
    }
    item = cooked_budget_item(row.json["VirtualPath"].as_string(), description->type, bytes->size(), side);
    if (const auto right = check_listed_type(*description, row.json["Type"].as_string()); !right) say(right.error());
    if (const auto sound = check_shader(*bytes, *description); !sound) say(sound.error());
    const Json* listed = row.json.find("Desc");
    const Json desc = listed == nullptr ? Json::object() : *listed;
    if (!desc.is_object()) return say({ErrorCode::kInvalidData, {}, {}, "has a Desc that is not an object", {}});
    for (const aas1::DescriptionField& field : description->fields) {
      const Json* at = desc.find(field.name);
      if (at == nullptr && !recorded_) continue;  // registries of other tools contain less
      const std::string said = at == nullptr ? "nothing" : at->text();
      if (at == nullptr || *at != Json::parse(field.json).value_or(Json()))
        say({ErrorCode::kInvalidData,
             {},
             {},
             "has " + std::string(field.name) + " " + field.json + ", but the registry says " + said,
             {}});
    }
  }

  void check_bundles() {
    const auto names = disk_.list(full(kBundlesFolder));
    if (!names) {
      if (names.error().code != ErrorCode::kNotFound)
        problem(names.error().code, kBundlesFolder, {}, names.error().what, names.error().hint);
      return;
    }
    const std::string_view platform = std::string_view(cooked_).substr(cooked_.rfind('/') + 1);
    for (const std::string& name : *names) {
      if (!name.ends_with(cooked_target().bundle_suffix)) continue;
      const std::string path = std::string(kBundlesFolder) + "/" + name;
      ++report_.bundles;
      auto bytes = disk_.peek(full(path));
      const auto bundle = bytes ? bundle::Reader::open(std::move(*bytes)) : std::unexpected(bytes.error());
      const auto whole = bundle ? bundle->verify() : std::unexpected(bundle.error());
      if (!whole) {
        problem(whole.error().code, path, whole.error().place, whole.error().what, "create the bundle again");
      } else if (bundle->header().platform_text() != platform) {
        problem(ErrorCode::kConflict, path, {},
                "is for " + std::string(bundle->header().platform_text()) + ", but lies in the folder of " +
                    std::string(platform),
                "move it to the folder of its platform");
      } else {
        std::vector<Uuid>& members = members_[name];
        for (const pak::Entry& entry : bundle->entries()) members.push_back(entry.uuid);
        if (bundle->header().is_encrypted()) {
          ++report_.sealed_bundles;
        } else {
          compare(*bundle, path);
        }
      }
    }
  }

  // A bundle with other bytes than the blobs is of an earlier cook, or of another checkout.
  void compare(const bundle::Reader& bundle, const std::string& path) {
    std::vector<std::uint8_t> is_other(bundle.entries().size());  // not bool: written by several threads
    parallel_for(is_other.size(), [&](std::size_t i) {
      const pak::Entry& entry = bundle.entries()[i];
      const auto row = rows_.find(entry.uuid);
      const auto bytes = row == rows_.end() ? fail(ErrorCode::kNotFound, "")
                                            : disk_.read(full(row->second.json["CookedPath"].as_string()));
      is_other[i] = bytes && bundle::sha256(*bytes) == entry.digest ? 0 : 1;
    });
    const auto count = std::ranges::count(is_other, 1);
    if (count == 0) return;
    const Uuid first =
        bundle.entries()[static_cast<std::size_t>(std::ranges::find(is_other, 1) - is_other.begin())].uuid;
    const auto row = rows_.find(first);
    problem(ErrorCode::kConflict, path, {},
            "has other contents than the cooked folder: " + std::to_string(count) + " of " +
                counted(is_other.size(), "asset") + ", the first is " + first.to_string() +
                (row == rows_.end() ? ", which the registry does not list"
                                    : " (" + row->second.json["VirtualPath"].as_string() + ")"),
            "cook again, or create it again; keep bundles of earlier releases in another folder");
  }

  // Whether each bundle by rule is there, with the assets of its rule. Not all demos may have been cooked.
  void check_rules(std::string_view json) {
    if (rules_.empty() || !report_.problems.empty()) return;
    const auto assets = bundle::read_registry(json);
    const auto division = assets ? bundle::divide(rules_, *assets, true) : std::unexpected(assets.error());
    if (!division)
      return problem(division.error().code, kJsonPath, division.error().place, division.error().what,
                     division.error().hint);
    for (const bundle::Share& share : division->shares) {
      const std::string name = share.name + std::string(cooked_target().bundle_suffix);
      const std::string path = std::string(kBundlesFolder) + "/" + name;
      const auto members = members_.find(name);
      const auto same = [&](std::size_t asset, const Uuid& uuid) { return (*assets)[asset].uuid == uuid; };
      if (members == members_.end()) {
        problem(ErrorCode::kNotFound, path, {}, "is not there, although bundles: has it");
      } else if (!std::ranges::equal(share.assets, members->second, same)) {
        problem(ErrorCode::kConflict, path, {},
                "has " + counted(members->second.size(), "asset") + ", but its rule selects " +
                    counted(share.assets.size(), "asset") +
                    (members->second.size() == share.assets.size() ? ", other ones" : ""));
      }
    }
  }

  const std::string& cooked_;
  std::span<const bundle::Rule> rules_;
  Disk& disk_;
  ValidateReport report_;
  std::optional<Recorded> recorded_;  // what the cook wrote
  std::map<Uuid, ListedRow> rows_;
  std::set<std::string> files_;                       // named by rows
  std::map<std::string, std::string> paths_;          // by key: the place of the row that has or had the path
  std::map<Uuid, std::string> old_uuids_;             // the places of redirectors
  std::map<std::string, std::vector<Uuid>> members_;  // of the bundles that could be read, by the name of the file
};

}  // namespace

Result<ValidateReport> validate(const std::string& cooked, std::span<const bundle::Rule> rules, Disk& disk) {
  return Validation(cooked, rules, disk).run();
}

}  // namespace assetc::engine
