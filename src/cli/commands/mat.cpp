// assetc mat: a .mat for each set of pictures whose names say what they are. A file that exists is never replaced.
#include "base/json_line.hpp"
#include "cli/commands/commands.hpp"
#include "engine/meta/material_files.hpp"
#include "text/format.hpp"

namespace assetc::cli {
namespace {

std::string names_of(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths)
    text.append(text.empty() ? "" : ", ").append(printable(path.substr(path.rfind('/') + 1)));
  return text;
}

}  // namespace

int run_mat(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const auto profile = load_profile(arguments, console, disk);
  if (!profile) return stop(arguments, console, profile.error());
  const auto made = engine::write_material_files(*profile, arguments.mat_folder, arguments.dry_run, disk);
  if (!made) return stop(arguments, console, made.error());
  const auto at = [&](const std::string& path) { return profile->input + "/" + path; };
  for (const recipes::MaterialSet& set : made->written) {
    if (arguments.json) {
      console.out(json_event("material")
                      .add("path", at(set.path))
                      .add("written", !arguments.dry_run)
                      .add("pictures", set.pictures)
                      .add("unused", set.unused)
                      .str() +
                  "\n");
      continue;
    }
    console.out(formatted("{} {}: {}\n", arguments.dry_run ? "would write" : "wrote", printable(at(set.path)),
                          names_of(set.pictures)));
    if (!set.unused.empty())
      console.out("  not used, because no key of a .mat takes it: " + names_of(set.unused) + "\n");
  }
  for (const std::string& path : made->kept) {
    if (arguments.json) {
      console.out(json_event("material").add("path", at(path)).add("written", false).add("exists", true).str() + "\n");
    } else {
      console.out(printable(at(path)) + " already exists and was not changed\n");
    }
  }
  for (const Error& error : made->conflicts) say(arguments, console, {recipes::Severity::kError, error});
  return made->conflicts.empty() ? kExitOk : kExitProblems;
}

}  // namespace assetc::cli
