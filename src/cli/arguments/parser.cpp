#include "cli/arguments/parser.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "base/absolute_path.hpp"
#include "cli/arguments/help.hpp"
#include "convert/convert.hpp"
#include "engine/config/parse_size.hpp"
#include "filetypes/filetypes.hpp"
#include "recipes/settings.hpp"

namespace assetc::cli {
namespace {

constexpr int kMaxJobs = 1024;

std::uint64_t size_of(const char* option, const std::string& text) {
  const auto size = engine::parse_size(text);
  if (!size) throw CLI::ValidationError(option, size.error().to_string());
  return *size;
}

std::string folder_fault(const std::string& text) { return text.empty() ? "expected a folder, found nothing" : ""; }

void add_root(CLI::App& to, std::string& root) {
  to.add_option("--root", root, "Repository that holds Assets/, Demo/*/Assets/ and Tools/Assets/ (default: .)")
      ->type_name("DIR");
}

// Titles of option groups in the help of a command.
constexpr const char* kOutputGroup = "Input and output";
constexpr const char* kRunGroup = "How it runs";
constexpr const char* kReportGroup = "Reports and messages";
constexpr const char* kShardGroup = "Build farms";

}  // namespace

// In the order of the help.
const Parser::Group Parser::kGroups[] = {
    {{"build"}, &Parser::add_build_command},
    {{"init"}, &Parser::add_init},
    {{"watch"}, &Parser::add_watch},
    {{"import"}, &Parser::add_import},
    {{"mv", "rm", "merge-meta"}, &Parser::add_move},
    {{"cook"}, &Parser::add_cook},
    {{"validate"}, &Parser::add_validate},
    {{"clean"}, &Parser::add_clean},
    {{"cache"}, &Parser::add_cache},
    {{"registry"}, &Parser::add_registry},
    {{"info", "check"}, &Parser::add_looks},
    {{"pack"}, &Parser::add_pack},
    {{"convert"}, &Parser::add_convert},
    {{"optimize"}, &Parser::add_optimize},
    {{"ktx"}, &Parser::add_ktx},
    {{"diff"}, &Parser::add_diff},
    {{"render"}, &Parser::add_render},
    {{"view"}, &Parser::add_view},
    {{"serve"}, &Parser::add_serve},
    {{"bundle", "keygen", "sign", "verify"}, &Parser::add_bundle},
    {{"completion", "manual"}, &Parser::add_descriptions},
};

// Paths of the command line get '/' between their parts.
void accept_backslashes(CLI::App& to) {
  constexpr std::array<std::string_view, 14> kPaths{"DIR", "FILE", "IN", "OUT", "PATH", "KEY",  "PUB",
                                                    "OLD", "NEW",  "A",  "B",   "BASE", "OURS", "THEIRS"};
  for (CLI::Option* option : to.get_options()) {
    const std::string type = option->get_type_name();  // "OUT.pak"
    if (std::ranges::find(kPaths, type.substr(0, type.find('.'))) != kPaths.end()) option->transform(with_slashes, "");
  }
  for (CLI::App* command : to.get_subcommands({})) accept_backslashes(*command);
}

bool Parser::is_command(std::string_view word) {
  const auto has_word = [&](const Group& group) { return std::ranges::find(group.words, word) != group.words.end(); };
  return !word.empty() && std::ranges::any_of(kGroups, has_word);
}

Parser::Parser(std::optional<std::string_view> only) {
  app.formatter(help_formatter());
  app.set_version_flag("--version", "assetc " ASSETC_VERSION, "Print the version and exit");
  app.require_subcommand(0, 1);
  app.allow_windows_style_options(false);  // "/a" is a path; commands do the same
  if (!only || only->empty()) add_build(app);
  for (const Group& group : kGroups) {
    if (!only || (!only->empty() && std::ranges::find(group.words, *only) != group.words.end())) (this->*group.add)();
  }
  for (const auto& [command, kind] : commands_) {
    if (kind != Command::kInit && kind != Command::kCompletion && kind != Command::kManual) add_printing(*command);
  }
  if (kHasDrives) accept_backslashes(app);
}

void Parser::add_build_command() {
  CLI::App* build =
      add(app, Command::kBuild, "build", "Compile the input folder into the output folder; the same without a command",
          {"build --preset mobile --explain", "build --pack -o dist"});
  add_build(*build);
}

void Parser::add_init() {
  add(app, Command::kInit, "init", "Write a starter assetc.yml; an existing one is kept", {"init", "init && assetc"});
}

void Parser::add_watch() {
  CLI::App* watch = add(app, Command::kWatch, "watch", "Build, and build again after every save, until interrupted",
                        {"watch", "watch --platform Win64 --websocket 0"});
  add_output(*watch);
  add_preset(*watch);
  watch->add_flag("--pack", arguments.pack, "After each build, pack the output folder into <output>.hpack")
      ->group(kOutputGroup);
  watch
      ->add_option("--platform", arguments.platform,
                   "Import and cook for this platform instead of building: Win64, Linux, Mobile ...")
      ->type_name("NAME")
      ->group(kOutputGroup);
  watch
      ->add_option_function<std::uint16_t>(
          "--websocket", [this](std::uint16_t port) { arguments.websocket = port; },
          "Also notify browser pages on this machine, at ws://127.0.0.1:PORT (0: any free port)")
      ->type_name("PORT")
      ->group(kReportGroup);
  add_building(*watch);
}

void Parser::add_looks() {
  CLI::App* info = add(app, Command::kInfo, "info", "List the output files with their contents and totals",
                       {"info", "info runtime/models/chair.hmesh"});
  add_look_at(*info);
  add_output(*info);
  add_preset(*info);

  CLI::App* check = add(app, Command::kCheck, "check", "Verify every output file and every reference between files",
                        {"check", "check dist --junit check.xml"});
  add_look_at(*check);
  add_output(*check);
  add_preset(*check);
  add_reports(*check);
}

void Parser::add_pack() {
  CLI::App* pack = app.add_subcommand("pack", "Inspect packs (.hpack)");
  pack->require_subcommand(1);
  pack->footer("assetc pack info --help lists its options.");
  CLI::App* pack_info = add(*pack, Command::kPackInfo, "info", "List the entries, kinds and layout of a pack",
                            {"pack info", "pack info dist.hpack --json"});
  pack_info->add_option("file", arguments.pack_file, "The pack (default: <output>.hpack)")->type_name("FILE");
  add_output(*pack_info);
  add_preset(*pack_info);
}

void Parser::add_descriptions() {
  CLI::App* completion = add(app, Command::kCompletion, "completion", "Print the completion script of a shell",
                             {"completion bash > /etc/bash_completion.d/assetc", "completion zsh > ~/.zfunc/_assetc"});
  completion->add_option("shell", arguments.shell, "bash, zsh or fish")
      ->required()
      ->type_name("SHELL")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));

  add(app, Command::kManual, "manual", "Print the manual page as mdoc",
      {"manual | man -l -", "manual > /usr/local/share/man/man1/assetc.1"});
}

