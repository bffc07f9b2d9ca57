#include "optimize/optimize.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <memory>
#include <optional>

#include "base/absolute_path.hpp"
#include "base/ascii.hpp"
#include "base/json_line.hpp"
#include "base/plural.hpp"
#include "cli/commands/file_root.hpp"
#include "cli/commands/store.hpp"
#include "cli/report/build_teller.hpp"
#include "engine/run/one_step.hpp"
#include "filetypes/filetypes.hpp"
#include "optimize/step.hpp"
#include "os/machine.hpp"
#include "parallel/parallel.hpp"

namespace assetc::cli {
namespace {

// Options that apply to KTX 2 alone.
constexpr std::string_view kKtx2Options[] = {"texture.quality", "texture.metric", "texture.mips",
                                             "texture.zstd",    "texture.rdo",    "texture.etc1s_quality"};

std::unexpected<Error> refuse(const std::string& key, const std::string& value, const char* expected) {
  return std::unexpected(
      Error{ErrorCode::kUsage, {}, {}, "found \"" + value + "\", expected " + expected, {}}.at("--" + key));
}

Result<void> set_option(optimize::OptimizeOptions& options, const std::string& key, const std::string& value) {
  if (key == "mesh.compress") {
    using enum optimize::Coding;
    if (value != "none" && value != "meshopt" && value != "meshopt-khr" && value != "draco" && value != "smallest")
      return refuse(key, value, "none, meshopt, meshopt-khr, draco or smallest");
    options.settings.mesh.compress =
        value == "none" ? recipes::MeshCompression::kNone : recipes::MeshCompression::kMeshopt;
    options.coding = value == "draco"         ? kDraco
                     : value == "smallest"    ? kSmallest
                     : value == "meshopt-khr" ? kMeshoptKhr
                                              : kMeshopt;
    return {};
  }
  if (key == "texture.format") {
    using enum optimize::PictureFormat;
    if (value != "webp" && value != "uastc" && value != "etc1s") return refuse(key, value, "webp, uastc or etc1s");
    options.pictures.format = value == "webp" ? kWebp : value == "uastc" ? kUastc : kEtc1s;
    return {};
  }
  if (key == "texture.webp_quality") {
    std::uint32_t quality = 0;
    const auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), quality);
    if (fault != std::errc() || end != value.data() + value.size() || quality > 100)
      return refuse(key, value, "0 to 100");
    options.pictures.webp_quality = quality;
    return {};
  }
  if (key == "texture.max_size") {
    auto limits = optimize::parse_size_limits(value);
    if (!limits) return std::unexpected(std::move(limits).error().at("--" + key));
    options.settings.texture.max_size_texels = limits->all_texels;
    options.pictures.max_sizes = std::move(limits->slots);
    return {};
  }
  if (key == "animation.error") {
    options.removes_keys = value != "off";
    if (options.removes_keys && !recipes::find_setting(key)->set(options.settings, value == "auto" ? "0" : value))
      return refuse(key, value, "off, auto or up to 1000 meters");
    return {};
  }
  return recipes::find_setting(key)->set(options.settings, value);
}

