// assetc.yml: found, read, checked and resolved into the settings of each source.
//
//   auto found = find_config(disk, ".");                    // nearest assetc.yml, or built-in defaults
//   auto config = load_config(disk, *found, overrides);     // errors carry the line; warnings are in the config
//   auto profile = resolve(*config, {.preset = "mobile"});  // one preset chosen, layers in order
//   Settings s = profile->settings_for("ui/button.png");
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"
#include "assetc/base/spelling.hpp"
#include "engine/config/acceptance.hpp"
#include "engine/config/budget.hpp"
#include "engine/disk/disk.hpp"
#include "recipes/recipe.hpp"
#include "recipes/settings.hpp"

namespace assetc::engine {

inline constexpr std::string_view kConfigName = "assetc.yml";

// One `group: {name: value}` as written.
struct Assignment {
  std::string key;    // of setting_fields(): "texture.quality"
  std::string value;  // already accepted by the field
  int line = 0;
};

struct Rule {
  std::string match;  // glob over the source's path below the input root
  std::vector<Assignment> assignments;
  int line = 0;
};

struct Layer {
  std::vector<Assignment> globals;
  std::vector<Rule> rules;
};

struct Preset {
  std::string name;
  std::optional<std::string> output = {};
  Layer layer;
  int line = 0;
};

// Where what was compiled is kept for other builds.
struct CacheSettings {
  std::string path;  // "off", or a folder; empty: that of the user
  std::optional<std::uint64_t> size_bytes;
  // One that other machines share.
  struct Remote {
    std::string url;  // empty: none
    std::optional<bool> writes;
    std::optional<bool> races;  // compile what takes longer to come than to compile
    // Only of a user's configuration: a project does not say which of a user's files are sent where.
    std::string bearer_file, basic_file, certificate, certificate_key, authorities;
  };
  Remote remote;
  std::vector<std::string> trust;  // files of public keys
  std::string sign;                // the file of a key; of a user's configuration alone
};

struct Config {
  std::string file;       // the assetc.yml it came from; empty for built-in defaults
  std::string directory;  // relative paths of the configuration start here: "." when there is no file
  std::string input = "assets";
  std::string output = "runtime";
  bool pack = false;
  std::string preset;  // used when none is asked for; may be empty
  std::vector<std::string> ignore;
  std::vector<std::string> prefer;            // suffixes without a dot: of two sources of one name, the first wins
  std::vector<recipes::NamedUsage> suffixes;  // what ends of pictures' names mean, beside the table of the manual
  bool follow_links = false;                  // also those that leave the input
  bool integrity = false;                     // registries of cooks have the SHA-256 of each asset
  Layer defaults;
  std::vector<Preset> presets;          // in file order
  std::vector<Preset> platforms;        // of cooks, in file order; none has an output of its own
  std::string cooked = "build/Cooked";  // where they go, below the configuration's directory
  std::vector<Budget> budgets;
  std::vector<Acceptance> accept;
  CacheSettings cache;
  std::vector<recipes::Diagnostic> diagnostics;  // unknown keys, idle settings: never errors
};

// The nearest assetc.yml in directory or its ancestors. Empty when there is none.
Result<std::string> find_config(Disk& disk, const std::string& directory);

// Reads a configuration file. Errors: kUsage with file and line for YAML that does not parse, a wrong type or a value
// that a setting refuses; kIo and kNotFound from the disk.
Result<Config> load_config(Disk& disk, const std::string& file);
// The same from text; `file` is only for messages and for Config::directory.
Result<Config> parse_config(std::string_view yaml, const std::string& file);
// What a user says for all projects, in ~/.config/assetc/config.yml: `cache:` alone. Nothing where there is no file.
Result<Config> load_user_config(Disk& disk, const std::string& file);
// find_config, then load_config or the built-in defaults. A file whose name is nearly the configuration's is a warning.
Result<Config> nearest_config(Disk& disk, const std::string& directory);

// Warnings of settings that change nothing in any build of the configuration: texture.rdo where every texture that it
// is for has another format than UASTC. parse_config has called it.
std::vector<recipes::Diagnostic> idle_settings(const Config& config);

// What the command line may override.
struct Overrides {
  std::optional<std::string> output = {};  // relative to the working directory
  std::optional<std::string> preset = {};
  bool pack = false;  // OR-ed with the configuration
};

// A configuration with its preset chosen: everything a build needs to know.
struct Profile {
  std::string config_file;  // that says so; empty without one
  std::string input;        // directories as the disk takes them
  std::string output;
  std::vector<std::string> other_outputs;  // of the other presets: never sources even if they lie inside input
  bool pack = false;
  std::string preset;  // empty when none
  std::vector<std::string> ignore;
  std::vector<std::string> prefer;
  bool follow_links = false;       // also those that leave the input
  bool integrity = false;          // an index of a target that can has the SHA-256 of each file
  recipes::Settings base;          // built-in, default:, preset
  std::vector<Rule> rules;         // default.rules, then the preset's: later wins
  std::vector<Budget> budgets;     // of all presets, and of this one
  std::vector<Acceptance> accept;  // the same
  CacheSettings cache;             // path: as the disk takes it
  std::string canonical() const;   // text that differs when anything here that decides outputs differs

  // The settings of a source, given by its path below the input root.
  recipes::Settings settings_for(std::string_view source) const;
  // The same with the rules that `applies` chooses.
  recipes::Settings settings_where(const std::function<bool(const Rule&)>& applies) const;
};

// Config::cache with paths as the disk takes them.
CacheSettings cache_of(const Config& config);

// Errors: kUsage for an unknown preset (lists the defined ones).
Result<Profile> resolve(const Config& config, const Overrides& overrides = {});

// The commented assetc.yml that `assetc init` writes, generated from the table of settings. bundle_suffix: of bundles.
std::string starter_config(std::string_view bundle_suffix);

// '*' matches any run of characters, '/' included; '?' matches one character (a UTF-8 sequence is one). A part that is
// "**" matches any folders or none: "**/a" matches "a" as well as "b/c/a".
bool glob_matches(std::string_view pattern, std::string_view path);
using assetc::did_you_mean;

}  // namespace assetc::engine