void Parser::add_build(CLI::App& to) {
  add_output(to);
  add_preset(to);
  to.add_flag("--list-presets", arguments.list_presets, "Print the presets that assetc.yml defines, and exit");
  to.add_flag("--pack", arguments.pack, "Then pack the output folder into <output>.hpack")->group(kOutputGroup);
  add_building(to);
  add_sharding(to);
  if (&to == &app) add_printing(to);
}

void Parser::add_import() {
  engine::ImportOptions& to = arguments.import;
  CLI::App* import =
      add(app, Command::kImport, "import", "Create or update the .meta files that give each source a permanent UUID",
          {"import", "import --check --platform Win64"});
  add_root(*import, to.root);
  import->add_flag("--check", to.check, "Write nothing; exit with 1 if an import would change a .meta");
  import->add_flag("--prune", to.prune, "Delete each .meta whose source no longer exists");
  import->add_option("--platform", to.platform, "Also report what a cook for this platform would refuse")
      ->type_name("NAME");
  add_jobs(*import);
  import->add_flag("-q,--quiet", arguments.quiet, "Print only errors")->group(kReportGroup);
}

void Parser::add_move() {
  CLI::App* move =
      add(app, Command::kMove, "mv", "Move a source or folder with its .meta; list the files that refer to it",
          {"mv Assets/Wood.png Assets/Textures/Oak.png", "mv Assets/Old Assets/New"});
  move->add_option("from", arguments.move.from, "Path of the source or folder, below the repository")
      ->required()
      ->type_name("OLD");
  move->add_option("to", arguments.move.to, "New path, or an existing folder")->required()->type_name("NEW");
  CLI::App* remove =
      add(app, Command::kRemove, "rm", "Delete a source or folder with its .meta, unless other assets refer to it",
          {"rm Assets/Textures/Unused.png", "rm Assets/Old --force"});
  remove->add_option("path", arguments.move.from, "Path of the source or folder, below the repository")
      ->required()
      ->type_name("PATH");
  remove->add_flag("--force", arguments.move.force, "Delete it even if other assets refer to it");
  add_root(*move, arguments.import.root);
  add_root(*remove, arguments.import.root);

  MergeMetaArguments& to = arguments.merge_meta;
  CLI::App* merge =
      add(app, Command::kMergeMeta, "merge-meta", "Merge a .meta that two branches changed (git merge driver)",
          {"merge-meta %O %A %B %P", "merge-meta base.meta ours.meta theirs.meta"});
  merge->add_option("base", to.base, "Common ancestor of both (%O)")->required()->type_name("BASE");
  merge->add_option("ours", to.ours, "Our version; the result is written here (%A)")->required()->type_name("OURS");
  merge->add_option("theirs", to.theirs, "Their version (%B)")->required()->type_name("THEIRS");
  merge->add_option("name", to.name, "Name of the .meta in messages (%P)")->type_name("NAME");
}

