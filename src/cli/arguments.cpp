#include "cli/arguments.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>
#include <span>

#include "convert/convert.hpp"
#include "engine/config/config.hpp"
#include "filetypes/filetypes.hpp"

namespace assetc::cli {
namespace {

constexpr int kMaxJobs = 1024;

// Options of the build that a command below it shares; the others are refused there rather than ignored.
struct Parser {
  Arguments arguments;
  CLI::App app{"Compiles the source assets of a game into what its engine loads.", "assetc"};
  CLI::App* init = nullptr;
  CLI::App* import = nullptr;
  CLI::App* cook = nullptr;
  CLI::App* move = nullptr;
  CLI::App* remove = nullptr;
  CLI::App* validate = nullptr;
  CLI::App* clean = nullptr;
  CLI::App* registry = nullptr;
  CLI::App* registry_query = nullptr;
  CLI::App* registry_diff = nullptr;
  CLI::App* registry_export = nullptr;
  CLI::App* info = nullptr;
  CLI::App* check = nullptr;
  CLI::App* pack = nullptr;
  CLI::App* pack_info = nullptr;
  CLI::App* convert = nullptr;
  CLI::App* diff = nullptr;
  CLI::App* render = nullptr;
  CLI::App* bundle = nullptr;
  std::vector<std::pair<CLI::App*, Command>> bundle_commands;  // those below bundle, and those of keys
  CLI::App* completion = nullptr;
  CLI::App* manual = nullptr;

  Parser() {
    app.set_version_flag("--version", "assetc " ASSETC_VERSION, "Print the version and exit");
    app.require_subcommand(0, 1);

    add_output(app);
    add_preset(app);
    app.add_flag("--list-presets", arguments.list_presets, "Print the presets that assetc.yml defines and exit");
    app.add_flag("--pack", arguments.pack, "Then bundle the output folder into <output>.hpack");
    add_building(app);
    add_printing(app);

    init = app.add_subcommand("init", "Write a starter assetc.yml here; an existing one is kept");

    add_import();
    add_move();
    add_cook();
    add_validate();
    add_clean();
    add_registry();

    info = app.add_subcommand("info", "Print what is in the output folder, file by file, and totals");
    add_look_at(*info);
    add_output(*info);
    add_preset(*info);
    add_printing(*info);

    check = app.add_subcommand("check", "Verify the output folder: each file, and what the files say of each other");
    add_look_at(*check);
    add_output(*check);
    add_preset(*check);
    add_printing(*check);

    pack = app.add_subcommand("pack", "Look into packs");
    pack->require_subcommand(1);
    pack_info = pack->add_subcommand("info", "Print the layout, the kinds and the entries of a pack");
    pack_info->add_option("file", arguments.pack_file, "The pack (default: <output>.hpack)")->type_name("FILE");
    add_output(*pack_info);
    add_preset(*pack_info);
    add_printing(*pack_info);

    add_convert();
    add_diff();
    add_render();
    add_bundle();

    completion = app.add_subcommand("completion", "Print a completion script for a shell");
    completion->add_option("shell", arguments.shell, "bash, zsh or fish")
        ->required()
        ->type_name("SHELL")
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));

    manual = app.add_subcommand("manual", "Print the manual page, in mdoc for man");
    // Last: a command made after it would print it too.
    app.footer(
        "Without a command, assetc compiles everything below the input folder.\nassetc COMMAND --help tells more of a "
        "command.");
  }

  void add_import() {
    engine::ImportOptions& to = arguments.import;
    import = app.add_subcommand("import", "Bring the .meta files beside the sources up to date: who is who, for good");
    add_root(*import, to.root);
    import->add_option("--build-root", to.build_root, "What is made of the sources, below the root (default: build)")
        ->type_name("DIR");
    import->add_flag("--check", to.check, "Write nothing; leave with 1 where an import would write");
    import->add_flag("--prune", to.prune, "Remove the .meta files whose sources are gone");
    add_jobs(*import);
    import->add_flag("-q,--quiet", arguments.quiet, "Print errors only");
    add_printing(*import);
  }