Result<optimize::OptimizeOptions> options_of(const OptimizeArguments& asked, bool is_folder) {
  if (!is_folder && !ends_with_ignoring_case(asked.output, ".glb") && !ends_with_ignoring_case(asked.output, ".gltf"))
    return fail(ErrorCode::kUsage, "optimize writes a .glb or .gltf, but the output is " + asked.output,
                "name the output with .glb or .gltf, or use assetc convert");
  optimize::OptimizeOptions options = optimize::optimize_options();
  if (!asked.purpose.empty()) {
    auto of_purpose = optimize::optimize_options_for(asked.purpose);
    if (!of_purpose) return std::unexpected(std::move(of_purpose).error().at("--for"));
    options = std::move(*of_purpose);
  }
  options.keep_pictures = asked.keep_pictures;
  options.ratio = asked.ratio;
  auto keep = optimize::parse_keep(asked.keep);
  if (!keep) return std::unexpected(std::move(keep).error().at("--keep"));
  options.keep = *keep;
  for (const auto& [key, value] : asked.settings) {
    if (asked.keep_pictures && key.starts_with("texture."))
      return fail(ErrorCode::kUsage, "--" + key + " contradicts --keep-pictures", "keep one of the two");
    ASSETC_CHECK(set_option(options, key, value));
  }
  // A caller that names the changes it needs gets them.
  options.may_keep_source = asked.settings.empty() && !asked.keep_pictures && !asked.ratio &&
                            options.keep == optimize::Keep{} &&
                            options.pictures.format == optimize::PictureFormat::kWebp;
  const bool is_webp = options.pictures.format == optimize::PictureFormat::kWebp;
  for (const auto& [key, value] : asked.settings) {
    if (!is_webp && key == "texture.webp_quality")
      return fail(ErrorCode::kUsage, "--" + key + " applies to WebP, but pictures become KTX 2",
                  "add --texture.format webp");
    if (options.pictures.format != optimize::PictureFormat::kEtc1s && key == "texture.etc1s_quality")
      return fail(ErrorCode::kUsage, "--" + key + " applies to ETC1S, but pictures become another format",
                  "add --texture.format etc1s");
    if (is_webp && std::ranges::find(kKtx2Options, key) != std::end(kKtx2Options))
      return fail(ErrorCode::kUsage, "--" + key + " applies to KTX 2, but pictures become WebP",
                  "add --texture.format uastc, or leave it out");
  }
  return options;
}

// No output may replace a file that the model was made of.
Result<void> check_sources(const NamedFile& input, const optimize::SourceSizes& sources,
                           const std::vector<std::string>& outputs, engine::Disk& disk) {
  const std::string folder = input.path.substr(0, input.path.rfind('/') + 1);
  for (const std::string& output : outputs) {
    const std::string path = name_file(output, disk).path;
    for (const auto& [name, size] : sources) {
      const std::string source = is_absolute_path(name) ? name : folder + name;
      if (path != source && path != disk.real_path(source)) continue;
      return fail(ErrorCode::kUsage, output + " would be written, but " + input.named + " refers to it",
                  "choose another name or folder for the output");
    }
  }
  return {};
}

// The output of a folder: a .glb for each model, with the path of the model.
constexpr engine::Target kGltfTarget{
    .name = "gltf",
    .file_path = [](std::string_view stem, std::string_view suffix) { return std::string(stem).append(suffix); },
    .asset_ref = [](std::string_view) { return std::uint64_t{0}; },
    .verify = filetypes::check_file};
constexpr const recipes::Recipe* kFolderRecipes[] = {&optimize::kOptimizeFolderRecipe};

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

// A build whose sources are the models of a folder.
int optimize_folder(const Arguments& arguments, Console& console, engine::Disk& disk,
                    const optimize::OptimizeOptions& options) {
  const OptimizeArguments& asked = arguments.optimize;
  const auto output = disk.status(asked.output);
  if (output && output->type != engine::FileType::kDirectory) {
    return stop(arguments, console,
                {ErrorCode::kUsage,
                 asked.output,
                 {},
                 "is a file, but the input " + asked.input + " is a folder",
                 "name a folder for the output"});
  }
  engine::Profile profile;
  profile.input = without_slashes(asked.input);
  profile.output = without_slashes(asked.output);
  if (disk.real_path(profile.input) == disk.real_path(profile.output)) {
    return stop(arguments, console,
                {ErrorCode::kUsage, asked.output, {}, "is the input folder too", "choose another output folder"});
  }
  profile.base = options.settings;
  profile.source_params = optimize::params_of(options, ".glb");
  engine::BuildTask task{std::make_shared<const engine::Profile>(std::move(profile)), build_request(arguments)};
  task.request.target = &kGltfTarget;
  task.request.recipes = kFolderRecipes;
  return build_and_tell(arguments, console, disk, std::move(task));
}

}  // namespace

