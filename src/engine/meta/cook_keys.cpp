#include "engine/meta/cook_keys.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "bundle/crypto.hpp"
#include "engine/config/platforms.hpp"
#include "engine/state/cache.hpp"
#include "engine/target/cooked.hpp"

namespace assetc::engine {
namespace {

using Json = nlohmann::ordered_json;

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
  // Sorted: where a source lies does not matter.
  std::vector<std::string> reads;
  for (const Dependency& read : step.dependencies)
    reads.push_back(std::to_string(static_cast<int>(read.kind)) + " " + read.hash.hex());
  std::ranges::sort(reads);
  for (const std::string& read : reads) add("read", read);
  return bundle::hex(bundle::sha256(as_bytes(text)));
}

// What the file says of other platforms; nothing where it is none of ours.
Json platforms_in(const Bytes& file) {
  const Json root = Json::parse(as_text(file), nullptr, false);
  const bool ours = root.is_object() && root.value("SchemaVersion", Json()) == kSchemaVersion;
  const auto platforms = ours ? root.find("Platforms") : root.end();
  return ours && platforms != root.end() && platforms->is_object() ? *platforms : Json::object();
}

}  // namespace

std::string cook_keys_path(const Config& pipeline) { return build_root_of(pipeline) + "/Cache/CookKeys.json"; }

Result<void> write_cook_keys(const Config& pipeline, const Profile& profile, const std::string& platform, Disk& disk) {
  ASSETC_TRY(const auto cache, Cache::open(disk, profile.output + "/" + std::string(kCacheName), true));
  State state;
  ASSETC_CHECK(cache->load(state));
  std::map<std::string, std::string> keys;
  StepRecord scratch;
  for (std::size_t i = 0; i < state.steps.size(); ++i) {
    const StepRecord& step = state.steps[i].read(scratch);
    const std::string key = key_of(step);
    for (const OutputRecord& output : step.outputs) {
      const std::string file = cooked_target().file_path(step.stem, output.suffix);
      const std::size_t name = file.rfind('/') + 1;
      keys[file.substr(name, file.rfind('.') - name)] = key;
    }
  }
  const std::string path = cook_keys_path(pipeline);
  const auto before = disk.read(path);
  Json others = before ? platforms_in(*before) : Json::object();
  others[platform] = keys;
  std::map<std::string, Json> sorted;
  for (auto& [name, value] : others.items()) sorted[name] = std::move(value);
  Json root;
  root["SchemaVersion"] = kSchemaVersion;
  root["Platforms"] = sorted;
  const std::string text = root.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
  if (before && as_text(*before) == text) return {};
  ASSETC_CHECK(disk.make_directories(path.substr(0, path.rfind('/'))));
  ASSETC_TRY([[maybe_unused]] const FileSignature written, disk.publish(path, as_bytes(text)));
  return {};
}

}  // namespace assetc::engine
