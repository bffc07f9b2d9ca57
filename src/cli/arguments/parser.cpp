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
#include "cli/report/version.hpp"
#include "convert/convert.hpp"
#include "engine/config/parse_size.hpp"
#include "filetypes/filetypes.hpp"
#include "recipes/settings.hpp"

namespace assetc::cli {
namespace {

constexpr int kMaxJobs = 1024;

// Takes a value as it is, even if it is empty.
auto into(std::optional<std::string>& to) {
  return [&to](const std::string& text) {
    to = text;
    return std::string();
  };
}

template <class T>
std::string read_size(const std::string& text, T& to) {
  const auto size = engine::parse_size(text);
  if (!size) return size.error().to_string();
  to = *size;
  return {};
}

std::string read_age(const std::string& text, std::optional<std::int64_t>& seconds) {
  constexpr std::int64_t kHour = 3600, kDay = 24 * kHour, kMaxDays = 36500;
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const bool is_right = error == std::errc() && count > 0 && count <= kMaxDays && (unit == "h" || unit == "d");
  if (!is_right) return "found \"" + text + "\", expected a time like 12h or 30d";
  seconds = count * (unit == "h" ? kHour : kDay);
  return {};
}

void add_root(const command_line::Command& to, std::string& root) {
  to.add("--root", root,
         "Repository that holds Assets/, Demo/*/Assets/ and Tools/Assets/ (default: the nearest one above)")
      .type_name("DIR");
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
    {{"new"}, &Parser::add_new},
    {{"init"}, &Parser::add_init},
    {{"mat"}, &Parser::add_mat},
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
    {{"doctor"}, &Parser::add_doctor},
    {{"completion", "manual"}, &Parser::add_descriptions},
};

// What help calls values that are paths.
constexpr std::array<std::string_view, 14> kPaths{"DIR", "FILE", "IN", "OUT", "PATH", "KEY",  "PUB",
                                                  "OLD", "NEW",  "A",  "B",   "BASE", "OURS", "THEIRS"};

bool Parser::is_command(std::string_view word) {
  const auto has_word = [&](const Group& group) { return std::ranges::find(group.words, word) != group.words.end(); };
  return !word.empty() && std::ranges::any_of(kGroups, has_word);
}

Parser::Parser(std::optional<std::string_view> only)
    : words("assetc", "Compiles the source assets of a game into the files that its engine loads.",
            {.column_width = 26, .first_page = first_help_page}) {
  arguments.import.root.clear();  // found by the command
  words.set_version(std::string("assetc ") + kVersion);
  if (!only || only->empty()) add_build(app);
  for (const Group& group : kGroups) {
    if (!only || (!only->empty() && std::ranges::find(group.words, *only) != group.words.end())) (this->*group.add)();
  }
  for (const auto& [command, kind] : commands_) {
    if (kind != Command::kInit && kind != Command::kCompletion && kind != Command::kManual) add_printing(command);
  }
  // An empty path would stand for the working folder, for the root, or for no option at all.
  app.check_values(kPaths, [](const std::string& path) {
    return std::string(path.empty() ? "expected a path, found nothing" : "");
  });
  if (kHasDrives) app.change_values(kPaths, [](std::string path) { return with_slashes(std::move(path)); });
}

void Parser::add_build_command() {
  const command_line::Command build =
      add(app, Command::kBuild, "build", "Compile the input folder into the output folder; the same without a command",
          {"build --preset mobile --explain", "build --pack -o dist"});
  add_build(build);
}

void Parser::add_init() {
  add(app, Command::kInit, "init", "Write a starter assetc.yml; an existing one is kept", {"init", "init && assetc"});
}

void Parser::add_mat() {
  const command_line::Command mat = add(app, Command::kMat, "mat", "Write a .mat for each set of pictures in a folder",
                                        {"mat assets/walls", "mat assets --dry-run"});
  mat.add("folder", arguments.mat_folder,
          "Folder with pictures such as wall_bc.png, wall_n.png and wall_orm.png, in the input folder or equal to it")
      .required()
      .type_name("DIR");
  mat.add_switch("-n,--dry-run", arguments.dry_run, "List what would be written, and write nothing");
}

void Parser::add_new() {
  NewArguments& to = arguments.make;
  const command_line::Command make =
      add(app, Command::kNew, "new", "Make a folder with a small project that compiles; print the next steps",
          {"new my-game", "new my-page --for web"});
  make.add("folder", to.folder, "Folder to make; one that exists must be empty").required().type_name("DIR");
  make.add("--for", to.purpose,
           "engine: with a C++ program that loads the assets; web: with a page that draws them; cooked: for assetc "
           "cook (default: engine)")
      .type_name("USE")
      .one_of({"engine", "web", "cooked"});
}

void Parser::add_doctor() {
  add(app, Command::kDoctor, "doctor", "Say what assetc can do on this machine, and how to get what is missing",
      {"doctor", "doctor --json"});
}

void Parser::add_watch() {
  const command_line::Command watch =
      add(app, Command::kWatch, "watch", "Build, and build again after every save, until interrupted",
          {"watch", "watch --platform Win64 --websocket 0"});
  const command_line::Option of_builds[] = {
      add_output(watch), add_preset(watch),
      watch.add_switch("--pack", arguments.pack, "After each build, pack the output folder into <output>.hpack")
          .group(kOutputGroup)};
  const command_line::Option platform =
      watch
          .add("--platform", arguments.platform,
               "Import and cook for this platform instead of building: Win64, Linux, Mobile ...")
          .type_name("NAME")
          .group(kOutputGroup);
  for (const command_line::Option& option : of_builds) platform.excludes(option);
  watch
      .add_taken<std::uint16_t>(
          "--websocket",
          [this](std::uint16_t port) {
            arguments.websocket = port;
            return std::string();
          },
          "Also notify browser pages on this machine, at ws://127.0.0.1:PORT (0: any free port)")
      .type_name("PORT")
      .group(kReportGroup);
  add_building(watch);
}

void Parser::add_looks() {
  const command_line::Command info =
      add(app, Command::kInfo, "info", "List the output files with their contents and totals",
          {"info runtime/models/chair.hmesh", "info --materials"});
  add_look_at(info);
  info.add_switch("--materials", arguments.materials,
                  "List materials of all models that are equal but for their names, or but for their textures");
  add_output(info);
  add_preset(info);

  const command_line::Command check =
      add(app, Command::kCheck, "check", "Verify every output file and every reference between files",
          {"check", "check dist --junit check.xml"});
  add_look_at(check);
  add_output(check);
  add_preset(check);
  add_reports(check);
}

void Parser::add_pack() {
  const command_line::Command pack = app.add_command("pack", "Inspect packs (.hpack)");
  pack.require_command();
  pack.footer("assetc pack info --help lists its options.");
  const command_line::Command pack_info =
      add(pack, Command::kPackInfo, "info", "List the entries, kinds and layout of a pack",
          {"pack info", "pack info dist.hpack --json"});
  pack_info.add("file", arguments.pack_file, "The pack (default: <output>.hpack)").type_name("FILE");
  add_output(pack_info);
  add_preset(pack_info);
}

void Parser::add_descriptions() {
  const command_line::Command completion =
      add(app, Command::kCompletion, "completion", "Print the completion script of a shell",
          {"completion bash > /etc/bash_completion.d/assetc", "completion zsh > ~/.zfunc/_assetc"});
  completion.add("shell", arguments.shell, "bash, zsh or fish")
      .required()
      .type_name("SHELL")
      .one_of({"bash", "zsh", "fish"});

  add(app, Command::kManual, "manual", "Print the manual page as mdoc",
      {"manual | man -l -", "manual > /usr/local/share/man/man1/assetc.1"});
}

void Parser::add_build(const command_line::Command& to) {
  add_output(to);
  add_preset(to);
  to.add_switch("--list-presets", arguments.list_presets, "Print the presets that assetc.yml defines, and exit");
  to.add_switch("--pack", arguments.pack, "Then pack the output folder into <output>.hpack").group(kOutputGroup);
  add_building(to);
  add_sharding(to);
  if (to == app) add_printing(to);
}

void Parser::add_import() {
  engine::ImportOptions& to = arguments.import;
  const command_line::Command import =
      add(app, Command::kImport, "import", "Create or update the .meta files that give each source a permanent UUID",
          {"import", "import --check --platform Win64"});
  add_root(import, to.root);
  import.add_switch("--check", to.check, "Write nothing; exit with 1 if an import would change a .meta");
  import.add_switch("--prune", to.prune,
                    "Delete each .meta whose source no longer exists, and parts that sources lack");
  import.add("--platform", to.platform, "Also report what a cook for this platform would refuse").type_name("NAME");
  add_jobs(import);
  import.add_switch("-q,--quiet", arguments.quiet, "Print only errors").group(kReportGroup);
}

void Parser::add_move() {
  const command_line::Command move =
      add(app, Command::kMove, "mv", "Move a source or folder with its .meta; list the files that refer to it",
          {"mv Assets/Wood.png Assets/Textures/Oak.png", "mv Assets/Old Assets/New"});
  move.add("from", arguments.move.from, "Path of the source or folder, below the repository")
      .required()
      .type_name("OLD");
  move.add("to", arguments.move.to, "New path, or an existing folder").required().type_name("NEW");
  const command_line::Command remove =
      add(app, Command::kRemove, "rm", "Delete a source or folder with its .meta, unless other assets refer to it",
          {"rm Assets/Textures/Unused.png", "rm Assets/Old --force"});
  remove.add("path", arguments.move.from, "Path of the source or folder, below the repository")
      .required()
      .type_name("PATH");
  remove.add_switch("--force", arguments.move.force, "Delete it even if other assets refer to it");
  add_root(move, arguments.import.root);
  add_root(remove, arguments.import.root);

  MergeMetaArguments& to = arguments.merge_meta;
  const command_line::Command merge =
      add(app, Command::kMergeMeta, "merge-meta", "Merge a .meta that two branches changed (git merge driver)",
          {"merge-meta %O %A %B %P", "merge-meta base.meta ours.meta theirs.meta"});
  merge.add("base", to.base, "Common ancestor of both (%O)").required().type_name("BASE");
  merge.add("ours", to.ours, "Our version; the result is written here (%A)").required().type_name("OURS");
  merge.add("theirs", to.theirs, "Their version (%B)").required().type_name("THEIRS");
  merge.add("name", to.name, "Name of the .meta in messages (%P)").type_name("NAME");
}

void Parser::add_cook() {
  const command_line::Command cook =
      add(app, Command::kCook, "cook", "Import, then compile for a platform into Cooked/<platform>",
          {"cook --platform Win64,Linux", "cook --platform Mobile --frozen --report cook.json"});
  cook.add("--platform", arguments.platform, "Platforms of the configuration, separated by commas: Win64,Linux")
      .required()
      .type_name("NAME");
  cook.add("--demo", arguments.demo, "Cook only Demo/<NAME>/Assets and what demos share").type_name("NAME");
  cook.add("--base", arguments.base,
           "Cooked folder of the game that this mod extends; its materials may name the game's textures")
      .type_name("DIR");
  cook.add_switch("--stamp", arguments.stamp,
                  "Write CookKey and LastCooked into the .meta of each asset that was cooked");
  cook.add_switch("--frozen", arguments.is_frozen,
                  "Do not import; fail if an import would change a .meta (for build servers)");
  add_root(cook, arguments.import.root);
  add_building(cook);
  add_sharding(cook);
  cook.check([this] {
    const bool has_file = !arguments.report.empty() || !arguments.trace.empty() || !arguments.sarif.empty();
    const bool has_several = arguments.platform.contains(',');
    return std::string(has_several && has_file ? "--report, --trace and --sarif need a single --platform" : "");
  });
}

void Parser::add_validate() {
  const command_line::Command validate =
      add(app, Command::kValidate, "validate", "Check a cooked folder and its registry",
          {"validate --platform Win64", "validate --registry Cooked/Win64/Registry/AssetRegistry.json"});
  const command_line::Option chosen =
      validate.add("--registry", arguments.registry_file, "Registry/AssetRegistry.json of a cooked folder")
          .type_name("FILE");
  const command_line::Option platform =
      validate.add("--platform", arguments.platform, "Check Cooked/<NAME>").type_name("NAME");
  chosen.excludes(platform);
  add_reports(validate);
  validate.check([this] {
    const bool has_one = !arguments.registry_file.empty() || !arguments.platform.empty();
    return std::string(has_one ? "" : "--platform or --registry is required");
  });
  add_root(validate, arguments.import.root);
}

void Parser::add_clean() {
  const command_line::Command clean =
      add(app, Command::kClean, "clean", "Delete outputs and records of cooks and imports; sources and bundles stay",
          {"clean --cooked", "clean --cache --cooked"});
  const command_line::Command group = clean.add_group("what", 1, 3);
  group.add_switch("--cache", arguments.clean.cache, "Delete the records of imports and cooks");
  group.add_switch("--cooked", arguments.clean.cooked, "Delete the blobs and registries of all platforms");
  group.add_switch("--imported", arguments.clean.imported, "Delete the records of imports only");
  add_root(clean, arguments.import.root);
}

void Parser::add_cache() {
  const command_line::Command cache =
      app.add_command("cache", "Show, verify, trim or clear the cache that all builds share");
  cache.require_command();
  cache.footer("assetc cache COMMAND --help lists the options of a command.");
  add(cache, Command::kCacheStats, "stats", "Print the location, size and age of the cache",
      {"cache stats", "cache stats --json"});
  add(cache, Command::kCacheVerify, "verify", "Read every entry and drop the damaged ones",
      {"cache verify", "cache verify --json"});
  const command_line::Command trim = add(cache, Command::kCacheTrim, "trim", "Drop the least recently used entries",
                                         {"cache trim --size 2G", "cache trim --remote --size 500G --age 60d"});
  trim.add_taken(
          "--size", [this](const std::string& text) { return read_size(text, arguments.cache_size_bytes); },
          "Size to trim to: 512M, 1G ... (default: cache.size; with --remote: no limit)")
      .type_name("SIZE");
  trim.add_taken(
          "--age", [this](const std::string& text) { return read_age(text, arguments.cache_age_s); },
          "Drop entries that were not used for this time: 12h, 30d ... (default: no limit)")
      .type_name("TIME");
  trim.add_switch("--remote", arguments.trims_remote,
                  "Trim the shared cache, a bucket of S3 or a container of Azure, instead of that of this machine");
  trim.add_switch("-n,--dry-run", arguments.dry_run, "With --remote: only count what would be dropped");
  add(cache, Command::kCacheClear, "clear", "Drop every entry", {"cache clear", "cache clear --json"});
}

void Parser::add_registry() {
  RegistryArguments& to = arguments.registry;
  const command_line::Command registry =
      app.add_command("registry", "Query, compare or export registries of cooked folders, and list licenses");
  registry.require_command();
  registry.footer("assetc registry COMMAND --help lists the options of a command.");
  const command_line::Command query =
      add(registry, Command::kRegistryQuery, "query", "List assets by UUID, virtual path, type or folder",
          {"registry query Cooked/Win64 Engine/Textures/Wood", "registry query Cooked/Win64 --type Mesh"});
  const command_line::Command diff =
      add(registry, Command::kRegistryDiff, "diff", "List the assets that differ between two registries",
          {"registry diff old/Win64 Cooked/Win64", "registry diff old.bin new.bin --json"});
  const command_line::Command to_database =
      add(registry, Command::kRegistryExport, "export", "Write a registry as an SQLite database",
          {"registry export Cooked/Win64 assets.sqlite",
           "registry export Cooked/Win64/Registry/AssetRegistry.bin assets.sqlite"});
  const command_line::Command licenses =
      add(registry, Command::kRegistryLicenses, "licenses", "List the licenses of all assets, and write a credits file",
          {"registry licenses Cooked/Win64", "registry licenses Cooked/Win64 --credits CREDITS.md"});
  licenses.add("file", to.file, "A cooked folder, or its AssetRegistry.json").required().type_name("FOLDER");
  licenses.add("--credits", to.credits, "Write the licenses and what has them, as Markdown").type_name("FILE");
  for (const command_line::Command one : {query, diff, to_database}) {
    one.add("file", to.file, "An AssetRegistry.bin, or a cooked folder").required().type_name("FILE");
  }
  query.add("asset", to.asset, "A UUID or a virtual path (default: all)").type_name("ASSET");
  query.add("--type", to.type, "Only assets of this type: Texture2D, Mesh, Material ...").type_name("TYPE");
  query.add("--below", to.below, "Only assets below this virtual path").type_name("PATH");
  diff.add("other", to.other, "The newer registry").required().type_name("NEW");
  to_database.add("other", to.other, "Database to write").required().type_name("OUT.sqlite");
}

void Parser::add_bundle() {
  BundleArguments& to = arguments.bundle;
  const auto file = [](const command_line::Command& command, const char* name, std::string& value, const char* doc,
                       const char* type) { command.add(name, value, doc).required().type_name(type); };
  const auto option = [](const command_line::Command& command, const char* name, auto& value, const char* doc,
                         const char* type) { return command.add(name, value, doc).type_name(type); };
  const auto output = [this](const command_line::Command& command, const char* doc, const char* type) {
    return command.add_taken("-o,--output", into(arguments.output), doc).type_name(type);
  };
  const command_line::Command bundle =
      app.add_command("bundle", "Create, inspect, verify and patch bundles of cooked assets");
  bundle.require_command();
  bundle.footer("assetc bundle COMMAND --help lists the options of a command.");

  const command_line::Command create =
      add(bundle, Command::kBundleCreate, "create", "Create a bundle from a cooked folder",
          {"bundle create base.pak --cooked Cooked/Win64",
           "bundle create base.pak --cooked Cooked/Win64 --sign studio.key --base old.pak"});
  file(create, "file", to.file, "The bundle to write", "OUT.pak");
  option(create, "--cooked", to.cooked, "Cooked folder of one platform, with Registry/ and Assets/", "DIR").required();
  option(create, "--prefix", to.prefixes, "Only assets at or below this virtual path; may be repeated", "PATH")
      .one_each();
  option(create, "--platform", to.platform, "Platform of the bundle (default: name of the cooked folder)", "NAME");
  option(create, "--name", to.name, "Name of the bundle (default: name of the file)", "NAME");
  option(create, "--bundle-version", to.version, "Version of the bundle; signatures cover it (default 1)", "N");
  option(create, "--base", to.base, "Previous version of the bundle; makes patches from it smaller", "FILE");
  option(create, "--order", to.order, "Lay assets out in this order: a virtual path or UUID on each line", "FILE");
  option(create, "--sign", to.signing_key, "Sign with this key", "KEY");
  option(create, "--encrypt", to.content_key, "Encrypt with this key", "KEY");
  add_allow_shared_key(create, to.may_share_keys);

  const auto look = [&](Command command, const char* name, const char* doc, Examples examples) {
    const command_line::Command added = add(bundle, command, name, doc, examples);
    file(added, "file", to.file, "The bundle", "FILE");
    option(added, "--patch", to.patch, "Apply this patch in memory first", "FILE");
    option(added, "--decrypt", to.content_key, "Key of an encrypted bundle", "KEY");
    add_allow_shared_key(added, to.may_share_keys);
    return added;
  };
  const auto expect = [&](const command_line::Command& command) {
    option(command, "--platform", to.platform, "Refuse a bundle for any other platform", "NAME");
    option(command, "--name", to.name, "Refuse a bundle with any other name", "NAME");
    option(command, "--at-least", to.at_least, "Refuse a version below N", "N");
  };
  look(Command::kBundleInfo, "info", "Print name, platform, version, signer and sizes of a bundle",
       {"bundle info base.pak", "bundle info base.pak --json"});
  look(Command::kBundleList, "list", "List the assets of a bundle",
       {"bundle list base.pak", "bundle list base.pak --patch base.patch"});
  const command_line::Command bundle_verify =
      look(Command::kBundleVerify, "verify", "Verify every byte of a bundle, and its signature",
           {"bundle verify base.pak", "bundle verify base.pak --key studio.pub --at-least 4"});
  option(bundle_verify, "--key", to.public_key, "Public key that must have signed it", "PUB");
  expect(bundle_verify);
  const command_line::Command extract =
      look(Command::kBundleExtract, "extract", "Write the assets of a bundle to files",
           {"bundle extract base.pak -o unpacked", "bundle extract base.pak -o unpacked --key studio.pub"});
  output(extract, "Folder to write Assets/ to", "DIR").required();
  option(extract, "--key", to.public_key, "Public key that must have signed it", "PUB");
  option(extract, "--asset", to.assets, "Only this asset; may be repeated", "UUID").one_each();
  add_memory(extract, "Refuse assets larger than this");

  const command_line::Command diff_bundles =
      add(bundle, Command::kBundleDiff, "diff", "Write a patch from one bundle to the next",
          {"bundle diff old.pak new.pak -o base.patch", "bundle diff old.pak new.pak -o base.patch --json"});
  file(diff_bundles, "old", to.file, "Bundle that players have", "OLD");
  file(diff_bundles, "new", to.second, "Bundle that they will get", "NEW");
  output(diff_bundles, "Patch to write", "PATCH").required();
  const command_line::Command apply =
      add(bundle, Command::kBundleApply, "apply", "Apply a patch to a bundle",
          {"bundle apply base.pak base.patch", "bundle apply old.pak base.patch -o new.pak --key studio.pub"});
  file(apply, "old", to.file, "Bundle that the patch was made from", "OLD");
  file(apply, "patch", to.second, "The patch", "PATCH");
  output(apply, "New bundle (default: replace the old one)", "NEW");
  option(apply, "--key", to.public_key, "Public key that must have signed the new bundle", "PUB");
  apply.add_switch("--any-signer", to.any_signer,
                   "Accept a new bundle that is unsigned, or signed by another key than the old one");

  const command_line::Command keygen =
      add(app, Command::kKeygen, "keygen", "Create a key that signs or encrypts bundles",
          {"keygen studio", "keygen content --encryption"});
  file(keygen, "name", to.file, "Writes NAME.key (secret) and NAME.pub (verifies signatures)", "NAME");
  keygen.add_switch("--encryption", to.encryption, "Create an encryption key; it has no public half");
  const command_line::Command sign =
      add(app, Command::kSign, "sign", "Sign a bundle",
          {"sign base.pak --key studio.key", "sign base.pak --key studio.key -o signed.pak"});
  file(sign, "file", to.file, "The bundle", "FILE");
  option(sign, "--key", to.signing_key, "Secret key", "KEY").required();
  option(sign, "--decrypt", to.content_key, "The key of an encrypted bundle", "KEY");
  add_allow_shared_key(sign, to.may_share_keys);
  output(sign, "Signed bundle (default: replace FILE)", "FILE");
  const command_line::Command verify =
      add(app, Command::kBundleVerify, "verify", "Verify the signature and every byte of a bundle",
          {"verify base.pak --key studio.pub", "verify base.pak --key studio.pub --name base --at-least 4"});
  file(verify, "file", to.file, "The bundle", "FILE");
  option(verify, "--key", to.public_key, "Public key that must have signed it", "PUB").required();
  option(verify, "--decrypt", to.content_key, "The key of an encrypted bundle", "KEY");
  add_allow_shared_key(verify, to.may_share_keys);
  expect(verify);
}

void Parser::add_allow_shared_key(const command_line::Command& to, bool& value) {
  to.add_switch("--allow-shared-key", value, "Use a file with a secret although other users may read or write it");
}

command_line::Option Parser::add_output(const command_line::Command& to) {
  return to
      .add_taken("-o,--output", into(arguments.output),
                 "Output folder (default: output: of the preset or of assetc.yml, else runtime)")
      .type_name("DIR")
      .group(kOutputGroup);
}

void Parser::add_jobs(const command_line::Command& to) {
  to.add("-j,--jobs", arguments.jobs, "Number of threads (default: one per core)")
      .type_name("N")
      .group(kRunGroup)
      .between(1, kMaxJobs);
}

void Parser::add_memory(const command_line::Command& to, const std::string& what) {
  to.add_taken(
        "--memory", [this](const std::string& text) { return read_size(text, arguments.memory_bytes); },
        what + ": 512M, 1G ... (default: half of the machine's)")
      .type_name("SIZE")
      .group(kRunGroup);
}

void Parser::add_no_cache(const command_line::Command& to) {
  to.add_switch("--no-cache", arguments.no_cache, "Run every step, even if its result is cached").group(kRunGroup);
}

void Parser::add_verbosity(const command_line::Command& to, const std::string& verbose) {
  const command_line::Option option = to.add_switch("-v,--verbose", arguments.verbose, verbose).group(kReportGroup);
  to.add_switch("-q,--quiet", arguments.quiet, "Print only errors and warnings").group(kReportGroup).excludes(option);
}

void Parser::add_building(const command_line::Command& to) {
  add_jobs(to);
  add_memory(to, "Memory that steps in progress may use");
  const auto flag = [&to](const char* names, bool& value, const char* doc, const char* group) {
    return to.add_switch(names, value, doc).group(group);
  };
  const auto file = [&to](const char* name, std::string& value, const char* doc) {
    to.add(name, value, doc).type_name("FILE").group(kReportGroup);
  };
  flag("--verify", arguments.verify, "Read each written file again and check its structure", kRunGroup);
  add_no_cache(to);
  flag("-n,--dry-run", arguments.dry_run, "Print what would be done, and write nothing", kRunGroup);
  flag("--keep-going", arguments.keep_going, "If files fail, write manifest, pack or registry without them", kRunGroup);
  flag("--strict", arguments.strict, "Fail on any warning that accept: of assetc.yml does not cover", kRunGroup);
  flag("--explain", arguments.explain, "Print why each step runs", kReportGroup);
  add_verbosity(to, "Print each step when it is done");
  flag("--warnings", arguments.warnings, "Print every warning in full, also accepted ones and those of earlier builds",
       kReportGroup);
  file("--report", arguments.report, "Write what the build did, as JSON");
  file("--trace", arguments.trace, "Write a timeline for Perfetto and chrome://tracing");
  file("--sarif", arguments.sarif, "Write warnings and errors as SARIF, for code hosts");
}

void Parser::add_sharding(const command_line::Command& to) {
  to.add_taken(
        "--shard", into(arguments.shard),
        "Compile share K of N into the cache, write no outputs; auto: as Slurm, Kubernetes, AWS Batch or GitLab say")
      .type_name("K/N")
      .group(kShardGroup);
  to.add("--costs", arguments.costs, "Balance the shares by the step times in this --report file")
      .type_name("FILE")
      .group(kShardGroup);
}

void Parser::add_look_at(const command_line::Command& to) {
  to.add("file", arguments.look_at, "Compiled file, or folder of them (default: the output folder)").type_name("FILE");
}

void Parser::add_reports(const command_line::Command& to) {
  to.add("--sarif", arguments.sarif, "Write the problems as SARIF, for code hosts")
      .type_name("FILE")
      .group(kReportGroup);
  to.add("--junit", arguments.junit, "Write the problems as JUnit XML, for build servers")
      .type_name("FILE")
      .group(kReportGroup);
}

command_line::Option Parser::add_preset(const command_line::Command& to) {
  return to.add_taken("--preset", into(arguments.preset), "Use this preset of assetc.yml")
      .type_name("NAME")
      .group(kOutputGroup);
}

void Parser::add_printing(const command_line::Command& to) {
  to.add_switch("--json", arguments.json, "Print events as JSON, one per line").group(kReportGroup);
  to.add_taken(
        "--color",
        [this](const std::string& text) {
          arguments.color = text == "always"  ? ColorMode::kAlways
                            : text == "never" ? ColorMode::kNever
                                              : ColorMode::kAuto;
          return std::string();
        },
        "auto, always or never; auto respects NO_COLOR")
      .type_name("WHEN")
      .group(kReportGroup)
      .one_of({"auto", "always", "never"});
}

command_line::Command Parser::add(const command_line::Command& below, Command command, const char* name,
                                  const char* doc, Examples examples) {
  const command_line::Command added = below.add_command(name, doc);
  added.footer("Examples:\n  assetc " + std::string(examples[0]) + "\n  assetc " + std::string(examples[1]));
  commands_.emplace_back(added, command);
  return added;
}

Command Parser::command_of(const command_line::Command& chosen) const {
  const auto row = std::ranges::find(commands_, chosen, &std::pair<command_line::Command, Command>::first);
  return row == commands_.end() ? Command::kBuild : row->second;
}

}  // namespace assetc::cli
