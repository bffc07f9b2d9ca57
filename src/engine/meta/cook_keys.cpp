#include "engine/meta/cook_keys.hpp"

#include <algorithm>
#include <chrono>

#include "bundle/crypto.hpp"
#include "engine/config/platforms.hpp"
#include "engine/target/cooked.hpp"
#include "identity/meta.hpp"
#include "identity/stamp.hpp"
#include "json/json.hpp"
#include "text/format.hpp"

namespace assetc::engine {
namespace {

constexpr int kSchemaVersion = 1;

std::string key_of(const StepRecord& step) {
  std::string text = "assetc cook key 1\n";
  const auto add = [&](std::string_view name, std::string_view value) {
    text.append(name).append(" ").append(std::to_string(value.size())).append("\n").append(value).append("\n");
  };
  add("recipe", step.recipe);
  add("version", std::to_string(step.version));
  add("settings", step.settings);
  add("params", step.params);
  add("toolchain", step.toolchain);
  add("inline", step.inline_hash.hex());
  // Sorted, because the place of a source must not matter.
  std::vector<std::string> reads;
  reads.reserve(step.dependencies.size());
  for (const Dependency& read : step.dependencies)
    reads.push_back(std::to_string(static_cast<int>(read.kind)) + " " + read.hash.hex());
  std::ranges::sort(reads);
  for (const std::string& read : reads) add("read", read);
  return bundle::hex(bundle::sha256(as_bytes(text)));
}

// The keys of all platforms in the file. Empty if the file has another format.
Json platforms_in(const Bytes& file) {
  const Json root = Json::parse(as_text(file)).value_or(Json());
  const bool ours = root["SchemaVersion"] == kSchemaVersion;
  const Json& platforms = root["Platforms"];
  return ours && platforms.is_object() ? platforms : Json::object();
}

// "2026-02-10T12:00:00Z"
std::string utc_text(std::int64_t ns) {
  using namespace std::chrono;
  const sys_seconds at{duration_cast<seconds>(nanoseconds(ns))};
  const sys_days day = floor<days>(at);
  const year_month_day date(day);
  const hh_mm_ss time(at - day);
  return formatted("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                   static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), time.hours().count(),
                   time.minutes().count(), time.seconds().count());
}

Result<void> stamp_once(const std::string& path, std::string_view uuid, const std::string& key, Disk& disk) {
  ASSETC_TRY(const Bytes bytes, disk.read(path));
  const auto file = identity::MetaFile::parse(std::string(as_text(bytes)));
  if (!file) return std::unexpected(Error(file.error()).in(path));
  if (file->meta().uuid.to_string() != uuid) return {};  // the step made something inside the source
  const auto text = identity::stamped(file->text(), "sha256:" + key, utc_text(disk.now_ns()));
  if (!text) return {};
  ASSETC_TRY([[maybe_unused]] const FileSignature written, disk.replace(path, bytes, as_bytes(*text)));
  return {};
}

// Something else may write the .meta at the same time: then its file gets the stamp.
Result<void> stamp(const std::string& path, std::string_view uuid, const std::string& key, Disk& disk) {
  constexpr int kAttempts = 3;
  for (int attempt = 1;; ++attempt) {
    auto stamped = stamp_once(path, uuid, key, disk);
    if (stamped || stamped.error().code != ErrorCode::kConflict || attempt == kAttempts) return stamped;
  }
}

}  // namespace

std::string cook_keys_path(const Config& pipeline) { return build_root_of(pipeline) + "/Cache/CookKeys.json"; }

CookKeys cook_keys_of(const State& records) {
  CookKeys keys;
  StepRecord scratch;
  for (std::size_t i = 0; i < records.steps.size(); ++i) {
    const StepRecord& step = records.steps[i].read(scratch);
    const std::string key = key_of(step);
    for (const OutputRecord& output : step.outputs) {
      const std::string file = cooked_target().file_path(step.stem, output.suffix);
      const std::size_t name = file.rfind('/') + 1;
      keys[file.substr(name, file.rfind('.') - name)] = key;
    }
  }
  return keys;
}

Result<void> write_cook_keys(const std::string& path, const std::string& platform, const CookKeys& keys, Disk& disk) {
  const auto before = disk.read(path);
  std::map<std::string, Json> platforms;
  if (before) {
    const Json others = platforms_in(*before);
    for (const auto& [name, value] : others.members()) platforms[name] = value;
  }
  Json& own = platforms[platform] = Json::object();
  for (const auto& [name, key] : keys) own.add(name, key);
  Json all = Json::object();
  for (auto& [name, value] : platforms) all.add(name, std::move(value));
  const Json root{{"SchemaVersion", kSchemaVersion}, {"Platforms", std::move(all)}};
  const std::string text = root.text({.indent = 1, .is_ascii = true}) + "\n";
  if (before && as_text(*before) == text) return {};
  ASSETC_CHECK(disk.make_directories(path.substr(0, path.rfind('/'))));
  ASSETC_TRY([[maybe_unused]] const FileSignature written, disk.publish(path, as_bytes(text)));
  return {};
}

Result<void> stamp_metas(const std::string& root, const State& records, const CookKeys& keys, Disk& disk) {
  StepRecord scratch;
  for (std::size_t i = 0; i < records.steps.size(); ++i) {
    const StepRecord& step = records.steps[i].read(scratch);
    const auto key = keys.find(std::string(step.stem));
    if (key == keys.end() || step.input_path.empty()) continue;
    const std::string source = root + "/" + std::string(step.input_path);
    std::string path = source + std::string(identity::kMetaBesideSuffix);
    if (!disk.status(path)) path = source + std::string(identity::kMetaSuffix);
    ASSETC_CHECK(stamp(path, step.stem, key->second, disk));
  }
  return {};
}

}  // namespace assetc::engine
