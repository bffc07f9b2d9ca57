// assetc doctor: what assetc can do on this machine, what is missing, and how to get it.
#include <algorithm>
#include <thread>

#include "base/json_line.hpp"
#include "base/size_text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/report/version.hpp"
#include "engine/config/platforms.hpp"
#include "engine/remote/stores.hpp"
#include "http/curl/curl.hpp"
#include "os/library.hpp"
#include "os/limits.hpp"
#include "os/machine.hpp"
#include "os/process.hpp"
#include "process/parts.hpp"

namespace assetc::cli {
namespace {

enum class State : std::uint8_t {
  kOk,
  kMissing,   // something works only with it
  kOptional,  // missing, but this program was not built to need it
};

struct Finding {
  State state = State::kOk;
  std::string detail;  // what was found
  std::string remedy;  // how to get what is missing
};

struct Context {
  const Arguments& arguments;
  Console& console;
  engine::Disk& disk;
};

struct Part {
  std::string_view name;     // for JSON; of a library that is loaded later: as in kDelayedLibraries
  std::string_view does;     // for people
  std::string_view feature;  // the feature of the build that has it, as in kLeftOut; empty: every build has it
  std::string_view package;  // how to get it
  Finding (*look)(const Part& part, const Context& context);
};

// Whether a list such as "fbx, exr" or "a=b;c=d" has a word. Returns the text after it.
std::optional<std::string_view> after_word(std::string_view list, std::string_view word, std::string_view separator) {
  while (!list.empty()) {
    const std::string_view item = list.substr(0, list.find(separator));
    if (item.starts_with(word) && (item.size() == word.size() || item[word.size()] == '='))
      return item.substr(std::min(word.size() + 1, item.size()));
    list.remove_prefix(std::min(item.size() + separator.size(), list.size()));
  }
  return std::nullopt;
}

Finding left_out(const Part& part) {
  std::string option(part.feature);
  std::ranges::transform(option, option.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; });
  return {State::kOptional, "this build leaves it out", "build assetc with -DASSETC_" + option + "=ON"};
}

bool is_left_out(const Part& part) { return !part.feature.empty() && after_word(kLeftOut, part.feature, ", "); }

Finding look_at_library(const Part& part, const Context& /*context*/) {
  if (is_left_out(part)) return left_out(part);
  const auto file = after_word(kDelayedLibraries, part.name, ";");
  if (!file) return {State::kOk, "part of the program", {}};
  const std::string name(*file);
  const char* const names[] = {name.c_str()};
  if (os::open_library(names) != nullptr) return {State::kOk, name, {}};
  return {State::kMissing, "found no " + name, std::string(part.package)};
}

Finding look_at_curl(const Part& part, const Context& /*context*/) {
  const auto curl = http::Curl::load();
  if (!curl) return {State::kOptional, curl.error().what, std::string(part.package)};
  const unsigned version = (*curl)->version;
  return {State::kOk,
          "libcurl " + std::to_string(version >> 16) + "." + std::to_string(version >> 8 & 255) + "." +
              std::to_string(version & 255),
          {}};
}

Finding look_at_program(const Part& part, const Context& /*context*/) {
  std::string path = os::find_program(part.name);
  if (!path.empty()) return {State::kOk, std::move(path), {}};
  return {State::kOptional, "not on PATH", std::string(part.package)};
}

Finding look_at_shaders(const Part& part, const Context& context) {
  if (is_left_out(part)) return left_out(part);
  if (!kHasShaderProgram) return {State::kOk, "part of the program", {}};
  for (const std::string& place : process::places_of_part(std::string(part.name))) {
    if (context.disk.status(place)) return {State::kOk, context.disk.real_path(place), {}};
  }
  return {State::kMissing, "neither beside assetc nor in lib/assetc of its installation", std::string(part.package)};
}

Finding look_at_page(const Part& part, const Context& context) {
  auto page = find_page(context.disk);
  if (page) return {State::kOk, std::move(*page), {}};
  return {State::kOptional, page.error().what, std::string(part.package)};
}

// The folder of a path that exists.
std::string existing(std::string path, engine::Disk& disk) {
  while (!disk.status(path)) {
    const std::size_t slash = path.rfind('/');
    if (slash == path.npos) return ".";
    path.resize(std::max<std::size_t>(slash, 1));
    if (path == "/") break;
  }
  return path;
}

Finding broken(const Error& error) {
  Error rest = error;
  rest.hint.clear();
  return {State::kMissing, rest.to_string(), error.hint};
}

Finding look_at_cache(const Part& /*part*/, const Context& context) {
  engine::Disk& disk = context.disk;
  const auto config = engine::nearest_config(disk, ".");
  // The part "project" reports a configuration that cannot be read.
  const auto all = engine::find_caching(config ? engine::cache_of(*config) : engine::CacheSettings{}, disk,
                                        engine::process_environment(), [](const recipes::Diagnostic&) {});
  if (!all) return broken(all.error());
  if (all->homeless) return broken(*all->homeless);
  if (all->root.empty()) return {State::kOptional, "off", "unset ASSETC_CACHE, or cache.path in assetc.yml"};
  const std::string place = existing(all->root, disk);
  if (const auto probe = disk.create(place + "/assetc-doctor"); !probe) {  // never committed, so nothing remains
    Finding finding = broken(probe.error());
    if (finding.remedy.empty()) finding.remedy = "make it writable, or set cache.path in assetc.yml";
    return finding;
  }
  std::string text = all->root + ": ";
  if (place == all->root) {
    const auto store = engine::LocalStore::open(disk, {all->root, all->local.size_bytes});
    if (!store) return broken(store.error());
    const auto usage = (*store)->count();
    if (!usage) return broken(usage.error());
    text += size_text(usage->bytes);
  } else {
    text += "empty";
  }
  text += " of " + size_text(all->local.size_bytes);
  if (const auto free = os::free_bytes(place)) text += ", " + size_text(*free) + " free on the disk";
  return {State::kOk, std::move(text), {}};
}

Finding look_at_watching(const Part& part, const Context& context) {
  constexpr std::uint64_t kEnough = 65536;  // folders; large projects have tens of thousands
  if (!context.disk.reports_changes("."))
    return {State::kOptional, "this disk does not report changes", "keep sources on a disk of this machine"};
  const auto limit = os::watch_limit();
  if (!limit) return {State::kOk, "no limit", {}};
  const std::string text = "at most " + plural(*limit, "folder");
  if (*limit >= kEnough) return {State::kOk, text, {}};
  return {State::kOptional, text, std::string(part.package)};
}

Finding look_at_processors(const Part& /*part*/, const Context& /*context*/) {
  return {State::kOk,
          plural(std::uint64_t{std::max(1u, std::thread::hardware_concurrency())}, "thread") + " for builds",
          {}};
}

Finding look_at_memory(const Part& /*part*/, const Context& context) {
  const std::uint64_t bytes = context.disk.memory_bytes();
  return {State::kOk, size_text(bytes) + ", of which builds use half", {}};
}

Finding look_at_project(const Part& part, const Context& context) {
  engine::Disk& disk = context.disk;
  const auto config = engine::nearest_config(disk, ".");
  if (!config) return broken(config.error());
  std::string text = config->file;
  std::size_t warnings = config->diagnostics.size();
  if (const auto root = engine::find_repository(disk, "."); root) {
    const auto pipeline = engine::load_pipeline(disk, *root);
    if (!pipeline) return broken(pipeline.error());
    if (pipeline->file != config->file) {
      text += (text.empty() ? "" : ", ") + pipeline->file;
      warnings += pipeline->diagnostics.size();
    }
    if (text.empty()) text = *root + ", without a configuration";
  }
  if (text.empty()) return {State::kOptional, "this folder is no project", std::string(part.package)};
  if (warnings > 0) text += ", with " + plural(warnings, "warning");
  return {State::kOk, std::move(text), {}};
}

// In the order of the output. Packages are those of Debian 12.
constexpr Part kParts[] = {
    {"spng", "PNG pictures", "", "apt-get install libspng0", look_at_library},
    {"turbojpeg", "JPEG pictures", "", "apt-get install libturbojpeg0", look_at_library},
    {"webp", "WebP pictures", "webp", "apt-get install libwebp7", look_at_library},
    {"OpenEXRCore", "OpenEXR pictures", "exr", "apt-get install libopenexr-3-1-30", look_at_library},
    {"oiiotool", "TIFF and AVIF pictures", "",
     "install the tools of OpenImageIO; on Debian: apt-get install openimageio-tools", look_at_program},
    {"astcenc", "ASTC textures", "astcenc", "apt-get install libastcenc3d", look_at_library},
    {"fbx", "FBX models", "fbx", "", look_at_library},
    {"draco", "Draco meshes in glTF", "draco", "", look_at_library},
    {"freetype", "fonts", "fonts", "apt-get install libfreetype6", look_at_library},
    {"harfbuzz", "kerning of fonts", "fonts", "apt-get install libharfbuzz0b", look_at_library},
    {"sndfile", "sounds", "", "apt-get install libsndfile1", look_at_library},
    {"ogg", "Ogg sounds", "", "apt-get install libogg0", look_at_library},
    {"vorbis", "Vorbis sounds", "", "apt-get install libvorbis0a", look_at_library},
    {"assetc-shaders", "GLSL and HLSL shaders", "shaderc", "install assetc and assetc-shaders from one package",
     look_at_shaders},
    {"slangc", "Slang shaders", "", "install the Vulkan SDK, or a release of github.com/shader-slang/slang",
     look_at_program},
    {"dxc", "HLSL through dxc", "",
     "install the Vulkan SDK, or a release of github.com/microsoft/DirectXShaderCompiler", look_at_program},
    {"nettle", "SHA-256 of cooks", "", "apt-get install libnettle8", look_at_library},
    {"icu_uc", "names in all languages", "", "apt-get install libicu72", look_at_library},
    {"icu_i18n", "virtual paths in all languages", "", "apt-get install libicu72", look_at_library},
    {"uv", "watch, serve and view", "", "apt-get install libuv1", look_at_library},
    {"curl", "shared caches", "", "install libcurl 7.85 or later; on Debian: apt-get install libcurl4", look_at_curl},
    {"page", "the page of assetc view", "", "run scripts/build-web --page, or install a package", look_at_page},
    {"cache", "cache of this machine", "", "", look_at_cache},
    {"watching", "file watching", "", "sysctl fs.inotify.max_user_watches=524288", look_at_watching},
    {"processors", "processors", "", "", look_at_processors},
    {"memory", "memory", "", "", look_at_memory},
    {"project", "project", "", "assetc new my-game", look_at_project},
};

}  // namespace

