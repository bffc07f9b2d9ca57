#include "engine/config/platforms.hpp"

#include <algorithm>
#include <iterator>

#include "base/absolute_path.hpp"
#include "base/ascii.hpp"
#include "base/text_file.hpp"
#include "base/text_place.hpp"
#include "engine/disk/inside.hpp"
#include "identity/virtual_path.hpp"
#include "json/json.hpp"

namespace assetc::engine {
namespace {

constexpr std::string_view kMobile[] = {"mobile", "android", "ios"};
constexpr std::string_view kPlatforms[] = {"Win64", "Linux", "Mobile"};
constexpr const char* kCooked = "build/Cooked";

constexpr std::string_view kJsonPlaces[] = {"Assets/AssetPipeline.json", "config/AssetPipeline.json"};

std::string joined(const std::string& root, std::string_view path) {
  return root.empty() || root == "." || is_absolute_path(path) ? std::string(path) : root + "/" + std::string(path);
}

std::unexpected<Error> wrong(const std::string& file, std::string_view key, const Json& value,
                             std::string_view expected) {
  std::string found = value.text({.is_ascii = true});
  if (found.size() > 40) found = found.substr(0, 37) + "...";
  return std::unexpected(Error{
      ErrorCode::kUsage, file, "/" + std::string(key), "found " + found + ", expected " + std::string(expected), {}});
}

// `"Budgets": [{"Match": "UI/*", "Kind": "texture", "Memory": "64M"}]`
Result<void> read_budgets(const Json& list, Config& config) {
  if (!list.is_array()) return wrong(config.file, "Budgets", list, "an array of objects");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string place = "Budgets/" + std::to_string(i);
    if (!list[i].is_object()) return wrong(config.file, place, list[i], "an object");
    Budget budget;
    budget.place = "/" + place;
    for (const auto& [key, value] : list[i].members()) {
      const std::string lower = key == "TextureSize" ? "texture_size" : ascii_lower(key);
      const auto known = budget_keys();
      if (std::ranges::find(known, lower) == known.end()) {
        config.diagnostics.push_back(
            {WarningKind::kUnknownSetting,
             Error{ErrorCode::kUsage, config.file, "/" + place + "/" + key, "is not a key of a budget and is ignored",
                   "the keys are Match, Kind, Platform, Bytes, Memory and TextureSize"}});
        continue;
      }
      if (!value.is_string() && !value.is_unsigned())
        return wrong(config.file, place + "/" + key, value, "a text or a number");
      const std::string text = value.is_string() ? value.as_string() : value.text();
      if (auto taken = set_budget(budget, lower, text); !taken)
        return std::unexpected(std::move(taken).error().at("/" + place + "/" + key).in(config.file));
    }
    if (!budget.bounds_something())
      return wrong(config.file, place, list[i], "a budget with Bytes, Memory or TextureSize");
    config.budgets.push_back(std::move(budget));
  }
  return {};
}

// `"Licenses": {"Allow": ["CC0-1.0", "Our own"]}`
Result<void> read_licenses(const Json& value, Config& config) {
  const Json& list = value.is_object() && value.size() == 1 ? value["Allow"] : value;
  if (!list.is_array()) return wrong(config.file, "Licenses", value, "an object with Allow, an array of licenses");
  config.licenses.emplace();
  for (const Json& license : list.items()) {
    if (!license.is_string()) return wrong(config.file, "Licenses/Allow", license, "the name of a license");
    config.licenses->push_back(license.as_string());
  }
  return {};
}

// `"Bundles": [{"Name": "engine", "Prefix": "Engine"}, {"Name": "demo-*", "Platform": ["Win64", "Linux"]}]`
Result<void> read_bundles(const Json& list, Config& config) {
  if (!list.is_array()) return wrong(config.file, "Bundles", list, "an array of objects");
  for (std::size_t i = 0; i < list.size(); ++i) {
    bundle::Rule rule;
    const std::string place = "Bundles/" + std::to_string(i);
    rule.place = "/" + place;
    if (!list[i].is_object()) return wrong(config.file, place, list[i], "an object");
    for (const auto& [key, value] : list[i].members()) {
      const std::string at = place + "/" + key, lower = ascii_lower(key);
      const auto known = bundle::rule_keys();
      if (lower != "name" && std::ranges::find(known, lower) == known.end()) {
        config.diagnostics.push_back(
            {WarningKind::kUnknownSetting,
             Error{ErrorCode::kUsage, config.file, "/" + at, "is not a key of a bundle and is ignored",
                   "the keys are Name, Prefix, Tag, Type, Demo, Platform, Dependencies, Version and Order"}});
        continue;
      }
      std::vector<std::string> values;
      for (const Json& item : value.is_array() ? value.items() : std::span(&value, 1)) {
        if (!item.is_string() && !item.is_unsigned()) return wrong(config.file, at, item, "a text or a number");
        values.push_back(item.is_string() ? item.as_string() : item.text());
      }
      if (lower == "name") {
        if (values.size() != 1) return wrong(config.file, at, value, "one name");
        rule.name = values.front();
      } else if (auto taken = bundle::set_rule(rule, lower, values); !taken) {
        return std::unexpected(std::move(taken).error().at("/" + at).in(config.file));
      }
    }
    config.bundles.push_back(std::move(rule));
  }
  if (auto right = bundle::check_rules(config.bundles); !right)
    return std::unexpected(std::move(right).error().in(config.file));
  return {};
}

// `"Accept": [{"Kind": "merged-nodes", "Path": "Models/*", "Reason": "sockets are bound by name"}]`
Result<void> read_acceptances(const Json& list, Config& config) {
  if (!list.is_array()) return wrong(config.file, "Accept", list, "an array of objects");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string place = "Accept/" + std::to_string(i);
    if (!list[i].is_object()) return wrong(config.file, place, list[i], "an object");
    Acceptance entry;
    entry.place = "/" + place;
    const auto located = [&](Result<void> done, const std::string& at) -> Result<void> {
      if (done) return done;
      return std::unexpected(std::move(done).error().at(at).in(config.file));
    };
    for (const auto& [key, value] : list[i].members()) {
      if (!value.is_string()) return wrong(config.file, place + "/" + key, value, "a text");
      ASSETC_CHECK(located(set_acceptance(entry, ascii_lower(key), value.as_string()), "/" + place + "/" + key));
    }
    ASSETC_CHECK(located(check_acceptance(entry), entry.place));
    config.accept.push_back(std::move(entry));
  }
  return {};
}

