#include "cli/parser.hpp"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include "convert/convert.hpp"
#include "engine/config/parse_size.hpp"
#include "filetypes/filetypes.hpp"
#include "recipes/settings.hpp"

namespace assetc::cli {
namespace {

constexpr int kMaxJobs = 1024;

template <class T = std::uint32_t>
std::pair<T, T> pair_of(const std::string& text, char separator, const char* option, const char* form) {
  std::pair<T, T> out{};
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, out.first);
  const bool split = first.ec == std::errc() && first.ptr != end && *first.ptr == separator;
  const auto second = split ? std::from_chars(first.ptr + 1, end, out.second) : first;
  if (!split || second.ec != std::errc() || second.ptr != end) {
    throw CLI::ValidationError(option, "found \"" + text + "\", expected " + form);
  }
  return out;
}

std::uint64_t size_of(const char* option, const std::string& text) {
  const auto size = engine::parse_size(text);
  if (!size) throw CLI::ValidationError(option, size.error().to_string());
  return *size;
}

void add_root(CLI::App& to, std::string& root) {
  to.add_option("--root", root, "The repository: Assets/, Demo/*/Assets/ and Tools/Assets/ are below it (default: .)")
      ->type_name("DIR");
}

}  // namespace

Parser::Parser() {
  app.set_version_flag("--version", "assetc " ASSETC_VERSION, "Print the version and exit");
  app.require_subcommand(0, 1);

  add_output(app);
  add_preset(app);
  app.add_flag("--list-presets", arguments.list_presets, "Print the presets that assetc.yml defines and exit");
  app.add_flag("--pack", arguments.pack, "Then bundle the output folder into <output>.hpack");
  add_building(app);
  add_sharding(app);
  add_printing(app);

  add(app, Command::kInit, "init", "Write a starter assetc.yml here; an existing one is kept");

  CLI::App* watch =
      add(app, Command::kWatch, "watch", "Build, and build again when a source changes, until it is stopped");
  add_output(*watch);
  add_preset(*watch);
  watch->add_flag("--pack", arguments.pack, "Then bundle the output folder into <output>.hpack, each time");
  watch
      ->add_option("--platform", arguments.platform,
                   "Import and cook for one of the platforms of the configuration instead: Win64, Linux, Mobile ...")
      ->type_name("NAME");
  watch
      ->add_option_function<std::uint16_t>(
          "--websocket", [this](std::uint16_t port) { arguments.websocket = port; },
          "Tell pages of this machine in a browser too, at ws://127.0.0.1:PORT (0: any that is free)")
      ->type_name("PORT");
  add_building(*watch);

  add_import();
  add_move();
  add_cook();
  add_validate();
  add_clean();
  add_cache();
  add_registry();

  CLI::App* info = add(app, Command::kInfo, "info", "Print what is in the output folder, file by file, and totals");
  add_look_at(*info);
  add_output(*info);
  add_preset(*info);

  CLI::App* check =
      add(app, Command::kCheck, "check", "Verify the output folder: each file, and what the files say of each other");
  add_look_at(*check);
  add_output(*check);
  add_preset(*check);
  add_reports(*check);

  CLI::App* pack = app.add_subcommand("pack", "Look into packs");
  pack->require_subcommand(1);
  CLI::App* pack_info = add(*pack, Command::kPackInfo, "info", "Print the layout, the kinds and the entries of a pack");
  pack_info->add_option("file", arguments.pack_file, "The pack (default: <output>.hpack)")->type_name("FILE");
  add_output(*pack_info);
  add_preset(*pack_info);

  add_convert();
  add_diff();
  add_render();
  add_bundle();

  CLI::App* completion = add(app, Command::kCompletion, "completion", "Print a completion script for a shell");
  completion->add_option("shell", arguments.shell, "bash, zsh or fish")
      ->required()
      ->type_name("SHELL")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));

  add(app, Command::kManual, "manual", "Print the manual page, in mdoc for man");
  for (const auto& [command, kind] : commands_) {
    if (kind != Command::kInit && kind != Command::kCompletion && kind != Command::kManual) add_printing(*command);
  }
  // Last: a command made after it would print it too.
  app.footer(
      "Without a command, assetc compiles everything below the input folder.\nassetc COMMAND --help tells more of a "
      "command.");
}

