#include "convert/convert.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "base/json_line.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/file_root.hpp"
#include "cli/commands/store.hpp"
#include "convert/step.hpp"
#include "engine/run/one_step.hpp"
#include "filetypes/filetypes.hpp"

namespace assetc::cli {
namespace {

// Refuses two options that contradict each other. On a command line, no option overrides another.
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

// The conversion, in terms of the table of file types.
struct Pair {
  std::string_view from, to;  // suffixes; empty for a file that is in no row
  bool is_environment = false;
  bool is_version_1 = false;  // a .hmesh of version 1 is asked for
};

Pair pair_of(const ConvertArguments& asked) {
  const auto suffix = [](const std::string& path) {
    const filetypes::Row* row = filetypes::find_row(path);
    return row != nullptr ? row->suffix() : std::string_view();
  };
  const auto is_version_1 = [](const auto& s) { return s.first == "mesh.container" && s.second == "hmesh-v1"; };
  return {suffix(asked.input), suffix(asked.output), convert::is_environment_path(asked.input),
          std::ranges::any_of(asked.settings, is_version_1)};
}

// To which conversions an option applies. If several rows match an option, each must fit; the first that does not is
// reported.
struct OptionRule {
  std::string_view option;  // the start of its name
  bool (*fits)(const Pair& pair, std::string_view key, std::string_view value);
  std::string_view where;  // for the hint: the conversions to which it applies
};
constexpr OptionRule kRules[] = {
    {"mesh.lod", [](const Pair& p, std::string_view, std::string_view) { return !p.is_version_1; },
     ".hmesh outputs of version 2"},
    // The suffixes .gali and .hcluster already choose the container. A .gali has no levels of detail, a .hcluster its
    // own.
    {"mesh.lod",
     [](const Pair& p, std::string_view, std::string_view) { return p.to != ".gali" && p.to != ".hcluster"; },
     ".hmesh outputs"},
    {"mesh.compress",
     [](const Pair& p, std::string_view, std::string_view) { return p.to == ".hmesh" && !p.is_version_1; },
     ".hmesh outputs of version 2"},
    {"mesh.container",
     [](const Pair& p, std::string_view, std::string_view value) {
       return (p.to != ".gali" || value == "galileo") && p.to != ".hcluster";
     },
     ".hmesh outputs"},
    {"texture.", [](const Pair& p, std::string_view, std::string_view) { return p.to == ".ktx2" && p.from != ".ktx2"; },
     "a picture that becomes a .ktx2"},
    {"environment.",
     [](const Pair& p, std::string_view, std::string_view) { return p.to == ".ktx2" && p.is_environment; },
     "a panorama, like sky.env.hdr, that becomes a .ktx2"},
    {"mesh.",
     [](const Pair& p, std::string_view key, std::string_view) {
       return p.to == ".hmesh" || p.to == ".gali" || p.to == ".hcluster" || (p.to == ".glb" && key == "mesh.lods");
     },
     ".hmesh, .gali and .hcluster outputs"},
    {"error",
     [](const Pair& p, std::string_view, std::string_view) { return p.from == ".hcluster" && p.to != ".hcluster"; },
     "a .hcluster that becomes another format"},
    {"keep-ktx2", [](const Pair& p, std::string_view, std::string_view) { return p.to == ".glb"; }, ".glb outputs"},
    {"image ", [](const Pair& p, std::string_view, std::string_view) { return p.from == ".ktx2" && p.to == ".png"; },
     "a .ktx2 that becomes a .png"},
};

// Refuses options that do not apply to the output; none is silently ignored.
Result<void> check_options(const ConvertArguments& asked) {
  const Pair pair = pair_of(asked);
  // rule: the name of the option in kRules.
  const auto check = [&](std::string_view option, std::string_view rule, std::string_view value) -> Result<void> {
    for (const OptionRule& row : kRules) {
      if (!rule.starts_with(row.option) || row.fits(pair, rule, value)) continue;
      return fail(ErrorCode::kUsage, "--" + std::string(option) + " does not apply to " + asked.output,
                  "it applies to " + std::string(row.where));
    }
    return {};
  };
  for (const auto& [key, value] : asked.settings) ASSETC_CHECK(check(key, key, value));
  if (asked.max_error) ASSETC_CHECK(check("error", "error", {}));
  if (asked.keep_ktx2) ASSETC_CHECK(check("keep-ktx2", "keep-ktx2", {}));
  const std::pair<std::uint32_t, std::string_view> images[] = {
      {asked.level, "level"}, {asked.layer, "layer"}, {asked.face, "face"}, {asked.slice, "slice"}};
  for (const auto& [value, option] : images) {
    if (value != 0) ASSETC_CHECK(check(option, "image " + std::string(option), {}));
  }
  return {};
}

// Returns a compiled mesh with the stem of the output but another container; empty if there is none. Both meshes use
// the same .hmat and .hanim.
std::string mesh_of_same_name(const std::string& output, engine::Disk& disk) {
  for (const filetypes::Row& row : filetypes::all_rows()) {
    if (!row.is_model() || !row.is_compiled()) continue;
    std::string other = output.substr(0, output.rfind('.')).append(row.suffix());
    if (disk.status(other) && !disk.same_file(other, output)) return other;
  }
  return {};
}

// Warns if another mesh with the stem of the output now uses the .hmat or .hanim of the output. The input is exempt.
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
      {WarningKind::kSharedSiblings, Error{ErrorCode::kConflict,
                                           other,
                                           {},
                                           "has the same name, so it now uses " + shared + " of " + output,
                                           "give the output another name, or remove the mesh that it replaces"}});
}