void Parser::add_cook() {
  CLI::App* cook = add(app, Command::kCook, "cook", "Import, then compile for a platform into Cooked/<platform>",
                       {"cook --platform Win64", "cook --platform Mobile --frozen --report cook.json"});
  cook->add_option("--platform", arguments.platform, "A platform of the configuration: Win64, Linux, Mobile ...")
      ->required()
      ->type_name("NAME");
  cook->add_option("--demo", arguments.demo, "Cook only Demo/<NAME>/Assets and what demos share")->type_name("NAME");
  cook->add_option("--base", arguments.base,
                   "Cooked folder of the game that this mod extends; its materials may name the game's textures")
      ->type_name("DIR")
      ->check(folder_fault);
  cook->add_flag("--stamp", arguments.stamp,
                 "Write CookKey and LastCooked into the .meta of each asset that was cooked");
  cook->add_flag("--frozen", arguments.is_frozen,
                 "Do not import; fail if an import would change a .meta (for build servers)");
  add_root(*cook, arguments.import.root);
  add_building(*cook);
  add_sharding(*cook);
}

void Parser::add_validate() {
  CLI::App* validate =
      add(app, Command::kValidate, "validate", "Check a cooked folder and its registry",
          {"validate --platform Win64", "validate --registry Cooked/Win64/Registry/AssetRegistry.json"});
  CLI::Option* chosen =
      validate->add_option("--registry", arguments.registry_file, "Registry/AssetRegistry.json of a cooked folder")
          ->type_name("FILE");
  CLI::Option* platform =
      validate->add_option("--platform", arguments.platform, "Check Cooked/<NAME>")->type_name("NAME");
  chosen->excludes(platform);
  add_reports(*validate);
  validate->callback([this] {
    if (arguments.registry_file.empty() && arguments.platform.empty())
      throw CLI::RequiredError("--platform or --registry");
  });
  add_root(*validate, arguments.import.root);
}