void Parser::add_import() {
  engine::ImportOptions& to = arguments.import;
  CLI::App* import =
      add(app, Command::kImport, "import", "Bring the .meta files beside the sources up to date: who is who, for good");
  add_root(*import, to.root);
  import->add_flag("--check", to.check, "Write nothing; leave with 1 where an import would write");
  import->add_flag("--prune", to.prune, "Remove the .meta files whose sources are gone");
  import->add_option("--platform", to.platform, "Refuse what a cook for this platform would refuse")->type_name("NAME");
  add_jobs(*import);
  import->add_flag("-q,--quiet", arguments.quiet, "Print errors only");
}

void Parser::add_move() {
  CLI::App* move =
      add(app, Command::kMove, "mv", "Move a source or a folder of them, .meta and all; who refers to it is named");
  move->add_option("from", arguments.move.from, "A path below the root")->required()->type_name("OLD");
  move->add_option("to", arguments.move.to, "Another, or a folder that is there")->required()->type_name("NEW");
  CLI::App* remove =
      add(app, Command::kRemove, "rm", "Remove a source or a folder of them, .meta and all, unless others refer to it");
  remove->add_option("path", arguments.move.from, "A path below the root")->required()->type_name("PATH");
  remove->add_flag("--force", arguments.move.force, "Also where others refer to it");
  add_root(*move, arguments.import.root);
  add_root(*remove, arguments.import.root);

  MergeMetaArguments& to = arguments.merge_meta;
  CLI::App* merge = add(app, Command::kMergeMeta, "merge-meta",
                        "Merge a .meta that two branches changed, for git as its merge driver");
  merge->add_option("base", to.base, "What both were made of (%O)")->required()->type_name("BASE");
  merge->add_option("ours", to.ours, "Ours, which the merge is written to (%A)")->required()->type_name("OURS");
  merge->add_option("theirs", to.theirs, "Theirs (%B)")->required()->type_name("THEIRS");
  merge->add_option("name", to.name, "What the .meta is called, for messages (%P)")->type_name("NAME");
}

void Parser::add_cook() {
  CLI::App* cook = add(app, Command::kCook, "cook", "Import, and compile for a platform into Cooked/<platform>");
  cook->add_option("--platform", arguments.platform, "One of those of the configuration: Win64, Linux, Mobile ...")
      ->required()
      ->type_name("NAME");
  cook->add_option("--demo", arguments.demo,
                   "Look at Demo/<NAME>/Assets and what demos share; the others stay as they are")
      ->type_name("NAME");
  cook->add_flag("--stamp", arguments.stamp,
                 "Write CookKey and LastCooked into each .meta whose asset was cooked anew");
  cook->add_flag("--frozen", arguments.is_frozen,
                 "Take the .meta files as they are, for a build server: a source that an import would change fails");
  add_root(*cook, arguments.import.root);
  add_building(*cook);
  add_sharding(*cook);
}

void Parser::add_validate() {
  CLI::App* validate =
      add(app, Command::kValidate, "validate", "Hold a cooked folder against its registry, and that against its rules");
  CLI::Option* chosen =
      validate->add_option("--registry", arguments.registry_file, "Registry/AssetRegistry.json of the folder")
          ->type_name("FILE");
  CLI::Option* platform =
      validate->add_option("--platform", arguments.platform, "The folder of this platform")->type_name("NAME");
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
      add(app, Command::kClean, "clean", "Remove what cooks and imports left; sources, .meta files and bundles stay");
  CLI::Option_group* group = clean->add_option_group("what");
  group->add_flag("--cache", arguments.clean.cache, "What earlier imports and cooks remember");
  group->add_flag("--cooked", arguments.clean.cooked, "Blobs and registries of all platforms");
  group->add_flag("--imported", arguments.clean.imported, "What earlier imports remember, and nothing of cooks");
  group->require_option(1, 3);
  add_root(*clean, arguments.import.root);
}