  void add_move() {
    move = app.add_subcommand("mv", "Move a source or a folder of them, .meta and all; who refers to it is named");
    move->add_option("from", arguments.move.from, "A path below the root")->required()->type_name("OLD");
    move->add_option("to", arguments.move.to, "Another, or a folder that is there")->required()->type_name("NEW");
    remove = app.add_subcommand("rm", "Remove a source or a folder of them, .meta and all, unless others refer to it");
    remove->add_option("path", arguments.move.from, "A path below the root")->required()->type_name("PATH");
    remove->add_flag("--force", arguments.move.force, "Also where others refer to it");
    for (CLI::App* const app_of : {move, remove}) {
      add_root(*app_of, arguments.import.root);
      add_printing(*app_of);
    }
  }

  void add_cook() {
    cook = app.add_subcommand("cook", "Compile what import knows for a platform into Cooked/<platform>");
    cook->add_option("--platform", arguments.platform, "One of those of the configuration: Win64, Linux, Mobile ...")
        ->required()
        ->type_name("NAME");
    add_root(*cook, arguments.import.root);
    add_building(*cook);
    add_printing(*cook);
  }

  void add_validate() {
    ValidateArguments& to = arguments.validate;
    validate = app.add_subcommand("validate", "Hold a cooked folder against its registry, and that against its rules");
    CLI::Option* chosen =
        validate->add_option("--registry", to.registry, "Registry/AssetRegistry.json of the folder")->type_name("FILE");
    CLI::Option* platform =
        validate->add_option("--platform", arguments.platform, "The folder of this platform")->type_name("NAME");
    chosen->excludes(platform);
    validate->add_option("--sarif", to.sarif, "Write the problems as SARIF, for code hosts")->type_name("FILE");
    validate->callback([this] {
      if (arguments.validate.registry.empty() && arguments.platform.empty())
        throw CLI::RequiredError("--platform or --registry");
    });
    add_root(*validate, arguments.import.root);
    add_printing(*validate);
  }

  void add_clean() {
    clean = app.add_subcommand("clean", "Remove what cooks and imports left; sources, .meta files and bundles stay");
    CLI::Option_group* group = clean->add_option_group("what");
    group->add_flag("--cache", arguments.clean.cache, "What earlier imports and cooks remember");
    group->add_flag("--cooked", arguments.clean.cooked, "Blobs and registries of all platforms");
    group->require_option(1, 2);
    add_root(*clean, arguments.import.root);
    add_printing(*clean);
  }

  void add_registry() {
    RegistryArguments& to = arguments.registry;
    registry = app.add_subcommand("registry", "Look into registries of cooked folders");
    registry->require_subcommand(1);
    registry_query = registry->add_subcommand("query", "List assets: by UUID, virtual path, type or folder");
    registry_diff = registry->add_subcommand("diff", "List what one registry has and another has not");
    registry_export = registry->add_subcommand("export", "Write a registry as an SQLite database, for tools");
    for (CLI::App* const one : {registry_query, registry_diff, registry_export}) {
      one->add_option("file", to.file, "An AssetRegistry.bin, or a cooked folder")->required()->type_name("FILE");
      add_printing(*one);
    }
    registry_query->add_option("asset", to.asset, "A UUID or a virtual path (default: all)")->type_name("ASSET");
    registry_query->add_option("--type", to.type, "Those of a type: Texture2D, Mesh, Material ...")->type_name("TYPE");
    registry_query->add_option("--below", to.below, "Those below a virtual path")->type_name("PATH");
    registry_diff->add_option("other", to.other, "The newer one")->required()->type_name("NEW");
    registry_export->add_option("other", to.other, "The database to write")->required()->type_name("OUT.sqlite");
  }