void Parser::add_clean() {
  CLI::App* clean =
      add(app, Command::kClean, "clean", "Delete outputs and records of cooks and imports; sources and bundles stay",
          {"clean --cooked", "clean --cache --cooked"});
  CLI::Option_group* group = clean->add_option_group("what");
  group->add_flag("--cache", arguments.clean.cache, "Delete the records of imports and cooks");
  group->add_flag("--cooked", arguments.clean.cooked, "Delete the blobs and registries of all platforms");
  group->add_flag("--imported", arguments.clean.imported, "Delete the records of imports only");
  group->require_option(1, 3);
  add_root(*clean, arguments.import.root);
}

void Parser::add_cache() {
  CLI::App* cache = app.add_subcommand("cache", "Show, verify, trim or clear the cache that all builds share");
  cache->require_subcommand(1);
  cache->footer("assetc cache COMMAND --help lists the options of a command.");
  add(*cache, Command::kCacheStats, "stats", "Print the location, size and age of the cache",
      {"cache stats", "cache stats --json"});
  add(*cache, Command::kCacheVerify, "verify", "Read every entry and drop the damaged ones",
      {"cache verify", "cache verify --json"});
  CLI::App* trim = add(*cache, Command::kCacheTrim, "trim", "Drop the least recently used entries",
                       {"cache trim", "cache trim --size 2G"});
  trim->add_option_function<std::string>(
          "--size", [this](const std::string& text) { arguments.cache_size_bytes = size_of("--size", text); },
          "Size to trim to: 512M, 1G ... (default: cache.size)")
      ->type_name("SIZE");
  add(*cache, Command::kCacheClear, "clear", "Drop every entry", {"cache clear", "cache clear --json"});
}

void Parser::add_registry() {
  RegistryArguments& to = arguments.registry;
  CLI::App* registry = app.add_subcommand("registry", "Query, compare or export registries of cooked folders");
  registry->require_subcommand(1);
  registry->footer("assetc registry COMMAND --help lists the options of a command.");
  CLI::App* query =
      add(*registry, Command::kRegistryQuery, "query", "List assets by UUID, virtual path, type or folder",
          {"registry query Cooked/Win64 Engine/Textures/Wood", "registry query Cooked/Win64 --type Mesh"});
  CLI::App* diff = add(*registry, Command::kRegistryDiff, "diff", "List the assets that differ between two registries",
                       {"registry diff old/Win64 Cooked/Win64", "registry diff old.bin new.bin --json"});
  CLI::App* to_database = add(*registry, Command::kRegistryExport, "export", "Write a registry as an SQLite database",
                              {"registry export Cooked/Win64 assets.sqlite",
                               "registry export Cooked/Win64/Registry/AssetRegistry.bin assets.sqlite"});
  for (CLI::App* const one : {query, diff, to_database}) {
    one->add_option("file", to.file, "An AssetRegistry.bin, or a cooked folder")->required()->type_name("FILE");
  }
  query->add_option("asset", to.asset, "A UUID or a virtual path (default: all)")->type_name("ASSET");
  query->add_option("--type", to.type, "Only assets of this type: Texture2D, Mesh, Material ...")->type_name("TYPE");
  query->add_option("--below", to.below, "Only assets below this virtual path")->type_name("PATH");
  diff->add_option("other", to.other, "The newer registry")->required()->type_name("NEW");
  to_database->add_option("other", to.other, "Database to write")->required()->type_name("OUT.sqlite");
}