void Parser::add_cache() {
  CLI::App* cache = app.add_subcommand("cache", "Look after what was compiled and is kept for other builds");
  cache->require_subcommand(1);
  add(*cache, Command::kCacheStats, "stats", "Say where it is, how much is in it and for how long");
  add(*cache, Command::kCacheVerify, "verify", "Read all of it, and drop what is damaged");
  CLI::App* trim = add(*cache, Command::kCacheTrim, "trim", "Drop what was not used for longest");
  trim->add_option_function<std::string>(
          "--size", [this](const std::string& text) { arguments.cache_size_bytes = size_of("--size", text); },
          "Until at most this is left: 512M, 1G ... (default: cache.size)")
      ->type_name("SIZE");
  add(*cache, Command::kCacheClear, "clear", "Drop everything");
}

void Parser::add_registry() {
  RegistryArguments& to = arguments.registry;
  CLI::App* registry = app.add_subcommand("registry", "Look into registries of cooked folders");
  registry->require_subcommand(1);
  CLI::App* query =
      add(*registry, Command::kRegistryQuery, "query", "List assets: by UUID, virtual path, type or folder");
  CLI::App* diff = add(*registry, Command::kRegistryDiff, "diff", "List what one registry has and another has not");
  CLI::App* to_database =
      add(*registry, Command::kRegistryExport, "export", "Write a registry as an SQLite database, for tools");
  for (CLI::App* const one : {query, diff, to_database}) {
    one->add_option("file", to.file, "An AssetRegistry.bin, or a cooked folder")->required()->type_name("FILE");
  }
  query->add_option("asset", to.asset, "A UUID or a virtual path (default: all)")->type_name("ASSET");
  query->add_option("--type", to.type, "Those of a type: Texture2D, Mesh, Material ...")->type_name("TYPE");
  query->add_option("--below", to.below, "Those below a virtual path")->type_name("PATH");
  diff->add_option("other", to.other, "The newer one")->required()->type_name("NEW");
  to_database->add_option("other", to.other, "The database to write")->required()->type_name("OUT.sqlite");
}

void Parser::add_convert() {
  ConvertArguments& to = arguments.convert;
  CLI::App* convert = add(app, Command::kConvert, "convert", "Convert one file to another, the kinds by extension");
  convert->add_option("input", to.input, "A " + filetypes::list_suffixes(convert::is_convertible, " ", " or "))
      ->required()
      ->type_name("IN");
  convert->add_option("output", to.output, "A .glb .hmesh .gali .ktx2 or .png")->required()->type_name("OUT");
  convert->add_flag("--keep-ktx2", to.keep_ktx2,
                    "Embed those KTX2 images in a .glb as they are that KHR_texture_basisu allows, the others as PNG");
  convert->add_option("--level", to.level, "Mip level of a .ktx2 that becomes a .png")->type_name("N");
  convert->add_option("--layer", to.layer, "Array layer of a .ktx2 that becomes a .png")->type_name("N");
  convert->add_option("--face", to.face, "Cubemap face of a .ktx2 that becomes a .png: +X -X +Y -Y +Z -Z")
      ->type_name("N");
  convert->add_option("--slice", to.slice, "Slice of a 3D .ktx2 that becomes a .png")->type_name("N");
  // What a rule of assetc.yml can say can be said here.
  for (const recipes::SettingField& field : recipes::setting_fields()) {
    if (field.key.starts_with("shader.") || field.key.starts_with("audio.") || field.key == "texture.standalone")
      continue;
    convert
        ->add_option_function<std::string>(
            "--" + std::string(field.key),
            [&to, &field](const std::string& value) { to.settings.emplace_back(field.key, value); },
            std::string(field.doc) + " " + std::string(field.values))
        ->type_name("VALUE");
  }
}