  void add_convert() {
    ConvertArguments& to = arguments.convert;
    convert = app.add_subcommand("convert", "Convert one file to another, the kinds by extension");
    convert->add_option("input", to.input, "A " + filetypes::list_suffixes(convert::is_convertible, " ", " or "))
        ->required()
        ->type_name("IN");
    convert->add_option("output", to.output, "A .glb .hmesh .gali .ktx2 or .png")->required()->type_name("OUT");
    convert->add_flag(
        "--keep-ktx2", to.keep_ktx2,
        "Embed those KTX2 images in a .glb as they are that KHR_texture_basisu allows, the others as PNG");
    convert->add_option("--level", to.level, "Mip level of a .ktx2 that becomes a .png")->type_name("N");
    convert->add_option("--layer", to.layer, "Array layer of a .ktx2 that becomes a .png")->type_name("N");
    convert->add_option("--face", to.face, "Cubemap face of a .ktx2 that becomes a .png: +X -X +Y -Y +Z -Z")
        ->type_name("N");
    convert->add_option("--slice", to.slice, "Slice of a 3D .ktx2 that becomes a .png")->type_name("N");
    // What a rule of assetc.yml can say can be said here.
    for (const recipes::SettingField& field : recipes::setting_fields()) {
      if (field.key.starts_with("shader.") || field.key == "texture.standalone") continue;
      convert
          ->add_option_function<std::string>(
              "--" + std::string(field.key),
              [&to, &field](const std::string& value) { to.settings.emplace_back(field.key, value); },
              std::string(field.doc) + " " + std::string(field.values))
          ->type_name("VALUE");
    }
    add_printing(*convert);
  }

  void add_diff() {
    DiffArguments& to = arguments.diff;
    diff = app.add_subcommand("diff", "Compare a texture with the picture it was made of, level by level");
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
    add_printing(*diff);
  }

  void add_render() {
    RenderArguments& to = arguments.render;
    render = app.add_subcommand("render", "Draw a model file into a PNG");
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
    add_printing(*render);
  }

  CLI::App* add_bundle_command(CLI::App& below, Command command, const char* name, const char* doc) {
    CLI::App* added = below.add_subcommand(name, doc);
    bundle_commands.emplace_back(added, command);
    return added;
  }

