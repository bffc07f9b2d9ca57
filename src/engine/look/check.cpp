#include "engine/look/check.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>

#include "assetc/base/hash.hpp"
#include "assetc/formats/hanim.hpp"
#include "assetc/formats/hman.hpp"
#include "assetc/formats/hmat.hpp"
#include "assetc/formats/hmesh.hpp"
#include "assetc/formats/ktx2.hpp"
#include "assetc/runtime/inflate.hpp"
#include "engine/look/inspect.hpp"
#include "shader/shader.hpp"

namespace assetc::engine {
namespace {

constexpr std::string_view kManifest = "assets.hman";

// What the cross-checks need of a file after its bytes are let go.
struct Facts {
  bool valid = false;
  std::uint32_t materials = 0;  // of .hmesh, rows of .hmat
  std::uint32_t joints = 0;
  bool names_rows = true;    // its materials are rows of a .hmat; .hmesh version 1 is older than .hmat
  std::optional<bool> srgb;  // of .ktx2
};

std::string with_extension(std::string_view path, std::string_view extension) {
  return std::string(path.substr(0, path.rfind('.'))) + std::string(extension);
}

// What ktx2::View leaves to whoever inflates.
Result<void> check_levels(const ktx2::View& texture) {
  if (texture.supercompression() != ktx2::Supercompression::kZstd) return {};
  for (std::size_t i = 0; i < texture.levels().size(); ++i) {
    if (auto level = runtime::check_level(texture, i); !level) {
      level.error().hint = "build again with --no-cache";
      return level;
    }
  }
  return {};
}

Result<void> check_spirv(ByteSpan bytes) {
  const std::uint32_t version = bytes.size() >= 8 ? load<std::uint32_t>(bytes, 4) : 0;
  const shader::Target target = version <= 0x00010000   ? shader::Target::kVulkan10
                                : version <= 0x00010300 ? shader::Target::kVulkan11
                                : version <= 0x00010500 ? shader::Target::kVulkan12
                                                        : shader::Target::kVulkan13;
  return shader::validate_spirv(bytes, target);
}

class Checker {
 public:
  Checker(const std::string& output, Disk& disk) : output_(output), disk_(disk) {}

  Result<CheckReport> run() {
    const auto status = disk_.status(output_);
    if (!status || status->type != FileType::kDirectory) {
      return std::unexpected(
          Error{ErrorCode::kNotFound, output_, {}, "no output folder here", "run assetc first, or name it with -o"});
    }
    ASSETC_TRY(const Tree tree, disk_.walk(output_, is_bookkeeping, 1));
    for (std::size_t i = 0; i < tree.size(); ++i) {
      if (tree[i].type == FileType::kFile) facts_.emplace(tree.path(i), Facts{});
    }
    report_.files = facts_.size();

    std::vector<std::pair<const std::string, Facts>*> files;
    for (auto& file : facts_) files.push_back(&file);
    tbb::parallel_for(std::size_t{0}, files.size(),
                      [&](std::size_t i) { check_alone(files[i]->first, files[i]->second); });

    check_manifest();
    for (const auto& [path, facts] : facts_) {
      if (!facts.valid) continue;
      if (path.ends_with(".hmat")) check_materials(path);
      if (path.ends_with(".hmesh") || path.ends_with(".gali")) check_mesh(path, facts);
      if (path.ends_with(".hanim")) check_animation(path);
    }
    std::ranges::sort(report_.problems, {}, [](const Error& e) { return std::tie(e.file, e.place, e.what); });
    return std::move(report_);
  }

 private:
  static bool is_bookkeeping(std::string_view path, bool directory) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return name.starts_with(kTemporaryPrefix) || (!directory && name.starts_with(".assetc-"));
  }

  void problem(std::string_view path, Error error) {
    const std::scoped_lock lock(mutex_);
    report_.problems.push_back(std::move(error).in(path));
  }
  void problem(std::string_view path, std::string place, std::string what, std::string hint) {
    problem(path, Error{ErrorCode::kInvalidData, {}, std::move(place), std::move(what), std::move(hint)});
  }

  // The bytes of a file that is there; a problem otherwise.
  std::optional<Bytes> read(std::string_view path) {
    auto bytes = disk_.read(output_ + "/" + std::string(path));
    if (bytes) return std::move(*bytes);
    problem(path, std::move(bytes).error());
    return std::nullopt;
  }

  void check_alone(const std::string& path, Facts& facts) {
    const auto bytes = read(path);
    if (!bytes) return;
    const auto content = inspect_file(path, *bytes);
    if (!content) return problem(path, content.error());
    if (path.ends_with(".ktx2")) {
      const auto texture = ktx2::View::open(*bytes);
      facts.srgb = texture->is_srgb();
      if (auto levels = check_levels(*texture); !levels) return problem(path, std::move(levels).error());
    }
    if (path.ends_with(".spv")) {
      if (auto valid = check_spirv(*bytes); !valid) return problem(path, std::move(valid).error());
    }
    if (const auto* mesh = std::get_if<MeshInfo>(&*content)) {
      facts.materials = mesh->materials;
      facts.joints = mesh->joints;
      facts.names_rows = mesh->container != "hmesh 1";
    }
    if (const auto* table = std::get_if<MaterialInfo>(&*content)) facts.materials = table->rows;
    facts.valid = true;
  }

