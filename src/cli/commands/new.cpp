// assetc new: a small project that compiles. Its texts are src/cli/templates; the picture is drawn here.
#include <algorithm>
#include <array>

#include "base/absolute_path.hpp"
#include "base/json_line.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/templates.hpp"
#include "engine/target/target.hpp"
#include "export/png.hpp"
#include "os/machine.hpp"

namespace assetc::cli {
namespace {

struct NewFile {
  std::string path;  // below the project
  ByteVector bytes;
};

ByteVector bytes_of(std::string_view text) {
  const ByteSpan bytes = as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

// Planks with gaps and a frame.
Result<ByteVector> wood_png() {
  constexpr std::uint32_t kSide = 128, kPlank = 32, kFrame = 12;
  scene::Image image{.width_texels = kSide, .height_texels = kSide, .pixels = ByteVector(kSide * kSide * 4)};
  std::size_t at = 0;
  for (std::uint32_t y = 0; y < kSide; ++y) {
    for (std::uint32_t x = 0; x < kSide; ++x) {
      const std::uint32_t edge = std::min({x, y, kSide - 1 - x, kSide - 1 - y});
      const bool is_gap = y % kPlank < 2 || edge == kFrame;
      const std::uint32_t grain = (x * 3 + y / kPlank * 29 + y * y % 11) % 16;
      const std::uint32_t light = is_gap ? 60 : 170 + grain + (edge < kFrame ? 30 : 0);
      for (const std::uint32_t share : {100u, 72u, 44u})
        image.pixels[at++] = static_cast<std::byte>(light * share / 100);
      image.pixels[at++] = std::byte{255};
    }
  }
  return exporter::write_png(image);
}

// The starter configuration. A page draws a scene, so that of the web writes scenes instead of single meshes.
std::string configuration(std::string_view purpose) {
  std::string text = engine::starter_config(engine::runtime_target().bundle_suffix);
  constexpr std::string_view kScene = "    # scene: auto ";
  if (const std::size_t at = text.find(kScene); purpose == "web" && at != text.npos)
    text.replace(at, kScene.size(), "    scene: true   ");
  return text;
}

Result<std::vector<NewFile>> files_of(const std::string& purpose, const std::string& name) {
  const std::string assets = purpose == "cooked" ? "Assets/" : "assets/";
  std::vector<NewFile> files;
  for (const Template& part : templates()) {
    const std::string_view folder = part.path.substr(0, part.path.find('/'));
    const std::string_view path = part.path.substr(folder.size() + 1);
    std::string text(part.text);
    constexpr std::string_view kName = "@NAME@";
    if (const std::size_t at = text.find(kName); at != text.npos) text.replace(at, kName.size(), name);
    if (folder == "model") {
      files.push_back({assets + "crate/" + std::string(path), bytes_of(text)});
    } else if (folder == purpose) {
      files.push_back({path == "gitignore" ? ".gitignore" : std::string(path), bytes_of(text)});
    }
  }
  ASSETC_TRY(ByteVector picture, wood_png());
  files.push_back({assets + "crate/crate.png", std::move(picture)});
  if (purpose != "cooked") files.push_back({"assetc.yml", bytes_of(configuration(purpose))});
  return files;
}

// Errors: kUsage if something is in the way.
Result<void> check_free(const std::string& folder, engine::Disk& disk) {
  const auto status = disk.status(folder);
  if (!status) return status.error().code == ErrorCode::kNotFound ? Result<void>{} : std::unexpected(status.error());
  if (status->type != engine::FileType::kDirectory) {
    return std::unexpected(
        Error{ErrorCode::kUsage, folder, {}, "already exists and is not a folder", "choose another name"});
  }
  std::string found;
  const auto first = [&](std::string_view path, bool) {
    if (found.empty()) found = path;
    return engine::Visit::kLeaveOut;
  };
  ASSETC_TRY(const engine::Tree tree, disk.walk(folder, first, 1));
  ASSETC_CHECK(tree.whole(folder));
  if (found.empty()) return {};
  return std::unexpected(Error{ErrorCode::kUsage,
                               folder,
                               {},
                               "already exists and contains " + found + "; nothing was changed",
                               "choose another name, or use `assetc init` in a folder that has assets"});
}

std::string parent_of(const std::string& path) { return path.substr(0, std::min(path.rfind('/'), path.size())); }

// The folders of a path that do not exist, the deepest first.
std::vector<std::string> missing_folders(std::string path, engine::Disk& disk) {
  std::vector<std::string> missing;
  while (!path.empty() && !disk.status(path)) {
    missing.push_back(path);
    if (path.find('/') == path.npos) break;
    path = parent_of(path);
  }
  return missing;
}

// Writes all files, or removes those that it wrote.
Result<void> write_all(const std::string& folder, const std::vector<NewFile>& files, engine::Disk& disk) {
  std::vector<std::string> folders, written;
  for (const NewFile& file : files) {
    const std::string path = folder + "/" + file.path;
    std::vector<std::string> missing = missing_folders(parent_of(path), disk);
    folders.insert(folders.begin(), missing.begin(), missing.end());
    const auto done = disk.replace(path, std::nullopt, file.bytes);
    if (done) {
      written.push_back(path);
      continue;
    }
    std::string left;
    for (const std::string& one : written) {
      if (!disk.remove(one) && left.empty()) left = one;
    }
    for (const std::string& one : folders) {
      if (disk.status(one) && !disk.remove_empty_directory(one) && left.empty()) left = one;
    }
    Error error = done.error();
    if (!left.empty()) error.what += "; could not remove " + left + " again";
    return std::unexpected(std::move(error).in(path));
  }
  return {};
}

// A word for the shell of this system.
std::string shell_word(const std::string& word) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._-/:+@").contains(c) || static_cast<unsigned char>(c) >= 0x80;
  };
  if (std::ranges::all_of(word, is_plain) && !word.starts_with('-')) return word;
  if (kHasDrives) return '"' + word + '"';
  std::string quoted = word.starts_with('-') ? "'./" : "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// The packed npm packages beside the program; empty if there are none.
std::string packed_packages(engine::Disk& disk) {
  const std::string folder = parent_of(os::program_path());
  const std::string packs = disk.real_path(folder + "/../web");
  const auto names = disk.list(packs);
  std::string found;
  if (!names) return found;
  for (const std::string& name : *names) {
    if ((name.starts_with("assetc-codec-") || name.starts_with("assetc-three-")) && name.ends_with(".tgz"))
      found += " " + shell_word(packs + "/" + name);
  }
  return found;
}

std::array<std::string, 3> next_steps(const std::string& purpose, const std::string& folder, engine::Disk& disk) {
  const std::string enter = "cd " + shell_word(folder);
  if (purpose == "web") return {enter + " && assetc", "npm install" + packed_packages(disk), "npm start"};
  if (purpose == "cooked") {
    const std::string platform = kHasDrives ? "Win64" : "Linux";
    return {enter + " && assetc import", "assetc cook --platform " + platform,
            "assetc validate --platform " + platform};
  }
  return {enter + " && assetc", "cmake -B build && cmake --build build", "build/game"};
}

}  // namespace

int run_new(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const NewArguments& asked = arguments.make;
  std::string folder = asked.folder;
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  if (const auto free = check_free(folder, disk); !free) return stop(arguments, console, free.error());
  const std::string real = disk.real_path(folder);
  const auto files = files_of(asked.purpose, printable(real.substr(real.rfind('/') + 1)));
  if (!files) return stop(arguments, console, files.error());
  if (const auto written = write_all(folder, *files, disk); !written) return stop(arguments, console, written.error());

  const auto steps = next_steps(asked.purpose, folder, disk);
  if (arguments.json) {
    std::vector<std::string> paths;
    for (const NewFile& file : *files) paths.push_back(file.path);
    console.out(json_event("project_made")
                    .add("path", folder)
                    .add("purpose", asked.purpose)
                    .add("files", paths)
                    .add("steps", steps)
                    .str() +
                "\n");
    return kExitOk;
  }
  console.wrote(folder, ", a project of " + plural(files->size(), "file") + ". Next steps:");
  for (const std::string& step : steps) console.out("  " + step + "\n");
  return kExitOk;
}

}  // namespace assetc::cli