  void add_bundle() {
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
    bundle = app.add_subcommand("bundle", "Make, look into and patch bundles of cooked assets");
    bundle->require_subcommand(1);

    CLI::App* create =
        add_bundle_command(*bundle, Command::kBundleCreate, "create", "Bundle a folder of cooked assets");
    file(create, "file", to.file, "The bundle to write", "OUT.pak");
    option(create, "--cooked", to.cooked, "Folder with Registry/ and Assets/ of one platform", "DIR")->required();
    option(create, "--prefix", to.prefixes, "Only assets at or below a virtual path; may be given several times",
           "PATH")
        ->allow_extra_args(false);
    option(create, "--platform", to.platform, "What it is for (default: the name of the folder)", "NAME");
    option(create, "--name", to.name, "What it is called (default: the name of the file)", "NAME");
    option(create, "--bundle-version", to.version, "Its version, which a signature binds (default 1)", "N");
    option(create, "--base", to.base, "The bundle before this one, whose dictionary is kept for small patches", "FILE");
    option(create, "--sign", to.signing_key, "Sign with this key", "KEY");
    option(create, "--encrypt", to.content_key, "Encrypt with this key", "KEY");

    const auto look = [&](Command command, const char* name, const char* doc) {
      CLI::App* added = add_bundle_command(*bundle, command, name, doc);
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
    option(extract, "--asset", to.assets, "Only this one; may be given several times", "UUID")->allow_extra_args(false);

    CLI::App* diff_bundles =
        add_bundle_command(*bundle, Command::kBundleDiff, "diff", "Write the patch from one bundle to the next");
    file(diff_bundles, "old", to.file, "The bundle that players have", "OLD");
    file(diff_bundles, "new", to.second, "The bundle that they get", "NEW");
    output(diff_bundles, "The patch to write", "PATCH")->required();
    CLI::App* apply = add_bundle_command(*bundle, Command::kBundleApply, "apply", "Make the new bundle of the old one");
    file(apply, "old", to.file, "The bundle that a patch was made from", "OLD");
    file(apply, "patch", to.second, "The patch", "PATCH");
    output(apply, "The new bundle (default: in place of the old one)", "NEW");
    option(apply, "--key", to.public_key, "Who must have signed the new bundle", "PUB");

    CLI::App* keygen = add_bundle_command(app, Command::kKeygen, "keygen", "Make a key that signs or encrypts bundles");
    file(keygen, "name", to.file, "NAME.key is the secret, NAME.pub what verifies", "NAME");
    keygen->add_flag("--encryption", to.encryption, "A key that encrypts, which has no public half");
    CLI::App* sign = add_bundle_command(app, Command::kSign, "sign", "Sign a bundle");
    file(sign, "file", to.file, "The bundle", "FILE");
    option(sign, "--key", to.signing_key, "The secret key", "KEY")->required();
    option(sign, "--decrypt", to.content_key, "The key of an encrypted bundle", "KEY");
    output(sign, "The signed bundle (default: in place of the other)", "FILE");
    CLI::App* verify =
        add_bundle_command(app, Command::kBundleVerify, "verify", "Check who signed a bundle, and every byte of it");
    file(verify, "file", to.file, "The bundle", "FILE");
    option(verify, "--key", to.public_key, "Who must have signed it", "PUB")->required();
    option(verify, "--decrypt", to.content_key, "The key of an encrypted bundle", "KEY");
    expect(verify);
    for (const auto& [command, number] : bundle_commands) add_printing(*command);
  }

  template <class T = std::uint32_t>
  static std::pair<T, T> pair_of(const std::string& text, char separator, const char* option, const char* form) {
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

  void add_output(CLI::App& to) {
    to.add_option_function<std::string>(
          "-o,--output", [this](const std::string& text) { arguments.output = text; },
          "Output folder (default: output: of the preset or of assetc.yml, else runtime)")
        ->type_name("DIR")
        ->check([](const std::string& text) {
          return text.empty() ? std::string("expected a folder, found nothing") : std::string();
        });
  }
  void add_jobs(CLI::App& to) {
    to.add_option_function<int>(
          "-j,--jobs", [this](int n) { arguments.jobs = n; }, "Threads (default: one a core)")
        ->type_name("N")
        ->check(CLI::Range(1, kMaxJobs));
  }
  void add_building(CLI::App& to) {
    add_jobs(to);
    to.add_option_function<std::string>(
          "--memory",
          [this](const std::string& text) {
            auto size = parse_size(text);
            if (!size) throw CLI::ValidationError("--memory", size.error().to_string());
            arguments.memory_bytes = *size;
          },
          "Bound on the bytes in flight: 512M, 1G ... (default: half of the machine's)")
        ->type_name("SIZE");
    to.add_flag("--verify", arguments.verify, "Read each written file again and check its structure");
    to.add_flag("--no-cache", arguments.no_cache, "Run every step, whatever earlier builds left");
    to.add_flag("-n,--dry-run", arguments.dry_run, "Say what would be done, write nothing");
    to.add_flag("--explain", arguments.explain, "Say why each step runs");
    CLI::Option* verbose = to.add_flag("-v,--verbose", arguments.verbose, "Name each step as it is done");
    to.add_flag("--warnings", arguments.warnings, "Print every warning, also when there was nothing to do");
    to.add_flag("-q,--quiet", arguments.quiet, "Print errors and warnings only")->excludes(verbose);
  }
  static void add_root(CLI::App& to, std::string& root) {
    to.add_option("--root", root, "The repository: Assets/, Demo/*/Assets/ and Tools/Assets/ are below it (default: .)")
        ->type_name("DIR");
  }
  void add_look_at(CLI::App& to) {
    to.add_option("file", arguments.look_at, "A compiled file, or a folder of them (default: the output folder)")
        ->type_name("FILE");
  }
  void add_preset(CLI::App& to) {
    to.add_option_function<std::string>(
          "--preset", [this](const std::string& text) { arguments.preset = text; }, "Use a named preset of assetc.yml")
        ->type_name("NAME");
  }
  void add_printing(CLI::App& to) {
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

  CLI::App* chosen() const {
    for (CLI::App* inner : {pack_info, registry_query, registry_diff, registry_export}) {
      if (inner->parsed()) return inner;
    }
    for (const auto& [sub, command] : bundle_commands) {
      if (sub->parsed()) return sub;
    }
    for (CLI::App* sub : {init, import, move, remove, cook, validate, clean, info, check, pack, convert, diff, render,
                          bundle, completion, manual}) {
      if (sub->parsed()) return sub;
    }
    return nullptr;
  }
};

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

// An option group is an app without a name to CLI11, and its options are those of the command to everybody else.
bool is_group(const CLI::App& app) { return app.get_name().empty(); }

CommandShape shape_of(const CLI::App& app) {
  CommandShape shape{app.get_name(), app.get_description(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    if (is_group(app) && option == app.get_help_ptr()) continue;
    OptionShape described{names_of(*option),     {}, option->get_description(), {}, option->get_positional(),
                          option->get_required()};
    if (described.positional) described.names = {option->get_name()};
    if (option->get_items_expected_max() > 0) described.value = option->get_type_name();
    // CLI11 appends what a check accepts to the type's name: "WHEN:{auto,always,never}", "INT in [1 - 1024]".
    if (const std::size_t open = described.value.find(":{"); open != std::string::npos) {
      std::string_view list = std::string_view(described.value).substr(open + 2);
      list = list.substr(0, list.find('}'));
      while (!list.empty()) {
        const std::size_t comma = list.find(',');
        described.choices.emplace_back(list.substr(0, comma));
        list = comma == list.npos ? std::string_view{} : list.substr(comma + 1);
      }
    }
    described.value = described.value.substr(0, described.value.find_first_of(": "));
    shape.options.push_back(std::move(described));
  }
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    CommandShape inner = shape_of(*sub);
    if (is_group(*sub)) {
      std::ranges::move(inner.options, std::back_inserter(shape.options));
    } else {
      shape.commands.push_back(std::move(inner));
    }
  }
  return shape;
}

Leave usage_error(const std::string& what, const CLI::App* app, std::span<const char* const> words) {
  std::string path = app ? app->get_name() : "";
  for (const CLI::App* parent = app ? app->get_parent() : nullptr; parent; parent = parent->get_parent()) {
    path = parent->get_name() + " " + path;
  }
  const std::string hint = "run `" + (path.empty() ? std::string("assetc") : path) + " --help` for what it takes";
  Leave leave{2, "assetc: " + what + "\nassetc: " + hint + "\n", {}};
  if (std::ranges::find(words, std::string_view("--json")) != words.end())
    leave.error = Error{ErrorCode::kUsage, {}, {}, what, hint};
  return leave;
}

// A word that the parser did not know, with a guess at what was meant.
std::string unknown_word(const std::string& word, const CLI::App& app) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (std::string& name : names_of(*option)) known.push_back(std::move(name));
  }
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!is_group(*sub)) {
      known.push_back(sub->get_name());
      continue;
    }
    for (const CLI::Option* option : sub->get_options()) {
      for (std::string& name : names_of(*option)) known.push_back(std::move(name));
    }
  }
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  const std::string asked = word.substr(0, word.find('='));
  const std::string_view guess = engine::did_you_mean(asked, candidates);
  const char* kind = word.starts_with('-') ? "unknown option " : "unexpected argument ";
  return kind + asked + (guess.empty() ? std::string() : "; did you mean " + std::string(guess) + "?");
}