void Parser::add_diff() {
  DiffArguments& to = arguments.diff;
  CLI::App* diff =
      add(app, Command::kDiff, "diff", "Compare a texture with the picture it was made of, level by level");
  diff->add_option("reference", to.reference, "The picture or texture that is right")->required()->type_name("A");
  diff->add_option("other", to.other, "The one to judge")->required()->type_name("B");
  CLI::Option* heat =
      diff->add_option("--heat", to.heat_map, "Write where they differ as a PNG")->type_name("FILE.png");
  diff->add_option("--level", to.level, "Mip level of the heat map (default 0)")->type_name("N")->needs(heat);
  diff->add_option("--layer", to.layer, "Array layer of the heat map (default 0)")->type_name("N")->needs(heat);
  diff->add_option("--face", to.face, "Cubemap face of the heat map (default 0)")->type_name("N")->needs(heat);
  diff->add_option("--slice", to.slice, "Slice of a 3D texture of the heat map (default 0)")
      ->type_name("N")
      ->needs(heat);
}

void Parser::add_render() {
  RenderArguments& to = arguments.render;
  CLI::App* render = add(app, Command::kRender, "render", "Draw a model file into a PNG");
  render->add_option("input", to.input, "A " + filetypes::list_suffixes(&filetypes::Row::is_model, " ", " or "))
      ->required()
      ->type_name("IN");
  render->add_option("output", to.output, "The picture")->required()->type_name("OUT.png");
  const std::pair<const char*, std::pair<render::Style, const char*>> styles[] = {
      {"--textured", {render::Style::kTextured, "Materials and textures (the default)"}},
      {"--shaded", {render::Style::kShaded, "The shape alone"}},
      {"--normals", {render::Style::kNormals, "Normals as colors"}},
      {"--uv", {render::Style::kUv, "Texture coordinates as colors"}},
      {"--wire", {render::Style::kWire, "Triangle edges"}},
      {"--meshlets", {render::Style::kMeshlets, "A color a meshlet"}},
  };
  CLI::Option_group* group = render->add_option_group("style");
  for (const auto& [name, style] : styles) {
    group->add_flag_callback(name, [&to, chosen = style.first] { to.options.style = chosen; }, style.second);
  }
  group->require_option(0, 1);
  render->add_option("--lod", to.options.lod, "Level of detail, 0 is the full mesh")->type_name("N");
  render
      ->add_option_function<std::string>(
          "--size",
          [&to](const std::string& text) {
            const auto [width, height] = pair_of(text, 'x', "--size", "WxH");
            to.options.width_texels = width;
            to.options.height_texels = height;
          },
          "Width and height of the picture (default 512x512)")
      ->type_name("WxH");
  render
      ->add_option_function<std::string>(
          "--view",
          [&to](const std::string& text) {
            const auto [yaw, pitch] = pair_of<float>(text, ',', "--view", "YAW,PITCH");
            to.options.yaw_degrees = yaw;
            to.options.pitch_degrees = pitch;
          },
          "Where the camera stands: degrees around the model from the front, and above it (default 30,15)")
      ->type_name("YAW,PITCH");
  render->add_option("--clip", to.clip, "Pose the model by this animation clip, by its name or number")
      ->type_name("CLIP");
  render->add_option("--time", to.options.time_seconds, "Seconds into the clip (default 0)")
      ->type_name("SECONDS")
      ->needs("--clip");
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
  CLI::App* bundle = app.add_subcommand("bundle", "Make, look into and patch bundles of cooked assets");
  bundle->require_subcommand(1);

  CLI::App* create = add(*bundle, Command::kBundleCreate, "create", "Bundle a folder of cooked assets");
  file(create, "file", to.file, "The bundle to write", "OUT.pak");
  option(create, "--cooked", to.cooked, "Folder with Registry/ and Assets/ of one platform", "DIR")->required();
  option(create, "--prefix", to.prefixes, "Only assets at or below a virtual path; may be given several times", "PATH")
      ->allow_extra_args(false);
  option(create, "--platform", to.platform, "What it is for (default: the name of the folder)", "NAME");
  option(create, "--name", to.name, "What it is called (default: the name of the file)", "NAME");
  option(create, "--bundle-version", to.version, "Its version, which a signature binds (default 1)", "N");
  option(create, "--base", to.base, "The bundle before this one, whose dictionary is kept for small patches", "FILE");
  option(create, "--sign", to.signing_key, "Sign with this key", "KEY");
  option(create, "--encrypt", to.content_key, "Encrypt with this key", "KEY");

  const auto look = [&](Command command, const char* name, const char* doc) {
    CLI::App* added = add(*bundle, command, name, doc);
    file(added, "file", to.file, "The bundle", "FILE");
    option(added, "--patch", to.patch, "Mount this patch over it first", "FILE");
    option(added, "--decrypt", to.content_key, "The key of an encrypted bundle", "KEY");
    return added;
  };
  const auto expect = [&](CLI::App* command) {
    option(command, "--platform", to.platform, "Refuse a bundle for another platform", "NAME");
    option(command, "--name", to.name, "Refuse a bundle of another name", "NAME");
    option(command, "--at-least", to.at_least, "Refuse an older version", "N");
  };
  look(Command::kBundleInfo, "info", "Print what a bundle is and what its parts take");
  look(Command::kBundleList, "list", "Print the assets of a bundle");
  CLI::App* bundle_verify = look(Command::kBundleVerify, "verify", "Check every byte of a bundle, and who signed it");
  option(bundle_verify, "--key", to.public_key, "Who must have signed it", "PUB");
  expect(bundle_verify);
  CLI::App* extract = look(Command::kBundleExtract, "extract", "Write the assets of a bundle as files");
  output(extract, "Folder to write Assets/ into", "DIR")->required();
  option(extract, "--key", to.public_key, "Who must have signed it", "PUB");
  option(extract, "--asset", to.assets, "Only this one; may be given several times", "UUID")->allow_extra_args(false);
  add_memory(*extract, "Refuse an asset that is larger");

  CLI::App* diff_bundles = add(*bundle, Command::kBundleDiff, "diff", "Write the patch from one bundle to the next");
  file(diff_bundles, "old", to.file, "The bundle that players have", "OLD");
  file(diff_bundles, "new", to.second, "The bundle that they get", "NEW");
  output(diff_bundles, "The patch to write", "PATCH")->required();
  CLI::App* apply = add(*bundle, Command::kBundleApply, "apply", "Make the new bundle of the old one");
  file(apply, "old", to.file, "The bundle that a patch was made from", "OLD");
  file(apply, "patch", to.second, "The patch", "PATCH");
  output(apply, "The new bundle (default: in place of the old one)", "NEW");
  option(apply, "--key", to.public_key, "Who must have signed the new bundle", "PUB");
  apply->add_flag("--any-signer", to.any_signer,
                  "Take a new bundle that is not signed, or signed by another key than the old one");

  CLI::App* keygen = add(app, Command::kKeygen, "keygen", "Make a key that signs or encrypts bundles");
  file(keygen, "name", to.file, "NAME.key is the secret, NAME.pub what verifies", "NAME");
  keygen->add_flag("--encryption", to.encryption, "A key that encrypts, which has no public half");
  CLI::App* sign = add(app, Command::kSign, "sign", "Sign a bundle");
  file(sign, "file", to.file, "The bundle", "FILE");
  option(sign, "--key", to.signing_key, "The secret key", "KEY")->required();
  option(sign, "--decrypt", to.content_key, "The key of an encrypted bundle", "KEY");
  output(sign, "The signed bundle (default: in place of the other)", "FILE");
  CLI::App* verify = add(app, Command::kBundleVerify, "verify", "Check who signed a bundle, and every byte of it");
  file(verify, "file", to.file, "The bundle", "FILE");
  option(verify, "--key", to.public_key, "Who must have signed it", "PUB")->required();
  option(verify, "--decrypt", to.content_key, "The key of an encrypted bundle", "KEY");
  expect(verify);
}

