#include <algorithm>

#include "base/ascii.hpp"
#include "cli/commands.hpp"
#include "cli/convert_cache.hpp"
#include "cli/file_root.hpp"
#include "cli/json_line.hpp"
#include "convert/convert.hpp"
#include "filetypes/filetypes.hpp"

namespace assetc::cli {
namespace {

// Two options of which one would undo the other: on a command line neither is the later layer.
Result<void> check_agreement(const std::vector<std::pair<std::string, std::string>>& settings) {
  for (std::size_t j = 1; j < settings.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      const auto& [key, value] = settings[j];
      const auto& [other_key, other] = settings[i];
      if (key == other_key ||
          recipes::settings_agree(*recipes::find_setting(other_key), other, *recipes::find_setting(key), value))
        continue;
      return fail(ErrorCode::kUsage, "--" + key + " " + value + " contradicts --" + other_key + " " + other,
                  "keep one of the two");
    }
  }
  return {};
}

// An option that the output cannot follow is refused rather than ignored.
Result<void> check_options(const ConvertArguments& asked) {
  const bool from_ktx2 = ends_with_ignoring_case(asked.input, ".ktx2");
  const bool to_ktx2 = ends_with_ignoring_case(asked.output, ".ktx2"),
             to_png = ends_with_ignoring_case(asked.output, ".png");
  const bool to_glb = ends_with_ignoring_case(asked.output, ".glb"),
             to_gali = ends_with_ignoring_case(asked.output, ".gali");
  const bool to_hmesh = ends_with_ignoring_case(asked.output, ".hmesh");
  const auto refuse = [&](std::string_view option, std::string_view where) {
    return fail(ErrorCode::kUsage, "--" + std::string(option) + " has no meaning for " + asked.output,
                "it belongs to " + std::string(where));
  };
  const bool version_1 = std::ranges::any_of(
      asked.settings, [](const auto& s) { return s.first == "mesh.container" && s.second == "hmesh-v1"; });
  for (const auto& [key, value] : asked.settings) {
    if (version_1 && key.starts_with("mesh.lod")) return refuse(key, ".hmesh outputs of version 2");
    // The extension says the container of a .gali, which holds no levels of detail.
    if (to_gali && (key.starts_with("mesh.lod") || (key == "mesh.container" && value != "galileo")))
      return refuse(key, ".hmesh outputs");
    if (key.starts_with("texture.") && (!to_ktx2 || from_ktx2)) return refuse(key, "a picture that becomes a .ktx2");
    if (key.starts_with("environment.") && !(to_ktx2 && convert::is_environment_path(asked.input)))
      return refuse(key, "a panorama, like sky.env.hdr, that becomes a .ktx2");
    if (key.starts_with("mesh.") && !to_hmesh && !to_gali && !(to_glb && key == "mesh.lods"))
      return refuse(key, ".hmesh and .gali outputs");
  }
  if (asked.keep_ktx2 && !to_glb) return refuse("keep-ktx2", ".glb outputs");
  const std::pair<std::uint32_t, std::string_view> images[] = {
      {asked.level, "level"}, {asked.layer, "layer"}, {asked.face, "face"}, {asked.slice, "slice"}};
  for (const auto& [value, option] : images) {
    if (value != 0 && !(from_ktx2 && to_png)) return refuse(option, "a .ktx2 that becomes a .png");
  }
  return {};
}

// A compiled mesh in another container under the output's name: one .hmat and one .hanim serve both.
std::string mesh_of_same_name(const std::string& output, engine::Disk& disk) {
  for (const filetypes::Row& row : filetypes::all_rows()) {
    if (!row.is_model() || !row.is_compiled()) continue;
    std::string other = output.substr(0, output.rfind('.')).append(row.suffix());
    if (disk.status(other) && !disk.same_file(other, output)) return other;
  }
  return {};
}

// Another mesh of the output's name that is not the input now has siblings that are not its own.
void tell_shared_siblings(const Arguments& arguments, Console& console, engine::Disk& disk,
                          const convert::Converted& converted) {
  const std::string& output = converted.files.front().path;
  const filetypes::Row* type = filetypes::find_row(output);
  if (type == nullptr || !type->is_model() || !type->is_compiled() || converted.files.size() < 2) return;
  const std::string other = mesh_of_same_name(output, disk);
  if (other.empty() || disk.same_file(other, arguments.convert.input)) return;
  std::string shared;
  for (const convert::ConvertedFile& file : std::span(converted.files).subspan(1))
    shared.append(shared.empty() ? "" : " and ").append(file.path);
  say(arguments, console,
      {recipes::Severity::kWarning,
       Error{ErrorCode::kConflict,
             other,
             {},
             "has the same name, and now takes " + shared + " of " + output + " for its own",
             "give the output another name, or remove the mesh that it is to replace"}});
}

// A .hmat or .hanim beside an output that did not come with it would be taken for its own. It was that of the mesh that
// the output replaced, or it is nobody's to remove.
Result<void> settle_siblings(const Arguments& arguments, Console& console, engine::Disk& disk,
                             const convert::Converted& converted, bool replaced) {
  const std::string& output = converted.files.front().path;
  const filetypes::Row* type = filetypes::find_row(output);
  if (type == nullptr || !type->is_model() || !type->is_compiled()) return {};
  const bool shared = !mesh_of_same_name(output, disk).empty();
  for (const std::string_view suffix : {".hmat", ".hanim"}) {
    const std::string sibling = output.substr(0, output.rfind('.')).append(suffix);
    if (std::ranges::find(converted.files, sibling, &convert::ConvertedFile::path) != converted.files.end()) continue;
    if (!disk.status(sibling)) continue;
    if (!replaced || shared) {
      say(arguments, console,
          {recipes::Severity::kWarning, Error{ErrorCode::kConflict,
                                              sibling,
                                              {},
                                              "was there before, and is now taken for that of " + output,
                                              "remove it, or give the output another name"}});
      continue;
    }
    ASSETC_CHECK(disk.remove(sibling));
    if (arguments.json) {
      console.out(json_event("removed").add("path", sibling).str() + "\n");
    } else {
      console.out("removed " + sibling + ", of the mesh that was there before\n");
    }
  }
  return {};
}

}  // namespace