void Parser::add_bundle() {
  BundleArguments& to = arguments.bundle;
  const auto file = [](CLI::App* command, const char* name, std::string& value, const char* doc, const char* type) {
    command->add_option(name, value, doc)->required()->type_name(type);
  };
  const auto option = [](CLI::App* command, const char* name, auto& value, const char* doc, const char* type) {
    return command->add_option(name, value, doc)->type_name(type);
  };
  const auto output = [this](CLI::App* command, const char* doc, const char* type) {
    return command
        ->add_option_function<std::string>(
            "-o,--output", [this](const std::string& text) { arguments.output = text; }, doc)
        ->type_name(type);
  };
  CLI::App* bundle = app.add_subcommand("bundle", "Create, inspect, verify and patch bundles of cooked assets");
  bundle->require_subcommand(1);
  bundle->footer("assetc bundle COMMAND --help lists the options of a command.");

  CLI::App* create = add(*bundle, Command::kBundleCreate, "create", "Create a bundle from a cooked folder",
                         {"bundle create base.pak --cooked Cooked/Win64",
                          "bundle create base.pak --cooked Cooked/Win64 --sign studio.key --base old.pak"});
  file(create, "file", to.file, "The bundle to write", "OUT.pak");
  option(create, "--cooked", to.cooked, "Cooked folder of one platform, with Registry/ and Assets/", "DIR")->required();
  option(create, "--prefix", to.prefixes, "Only assets at or below this virtual path; may be repeated", "PATH")
      ->allow_extra_args(false);
  option(create, "--platform", to.platform, "Platform of the bundle (default: name of the cooked folder)", "NAME");
  option(create, "--name", to.name, "Name of the bundle (default: name of the file)", "NAME");
  option(create, "--bundle-version", to.version, "Version of the bundle; signatures cover it (default 1)", "N");
  option(create, "--base", to.base, "Previous version of the bundle; makes patches from it smaller", "FILE");
  option(create, "--sign", to.signing_key, "Sign with this key", "KEY");
  option(create, "--encrypt", to.content_key, "Encrypt with this key", "KEY");

  const auto look = [&](Command command, const char* name, const char* doc, Examples examples) {
    CLI::App* added = add(*bundle, command, name, doc, examples);
    file(added, "file", to.file, "The bundle", "FILE");
    option(added, "--patch", to.patch, "Apply this patch in memory first", "FILE");
    option(added, "--decrypt", to.content_key, "Key of an encrypted bundle", "KEY");
    return added;
  };
  const auto expect = [&](CLI::App* command) {
    option(command, "--platform", to.platform, "Refuse a bundle for any other platform", "NAME");
    option(command, "--name", to.name, "Refuse a bundle with any other name", "NAME");
    option(command, "--at-least", to.at_least, "Refuse a version below N", "N");
  };
  look(Command::kBundleInfo, "info", "Print name, platform, version, signer and sizes of a bundle",
       {"bundle info base.pak", "bundle info base.pak --json"});
  look(Command::kBundleList, "list", "List the assets of a bundle",
       {"bundle list base.pak", "bundle list base.pak --patch base.patch"});
  CLI::App* bundle_verify = look(Command::kBundleVerify, "verify", "Verify every byte of a bundle, and its signature",
                                 {"bundle verify base.pak", "bundle verify base.pak --key studio.pub --at-least 4"});
  option(bundle_verify, "--key", to.public_key, "Public key that must have signed it", "PUB");
  expect(bundle_verify);
  CLI::App* extract =
      look(Command::kBundleExtract, "extract", "Write the assets of a bundle to files",
           {"bundle extract base.pak -o unpacked", "bundle extract base.pak -o unpacked --key studio.pub"});
  output(extract, "Folder to write Assets/ to", "DIR")->required();
  option(extract, "--key", to.public_key, "Public key that must have signed it", "PUB");
  option(extract, "--asset", to.assets, "Only this asset; may be repeated", "UUID")->allow_extra_args(false);
  add_memory(*extract, "Refuse assets larger than this");

  CLI::App* diff_bundles =
      add(*bundle, Command::kBundleDiff, "diff", "Write a patch from one bundle to the next",
          {"bundle diff old.pak new.pak -o base.patch", "bundle diff old.pak new.pak -o base.patch --json"});
  file(diff_bundles, "old", to.file, "Bundle that players have", "OLD");
  file(diff_bundles, "new", to.second, "Bundle that they will get", "NEW");
  output(diff_bundles, "Patch to write", "PATCH")->required();
  CLI::App* apply =
      add(*bundle, Command::kBundleApply, "apply", "Apply a patch to a bundle",
          {"bundle apply base.pak base.patch", "bundle apply old.pak base.patch -o new.pak --key studio.pub"});
  file(apply, "old", to.file, "Bundle that the patch was made from", "OLD");
  file(apply, "patch", to.second, "The patch", "PATCH");
  output(apply, "New bundle (default: replace the old one)", "NEW");
  option(apply, "--key", to.public_key, "Public key that must have signed the new bundle", "PUB");
  apply->add_flag("--any-signer", to.any_signer,
                  "Accept a new bundle that is unsigned, or signed by another key than the old one");

  CLI::App* keygen = add(app, Command::kKeygen, "keygen", "Create a key that signs or encrypts bundles",
                         {"keygen studio", "keygen content --encryption"});
  file(keygen, "name", to.file, "Writes NAME.key (secret) and NAME.pub (verifies signatures)", "NAME");
  keygen->add_flag("--encryption", to.encryption, "Create an encryption key; it has no public half");
  CLI::App* sign = add(app, Command::kSign, "sign", "Sign a bundle",
                       {"sign base.pak --key studio.key", "sign base.pak --key studio.key -o signed.pak"});
  file(sign, "file", to.file, "The bundle", "FILE");
  option(sign, "--key", to.signing_key, "Secret key", "KEY")->required();
  option(sign, "--decrypt", to.content_key, "The key of an encrypted bundle", "KEY");
  output(sign, "Signed bundle (default: replace FILE)", "FILE");
  CLI::App* verify =
      add(app, Command::kBundleVerify, "verify", "Verify the signature and every byte of a bundle",
          {"verify base.pak --key studio.pub", "verify base.pak --key studio.pub --name base --at-least 4"});
  file(verify, "file", to.file, "The bundle", "FILE");
  option(verify, "--key", to.public_key, "Public key that must have signed it", "PUB")->required();
  option(verify, "--decrypt", to.content_key, "The key of an encrypted bundle", "KEY");
  expect(verify);
}

