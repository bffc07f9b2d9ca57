// The part of the configuration that is not YAML: where the file is, how layers become settings.
#include "build/config.hpp"

#include <algorithm>
#include <filesystem>

namespace assetc::build {
namespace {

namespace fs = std::filesystem;

std::string join(const std::string& directory, const std::string& path) {
  if (directory.empty() || directory == "." || path.starts_with('/')) return path;
  return directory + "/" + path;
}

std::string absolute(const std::string& path) {
  std::error_code error;
  std::string text = fs::absolute(path, error).lexically_normal().generic_string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

std::string without_trailing_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

void apply(recipes::Settings& settings, const std::vector<Assignment>& assignments) {
  for (const Assignment& a : assignments) {
    // The value was accepted once, when the file was read; a field accepts a text always or never.
    if (const recipes::SettingField* field = recipes::find_setting(a.key)) (void)field->set(settings, a.value);
  }
}

}  // namespace

Result<std::string> find_config(Disk& disk, const std::string& directory) {
  const fs::path start = fs::path(absolute(directory));
  const auto depth = std::distance(start.begin(), start.end());
  std::string climbing = without_trailing_slashes(directory.empty() ? "." : directory);
  for (std::ptrdiff_t i = 0; i < depth; ++i) {
    std::string candidate = join(climbing, std::string(kConfigName));
    const auto status = disk.status(candidate);
    if (status && status->type == FileType::kFile) return candidate;
    if (!status && status.error().code != ErrorCode::kNotFound) return std::unexpected(status.error());
    climbing = climbing.starts_with('/') ? fs::path(climbing).parent_path().generic_string()
                                         : (climbing == "." ? std::string("..") : climbing + "/..");
  }
  return std::string();
}

Result<Config> load_config(Disk& disk, const std::string& file) {
  auto bytes = disk.read(file);
  if (!bytes) return std::unexpected(std::move(bytes).error().in(file));
  return parse_config(as_text(*bytes), file);
}

Result<Config> nearest_config(Disk& disk, const std::string& directory) {
  ASSETC_TRY(const std::string file, find_config(disk, directory));
  if (!file.empty()) return load_config(disk, file);
  Config config;
  config.directory = directory.empty() ? "." : directory;
  return config;
}

Result<Profile> resolve(const Config& config, const Overrides& overrides) {
  Profile profile;
  profile.input = without_trailing_slashes(join(config.directory, config.input));
  profile.preset = overrides.preset.value_or(config.preset);
  profile.pack = config.pack || overrides.pack;
  profile.ignore = config.ignore;
  std::string output = join(config.directory, config.output);

  apply(profile.base, config.defaults.globals);
  profile.rules = config.defaults.rules;
  if (!profile.preset.empty()) {
    const auto chosen = std::ranges::find(config.presets, profile.preset, &Preset::name);
    if (chosen == config.presets.end()) {
      std::string names;
      for (const Preset& p : config.presets) names += (names.empty() ? "" : ", ") + p.name;
      return std::unexpected(Error{ErrorCode::kUsage, config.file, {},
                                   "no preset is named \"" + profile.preset + "\"",
                                   names.empty() ? "define it under presets:, or drop --preset"
                                                 : "the presets are: " + names});
    }
    apply(profile.base, chosen->layer.globals);
    profile.rules.insert(profile.rules.end(), chosen->layer.rules.begin(), chosen->layer.rules.end());
    if (chosen->output) output = join(config.directory, *chosen->output);
  }
  if (overrides.output) output = *overrides.output;
  profile.output = without_trailing_slashes(output);

  const std::string in = absolute(profile.input);
  const std::string out = absolute(profile.output);
  if (in == out || in.starts_with(out == "/" ? out : out + "/")) {
    return std::unexpected(Error{ErrorCode::kUsage, config.file, {},
                                 "the output \"" + profile.output + "\" contains the input \"" + profile.input + "\"",
                                 "build into a directory of its own"});
  }
  profile.other_outputs.push_back(join(config.directory, config.output));
  for (const Preset& p : config.presets) {
    if (p.output) profile.other_outputs.push_back(join(config.directory, *p.output));
  }
  return profile;
}

recipes::Settings Profile::settings_for(std::string_view source) const {
  recipes::Settings settings = base;
  for (const Rule& rule : rules) {
    if (glob_matches(rule.match, source)) apply(settings, rule.assignments);
  }
  return settings;
}

std::string Profile::canonical() const {
  std::string text;
  // Lengths before texts: no two profiles spell the same.
  const auto put = [&](std::string_view part) { text.append(std::to_string(part.size())).append(":").append(part); };
  for (const recipes::SettingField& field : recipes::setting_fields()) {
    put(field.key);
    put(field.get(base));
  }
  put("rules");
  for (const Rule& rule : rules) {
    put(rule.match);
    put(std::to_string(rule.assignments.size()));
    for (const Assignment& a : rule.assignments) {
      put(a.key);
      put(a.value);
    }
  }
  put("ignore");
  for (const std::string& glob : ignore) put(glob);
  return text;
}

}  // namespace assetc::build
