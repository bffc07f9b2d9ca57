// Checks the floors of docs/architecture.md: a file includes only its own folder and folders on lower floors.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "places.hpp"

namespace {

namespace fs = std::filesystem;

struct Floor {
  int height = 0;
  std::string number;  // as in docs/architecture.md: "2.1"
};

// ASSETC_FLOORS: "0 base|1 formats process|...": a number and its folders, lowest first.
std::map<std::string, Floor> read_floors() {
  std::map<std::string, Floor> floors;
  std::istringstream list(ASSETC_FLOORS);
  std::string floor, number;
  for (int height = 0; std::getline(list, floor, '|'); ++height) {
    std::istringstream folders(floor);
    folders >> number;
    for (std::string folder; folders >> folder;) floors.emplace(folder, Floor{height, number});
  }
  return floors;
}
const std::map<std::string, Floor> kFloors = read_floors();

// The folder on a floor that contains a path below src/ or include/assetc/: the longest one that is listed.
std::optional<std::string> folder_of(std::string_view path) {
  for (std::size_t slash = path.rfind('/'); slash != path.npos && slash != 0; slash = path.rfind('/', slash - 1)) {
    std::string folder(path.substr(0, slash));
    if (kFloors.contains(folder)) return folder;
  }
  return std::nullopt;
}
// The folder of an include, if it is one of ours: "assetc/base/bytes.hpp" and "base/x.hpp" are both base. The codec's
// public headers count as its lowest folder, and the version header as base.
std::optional<std::string> folder_included(std::string_view included) {
  if (included.starts_with("assetc/codec/")) return "codec/block";
  if (included == "assetc/version.hpp") return "base";
  if (included.starts_with("assetc/")) included.remove_prefix(7);
  return folder_of(included);
}

// One message for every include of text that is not allowed in `folder`.
std::vector<std::string> climbs(const std::string& folder, const std::string& file, std::istream& text) {
  std::vector<std::string> found;
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    const std::size_t open = line.find_first_of("\"<");
    if (!line.starts_with("#include") || open == line.npos) continue;
    const std::string included = line.substr(open + 1, line.find_first_of("\">", open + 1) - open - 1);
    const auto target = folder_included(included);
    if (!target || *target == folder) continue;
    if (kFloors.at(*target).height < kFloors.at(folder).height) continue;
    found.push_back(file + ":" + std::to_string(number) + ": includes \"" + included + "\": " + folder +
                    " is on floor " + kFloors.at(folder).number + ", " + *target + " on floor " +
                    kFloors.at(*target).number);
  }
  return found;
}