void Parser::add_output(CLI::App& to) {
  to.add_option_function<std::string>(
        "-o,--output", [this](const std::string& text) { arguments.output = text; },
        "Output folder (default: output: of the preset or of assetc.yml, else runtime)")
      ->type_name("DIR")
      ->check([](const std::string& text) {
        return text.empty() ? std::string("expected a folder, found nothing") : std::string();
      });
}

void Parser::add_jobs(CLI::App& to) {
  to.add_option_function<int>(
        "-j,--jobs", [this](int n) { arguments.jobs = n; }, "Threads (default: one a core)")
      ->type_name("N")
      ->check(CLI::Range(1, kMaxJobs));
}

void Parser::add_memory(CLI::App& to, const std::string& what) {
  to.add_option_function<std::string>(
        "--memory", [this](const std::string& text) { arguments.memory_bytes = size_of("--memory", text); },
        what + ": 512M, 1G ... (default: half of the machine's)")
      ->type_name("SIZE");
}

void Parser::add_building(CLI::App& to) {
  add_jobs(to);
  add_memory(to, "Bound on the bytes in flight");
  to.add_flag("--verify", arguments.verify, "Read each written file again and check its structure");
  to.add_flag("--no-cache", arguments.no_cache, "Run every step, whatever earlier builds left");
  to.add_flag("-n,--dry-run", arguments.dry_run, "Say what would be done, write nothing");
  to.add_flag("--strict", arguments.strict, "Fail where there is a warning that accept: of assetc.yml does not cover");
  to.add_flag("--explain", arguments.explain, "Say why each step runs");
  to.add_option("--trace", arguments.trace, "Write where the time went, for Perfetto and chrome://tracing")
      ->type_name("FILE");
  to.add_option("--report", arguments.report, "Write what the build did, as JSON")->type_name("FILE");
  to.add_option("--sarif", arguments.sarif, "Write warnings and errors as SARIF, for code hosts")->type_name("FILE");
  CLI::Option* verbose = to.add_flag("-v,--verbose", arguments.verbose, "Name each step as it is done");
  to.add_flag("--warnings", arguments.warnings,
              "Print every warning, in full, also those that are accepted and when there was nothing to do");
  to.add_flag("-q,--quiet", arguments.quiet, "Print errors and warnings only")->excludes(verbose);
}