void Parser::add_output(CLI::App& to) {
  to.add_option_function<std::string>(
        "-o,--output", [this](const std::string& text) { arguments.output = text; },
        "Output folder (default: output: of the preset or of assetc.yml, else runtime)")
      ->type_name("DIR")
      ->group(kOutputGroup)
      ->check(folder_fault);
}

void Parser::add_jobs(CLI::App& to) {
  to.add_option_function<int>(
        "-j,--jobs", [this](int n) { arguments.jobs = n; }, "Number of threads (default: one per core)")
      ->type_name("N")
      ->group(kRunGroup)
      ->check(CLI::Range(1, kMaxJobs));
}

void Parser::add_memory(CLI::App& to, const std::string& what) {
  to.add_option_function<std::string>(
        "--memory", [this](const std::string& text) { arguments.memory_bytes = size_of("--memory", text); },
        what + ": 512M, 1G ... (default: half of the machine's)")
      ->type_name("SIZE")
      ->group(kRunGroup);
}

void Parser::add_building(CLI::App& to) {
  add_jobs(to);
  add_memory(to, "Memory that steps in progress may use");
  const auto flag = [&to](const char* names, bool& value, const char* doc, const char* group) {
    return to.add_flag(names, value, doc)->group(group);
  };
  const auto file = [&to](const char* name, std::string& value, const char* doc) {
    to.add_option(name, value, doc)->type_name("FILE")->group(kReportGroup);
  };
  flag("--verify", arguments.verify, "Read each written file again and check its structure", kRunGroup);
  flag("--no-cache", arguments.no_cache, "Run every step, even if its result is cached", kRunGroup);
  flag("-n,--dry-run", arguments.dry_run, "Print what would be done, and write nothing", kRunGroup);
  flag("--strict", arguments.strict, "Fail on any warning that accept: of assetc.yml does not cover", kRunGroup);
  flag("--explain", arguments.explain, "Print why each step runs", kReportGroup);
  CLI::Option* verbose = flag("-v,--verbose", arguments.verbose, "Print each step when it is done", kReportGroup);
  flag("-q,--quiet", arguments.quiet, "Print only errors and warnings", kReportGroup)->excludes(verbose);
  flag("--warnings", arguments.warnings, "Print every warning in full, also accepted ones and those of earlier builds",
       kReportGroup);
  file("--report", arguments.report, "Write what the build did, as JSON");
  file("--trace", arguments.trace, "Write a timeline for Perfetto and chrome://tracing");
  file("--sarif", arguments.sarif, "Write warnings and errors as SARIF, for code hosts");
}