// Handles an old .hmat or .hanim beside an output that was written without one: a reader of the output would use it.
// If it belonged to the mesh that the output replaced, it is removed. Otherwise assetc only warns.
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
          {WarningKind::kSharedSiblings, Error{ErrorCode::kConflict,
                                               sibling,
                                               {},
                                               "existed before, and " + output + " now uses it",
                                               "remove it, or give the output another name"}});
      continue;
    }
    ASSETC_CHECK(disk.remove(sibling));
    if (arguments.json) {
      console.out(json_event("removed").add("path", sibling).str() + "\n");
    } else {
      console.out("removed " + printable(sibling) + ", which belonged to the replaced mesh\n");
    }
  }
  return {};
}

// Converts the input. The files have the names that were asked for.
Result<convert::Converted> convert_one(const Arguments& arguments, Console& console, engine::Disk& disk,
                                       const NamedFile& input, const std::string& output,
                                       const convert::ConvertOptions& options) {
  ASSETC_TRY(std::string root, root_of(input, arguments.convert.root, disk));
  engine::Stores stores = open_stores(arguments, console, disk, {});
  auto made = engine::run_one(
      {convert::kConvertRecipe, input.path, options.settings, convert::params_of(output, options), std::move(root)},
      disk, stores.local());
  if (!made) return std::unexpected(std::move(made).error());
  finish_stores(arguments, console, stores);
  convert::Converted converted;
  for (recipes::Output& file : made->outputs) {
    // The first file has the name that was asked for, whatever its letter case.
    const bool is_first = converted.files.empty();
    converted.files.push_back(
        {is_first ? output : output.substr(0, output.rfind('.')).append(file.suffix), file.bytes});
  }
  converted.diagnostics = std::move(made->diagnostics);
  return converted;
}

}  // namespace

int run_convert(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const ConvertArguments& asked = arguments.convert;
  if (auto good = check_options(asked); !good) return stop(arguments, console, good.error());
  convert::ConvertOptions options;
  options.keep_ktx2 = asked.keep_ktx2;
  options.max_error = asked.max_error.value_or(0);
  // A setting of how a mesh is built asks for a rebuild.
  options.rebuild = std::ranges::any_of(asked.settings, [](const auto& s) {
    return s.first.starts_with("mesh.") && s.first != "mesh.container" && s.first != "mesh.compress";
  });
  options.recompress = std::ranges::any_of(asked.settings, [](const auto& s) { return s.first == "mesh.compress"; });
  options.image = {asked.level, asked.layer, asked.face, asked.slice};
  for (const auto& [key, value] : asked.settings) {
    if (auto set = recipes::find_setting(key)->set(options.settings, value); !set)
      return stop(arguments, console, set.error());
  }
  // For a .glb, mesh.lods limits the existing levels of detail.
  if (pair_of(asked).to == ".glb" &&
      std::ranges::any_of(asked.settings, [](const auto& s) { return s.first == "mesh.lods"; }))
    options.most_lods = options.settings.mesh.lods;
  if (auto agree = check_agreement(asked.settings); !agree) return stop(arguments, console, agree.error());
  if (auto other = check_other_file(asked.input, asked.output, disk); !other)
    return stop(arguments, console, other.error());
  const NamedFile input = name_file(asked.input, disk);
  options.beside_input = same_stem(input, name_file(asked.output, disk));
  auto converted = convert_one(arguments, console, disk, input, asked.output, options);
  if (!converted) return stop(arguments, console, input.as_named(converted.error()));
  for (const convert::ConvertedFile& file : converted->files) {
    if (auto other = check_other_file(asked.input, file.path, disk); !other)
      return stop(arguments, console, other.error());
  }
  const bool replaces = static_cast<bool>(disk.status(asked.output));
  for (recipes::Diagnostic& d : converted->diagnostics) {
    d.what = input.as_named(std::move(d.what));
    say(arguments, console, d);
  }
  for (const convert::ConvertedFile& file : converted->files) {
    if (auto written = disk.publish(file.path, file.bytes); !written) return stop(arguments, console, written.error());
    if (arguments.json) {
      console.out(json_event("written").add("path", file.path).add("bytes", file.bytes.size()).str() + "\n");
    } else {
      console.wrote(file.path, ", " + size_text(file.bytes.size()));
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
