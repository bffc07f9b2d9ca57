// The configuration of cooks: platforms and the texture formats that their GPUs support.
#pragma once

#include <string>
#include <string_view>

#include "engine/config/config.hpp"

namespace assetc::engine {

// Letters, digits, '_' and '-', because the name becomes a folder.
bool is_platform_name(std::string_view name);

// The texture.format for a platform of this name (letter case is ignored): ASTC for phones and tablets, "auto" (BC
// formats) for others.
std::string_view platform_texture_format(std::string_view name);

// Checks that each budget and acceptance applies to an existing preset or platform. Errors: kUsage.
Result<void> check_presets_are_there(const Config& config);

// Loads the configuration of a repository's cooks: its assetc.yml, and AssetPipeline.json in Assets/ or config/, which
// holds for cooks alone. Without a file, the platforms are Win64, Linux and Mobile with their formats.
// Config::directory is `root`.
// Errors: those of load_config. kUsage if both say the same of cooks, if there are two AssetPipeline.json, or if the
// folder of cooks contains assets.
Result<Config> load_pipeline(Disk& disk, const std::string& root);

// Finds the repository that a directory belongs to: the nearest ancestor, or the directory itself, that configures
// cooks or has folders of assets. A folder of assets below a configured repository belongs to that one. Errors: kUsage
// if there is none.
Result<std::string> find_repository(Disk& disk, const std::string& directory);
// Parses AssetPipeline.json into the same settings. Presets that budgets and acceptances name are not checked.
Result<Config> parse_pipeline_json(std::string_view text, const std::string& file, const std::string& root);

// The folder that contains the output of cooks and the caches of imports. Nothing in it is a source.
std::string build_root_of(const Config& pipeline);

// The profile of a platform: sources below `root`, outputs in <cooked>/<platform>. Unless the configuration sets
// another one, texture.format is the format for the platform's GPUs. Errors: kUsage for a platform that is not
// configured.
Result<Profile> resolve_platform(const Config& config, const std::string& platform);

}  // namespace assetc::engine