int run_doctor(const Arguments& arguments, Console& console, engine::Disk& disk) {
  static constexpr std::string_view kWords[] = {"ok", "missing", "optional"};
  const Context context{arguments, console, disk};
  std::uint64_t counts[3] = {};
  Table table({Table::Align::kLeft, Table::Align::kLeft, Table::Align::kLeft});
  for (const Part& part : kParts) {
    const Finding finding = part.look(part, context);
    const auto state = static_cast<std::size_t>(finding.state);
    ++counts[state];
    if (arguments.json) {
      console.out(json_event("part")
                      .add("name", part.name)
                      .add("does", part.does)
                      .add("state", kWords[state])
                      .add("detail", finding.detail)
                      .add("remedy", finding.remedy)
                      .str() +
                  "\n");
      continue;
    }
    table.add({std::string(kWords[state]), std::string(part.does),
               finding.detail + (finding.remedy.empty() ? "" : "; to get it: " + finding.remedy)});
  }
  const bool is_well = counts[1] == 0;
  if (arguments.json) {
    console.out(json_event("doctor_summary")
                    .add("ok", is_well)
                    .add("version", kVersion)
                    .add("missing", counts[1])
                    .add("optional", counts[2])
                    .str() +
                "\n");
  } else {
    console.out("assetc " + std::string(kVersion) + "\n" + table.str());
    console.out(is_well ? console.paint_out(Style::kGreen, "nothing that is needed is missing") + "; " +
                              plural(counts[2], "optional part") + " not found\n"
                        : console.paint_out(Style::kRed, plural(counts[1], "needed part") + " missing") + "\n");
  }
  return is_well ? kExitOk : kExitProblems;
}

}  // namespace assetc::cli
