// The part of the configuration that does not use YAML: finding the file and turning layers into settings.
#include "engine/config/config.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <utility>

#include "base/absolute_path.hpp"
#include "base/plural.hpp"
#include "os/mapping.hpp"
#include "recipes/texture/usage.hpp"
#include "texture/storage.hpp"

namespace assetc::engine {
namespace {

namespace fs = std::filesystem;

std::string join(const std::string& directory, const std::string& path) {
  if (directory.empty() || directory == "." || is_absolute_path(path)) return path;
  return directory + "/" + path;
}

std::string absolute(const std::string& path) {
  std::error_code error;
  std::string text = os::utf8_path(fs::absolute(os::native_path(path), error).lexically_normal());
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

std::string without_trailing_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

void apply(recipes::Settings& settings, const std::vector<Assignment>& assignments) {
  for (const Assignment& a : assignments) {
    // Cannot fail: the field accepted the value when the file was read, and accepting does not depend on state.
    if (const recipes::SettingField* field = recipes::find_setting(a.key)) (void)field->set(settings, a.value);
  }
}

// Assignments that apply together: to every source, or to those that a rule matches.
struct Block {
  const std::vector<Assignment>* assignments;
  bool is_rule;
};

// Blocks in the order in which a build applies them. `preset` may be null.
std::vector<Block> blocks_of(const Config& config, const Preset* preset) {
  std::vector<Block> blocks{{&config.defaults.globals, false}};
  if (preset != nullptr) blocks.push_back({&preset->layer.globals, false});
  for (const Rule& rule : config.defaults.rules) blocks.push_back({&rule.assignments, true});
  if (preset != nullptr)
    for (const Rule& rule : preset->layer.rules) blocks.push_back({&rule.assignments, true});
  return blocks;
}

constexpr std::uint64_t kMaxConfigBytes = 1 << 20;
constexpr std::uint64_t kMaxIdleComparisons = 1'000'000;

// Whether any source that `block` matches can end up in a format that takes RDO, for any combination of the other rules
// that may match it too.
bool can_take_rdo(const std::vector<Block>& blocks, const Block& block) {
  std::set<texture::TargetFormat> formats{recipes::Settings().texture.format};
  for (const Block& b : blocks) {
    std::set<texture::TargetFormat> after;
    for (const texture::TargetFormat format : formats) {
      recipes::Settings settings;
      settings.texture.format = format;
      apply(settings, *b.assignments);
      after.insert(settings.texture.format);
    }
    if (b.is_rule && b.assignments != block.assignments) after.merge(formats);
    formats = std::move(after);
  }
  return std::ranges::any_of(formats, [](texture::TargetFormat format) { return texture::takes_rdo(format); });
}

// Wrong names that people often give the configuration file.
constexpr std::array<std::string_view, 3> kNearNames{"assetc.yaml", ".assetc.yml", ".assetc.yaml"};

}  // namespace

// A folder and its ancestors, each written as a path that starts from the given spelling.
std::vector<std::string> folders_up(const std::string& directory) {
  const fs::path start = os::native_path(absolute(directory)).relative_path();
  const auto depth = std::distance(start.begin(), start.end()) + 1;  // with the root
  std::vector<std::string> folders;
  std::string climbing = without_trailing_slashes(directory.empty() ? "." : directory);
  for (std::ptrdiff_t i = 0; i < depth; ++i) {
    folders.push_back(climbing);
    climbing = is_absolute_path(climbing) ? os::utf8_path(os::native_path(climbing).parent_path())
                                          : (climbing == "." ? std::string("..") : climbing + "/..");
  }
  return folders;
}

std::vector<recipes::Diagnostic> idle_settings(const Config& config) {
  std::vector<const Preset*> builds;
  if (config.preset.empty()) builds.push_back(nullptr);
  for (const Preset& preset : config.presets) builds.push_back(&preset);
  // These warnings are only hints: skip them if finding them would take longer than the build.
  std::uint64_t comparisons = 0;
  for (const Preset* build : builds) {
    const std::uint64_t blocks = 2 + config.defaults.rules.size() + (build ? build->layer.rules.size() : 0);
    comparisons += blocks * blocks;
  }
  if (comparisons > kMaxIdleComparisons) return {};
  std::set<std::pair<int, const Assignment*>> asked;  // sorted by line
  std::set<const Assignment*> used;
  for (const Preset* build : builds) {
    const std::vector<Block> blocks = blocks_of(config, build);
    for (const Block& block : blocks) {
      for (const Assignment& a : *block.assignments) {
        recipes::Settings settings;
        apply(settings, {a});
        if (settings.texture.rdo <= 0) continue;
        asked.emplace(a.line, &a);
        if (can_take_rdo(blocks, block)) used.insert(&a);
      }
    }
  }
  std::vector<recipes::Diagnostic> warnings;
  for (const auto& [line, a] : asked) {
    if (used.contains(a)) continue;
    warnings.push_back(
        {WarningKind::kIdleSetting,
         Error{ErrorCode::kUsage, config.file, "line " + std::to_string(line),
               a->key + ": " + a->value + " has no effect: the textures that it applies to have other formats than " +
                   texture::rdo_format_names(),
               "set one of these as texture.format, or remove this setting"}});
  }
  return warnings;
}

Result<std::string> find_config(Disk& disk, const std::string& directory) {
  for (const std::string& folder : folders_up(directory)) {
    std::string candidate = join(folder, std::string(kConfigName));
    const auto status = disk.status(candidate);
    if (status && status->type == FileType::kFile) return candidate;
    if (!status && status.error().code != ErrorCode::kNotFound) return std::unexpected(status.error());
  }
  return std::string();
}

Result<Config> load_config(Disk& disk, const std::string& file) {
  if (const auto status = disk.status(file); status && status->signature.size_bytes > kMaxConfigBytes) {
    return std::unexpected(Error{ErrorCode::kLimit,
                                 file,
                                 {},
                                 "found " + counted(status->signature.size_bytes, "byte") +
                                     ", expected a configuration of at most " + std::to_string(kMaxConfigBytes),
                                 "is this the right file?"});
  }
  auto bytes = disk.read(file);
  if (!bytes) return std::unexpected(std::move(bytes).error().in(file));
  return parse_config(as_text(*bytes), file);
}

Result<Config> nearest_config(Disk& disk, const std::string& directory) {
  ASSETC_TRY(const std::string file, find_config(disk, directory));
  Config config;
  config.directory = directory.empty() ? "." : directory;
  if (!file.empty()) {
    ASSETC_TRY(config, load_config(disk, file));
  }
  // Look only in folders up to the one whose configuration is read; without one, in all ancestors.
  for (const std::string& folder : folders_up(directory)) {
    for (const std::string_view name : kNearNames) {
      const std::string near = join(folder, std::string(name));
      if (!disk.status(near)) continue;
      config.diagnostics.push_back(
          {WarningKind::kConfigurationName,
           Error{
               ErrorCode::kUsage, near, {}, "is not read", "the configuration's name is " + std::string(kConfigName)}});
    }
    if (!file.empty() && join(folder, std::string(kConfigName)) == file) break;
  }
  return config;
}

CacheSettings cache_of(const Config& config) {
  CacheSettings cache = config.cache;
  const auto below = [&](const std::string& path) { return path.empty() ? path : join(config.directory, path); };
  if (cache.path != "off") cache.path = below(cache.path);
  CacheSettings::Remote& remote = cache.remote;
  for (std::string* path : {&remote.bearer_file, &remote.basic_file, &remote.aws_file, &remote.certificate,
                            &remote.certificate_key, &remote.authorities, &cache.sign})
    *path = below(*path);
  for (std::string& path : cache.trust) path = below(path);
  return cache;
}

Result<Profile> resolve(const Config& config, const Overrides& overrides) {
  Profile profile;
  profile.config_file = config.file;
  profile.input = without_trailing_slashes(join(config.directory, config.input));
  profile.preset = overrides.preset.value_or(config.preset);
  profile.pack = config.pack || overrides.pack;
  profile.ignore = config.ignore;
  profile.prefer = config.prefer;
  profile.from = config.from;
  profile.follow_links = config.follow_links;
  profile.integrity = config.integrity;
  profile.licenses = config.licenses;
  std::string output = join(config.directory, config.output);

  profile.base.texture.names = config.suffixes;
  apply(profile.base, config.defaults.globals);
  profile.rules = config.defaults.rules;
  if (!profile.preset.empty()) {
    const auto chosen = std::ranges::find(config.presets, profile.preset, &Preset::name);
    if (chosen == config.presets.end()) {
      std::string names;
      for (const Preset& p : config.presets) names += (names.empty() ? "" : ", ") + p.name;
      return std::unexpected(Error{ErrorCode::kUsage,
                                   config.file,
                                   {},
                                   "no preset is named \"" + profile.preset + "\"",
                                   !names.empty()     ? "the presets are: " + names
                                   : overrides.preset ? "define it under presets:, or drop --preset"
                                                      : "define it under presets:, or drop preset:"});
    }
    apply(profile.base, chosen->layer.globals);
    profile.rules.insert(profile.rules.end(), chosen->layer.rules.begin(), chosen->layer.rules.end());
    if (chosen->output) output = join(config.directory, *chosen->output);
  }
  if (overrides.output) output = *overrides.output;
  profile.output = without_trailing_slashes(output);

  profile.other_outputs.push_back(join(config.directory, config.output));
  for (const Preset& p : config.presets) {
    if (p.output) profile.other_outputs.push_back(join(config.directory, *p.output));
  }
  std::ranges::copy_if(config.budgets, std::back_inserter(profile.budgets),
                       [&](const Budget& budget) { return budget.preset.empty() || budget.preset == profile.preset; });
  std::ranges::copy_if(config.accept, std::back_inserter(profile.accept), [&](const Acceptance& acceptance) {
    return acceptance.preset.empty() || acceptance.preset == profile.preset;
  });
  profile.cache = cache_of(config);
  return profile;
}

recipes::Settings Profile::settings_where(const std::function<bool(const Rule&)>& applies,
                                          std::string_view said) const {
  recipes::Settings settings = base;
  recipes::set_lines(settings, said);
  for (const Rule& rule : rules) {
    if (applies(rule)) apply(settings, rule.assignments);
  }
  return settings;
}

std::string Profile::canonical() const {
  std::string text;
  // Each text is preceded by its length, so that two different profiles never give the same text.
  const auto put = [&](std::string_view part) { text.append(std::to_string(part.size())).append(":").append(part); };
  for (const recipes::SettingField& field : recipes::setting_fields()) {
    put(field.key);
    put(field.get(base));
  }
  for (const auto& [key, value] : source_params) {
    put(key);
    put(value);
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
  put("suffixes");
  for (const recipes::NamedUsage& suffix : base.texture.names) {
    put(suffix.word);
    put(to_string(suffix.usage));
  }
  if (from.engine == importer::OtherEngine::kUnity) put("from unity");
  if (from.engine == importer::OtherEngine::kGodot) put("from godot");
  put(follow_links ? "links follow" : "links inside");
  put(integrity ? "integrity" : "no integrity");
  if (licenses) {
    put("licenses");
    put(std::to_string(licenses->size()));
    for (const std::string& license : *licenses) put(license);
  }
  put("ignore");
  for (const std::string& glob : ignore) put(glob);
  put("prefer");
  for (const std::string& suffix : prefer) put(suffix);
  if (!base_cook.empty()) {
    put("base");
    put(as_text(object_bytes(base_cook_hash)));
  }
  return text;
}

}  // namespace assetc::engine
