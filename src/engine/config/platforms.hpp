// The configuration of cooks: platforms, and what their GPUs take.
#pragma once

#include <string>
#include <string_view>

#include "engine/config/config.hpp"

namespace assetc::engine {

// Letters, digits, '_' and '-': a folder is called so.
bool is_platform_name(std::string_view name);

// The texture.format of a platform of that name, in any case: ASTC for phones and tablets, "auto" (BC formats) for
// others.
std::string_view platform_texture_format(std::string_view name);

// What a budget or an acceptance is for must be there. Errors: kUsage for one that is for no preset and no platform of
// the configuration.
Result<void> check_presets_are_there(const Config& config);

// The configuration of a repository's cooks: its assetc.yml, or AssetPipeline.json in Assets/ or config/, or, without
// one, Win64, Linux and Mobile with their formats. Config::directory is root. Errors: as of load_config; kUsage where
// there are two, naming what each says, and where the folder of cooks lies among assets.
Result<Config> load_pipeline(Disk& disk, const std::string& root);
// AssetPipeline.json as the same settings.
Result<Config> parse_pipeline_json(std::string_view text, const std::string& file, const std::string& root);

// The folder that holds the one of cooks and the caches of imports: what is made of the sources and is no source.
std::string build_root_of(const Config& pipeline);

// A platform's profile: sources below root, outputs in <cooked>/<platform>. What a platform's GPUs take is the format
// of textures where nothing else says one. Errors: kUsage for a platform that is not configured.
Result<Profile> resolve_platform(const Config& config, const std::string& platform);

}  // namespace assetc::engine