// The first option given to the build that the chosen command does not have.
std::string misplaced_option(const CLI::App& app, const CLI::App& chosen) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0 || option->get_lnames().empty()) continue;
    const std::string name = "--" + option->get_lnames().front();
    if (!chosen.get_option_no_throw(name)) return name;
  }
  return {};
}

}  // namespace

std::variant<Arguments, Leave> parse_arguments(int argc, const char* const* argv) {
  Parser parser;
  const std::span words(argv, static_cast<std::size_t>(argc));
  try {
    parser.app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    // The parser's own help() prints the help of the command that was named.
    return Leave{0, parser.app.help(), {}};
  } catch (const CLI::CallForVersion& version) {
    return Leave{0, std::string(version.what()) + "\n", {}};
  } catch (const CLI::ExtrasError&) {
    const CLI::App* at = parser.chosen() ? parser.chosen() : &parser.app;
    const std::vector<std::string> left = parser.app.remaining(true);
    return usage_error(left.empty() ? "unexpected argument" : unknown_word(left.front(), *at), at, words);
  } catch (const CLI::ParseError& error) {
    return usage_error(error.what(), parser.chosen() ? parser.chosen() : &parser.app, words);
  }

  const std::pair<const CLI::App*, Command> commands[] = {
      {parser.init, Command::kInit},
      {parser.info, Command::kInfo},
      {parser.import, Command::kImport},
      {parser.move, Command::kMove},
      {parser.remove, Command::kRemove},
      {parser.validate, Command::kValidate},
      {parser.clean, Command::kClean},
      {parser.registry_query, Command::kRegistryQuery},
      {parser.registry_diff, Command::kRegistryDiff},
      {parser.registry_export, Command::kRegistryExport},
      {parser.cook, Command::kCook},
      {parser.check, Command::kCheck},
      {parser.pack_info, Command::kPackInfo},
      {parser.convert, Command::kConvert},
      {parser.diff, Command::kDiff},
      {parser.render, Command::kRender},
      {parser.completion, Command::kCompletion},
      {parser.manual, Command::kManual},
  };
  if (const CLI::App* chosen = parser.chosen()) {
    if (const std::string name = misplaced_option(parser.app, *chosen); !name.empty()) {
      return usage_error(name + " has no meaning for `assetc " + chosen->get_name() + "`", chosen, words);
    }
    if (!parser.arguments.look_at.empty() && parser.arguments.output)
      return usage_error("found " + parser.arguments.look_at + " and --output, expected one of them", chosen, words);
    for (const auto& [app, command] : commands) {
      if (app == chosen) parser.arguments.command = command;
    }
    for (const auto& [app, command] : parser.bundle_commands) {
      if (app == chosen) parser.arguments.command = command;
    }
  }
  return std::move(parser.arguments);
}

Result<std::uint64_t> parse_size(std::string_view text) {
  const auto refuse = [&] {
    return fail(ErrorCode::kUsage,
                "found \"" + std::string(text) + "\", expected a size like 512M, 1G or a number of bytes");
  };
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc() || !(number > 0)) return refuse();
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  double scale = 1;
  if (!unit.empty() && unit != "B") {
    const std::size_t power =
        std::string_view("KMGT").find(unit.front() >= 'a' ? static_cast<char>(unit.front() - 32) : unit.front());
    if (power == std::string_view::npos) return refuse();
    for (std::size_t i = 0; i <= power; ++i) scale *= 1024;
    unit.remove_prefix(1);
    if (!unit.empty() && unit != "B" && unit != "iB") return refuse();
  }
  const double bytes = number * scale;
  if (!(bytes >= 1 && bytes < 9e18)) return refuse();
  return static_cast<std::uint64_t>(bytes);
}

CommandShape parser_shape() { return shape_of(Parser().app); }

}  // namespace assetc::cli