  void check_manifest() {
    const auto found = facts_.find(kManifest);
    if (found == facts_.end()) {
      problem(kManifest, {}, "there is no manifest: no build of this folder has succeeded yet",
              "build until nothing fails");
      return;
    }
    if (!found->second.valid) return;
    manifest_bytes_ = read(kManifest);
    if (!manifest_bytes_) return;
    auto opened = hman::View::open(*manifest_bytes_);
    if (!opened) return problem(kManifest, opened.error());
    manifest_ = std::move(*opened);
    for (std::size_t i = 0; i < manifest_->entries().size(); ++i) {
      const hman::EntryView& entry = manifest_->entries()[i];
      const std::string place = fmt::format("entry {}", i);
      const auto file = facts_.find(entry.path);
      if (file == facts_.end()) {
        problem(kManifest, place, fmt::format("{} is not in the output folder", entry.path),
                "build again: missing outputs are made again");
        continue;
      }
      const std::string_view ref = entry.path.substr(0, entry.path.rfind('.'));
      const bool by_ref = entry.hash == hash_asset_ref(ref);
      if (!by_ref && (entry.kind == hman::Kind::kTexture || entry.hash != hash_embed_ref(entry.path))) {
        problem(kManifest, place,
                fmt::format("hash {:016x} is not that of {} ({:016x})", entry.hash, ref, hash_asset_ref(ref)),
                "build again");
      }
      if (file->second.srgb && *file->second.srgb != (entry.colorspace == hman::Colorspace::kSrgb)) {
        problem(kManifest, place,
                fmt::format("says that {} is {}, but the file is {}", entry.path,
                            *file->second.srgb ? "linear" : "sRGB", *file->second.srgb ? "sRGB" : "linear"),
                "build again");
      }
    }
  }

  void check_materials(const std::string& path) {
    const auto bytes = read(path);
    if (!bytes) return;
    const auto table = hmat::View::open(*bytes);
    if (!table) return;
    for (std::size_t row = 0; row < table->materials().size(); ++row) {
      const hmat::GpuMaterial& material = table->materials()[row];
      const std::pair<const char*, std::uint64_t> slots[] = {
          {"base colour", material.base_color_texture},
          {"metallic-roughness", material.metallic_roughness_texture},
          {"normal", material.normal_texture},
          {"occlusion", material.occlusion_texture},
          {"emissive", material.emissive_texture}};
      for (const auto& [slot, hash] : slots) {
        if (hash == 0) continue;
        ++report_.references;
        if (manifest_ && !manifest_->find(hash)) {
          problem(path, fmt::format("row {}", row), fmt::format("{} texture {:016x} is not in assets.hman", slot, hash),
                  "build until nothing fails; the texture's source may be missing");
        }
      }
    }
  }

  void check_mesh(const std::string& path, const Facts& facts) {
    if (!facts.names_rows) return;
    const std::string sibling = with_extension(path, ".hmat");
    const auto table = facts_.find(sibling);
    if (table == facts_.end()) {
      if (facts.materials > 0) {
        problem(path, "MTRL", fmt::format("has {} materials, but there is no {}", facts.materials, sibling),
                "build again");
      }
    } else if (table->second.valid && table->second.materials != facts.materials) {
      problem(path, "MTRL",
              fmt::format("has {} materials, but {} has {} rows", facts.materials, sibling, table->second.materials),
              "build again");
    }
  }

  void check_animation(const std::string& path) {
    std::vector<std::pair<std::string, std::uint32_t>> meshes;  // and their joints
    for (const std::string_view extension : {".hmesh", ".gali"}) {
      const auto mesh = facts_.find(with_extension(path, extension));
      if (mesh == facts_.end()) continue;
      if (!mesh->second.valid) return;  // told already
      meshes.emplace_back(mesh->first, mesh->second.joints);
    }
    if (meshes.empty()) {
      return problem(path, {},
                     fmt::format("animates {} or {}, but neither is there", with_extension(path, ".hmesh"),
                                 with_extension(path, ".gali")),
                     "build again");
    }
    const auto bytes = read(path);
    if (!bytes) return;
    const auto animation = hanim::View::open(*bytes);
    if (!animation) return;
    for (const auto& [mesh, joints] : meshes) {
      if (auto fits = animation->check_joints(joints); !fits) {
        Error error = std::move(fits).error();
        error.what += " " + mesh;
        problem(path, std::move(error));
      }
    }
  }

  const std::string& output_;
  Disk& disk_;
  std::mutex mutex_;
  CheckReport report_;
  std::map<std::string, Facts, std::less<>> facts_;
  std::optional<Bytes> manifest_bytes_;
  std::optional<hman::View> manifest_;
};

}  // namespace

Result<CheckReport> check(const std::string& output, Disk& disk) { return Checker(output, disk).run(); }

}  // namespace assetc::engine
