// The parsed command line: the arguments of each command, and a description of the parser that help is generated from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "assetc/base/result.hpp"
#include "command_line/command_line.hpp"
#include "engine/meta/clean.hpp"
#include "engine/meta/import.hpp"
#include "render/render.hpp"

namespace assetc::cli {

enum class Command : std::uint8_t {
  kBuild,
  kWatch,
  kInit,
  kNew,
  kMat,
  kDoctor,
  kImport,
  kCook,
  kMove,
  kRemove,
  kMergeMeta,
  kValidate,
  kClean,
  kCacheStats,
  kCacheVerify,
  kCacheTrim,
  kCacheClear,
  kRegistryQuery,
  kRegistryDiff,
  kRegistryExport,
  kRegistryLicenses,
  kInfo,
  kCheck,
  kPackInfo,
  kConvert,
  kOptimize,
  kDiff,
  kRender,
  kView,
  kServe,
  kBundleCreate,
  kBundleInfo,
  kBundleList,
  kBundleVerify,
  kBundleExtract,
  kBundleDiff,
  kBundleApply,
  kKeygen,
  kSign,
  kCompletion,
  kManual
};
enum class ColorMode : std::uint8_t { kAuto, kAlways, kNever };

struct NewArguments {
  std::string folder;              // the folder to make
  std::string purpose = "engine";  // engine, web or cooked
};

struct ConvertArguments {
  std::string input;
  std::string output;
  bool keep_ktx2 = false;
  std::string root;                  // the folder that holds all files of the input; empty: that of the input
  std::optional<float> max_error{};  // of a .hcluster
  std::uint32_t level = 0, layer = 0, face = 0, slice = 0;
  std::vector<std::pair<std::string, std::string>> settings;  // "texture.quality", "best"; every key is a known setting
};

struct OptimizeArguments {
  std::string input;
  std::string output;
  std::string keep = "all";
  std::string purpose;  // empty: none
  bool keep_pictures = false;
  std::string root;  // the folder that holds all files of a single model; empty: that of the model
  std::optional<float> ratio{};
  // As of convert; texture.format, texture.webp_quality, texture.max_size, mesh.compress and animation.error have other
  // values.
  std::vector<std::pair<std::string, std::string>> settings;
};

// Of the registry commands. file: an AssetRegistry.bin or a cooked folder.
struct RegistryArguments {
  std::string file;
  std::string other;  // of diff: the newer registry; of export: the database to write
  std::string asset;  // of query: a UUID or a virtual path; empty: all assets
  std::string type, below;
  std::string credits;  // of licenses: the file to write; empty: none
};

// Of mv and rm.
struct MoveArguments {
  std::string from, to;
  bool force = false;
};

// The files of a three-way merge: the common ancestor, ours and theirs. The result is written to ours.
struct MergeMetaArguments {
  std::string base, ours, theirs;
  std::string name;  // of the .meta in messages; empty: that of ours
};

struct DiffArguments {
  std::string reference;
  std::string other;
  std::string heat_map;                                     // the PNG to write; empty: none
  std::uint32_t level = 0, layer = 0, face = 0, slice = 0;  // of the heat map
};

struct RenderArguments {
  std::string input;
  std::string output;
  std::string root;                  // the folder that holds all files of the model; empty: that of the model
  std::string clip;                  // name or number; empty: the model is not posed
  std::string camera;                // name of a camera or its node, or the number of a camera; empty: the whole model
  std::optional<float> max_error{};  // of a .hcluster
  bool error_in_texels = false;
  render::Options options;
  std::optional<std::string> text{};  // of a .hfont
  float text_size_texels = 48;
};

struct ViewArguments {
  std::string compare;    // an older build; empty: none
  std::string export_to;  // the folder to write; empty: serve
  bool sources = false;   // also export sources
  bool no_browser = false;
  std::uint16_t port = 0;  // 0: any free port
};

struct ServeArguments {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;            // 0: any free port
  std::string token;                 // empty: a random one, or none on this machine
  std::string token_file;            // the token is its first line; empty: no file
  bool may_share_keys = false;       // whether the file may be open to other users
  std::vector<std::string> origins;  // of pages of other servers that may read
};

// Of the bundle and key commands; each fills the members that it uses. The file of -o is in Arguments::output.
struct BundleArguments {
  std::string file;    // the bundle; of diff and apply: the old one; of keygen: the name of the new keys
  std::string second;  // of diff: the new bundle; of apply: the patch
  std::string patch;   // the patch to mount over the bundle; empty: none
  std::string cooked;
  std::string base;   // the previous version of the bundle; empty: none
  std::string order;  // the file with the order of the assets in the bundle; empty: none
  std::string platform, name;
  std::optional<std::uint64_t> version;
  std::optional<std::uint64_t> at_least;
  std::vector<std::string> prefixes;
  std::vector<std::string> assets;
  std::string signing_key, public_key, content_key;  // files
  bool may_share_keys = false;                       // whether secret keys may be open to other users
  bool encryption = false;                           // of keygen
  bool any_signer = false;                           // of apply
};

// The values as they were given. Parsing reads nothing from the disk.
struct Arguments {
  Command command = Command::kBuild;
  std::optional<std::string> output;
  std::optional<std::string> preset;
  int jobs = 0;                    // 0: one per core
  std::uint64_t memory_bytes = 0;  // 0: half of the machine's memory
  bool list_presets = false;
  bool verify = false;
  bool no_cache = false;
  bool pack = false;
  std::optional<std::uint16_t> websocket;  // of watch: a port; 0: any free port
  bool dry_run = false;
  bool keep_going = false;           // of builds: write the index without what failed
  bool strict = false;               // of builds: fail on warnings
  std::string trace, report;         // of builds: files to write; empty: none
  std::string costs;                 // of builds: the report file that shares are balanced by; empty: none
  std::optional<std::string> shard;  // of builds: "2/8" or "auto"; unset: compile everything
  bool explain = false;
  bool json = false;
  bool verbose = false;
  bool quiet = false;
  bool warnings = false;
  ColorMode color = ColorMode::kAuto;
  std::string shell;             // of completion
  std::string look_at;           // of info and check: a file or folder; empty: the output folder
  bool materials = false;        // of info: materials that are equal
  std::string pack_file;         // of pack info; empty: <output>.hpack
  std::string mat_folder;        // of mat
  engine::ImportOptions import;  // its root is that of every command with --root
  std::string platform;          // of cook, validate and watch
  std::string base;           // of cook: the cooked folder of the game that a mod extends; empty: the configuration's
  std::string demo;           // of cook: the demo whose sources are cooked; empty: all
  bool stamp = false;         // of cook: write the keys into .meta files too
  bool is_frozen = false;     // of cook: no import runs first
  std::string registry_file;  // of validate: the JSON registry of a cooked folder; empty: that of the platform
  std::string sarif, junit;   // files to write; empty: none
  MoveArguments move;
  MergeMetaArguments merge_meta;
  engine::CleanOptions clean;
  std::optional<std::uint64_t> cache_size_bytes;  // of cache trim; unset: cache.size of the configuration, or no limit
  std::optional<std::int64_t> cache_age_s;        // of cache trim; unset: no limit
  bool trims_remote = false;                      // of cache trim: the shared cache
  RegistryArguments registry;
  NewArguments make;
  ConvertArguments convert;
  OptimizeArguments optimize;
  DiffArguments diff;
  RenderArguments render;
  ViewArguments view;
  ServeArguments serve;
  BundleArguments bundle;
};

// The result of parsing if no command is to run: help, the version or a usage error.
struct Leave {
  int exit_code = 0;
  std::string text;            // goes to standard output if exit_code is 0, otherwise to standard error
  std::optional<Error> error;  // with --json: the usage error, which is printed as an event instead of text
};

// Never throws. The exit code of a usage error is 2; its text says what was found and what was expected, and suggests a
// similar word.
std::variant<Arguments, Leave> parse_arguments(int argc, const char* const* argv);

// What the parser accepts, for completion scripts and the manual.
command_line::CommandShape parser_shape();

}  // namespace assetc::cli