// The folder of cooks and its parent contain only generated files. Sources in them would be skipped silently, so this
// is an error. said_in: the file that names the folder.
Result<void> cooks_beside_the_assets(const Config& config, const std::string& said_in, const std::string& root,
                                     Disk& disk) {
  const std::string cooked = joined(config.directory, config.cooked);
  for (const std::string& folder : paths_inside(disk, root, {cooked, build_root_of(config)})) {
    if (!identity::leads_to_assets(folder, true)) continue;
    const bool is_json = said_in.ends_with(".json");
    return std::unexpected(Error{ErrorCode::kUsage, said_in, is_json ? "/CookedOutputRoot" : "cooked",
                                 "found \"" + config.cooked + "\", which makes " + folder +
                                     " a folder of generated files, but it contains assets",
                                 "choose a folder outside the assets, such as build/Cooked"});
  }
  return {};
}

// Turns "BC7" into the spelling of texture.format, and "OggVorbis" into that of audio.codec.
std::string setting_value(std::string_view text) {
  std::string value = ascii_lower(text);
  std::erase_if(value, [](char c) { return c == '_' || c == ' ' || c == '-'; });
  return value == "oggvorbis" ? "vorbis" : value;
}

}  // namespace

bool is_platform_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, [](char c) {
    const char lower = ascii_lower(c);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::string_view platform_texture_format(std::string_view name) {
  const std::string lower = ascii_lower(name);
  return std::ranges::find(kMobile, lower) != std::end(kMobile) ? "astc4x4" : "auto";
}

Result<void> check_presets_are_there(const Config& config) {
  std::vector<std::string_view> names;
  names.reserve(config.presets.size() + std::size(kPlatforms));
  for (const Preset& preset : config.presets) names.push_back(preset.name);
  for (const Preset& platform : config.platforms) names.push_back(platform.name);
  if (config.platforms.empty()) names.insert(names.end(), std::begin(kPlatforms), std::end(kPlatforms));
  const auto check = [&](const std::string& preset, const std::string& place) -> Result<void> {
    if (preset.empty() || std::ranges::find(names, preset) != names.end()) return {};
    std::string list;
    for (const std::string_view name : names) list.append(list.empty() ? "" : ", ").append(name);
    return std::unexpected(Error{ErrorCode::kUsage, config.file, place,
                                 "is for \"" + preset + "\", which is neither a preset nor a platform",
                                 "the presets and platforms are: " + list});
  };
  for (const Budget& budget : config.budgets) ASSETC_CHECK(check(budget.preset, budget.place));
  for (const Acceptance& acceptance : config.accept) ASSETC_CHECK(check(acceptance.preset, acceptance.place));
  for (const bundle::Rule& rule : config.bundles) {
    for (const std::string& platform : rule.platforms) ASSETC_CHECK(check(platform, rule.place));
  }
  return {};
}

Result<Config> parse_pipeline_json(std::string_view text, const std::string& file, const std::string& root) {
  Config config;
  config.file = file;
  config.directory = root;
  const auto parsed = Json::parse(text);
  if (!parsed && parsed.error().is_out_of_range)
    return std::unexpected(Error{ErrorCode::kUsage, file, {}, "contains a number that is out of range", "correct it"});
  if (!parsed) {
    return std::unexpected(Error{ErrorCode::kUsage, file, text_place(text, parsed.error().offset),
                                 "is not valid JSON here", "correct it"});
  }
  const Json& json = *parsed;
  if (!json.is_object()) return std::unexpected(Error{ErrorCode::kUsage, file, "line 1", "is not a JSON object", {}});
  const std::vector<std::string_view> known{
      "Platforms", "DefaultTextureFormat", "AudioCodec", "CookedOutputRoot", "Base", "Budgets", "Accept", "Licenses",
      "Bundles"};
  const auto assign = [&](std::string_view key, const Json& value, std::string_view setting) -> Result<void> {
    const recipes::SettingField* field = recipes::find_setting(setting);
    if (field == nullptr) return fail(ErrorCode::kUnsupported, "has no meaning here");
    if (!value.is_string()) return wrong(file, key, value, field->values);
    recipes::Settings trial;
    std::string plain = setting_value(value.as_string());
    // On desktops, "BC7" means the family of BC formats: normal maps need BC5.
    if (setting == "texture.format" && plain == "bc7") plain = "auto";
    if (!field->set(trial, plain)) return wrong(file, key, value, field->values);
    config.defaults.globals.push_back({std::string(setting), plain, 0});
    return {};
  };
  for (const auto& [key, value] : json.members()) {
    if (key == "Platforms") {
      if (!value.is_array()) return wrong(file, key, value, "an array of names such as \"Win64\"");
      for (const Json& name : value.items()) {
        if (!name.is_string() || !is_platform_name(name.as_string()))
          return wrong(file, key, name, "a name of letters and digits such as \"Win64\"");
        if (std::ranges::find(config.platforms, name.as_string(), &Preset::name) != config.platforms.end())
          return wrong(file, key, name, "each platform once");
        config.platforms.push_back({.name = name.as_string(), .layer = {}, .line = 0});
      }
    } else if (key == "DefaultTextureFormat") {
      ASSETC_CHECK(assign(key, value, "texture.format"));
    } else if (key == "AudioCodec") {
      ASSETC_CHECK(assign(key, value, "audio.codec"));
    } else if (key == "CookedOutputRoot") {
      if (!value.is_string() || value.as_string().empty()) return wrong(file, key, value, "a folder");
      config.cooked = value.as_string();
    } else if (key == "Base") {
      if (!value.is_string() || value.as_string().empty()) return wrong(file, key, value, "a cooked folder");
      config.base = value.as_string();
    } else if (key == "Budgets") {
      ASSETC_CHECK(read_budgets(value, config));
    } else if (key == "Accept") {
      ASSETC_CHECK(read_acceptances(value, config));
    } else if (key == "Licenses") {
      ASSETC_CHECK(read_licenses(value, config));
    } else if (key == "Bundles") {
      ASSETC_CHECK(read_bundles(value, config));
    } else {
      const std::string_view near = did_you_mean(key, known);
      config.diagnostics.push_back(
          {WarningKind::kUnknownSetting,
           Error{ErrorCode::kUsage, file, "/" + key, "is not a key of AssetPipeline.json and is ignored",
                 near.empty() ? "the keys are Platforms, DefaultTextureFormat, AudioCodec, CookedOutputRoot, Base, "
                                "Budgets, Accept, Licenses and Bundles"
                              : "did you mean \"" + std::string(near) + "\"?"}});
    }
  }
  return config;
}

namespace {

// A configuration with what AssetPipeline.json says of cooks. Only one of the two may say a thing of cooks alone.
Result<Config> joined_configs(Config config, Config pipeline) {
  const auto refuse = [&](std::string_view key, std::string_view of_config) {
    return std::unexpected(Error{ErrorCode::kUsage, pipeline.file, "/" + std::string(key),
                                 "sets what " + config.file + " sets as " + std::string(of_config),
                                 "remove one of the two"});
  };
  if (!config.platforms.empty() && !pipeline.platforms.empty()) return refuse("Platforms", "platforms");
  if (!config.cooked.empty() && !pipeline.cooked.empty()) return refuse("CookedOutputRoot", "cooked");
  if (!config.base.empty() && !pipeline.base.empty()) return refuse("Base", "base");
  if (config.licenses && pipeline.licenses) return refuse("Licenses", "licenses");
  if (!config.bundles.empty() && !pipeline.bundles.empty()) return refuse("Bundles", "bundles");
  if (!pipeline.platforms.empty()) config.platforms = std::move(pipeline.platforms);
  if (!pipeline.cooked.empty()) config.cooked = std::move(pipeline.cooked);
  if (!pipeline.base.empty()) config.base = std::move(pipeline.base);
  if (pipeline.licenses) config.licenses = std::move(pipeline.licenses);
  const auto add = [](auto& to, auto& from) { std::ranges::move(from, std::back_inserter(to)); };
  add(config.defaults.globals, pipeline.defaults.globals);
  const std::string of_pipeline = pipeline.file + " ";
  for (Budget& budget : pipeline.budgets) budget.place.insert(0, of_pipeline);
  for (Acceptance& acceptance : pipeline.accept) acceptance.place.insert(0, of_pipeline);
  add(config.budgets, pipeline.budgets);
  for (bundle::Rule& rule : pipeline.bundles) rule.place.insert(0, of_pipeline);
  add(config.accept, pipeline.accept);
  add(config.bundles, pipeline.bundles);
  add(config.diagnostics, pipeline.diagnostics);
  return config;
}

}  // namespace

Result<Config> load_pipeline(Disk& disk, const std::string& root) {
  Config config;
  config.directory = root;
  std::string pipeline;        // the AssetPipeline.json that was read
  std::string cooked_said_in;  // the file that names the folder of cooks
  const auto take = [&](const std::string& path, bool json) -> Result<void> {
    const auto bytes = disk.read(path);
    if (!bytes) {
      return bytes.error().code == ErrorCode::kNotFound ? Result<void>()
                                                        : std::unexpected(Error(bytes.error()).in(path));
    }
    if (!pipeline.empty())
      return std::unexpected(Error{ErrorCode::kUsage, path, {}, "is beside " + pipeline, "keep one of the two files"});
    if (json) pipeline = path;
    ASSETC_TRY(Config parsed,
               json ? parse_pipeline_json(as_text(*bytes), path, root) : parse_config(as_text(*bytes), path));
    if (!parsed.cooked.empty()) cooked_said_in = path;
    if (config.file.empty()) {
      config = std::move(parsed);
    } else {
      ASSETC_TRY(config, joined_configs(std::move(config), std::move(parsed)));
    }
    return {};
  };
  ASSETC_CHECK(take(joined(root, kConfigName), false));
  for (const std::string_view place : kJsonPlaces) ASSETC_CHECK(take(joined(root, place), true));
  ASSETC_CHECK(check_presets_are_there(config));
  if (config.platforms.empty()) {
    for (const std::string_view name : kPlatforms)
      config.platforms.push_back({.name = std::string(name), .layer = {}, .line = 0});
  }
  if (config.cooked.empty()) config.cooked = kCooked;
  ASSETC_CHECK(cooks_beside_the_assets(config, cooked_said_in, root, disk));
  return config;
}

namespace {

bool is_configured(Disk& disk, const std::string& folder) {
  const auto is_there = [&](std::string_view name) { return disk.status(joined(folder, name)).has_value(); };
  return is_there(kConfigName) || std::ranges::any_of(kJsonPlaces, is_there);
}

// False for a folder that cannot be read: it may be above the repository.
bool has_assets(Disk& disk, const std::string& folder) {
  const auto skip = [](std::string_view path, bool is_directory) {
    const bool leads = is_directory && identity::leads_to_assets(path, true) && identity::asset_root_of(path).empty();
    return leads ? Visit::kTake : Visit::kLeaveOut;
  };
  const auto tree = disk.walk(folder, skip, 1);
  for (std::size_t i = 0; tree && i < tree->size(); ++i) {
    if (!identity::asset_root_of(std::string(tree->path(i)) + "/").empty()) return true;
  }
  return false;
}

}  // namespace

Result<std::string> find_repository(Disk& disk, const std::string& directory) {
  const std::string here = disk.real_path(directory);
  std::string nearest, nearest_real;
  for (const std::string& folder : folders_up(directory)) {
    const std::string real = disk.real_path(folder);
    const auto below = [&](const std::string& path) {
      return path.size() > real.size() ? path.substr(real.size() + (real.ends_with('/') ? 0 : 1)) : std::string();
    };
    const bool holds_here = here == real || identity::leads_to_assets(below(here), true);
    if (is_configured(disk, folder) && (nearest.empty() || holds_here)) return folder;
    // Demo/<name> has a folder of assets, too, but is a part of what has Demo.
    const bool is_whole = !nearest.empty() && identity::leads_to_assets(below(nearest_real), true) &&
                          identity::asset_root_of(below(nearest_real) + "/").empty();
    if (!nearest.empty() && !is_whole) continue;
    if (!has_assets(disk, folder)) continue;
    nearest = folder;
    nearest_real = real;
  }
  if (!nearest.empty()) return nearest;
  return std::unexpected(Error{ErrorCode::kUsage,
                               here,
                               {},
                               "there is no folder of assets here or above, and no configuration",
                               "sources lie in Assets/, Demo/<name>/Assets/ or Tools/Assets/; --root names the "
                               "folder that has them"});
}

std::string build_root_of(const Config& pipeline) {
  std::string_view cooked = pipeline.cooked;
  while (cooked.size() > 1 && cooked.ends_with('/')) cooked.remove_suffix(1);
  const std::size_t slash = cooked.rfind('/');
  if (slash == std::string_view::npos) return pipeline.directory.empty() ? "." : pipeline.directory;
  return joined(pipeline.directory, cooked.substr(0, std::max<std::size_t>(slash, 1)));
}

Result<Profile> resolve_platform(const Config& config, const std::string& platform) {
  const auto chosen = std::ranges::find(config.platforms, platform, &Preset::name);
  if (chosen == config.platforms.end()) {
    std::string names;
    for (const Preset& p : config.platforms) names += (names.empty() ? "" : ", ") + p.name;
    return std::unexpected(Error{ErrorCode::kUsage,
                                 config.file,
                                 {},
                                 "no platform is named \"" + platform + "\"",
                                 "the platforms are: " + names});
  }
  // Reuses resolve(): the platform becomes the chosen preset of an ordinary build configuration.
  Config cook = config;
  cook.input = ".";
  cook.output = config.cooked + "/" + platform;
  cook.pack = false;
  cook.preset.clear();
  cook.presets = {*chosen};
  cook.defaults.globals.insert(cook.defaults.globals.begin(),
                               {"texture.format", std::string(platform_texture_format(platform)), 0});
  Overrides overrides;
  overrides.preset = platform;
  ASSETC_TRY(Profile profile, resolve(cook, overrides));
  // If the parent of the cooked folder is the root itself, only the cooked folder is excluded from the sources.
  const std::string build_root = build_root_of(config);
  profile.other_outputs.push_back(build_root == config.directory ? joined(config.directory, config.cooked)
                                                                 : build_root);
  std::ranges::copy_if(config.bundles, std::back_inserter(profile.bundles), [&](const bundle::Rule& rule) {
    return rule.platforms.empty() || std::ranges::find(rule.platforms, platform) != rule.platforms.end();
  });
  for (bundle::Rule& rule : profile.bundles) {
    if (!rule.order.empty()) rule.order = joined(config.directory, rule.order);
  }
  if (!config.base.empty()) profile.base_cook = joined(config.directory, config.base);
  return profile;
}

}  // namespace assetc::engine