void Parser::add_sharding(CLI::App& to) {
  to.add_option_function<std::string>(
        "--shard", [this](const std::string& text) { arguments.shard = text; },
        "Compile share K of N into the cache, write no outputs; auto: as Slurm, Kubernetes, AWS Batch or GitLab say")
      ->type_name("K/N")
      ->group(kShardGroup);
  to.add_option("--costs", arguments.costs, "Balance the shares by the step times in this --report file")
      ->type_name("FILE")
      ->group(kShardGroup);
}

void Parser::add_look_at(CLI::App& to) {
  to.add_option("file", arguments.look_at, "Compiled file, or folder of them (default: the output folder)")
      ->type_name("FILE");
}

void Parser::add_reports(CLI::App& to) {
  to.add_option("--sarif", arguments.sarif, "Write the problems as SARIF, for code hosts")
      ->type_name("FILE")
      ->group(kReportGroup);
  to.add_option("--junit", arguments.junit, "Write the problems as JUnit XML, for build servers")
      ->type_name("FILE")
      ->group(kReportGroup);
}

void Parser::add_preset(CLI::App& to) {
  to.add_option_function<std::string>(
        "--preset", [this](const std::string& text) { arguments.preset = text; }, "Use this preset of assetc.yml")
      ->type_name("NAME")
      ->group(kOutputGroup);
}

void Parser::add_printing(CLI::App& to) {
  to.add_flag("--json", arguments.json, "Print events as JSON, one per line")->group(kReportGroup);
  to.add_option_function<std::string>(
        "--color",
        [this](const std::string& text) {
          arguments.color = text == "always"  ? ColorMode::kAlways
                            : text == "never" ? ColorMode::kNever
                                              : ColorMode::kAuto;
        },
        "auto, always or never; auto respects NO_COLOR")
      ->type_name("WHEN")
      ->group(kReportGroup)
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

CLI::App* Parser::add(CLI::App& below, Command command, const char* name, const char* doc, Examples examples) {
  CLI::App* added = below.add_subcommand(name, doc);
  added->footer("Examples:\n  assetc " + std::string(examples[0]) + "\n  assetc " + std::string(examples[1]));
  commands_.emplace_back(added, command);
  return added;
}

const CLI::App* Parser::chosen() const {
  const CLI::App* innermost = nullptr;
  for (const CLI::App* at = &app; !at->get_subcommands().empty();) innermost = at = at->get_subcommands().front();
  return innermost;
}

Command Parser::command_of(const CLI::App& chosen) const {
  const auto row = std::ranges::find(commands_, &chosen, &std::pair<CLI::App*, Command>::first);
  return row == commands_.end() ? Command::kBuild : row->second;
}

}  // namespace assetc::cli
