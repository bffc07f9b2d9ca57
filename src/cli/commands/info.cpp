// assetc info: the facts of compiled files. src/filetypes lists them; here are only the sums of a folder.
#include <algorithm>
#include <map>

#include "base/json_line.hpp"
#include "cli/commands/commands.hpp"
#include "cli/report/info_json.hpp"
#include "engine/look/inspect.hpp"
#include "engine/look/materials.hpp"
#include "text/format.hpp"

namespace assetc::cli {
namespace {

struct KindTotal {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

struct Totals {
  std::map<std::string, KindTotal, std::less<>> kinds;
  KindTotal all;
  std::uint64_t vertices = 0, triangles = 0, meshlets = 0, materials = 0, clips = 0, inflated_bytes = 0, unreadable = 0;
};

Totals total(const std::vector<engine::FileInfo>& files) {
  Totals totals;
  for (const engine::FileInfo& file : files) {
    for (KindTotal* t : {&totals.kinds[std::string(file.kind)], &totals.all}) {
      ++t->files;
      t->bytes += file.size_bytes;
    }
    totals.unreadable += file.problem.has_value();
    if (const auto* m = std::get_if<filetypes::MeshInfo>(&file.content)) {
      totals.vertices += m->vertices;
      totals.triangles += m->triangles;
      totals.meshlets += m->meshlets;
    }
    if (const auto* m = std::get_if<filetypes::MaterialInfo>(&file.content)) totals.materials += m->rows;
    if (const auto* a = std::get_if<filetypes::AnimationInfo>(&file.content)) totals.clips += a->clips.size();
    if (const auto* t = std::get_if<filetypes::TextureInfo>(&file.content)) totals.inflated_bytes += t->gpu_bytes;
  }
  return totals;
}

Result<engine::Contents> contents_of(const LookAt& at, engine::Disk& disk) {
  if (!at.is_file) return engine::inspect(at.path, disk);
  ASSETC_TRY(engine::FileInfo file, engine::inspect_file(at.path, disk));
  return engine::Contents{{std::move(file)}, {}};
}

// "a.hmat row 0, b.hmat row 2 and 201 more"
std::string list_places(const std::vector<engine::MaterialPlace>& places) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(places.size(), kShown); ++i)
    text += formatted("{}{} row {}", i == 0 ? "" : ", ", places[i].path, places[i].row);
  return places.size() > kShown ? text + formatted(" and {} more", places.size() - kShown) : text;
}

int show_equal_materials(const Arguments& arguments, Console& console, engine::Disk& disk, const LookAt& at) {
  if (at.is_file)
    return stop(
        arguments, console,
        {ErrorCode::kUsage, at.path, {}, "is a file, and --materials compares those of a folder", "name the folder"});
  const auto found = engine::find_equal_materials(at.path, disk);
  if (!found) return stop(arguments, console, found.error());
  for (const Error& e : found->unreadable) stop(arguments, console, e);
  const int code = found->unreadable.empty() ? kExitOk : kExitProblems;
  if (arguments.json) {
    for (const engine::MaterialGroup& group : found->groups) {
      std::string places;
      for (const engine::MaterialPlace& place : group.places)
        places += (places.empty() ? "" : ",") + JsonObject().add("path", place.path).add("row", place.row).str();
      console.out(json_event("equal_materials")
                      .add("same_textures", group.has_same_textures)
                      .raw("materials", "[" + places + "]")
                      .str() +
                  "\n");
    }
    console.out(json_event("materials")
                    .add("output", at.path)
                    .add("materials", found->materials)
                    .add("different", found->different)
                    .add("different_without_textures", found->different_without)
                    .str() +
                "\n");
    return code;
  }
  for (const engine::MaterialGroup& group : found->groups) {
    console.out(formatted("{} {}: {}\n", plural(group.places.size(), "material"),
                          group.has_same_textures ? "are equal" : "differ only in their textures",
                          list_places(group.places)));
  }
  console.out(formatted("{}: {} different, {} if textures are not compared\n", plural(found->materials, "material"),
                        found->different, found->different_without));
  return code;
}

}  // namespace

int run_info(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const auto at = look_at(arguments, console, disk);
  if (!at) return stop(arguments, console, at.error());
  if (arguments.materials) return show_equal_materials(arguments, console, disk, *at);
  const auto contents = contents_of(*at, disk);
  if (!contents) return stop(arguments, console, contents.error());
  say_other_outputs(arguments, console, at->path, contents->other_outputs);
  const std::vector<engine::FileInfo>& files = contents->files;
  const Totals totals = total(files);

  if (arguments.json) {
    for (const engine::FileInfo& file : files) console.out(file_json(file).str() + "\n");
    JsonObject kinds;
    for (const auto& [kind, t] : totals.kinds)
      kinds.add(kind, JsonObject().add("files", t.files).add("bytes", t.bytes));
    console.out(json_event("totals")
                    .add("output", at->path)
                    .add("files", totals.all.files)
                    .add("bytes", totals.all.bytes)
                    .add("kinds", kinds)
                    .add("vertices", totals.vertices)
                    .add("triangles", totals.triangles)
                    .add("meshlets", totals.meshlets)
                    .add("materials", totals.materials)
                    .add("clips", totals.clips)
                    .add("inflated_bytes", totals.inflated_bytes)
                    .add("unreadable", totals.unreadable)
                    .str() +
                "\n");
    return totals.unreadable == 0 ? kExitOk : kExitProblems;
  }

  using enum Table::Align;
  Table listing({kLeft, kRight, kLeft});
  for (const engine::FileInfo& file : files) {
    listing.add({file.path, size_text(file.size_bytes),
                 file.problem
                     ? console.paint_out(Style::kRed, "unreadable: " + file.problem->to_string())
                     : filetypes::facts_of(file.content).text() + (file.scene.empty() ? "" : ", scene " + file.scene)});
  }
  console.out(listing.str());
  if (at->is_file) return totals.unreadable == 0 ? kExitOk : kExitProblems;
  console.out("\n");

  Table sums({kLeft, kRight, kRight});
  for (const auto& [kind, t] : totals.kinds) sums.add({kind, plural(t.files, "file"), size_text(t.bytes)});
  sums.add({"total", plural(totals.all.files, "file"), size_text(totals.all.bytes)});
  console.out(sums.str());
  console.out(formatted("{}, {}, {}, {}, {}; textures: {} inflated\n", plural(totals.triangles, "triangle"),
                        plural(totals.vertices, "vertex"), plural(totals.meshlets, "meshlet"),
                        plural(totals.materials, "material"), plural(totals.clips, "clip"),
                        size_text(totals.inflated_bytes)));
  return totals.unreadable == 0 ? kExitOk : kExitProblems;
}

}  // namespace assetc::cli
