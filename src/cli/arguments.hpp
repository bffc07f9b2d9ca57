// The command line, parsed: what each command is asked to do, and the shape of the parser for help that is generated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "assetc/base/result.hpp"
#include "engine/meta/clean.hpp"
#include "engine/meta/import.hpp"
#include "render/render.hpp"

namespace assetc::cli {

enum class Command : std::uint8_t {
  kBuild,
  kWatch,
  kInit,
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
  kInfo,
  kCheck,
  kPackInfo,
  kConvert,
  kDiff,
  kRender,
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

struct ConvertArguments {
  std::string input;
  std::string output;
  bool keep_ktx2 = false;
  std::uint32_t level = 0, layer = 0, face = 0, slice = 0;
  std::vector<std::pair<std::string, std::string>> settings;  // "texture.quality", "best"; keys are known
};

// Files are an AssetRegistry.bin or a cooked folder.
struct RegistryArguments {
  std::string file;
  std::string other;  // of diff: the newer; of export: the database
  std::string asset;  // of query: a UUID or a virtual path; empty: all
  std::string type, below;
};

// Of mv and rm.
struct MoveArguments {
  std::string from, to;
  bool force = false;
};

// Files: what both were made of, ours, which the merge is written to, and theirs.
struct MergeMetaArguments {
  std::string base, ours, theirs;
  std::string name;  // of the .meta, for messages
};

struct DiffArguments {
  std::string reference;
  std::string other;
  std::string heat_map;                                     // a PNG to write; empty: none
  std::uint32_t level = 0, layer = 0, face = 0, slice = 0;  // of the heat map
};

struct RenderArguments {
  std::string input;
  std::string output;
  std::string clip;  // a name or a number; empty: not posed
  render::Options options;
};

// Of the commands of bundles and keys; each fills what it takes. What -o names is Arguments::output.
struct BundleArguments {
  std::string file;    // the bundle, of diff and apply the old one; the name of new keys
  std::string second;  // the new bundle of diff, the patch of apply
  std::string patch;   // mounted over the bundle; empty: none
  std::string cooked;
  std::string base;  // the bundle before this one; empty: none
  std::string platform, name;
  std::optional<std::uint64_t> version;
  std::optional<std::uint64_t> at_least;
  std::vector<std::string> prefixes;
  std::vector<std::string> assets;
  std::string signing_key, public_key, content_key;  // files
  bool encryption = false;                           // of keygen
  bool any_signer = false;                           // of apply
};

// Values as given; nothing is read from the disk yet.
struct Arguments {
  Command command = Command::kBuild;
  std::optional<std::string> output;
  std::optional<std::string> preset;
  int jobs = 0;                    // 0: one a core
  std::uint64_t memory_bytes = 0;  // 0: half of the machine's
  bool list_presets = false;
  bool verify = false;
  bool no_cache = false;
  bool pack = false;
  std::optional<std::uint16_t> websocket;  // of watch: a port; 0: any
  bool dry_run = false;
  bool strict = false;               // of builds: warnings fail
  std::string trace, report;         // of builds: files to write; empty: none
  std::string costs;                 // of builds: a report to measure shares by; empty: none
  std::optional<std::string> shard;  // of builds: "2/8" or "auto"; unset: all
  bool explain = false;
  bool json = false;
  bool verbose = false;
  bool quiet = false;
  bool warnings = false;
  ColorMode color = ColorMode::kAuto;
  std::string shell;             // of completion
  std::string look_at;           // of info and check: a file or folder; empty: the output folder
  std::string pack_file;         // of pack info; empty: <output>.hpack
  engine::ImportOptions import;  // the root is also that of cook
  std::string platform;          // of cook and validate
  std::string demo;              // of cook: the one whose sources are looked at; empty: all
  bool stamp = false;            // of cook: write the keys into .meta files too
  bool is_frozen = false;        // of cook: no import comes first
  std::string registry_file;     // of validate: the JSON of a cooked folder; empty: that of the platform
  std::string sarif, junit;      // files to write; empty: none
  MoveArguments move;
  MergeMetaArguments merge_meta;
  engine::CleanOptions clean;
  std::optional<std::uint64_t> cache_size_bytes;  // of cache trim; nothing: that of the configuration
  RegistryArguments registry;
  ConvertArguments convert;
  DiffArguments diff;
  RenderArguments render;
  BundleArguments bundle;
};

// What to print and leave with instead of running a command: help, the version, a usage error.
struct Leave {
  int exit_code = 0;
  std::string text;            // to standard output if exit_code is 0, else to standard error
  std::optional<Error> error;  // what text says, where --json asks for it as an event
};

// Never throws. A usage error leaves with 2 and names what was found, what was expected and "did you mean".
std::variant<Arguments, Leave> parse_arguments(int argc, const char* const* argv);

// The parser described, for completion and the manual.
struct OptionShape {
  std::vector<std::string> names;  // "-o", "--output"; a positional argument has one name without dashes
  std::string value;               // "DIR"; empty for a switch
  std::string doc;
  std::vector<std::string> choices;
  bool positional = false;
  bool required = false;
};
struct CommandShape {
  std::string name;  // "assetc", "info"
  std::string doc;
  std::vector<OptionShape> options;
  std::vector<CommandShape> commands;
};
CommandShape parser_shape();

}  // namespace assetc::cli