std::vector<fs::path> sources_below(const fs::path& root) {
  std::vector<fs::path> files;
  if (!fs::exists(root)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() == ".cpp" || entry.path().extension() == ".hpp") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

TEST(Floors, no_include_climbs) {
  const fs::path root = assetc::places::kSource;
  std::size_t files = 0;
  for (const fs::path& place : {root / "src", root / "include/assetc"}) {
    for (const fs::path& file : sources_below(place)) {
      const std::string path = fs::relative(file, place).generic_string();
      const auto folder = place.filename() == "assetc" ? folder_included("assetc/" + path) : folder_of(path);
      ASSERT_TRUE(folder) << file
                          << " is on no floor: add its folder to cmake/AssetcFloors.cmake and docs/architecture.md";
      ++files;
      std::ifstream text(file);
      for (const std::string& climb : climbs(*folder, fs::relative(file, root).string(), text)) ADD_FAILURE() << climb;
    }
  }
  EXPECT_GT(files, 100u) << "the sources were not found below " << root;
}

TEST(Floors, every_floor_has_a_folder) {
  for (const auto& [folder, floor] : kFloors) {
    EXPECT_TRUE(fs::is_directory(fs::path(assetc::places::kSource) / "src" / folder))
        << folder << " is listed but does not exist";
  }
}

TEST(Floors, a_climbing_include_is_found_and_named) {
  std::istringstream text(
      "#include <vector>\n#include \"assetc/base/bytes.hpp\"\n#include \"engine/disk/disk.hpp\"\n#include "
      "\"mesh/weld.hpp\"\n");
  EXPECT_EQ(
      climbs("texture", "src/texture/mips.cpp", text),
      (std::vector<std::string>{
          "src/texture/mips.cpp:3: includes \"engine/disk/disk.hpp\": texture is on floor 5, engine/disk on floor 8.1",
          "src/texture/mips.cpp:4: includes \"mesh/weld.hpp\": texture is on floor 5, mesh on floor 5",
      }));
}

// The floor numbers in the table of docs/architecture.md, by folder. Rows: "| 3 | `src/scene` `src/x` | ...", or "| |
// ..." for a further row of the same floor.
std::map<std::string, std::string> documented_floors(std::istream& page) {
  std::map<std::string, std::string> floors;
  std::string line, number;
  while (std::getline(page, line)) {
    if (!line.starts_with("| ")) continue;
    const std::size_t end = line.find('|', 2);
    const std::size_t folders_end = line.find('|', end == line.npos ? end : end + 1);
    if (folders_end == line.npos) continue;
    std::istringstream first(line.substr(1, end - 1));
    if (std::string cell; first >> cell) number = cell;
    for (std::size_t at = end; (at = line.find("`src/", at)) < folders_end;) {
      at += 5;
      floors.emplace(line.substr(at, line.find('`', at) - at), number);
    }
  }
  return floors;
}

TEST(Floors, are_numbered_as_in_the_page) {
  std::ifstream page(fs::path(assetc::places::kSource) / "docs/architecture.md");
  std::map<std::string, std::string> numbers;
  for (const auto& [folder, floor] : kFloors) numbers.emplace(folder, floor.number);
  EXPECT_EQ(documented_floors(page), numbers);
}

// The first name in a source that belongs to one format or kind of asset; empty if there is none.
std::string format_named(std::istream& text) {
  static constexpr std::string_view kNames[] = {"assetc/formats/",
                                                "filetypes/readers",
                                                "AssetKind::k",
                                                ".ktx2",
                                                ".hman",
                                                ".hpack",
                                                ".hmesh",
                                                ".hmat",
                                                ".hanim",
                                                ".gali",
                                                ".pak"};
  std::string line;
  while (std::getline(text, line)) {
    const std::string_view code = std::string_view(line).substr(0, line.find("//"));
    for (const std::string_view name : kNames) {
      const std::size_t at = code.find(name);
      // Suffixes count only in strings, because a member of an object may have the same name.
      if (at != code.npos && (name[0] != '.' || code[at + name.size()] == '"')) return std::string(name);
    }
  }
  return {};
}

// Only targets know the formats that a build writes. `info`, `check` and `validate` may look into files.
TEST(Floors, the_engine_names_formats_in_its_targets_alone) {
  std::size_t files = 0;
  for (const auto& [folder, floor] : kFloors) {
    if (!folder.starts_with("engine/") || folder == "engine/target" || folder == "engine/look") continue;
    for (const fs::path& file : sources_below(fs::path(assetc::places::kSource) / "src" / folder)) {
      ++files;
      std::ifstream text(file);
      EXPECT_EQ(format_named(text), "") << file;
    }
  }
  EXPECT_GT(files, 80u);
}

TEST(Floors, a_format_that_is_named_is_found) {
  const auto named = [](const char* text) {
    std::istringstream source(text);
    return format_named(source);
  };
  EXPECT_EQ(named("#include \"assetc/formats/hman.hpp\"\n"), "assetc/formats/");
  EXPECT_EQ(named("if (kind == AssetKind::kMesh) return;\n"), "AssetKind::k");
  EXPECT_EQ(named("return path + \".hmesh\";\n"), ".hmesh");
  EXPECT_EQ(named("a.pak = b.pak;  // as \".pak\" says\n"), "");
}

// The format headers that text includes, except the allowed ones.
std::vector<std::string> formats_included(std::istream& text, std::span<const std::string_view> allowed) {
  std::vector<std::string> found;
  std::string line;
  while (std::getline(text, line)) {
    const std::size_t at = line.find("formats/");
    if (!line.starts_with("#include") || at == line.npos) continue;
    std::string header = line.substr(at, line.find_first_of("\">", at) - at);
    if (std::ranges::find(allowed, header) == allowed.end()) found.push_back(std::move(header));
  }
  return found;
}

// Every container interleaves and packs a mesh itself, but all use the clips of .hanim and the structs of
// mesh_model.hpp.
constexpr std::array<std::string_view, 4> kFormatsOfMeshes{"formats/hanim.hpp", "formats/mesh_bounds.hpp",
                                                           "formats/mesh_model.hpp", "formats/octahedral.hpp"};

TEST(Floors, the_mesh_work_names_no_container) {
  std::size_t files = 0;
  for (const fs::path& file : sources_below(fs::path(assetc::places::kSource) / "src/mesh")) {
    ++files;
    std::ifstream text(file);
    EXPECT_EQ(formats_included(text, kFormatsOfMeshes), std::vector<std::string>{}) << file;
  }
  EXPECT_GT(files, 20u);
}

TEST(Floors, a_container_that_the_mesh_work_names_is_found) {
  std::istringstream text(
      "#include \"assetc/formats/hanim.hpp\"\n#include \"assetc/formats/hmesh.hpp\"\n"
      "#include \"formats/galileo/source.hpp\"\n");
  EXPECT_EQ(formats_included(text, kFormatsOfMeshes),
            (std::vector<std::string>{"formats/hmesh.hpp", "formats/galileo/source.hpp"}));
}

// The first thing in a source by which it accesses files itself; empty if there is none.
std::string file_access(std::istream& text) {
  static constexpr std::string_view kNames[] = {
      "<filesystem>", "<fstream>", "\"os/file.hpp\"", "\"os/mapping.hpp\"", "\"os/directory.hpp\"",
      "ifstream",     "ofstream",  "fopen(",          "freopen(",           "os::File"};
  std::string line;
  while (std::getline(text, line)) {
    const std::string_view code = std::string_view(line).substr(0, line.find("//"));
    for (const std::string_view name : kNames) {
      if (code.contains(name)) return std::string(name);
    }
  }
  return {};
}

// Only the engine accesses the disk. Commands call engine::Disk.
TEST(Floors, no_command_accesses_files_itself) {
  std::size_t files = 0;
  for (const fs::path& file : sources_below(fs::path(assetc::places::kSource) / "src/cli")) {
    ++files;
    std::ifstream text(file);
    EXPECT_EQ(file_access(text), "") << file;
  }
  EXPECT_GT(files, 50u);
}

TEST(Floors, a_file_access_is_found) {
  const auto found = [](const char* text) {
    std::istringstream source(text);
    return file_access(source);
  };
  EXPECT_EQ(found("#include \"os/file.hpp\"\n"), "\"os/file.hpp\"");
  EXPECT_EQ(found("  std::ifstream file(path);\n"), "ifstream");
  EXPECT_EQ(found("auto bytes = disk.read(path);  // not std::ifstream\n"), "");
}

// The words of a source without comments.
std::string code_of(std::istream& text) {
  std::string code, line;
  while (std::getline(text, line)) code += line.substr(0, line.find("//")) + "\n";
  return code;
}

// The classes of the engine that the classes in a source derive from: "class A final : public engine::B".
std::vector<std::string> engine_bases(const std::string& code) {
  static constexpr std::string_view kBase = "public engine::";
  std::vector<std::string> bases;
  for (std::size_t at = code.find(kBase); at != code.npos; at = code.find(kBase, at + 1)) {
    const std::size_t begin = at + kBase.size();
    bases.push_back(code.substr(begin, code.find_first_of(" ,{\n", begin) - begin));
  }
  return bases;
}

// The virtual functions of a class that return something, one in each line.
std::vector<std::string> questions_of(const std::string& name, const std::string& code) {
  std::vector<std::string> questions;
  const std::size_t begin = code.find("class " + name + " ");
  if (begin == code.npos) return {"class " + name + " was not found"};
  std::istringstream body(code.substr(begin, code.find("\n};", begin) - begin));
  for (std::string line; std::getline(body, line);) {
    const std::size_t at = line.find("virtual ");
    if (at != line.npos && !line.contains("virtual void ") && !line.contains("virtual ~")) questions.push_back(line);
  }
  return questions;
}

// The engine tells commands what happens, and never asks them: the classes by which it calls a command return nothing.
TEST(Floors, the_engine_asks_no_command) {
  std::string engine;
  for (const fs::path& file : sources_below(fs::path(assetc::places::kSource) / "src/engine")) {
    if (file.extension() != ".hpp") continue;
    std::ifstream text(file);
    engine += code_of(text);
  }
  std::size_t listeners = 0;
  for (const fs::path& file : sources_below(fs::path(assetc::places::kSource) / "src/cli")) {
    std::ifstream text(file);
    for (const std::string& base : engine_bases(code_of(text))) {
      ++listeners;
      EXPECT_EQ(questions_of(base, engine), std::vector<std::string>{}) << file;
    }
  }
  EXPECT_GT(listeners, 3u);
}

TEST(Floors, a_question_to_a_command_is_found) {
  const std::string engine =
      "class Host {\n  virtual ~Host() = default;\n  virtual void say() = 0;\n  virtual int next() = 0;\n};\n"
      "class Sink {\n  virtual void on() = 0;\n};\n";
  EXPECT_EQ(engine_bases("class A final : public B, public engine::Host {\n"), std::vector<std::string>{"Host"});
  EXPECT_EQ(questions_of("Host", engine), std::vector<std::string>{"  virtual int next() = 0;"});
  EXPECT_EQ(questions_of("Sink", engine), std::vector<std::string>{});
}

// An engine that links formats depends only on the standard library.
TEST(Floors, public_headers_include_the_standard_library_and_each_other_only) {
  for (const fs::path& file : sources_below(fs::path(assetc::places::kSource) / "include")) {
    std::ifstream text(file);
    std::string line;
    for (int number = 1; std::getline(text, line); ++number) {
      if (!line.starts_with("#include")) continue;
      const bool ours = line.starts_with("#include \"assetc/");
      const bool standard =
          line.starts_with("#include <") && line.find('.') == line.npos && line.find('/') == line.npos;
      EXPECT_TRUE(ours || standard) << file << ":" << number << ": " << line;
    }
  }
}

}  // namespace