int run_optimize(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const OptimizeArguments& asked = arguments.optimize;
  const auto found = disk.status(asked.input);
  if (!found) return stop(arguments, console, found.error());
  const bool is_folder = found->type == engine::FileType::kDirectory;
  auto options = options_of(asked, is_folder);
  if (!options) return stop(arguments, console, options.error());
  if (is_folder && !asked.root.empty()) {
    return stop(
        arguments, console,
        {ErrorCode::kUsage, asked.input, {}, "is a folder, and --root is for a single model", "leave out --root"});
  }
  if (is_folder) return optimize_folder(arguments, console, disk, *options);
  os::keep_heap();
  if (auto other = check_other_file(asked.input, asked.output, disk); !other)
    return stop(arguments, console, other.error());
  const NamedFile input = name_file(asked.input, disk);
  const auto root = root_of(input, asked.root, disk);
  if (!root) return stop(arguments, console, root.error());
  std::optional<ThreadLimit> threads;
  if (arguments.jobs > 0) threads.emplace(static_cast<std::size_t>(arguments.jobs));
  engine::Stores stores = open_stores(arguments, console, disk, {});
  auto made = engine::run_one(
      {optimize::kOptimizeRecipe, input.path, options->settings, optimize::params_of(*options, asked.output), *root},
      disk, arguments.no_cache ? nullptr : stores.local());
  if (!made) return stop(arguments, console, input.as_named(made.error()));
  finish_stores(arguments, console, stores);
  for (recipes::Diagnostic& d : made->diagnostics) {
    d.what = input.as_named(std::move(d.what));
    say(arguments, console, d);
  }
  std::vector<recipes::Output>& outputs = made->outputs;
  const optimize::SourceSizes sources = optimize::read_sources(as_text(outputs.back().bytes));
  outputs.pop_back();
  const std::string stem = asked.output.substr(0, asked.output.rfind('.'));
  std::vector<std::string> paths{asked.output};
  for (std::size_t i = 1; i < outputs.size(); ++i) paths.push_back(stem + outputs[i].suffix);
  if (auto other = check_sources(input, sources, paths, disk); !other) return stop(arguments, console, other.error());
  // The document comes last: until then, an older one refers to files that exist.
  for (std::size_t i = outputs.size(); i-- > 0;) {
    if (auto written = disk.publish(paths[i], outputs[i].bytes); !written)
      return stop(arguments, console, written.error());
  }
  std::uint64_t written_bytes = 0, source_bytes = 0;
  for (const recipes::Output& output : outputs) written_bytes += output.bytes.size();
  for (const auto& [path, size] : sources) source_bytes += size;
  if (arguments.json) {
    for (std::size_t i = 1; i < paths.size(); ++i) {
      console.out(json_event("written").add("path", paths[i]).add("bytes", outputs[i].bytes.size()).str() + "\n");
    }
    console.out(json_event("written")
                    .add("path", asked.output)
                    .add("bytes", outputs.front().bytes.size())
                    .add("source_bytes", source_bytes)
                    .str() +
                "\n");
  } else if (!arguments.quiet) {
    for (std::size_t i = 1; arguments.verbose && i < paths.size(); ++i)
      console.wrote(paths[i], ", " + size_text(outputs[i].bytes.size()));
    const std::uint64_t percent = source_bytes == 0 ? 100 : (written_bytes * 100 + source_bytes / 2) / source_bytes;
    const std::string others = paths.size() == 1 ? "" : " and " + counted(paths.size() - 1, "file") + " beside it";
    console.wrote(asked.output,
                  others + ", " + size_text(written_bytes) + ", " + std::to_string(percent) + " % of the source");
  }
  return kExitOk;
}

}  // namespace assetc::cli