int run_convert(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const ConvertArguments& asked = arguments.convert;
  if (auto good = check_options(asked); !good) return stop(arguments, console, good.error());
  convert::ConvertOptions options;
  options.keep_ktx2 = asked.keep_ktx2;
  // Who says how a mesh is built wants it built.
  options.rebuild = std::ranges::any_of(
      asked.settings, [](const auto& s) { return s.first.starts_with("mesh.") && s.first != "mesh.container"; });
  options.image = {asked.level, asked.layer, asked.face, asked.slice};
  for (const auto& [key, value] : asked.settings) {
    if (auto set = recipes::find_setting(key)->set(options.settings, value); !set)
      return stop(arguments, console, set.error());
  }
  // Of a .glb: of the levels that there are.
  if (ends_with_ignoring_case(asked.output, ".glb") &&
      std::ranges::any_of(asked.settings, [](const auto& s) { return s.first == "mesh.lods"; }))
    options.most_lods = options.settings.mesh.lods;
  if (auto agree = check_agreement(asked.settings); !agree) return stop(arguments, console, agree.error());
  if (auto other = check_other_file(asked.input, asked.output, disk); !other)
    return stop(arguments, console, other.error());
  const NamedFile input = name_file(asked.input, disk);
  options.beside_input = same_stem(input, name_file(asked.output, disk));
  auto converted = convert_or_restore(arguments, console, disk, input.path, asked.output, file_reader(disk), options);
  if (!converted) return stop(arguments, console, input.as_named(converted.error()));
  for (const convert::ConvertedFile& file : converted->files) {
    if (auto other = check_other_file(asked.input, file.path, disk); !other)
      return stop(arguments, console, other.error());
  }
  const bool replaces = static_cast<bool>(disk.status(asked.output));
  for (const recipes::Diagnostic& d : converted->diagnostics)
    say(arguments, console, {d.severity, input.as_named(d.what)});
  for (const convert::ConvertedFile& file : converted->files) {
    if (auto written = disk.publish(file.path, file.bytes); !written) return stop(arguments, console, written.error());
    if (arguments.json) {
      console.out(json_event("written").add("path", file.path).add("bytes", file.bytes.size()).str() + "\n");
    } else {
      console.out("wrote " + file.path + ", " + size_text(file.bytes.size()) + "\n");
    }
  }
  tell_shared_siblings(arguments, console, disk, *converted);
  if (!options.beside_input) {
    if (auto settled = settle_siblings(arguments, console, disk, *converted, replaces); !settled)
      return stop(arguments, console, settled.error());
  }
  return kExitOk;
}

}  // namespace assetc::cli
