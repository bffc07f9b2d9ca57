// Finds, reads and checks assetc.yml, and resolves it into the settings of each source.
//
//   auto found = find_config(disk, ".");                    // path of the nearest assetc.yml
//   auto config = load_config(disk, *found);                // errors carry the line; warnings are in the config
//   auto profile = resolve(*config, {.preset = "mobile"});  // one preset chosen, layers in order
//   Settings s = profile->settings_where([](const Rule& rule) { return glob_matches(rule.match, "ui/button.png"); });
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"
#include "assetc/base/spelling.hpp"
#include "bundle/rules.hpp"
#include "engine/config/acceptance.hpp"
#include "engine/config/budget.hpp"
#include "engine/disk/disk.hpp"
#include "import/engines/beside.hpp"
#include "recipes/recipe.hpp"
#include "recipes/settings.hpp"

namespace assetc::engine {

inline constexpr std::string_view kConfigName = "assetc.yml";

// One `group: {name: value}` as written.
struct Assignment {
  std::string key;    // a name of setting_fields(): "texture.quality"
  std::string value;  // already validated by the field
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

// The caches in which compiled outputs are kept for other builds.
struct CacheSettings {
  std::string path;  // "off" or a folder; empty: the user's cache folder
  std::optional<std::uint64_t> size_bytes;
  // A cache shared with other machines.
  struct Remote {
    std::string url;               // of http, https or s3; empty: none
    std::string endpoint;          // the server of a bucket; empty: AWS
    std::string region;            // of a bucket; empty: unknown
    std::string query;             // a part of the URL that messages do not print; set by find_caching()
    bool is_bucket = false;        // the URL is that of a bucket on its server; set by find_caching()
    std::size_t bucket_bytes = 0;  // of that URL, up to the end of the bucket
    std::optional<bool> writes;
    std::optional<bool> races;  // compile an output if downloading it would take longer
    // Allowed only in a user's configuration: a project must not decide which of a user's files are sent to which host.
    std::string bearer_file, basic_file, aws_file, certificate, certificate_key, authorities;
  };
  Remote remote;
  std::vector<std::string> trust;  // files with public keys
  std::string sign;                // file with a private key; only in a user's configuration
};

// Another engine whose files beside sources give settings, as in `from: unity`.
struct FromEngine {
  importer::OtherEngine engine = importer::OtherEngine::kNone;
  bool guid = false;  // whether a new .meta takes the GUID of Unity as its UUID
  bool operator==(const FromEngine&) const = default;
};

struct Config {
  std::string file;       // the assetc.yml it came from; empty for the built-in defaults
  std::string directory;  // base of relative paths in the configuration; "." if there is no file
  std::string input = "assets";
  std::string output = "runtime";
  bool pack = false;
  std::string preset;  // used if none is requested; may be empty
  std::vector<std::string> ignore;
  std::vector<std::string> prefer;  // suffixes without a dot; of two sources with the same name, the first listed wins
  std::vector<recipes::NamedUsage> suffixes;  // meaning of suffixes of image names, in addition to the manual's table
  FromEngine from;
  bool follow_links = false;  // also links that lead outside the input
  bool integrity = false;     // registries of cooks contain the SHA-256 of each asset
  Layer defaults;
  std::vector<Preset> presets;    // in file order
  std::vector<Preset> platforms;  // of cooks, in file order; a platform has no output of its own
  std::string cooked;             // output of cooks, relative to the configuration's directory; empty: not set
  // For cooks of mods: the cooked folder of the game, relative to the configuration's directory, or its registry.
  // Empty: none.
  std::string base;
  std::vector<Budget> budgets;
  std::vector<Acceptance> accept;
  std::optional<std::vector<std::string>> licenses;  // that assets of a cook may have; nothing: any
  std::vector<bundle::Rule> bundles;                 // that a cook writes
  CacheSettings cache;
  std::vector<recipes::Diagnostic> diagnostics;  // unknown keys, settings without effect; never errors
};

// A directory and its ancestors: ".", "..", "../.." ...
std::vector<std::string> folders_up(const std::string& directory);
// Returns the nearest assetc.yml in `directory` or its ancestors, or an empty text if there is none.
Result<std::string> find_config(Disk& disk, const std::string& directory);

// Reads a configuration file. Errors: kUsage with file and line for invalid YAML, a wrong type or a value that a
// setting refuses; kIo and kNotFound from the disk.
Result<Config> load_config(Disk& disk, const std::string& file);
// The same from text. `file` is used only in messages and for Config::directory.
Result<Config> parse_config(std::string_view yaml, const std::string& file);
// Reads a user's settings for all projects from ~/.config/assetc/config.yml. Only `cache:` is allowed there. If the
// file is absent, returns the defaults.
Result<Config> load_user_config(Disk& disk, const std::string& file);
// find_config, then load_config or the built-in defaults. Adds a warning for each file whose name is almost
// "assetc.yml".
Result<Config> nearest_config(Disk& disk, const std::string& directory);

// Warns of settings that have no effect in any build of the configuration. Example: texture.rdo, if every texture that
// it applies to has another format than UASTC. parse_config already includes these warnings.
std::vector<recipes::Diagnostic> idle_settings(const Config& config);

// Values from the command line that override the configuration.
struct Overrides {
  std::optional<std::string> output = {};  // relative to the working directory
  std::optional<std::string> preset = {};
  bool pack = false;  // OR-ed with the configuration
};

// A configuration after its preset was chosen: everything a build needs to know.
struct Profile {
  std::string config_file;  // the file it came from; empty without one
  std::string input;        // folders are paths for Disk
  std::string output;
  std::vector<std::string> other_outputs;  // of the other presets; never sources, even if they lie inside input
  bool pack = false;
  std::string preset;  // empty if none
  std::vector<std::string> ignore;
  std::vector<std::string> prefer;
  FromEngine from;                 // its settings are below those of rules
  bool follow_links = false;       // also links that lead outside the input
  bool integrity = false;          // the target's index contains the SHA-256 of each file, if it supports that
  recipes::Settings base;          // built-in, default:, preset
  recipes::Params source_params;   // of each step of a source, besides those of its claim
  std::vector<Rule> rules;         // default.rules, then those of the preset; later rules win
  std::vector<Budget> budgets;     // those for all presets and those for this one
  std::vector<Acceptance> accept;  // the same
  std::optional<std::vector<std::string>> licenses;  // that assets may have, if the target knows them; nothing: any
  std::vector<bundle::Rule> bundles;                 // of this platform
  CacheSettings cache;                               // its paths are paths for Disk
  std::string base_cook;                             // Config::base, a path for Disk
  ContentHash base_cook_hash;                        // of its registry; zero if there is none
  std::string canonical() const;                     // differs if anything differs here that affects outputs

  // The settings of a source: with the rules for which `applies` returns true. said: further lines "key=value", which
  // rules override.
  recipes::Settings settings_where(const std::function<bool(const Rule&)>& applies, std::string_view said = {}) const;
};

// Config::cache with its paths turned into paths for Disk.
CacheSettings cache_of(const Config& config);

// Errors: kUsage for an unknown preset; the message lists the defined ones.
Result<Profile> resolve(const Config& config, const Overrides& overrides = {});

// The commented assetc.yml that `assetc init` writes, generated from the table of settings. bundle_suffix: the file
// extension of bundles.
std::string starter_config(std::string_view bundle_suffix);

// '*' matches any run of characters, including '/'. '?' matches one character, which may be a UTF-8 sequence. A path
// component "**" matches any number of folders, including none: "**/a" matches "a" and "b/c/a".
bool glob_matches(std::string_view pattern, std::string_view path);
using assetc::did_you_mean;

}  // namespace assetc::engine