void Parser::add_sharding(CLI::App& to) {
  to.add_option_function<std::string>(
        "--shard", [this](const std::string& text) { arguments.shard = text; },
        "Compile one share of N into the cache and write nothing else: K/N, from 1/N to N/N; auto: as Slurm, "
        "Kubernetes, AWS Batch or GitLab say")
      ->type_name("K/N");
  to.add_option("--costs", arguments.costs, "Measure shares by what the steps of this --report took")
      ->type_name("FILE");
}

void Parser::add_look_at(CLI::App& to) {
  to.add_option("file", arguments.look_at, "A compiled file, or a folder of them (default: the output folder)")
      ->type_name("FILE");
}

void Parser::add_reports(CLI::App& to) {
  to.add_option("--sarif", arguments.sarif, "Write the problems as SARIF, for code hosts")->type_name("FILE");
  to.add_option("--junit", arguments.junit, "Write the problems as JUnit XML, for build servers")->type_name("FILE");
}

void Parser::add_preset(CLI::App& to) {
  to.add_option_function<std::string>(
        "--preset", [this](const std::string& text) { arguments.preset = text; }, "Use a named preset of assetc.yml")
      ->type_name("NAME");
}

void Parser::add_printing(CLI::App& to) {
  to.add_flag("--json", arguments.json, "Print events as JSON, one a line");
  to.add_option_function<std::string>(
        "--color",
        [this](const std::string& text) {
          arguments.color = text == "always"  ? ColorMode::kAlways
                            : text == "never" ? ColorMode::kNever
                                              : ColorMode::kAuto;
        },
        "auto, always or never; auto respects NO_COLOR")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

CLI::App* Parser::add(CLI::App& below, Command command, const char* name, const char* doc) {
  CLI::App* added = below.add_subcommand(name, doc);
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
