#include "engine/look/check.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "assetc/base/hash.hpp"
#include "assetc/formats/hpack.hpp"
#include "assetc/formats/registry.hpp"
#include "assetc/formats/spirv.hpp"
#include "base/plural.hpp"
#include "bundle/reader.hpp"
#include "engine/look/outputs.hpp"
#include "engine/look/recorded.hpp"
#include "engine/state/cache.hpp"
#include "filetypes/filetypes.hpp"
#include "parallel/parallel.hpp"
#include "shader/bindings.hpp"
#include "text/format.hpp"

namespace assetc::engine {
namespace {

constexpr const char* kBuild = "build again";
constexpr const char* kChanged = "does not hold the bytes that the build wrote";

// The facts of a file that the cross-checks need after its bytes are freed.
struct Facts {
  const filetypes::Row* row = nullptr;
  bool valid = false;
  filetypes::FileContent content;

  template <class Info>
  const Info* get() const {
    return std::get_if<Info>(&content);
  }
};

std::string with_extension(std::string_view path, std::string_view extension) {
  return std::string(path.substr(0, path.rfind('.'))) + std::string(extension);
}

// Checks every rule of a file's format. Returns what the file says of itself.
Result<filetypes::FileContent> check_alone(const filetypes::Reader& reader, ByteSpan file) {
  ASSETC_TRY(filetypes::FileContent content, reader.inspect(file));
  if (reader.check != nullptr) ASSETC_CHECK(reader.check(file));
  return content;
}

Error incomplete() {
  return {ErrorCode::kInvalidData,
          {},
          {},
          "is incomplete: it lacks sources that failed, and those that depend on them",
          "build until nothing fails"};
}

class Checker {
 public:
  Checker(const std::string& output, Disk& disk) : output_(output), disk_(disk) {}

  Result<CheckReport> run() {
    ASSETC_TRY(OutputFolder folder, open_output(output_, disk_));
    const Tree& tree = folder.tree;
    report_.other_outputs = std::move(folder.other_outputs);
    for (std::size_t i = 0; i < tree.size(); ++i) {
      if (tree[i].type == FileType::kFile) facts_.emplace(tree.path(i), Facts{});
    }
    if (facts_.contains(registry::kJsonPath) && !facts_.contains(kManifestName))
      return std::unexpected(Error{ErrorCode::kUsage, output_, {}, "is the output of a cook", "run `assetc validate`"});
    report_.files = facts_.size();
    ASSETC_TRY(recorded_, recorded_of(output_, runtime_target(), disk_));

    std::vector<std::pair<const std::string, Facts>*> files;
    files.reserve(facts_.size());
    for (auto& file : facts_) files.push_back(&file);
    parallel_for(files.size(), [&](std::size_t i) { check_by_itself(files[i]->first, files[i]->second); });

    check_records();
    check_manifest();
    for (const auto& [path, facts] : facts_) by_hash_.emplace(hash_embed_ref(path), path);
    for (const auto& [path, facts] : facts_) {
      const auto* scene = facts.get<filetypes::SceneInfo>();
      if (facts.valid && scene != nullptr) check_scene(path, *scene, *facts.row->reader);
    }
    for (const auto& [path, facts] : facts_) {
      if (!facts.valid) continue;
      if (const auto* mesh = facts.get<filetypes::MeshInfo>()) check_mesh(path, *mesh);
      if (path != kManifestName && facts.row != nullptr && facts.row->reader->references != nullptr)
        check_references(path, *facts.row->reader);
    }
    check_pipelines();
    find_unreferenced();
    find_unrecorded();
    std::ranges::sort(report_.problems, {}, [](const Error& e) { return std::tie(e.file, e.place, e.what); });
    return std::move(report_);
  }

 private:
  void problem(std::string_view path, Error error) {
    const std::scoped_lock lock(mutex_);
    report_.problems.push_back(std::move(error).in(path));
  }
  void problem(std::string_view path, std::string place, std::string what, std::string hint) {
    problem(path, Error{ErrorCode::kInvalidData, {}, std::move(place), std::move(what), std::move(hint)});
  }

  // The bytes of a file; reports a problem if it cannot be read.
  std::optional<Bytes> read(std::string_view path) {
    auto bytes = disk_.read(output_ + "/" + std::string(path));
    if (bytes) return std::move(*bytes);
    problem(path, std::move(bytes).error());
    return std::nullopt;
  }

  void check_by_itself(const std::string& path, Facts& facts) {
    const auto bytes = read(path);
    if (!bytes) return;
    const bool is_ours = recorded_ && recorded_->contents.contains(path);
    facts.row = filetypes::find_compiled(path);
    // Any tool may name a file .bin. It is ours if the build wrote it, or if it starts like a cooked asset.
    if (facts.row != nullptr && facts.row->type == filetypes::Class::kPart && !is_ours &&
        !filetypes::has_magic(*facts.row, *bytes))
      facts.row = nullptr;
    if (facts.row != nullptr && facts.row->reader->inspect != nullptr) {
      auto content = check_alone(*facts.row->reader, *bytes);
      if (!content) return problem(path, std::move(content).error());
      facts.content = std::move(*content);
    }
    facts.valid = true;
    if (!recorded_) return;
    const auto written = recorded_->contents.find(path);
    if (written == recorded_->contents.end()) return;
    ++compared_;
    if (content_hash(*bytes) != written->second) problem(path, {}, kChanged, kBuild);
  }

  // Problems that the build's records show for the folder as a whole.
  void check_records() {
    if (!recorded_) return;
    report_.compared = compared_;
    if (!recorded_->dropped.empty()) problem(kCacheName, {}, recorded_->dropped, kBuild);
    if (recorded_->unfinished)
      problem(kCacheName, {}, "a build is running here, or was stopped before it ended", kBuild);
    for (const auto& [path, hash] : recorded_->contents) {
      if (!facts_.contains(path))
        problem(path, {}, "the build wrote this file, but it is not in the output folder", kBuild);
    }
  }

  void check_manifest() {
    const auto found = facts_.find(kManifestName);
    if (found == facts_.end()) {
      problem(kManifestName, {}, "there is no manifest: no build of this folder has succeeded yet",
              "build until nothing fails");
      return;
    }
    if (!found->second.valid) return;
    const auto bytes = read(kManifestName);
    if (!bytes) return;
    const auto listed = found->second.row->reader->references(*bytes);
    if (!listed) return problem(kManifestName, listed.error());
    if (listed->is_incomplete) problem(kManifestName, incomplete());
    known_.emplace();
    for (std::size_t i = 0; i < listed->files.size(); ++i) {
      const hman::EntryView& entry = listed->files[i];
      known_->insert(entry.hash);
      const std::string place = formatted("entry {}", i);
      const auto file = facts_.find(entry.path);
      if (file == facts_.end()) {
        problem(kManifestName, place, formatted("{} is not in the output folder", entry.path),
                "build again: missing outputs are made again");
        continue;
      }
      const std::string_view ref = entry.path.substr(0, entry.path.rfind('.'));
      const bool by_ref = entry.hash == hash_asset_ref(ref);
      if (!by_ref && (entry.kind == hman::Kind::kTexture || entry.hash != hash_embed_ref(entry.path))) {
        problem(kManifestName, place,
                formatted("hash {:016x} is not the hash of {} ({:016x})", entry.hash, ref, hash_asset_ref(ref)),
                "build again");
      }
      const auto* texture = file->second.get<filetypes::TextureInfo>();
      if (texture != nullptr && texture->srgb != (entry.colorspace == hman::Colorspace::kSrgb)) {
        problem(kManifestName, place,
                formatted("says that {} is {}, but the file is {}", entry.path, texture->srgb ? "linear" : "sRGB",
                          texture->srgb ? "sRGB" : "linear"),
                "build again");
      }
    }
  }

  void check_references(const std::string& path, const filetypes::Reader& reader) {
    const auto bytes = read(path);
    if (!bytes) return;
    const auto references = reader.references(*bytes);
    if (!references) return;
    for (const filetypes::TextureReference& texture : references->textures) {
      ++report_.references;
      referenced_.insert(texture.hash);
      if (known_ && !known_->contains(texture.hash)) {
        problem(path, texture.place, formatted("{} texture {:016x} is not in assets.hman", texture.slot, texture.hash),
                "build until nothing fails; the texture's source may be missing");
      }
    }
    if (references->check_joints) check_joints(path, references->check_joints);
  }

  void check_clips(const std::string& path, const std::string& place, const filetypes::SceneInfo& scene,
                   const std::string& clips, const filetypes::Reader& reader) {
    const auto bytes = read(clips);
    if (!bytes) return;
    const auto references = reader.references(*bytes);
    if (!references || !references->check_targets) return;
    if (auto fits = references->check_targets(scene.nodes, scene.cameras, scene.lights); !fits) {
      Error error = std::move(fits).error();
      error.place = place;
      error.what = clips + ": " + error.what;
      problem(path, std::move(error));
    }
  }

  // A scene names its meshes, its table of materials and its clips by the hashes of their paths.
  void check_scene(const std::string& path, const filetypes::SceneInfo& scene, const filetypes::Reader& reader) {
    const auto bytes = read(path);
    if (!bytes) return;
    const auto references = reader.references(*bytes);
    if (!references) return;
    std::optional<std::uint32_t> rows;
    std::vector<const filetypes::MeshInfo*> meshes;
    for (const filetypes::PartReference& part : references->parts) {
      ++report_.references;
      const auto found = by_hash_.find(part.hash);
      if (found == by_hash_.end()) {
        problem(path, part.place, formatted("its file, {:016x}, is not in the output folder", part.hash), kBuild);
        continue;
      }
      const Facts& file = facts_.find(found->second)->second;
      if (!file.valid) continue;  // already reported
      std::optional<std::size_t> has;
      if (const auto* mesh = file.get<filetypes::MeshInfo>()) {
        has = std::size_t{mesh->submeshes} + mesh->primitives;
        meshes.push_back(mesh);
        scene_meshes_.insert(found->second);
      }
      if (const auto* table = file.get<filetypes::MaterialInfo>()) has = rows = table->rows;
      if (const auto* clips = file.get<filetypes::AnimationInfo>()) {
        has = clips->clips.size();
        check_clips(path, part.place, scene, found->second, *file.row->reader);
      }
      if (!has || *has < part.needs) {
        problem(path, part.place, formatted("{} has {} parts, expected {}", found->second, has.value_or(0), part.needs),
                kBuild);
      }
    }
    for (const filetypes::MeshInfo* mesh : meshes) {
      if (mesh->materials > rows.value_or(0)) {
        problem(
            path, "materials",
            formatted("has {}, but a mesh has {}", plural(rows.value_or(0), "row"), plural(mesh->materials, "slot")),
            kBuild);
      }
    }
  }

  // The stages of a shader folder are one pipeline: one place has one kind of descriptor in all of them.
  void check_pipelines() {
    std::map<std::string_view, std::vector<std::string_view>> folders;
    for (const auto& [path, facts] : facts_) {
      const std::string_view folder = std::string_view(path).substr(0, std::min(path.rfind('/'), path.size()));
      const bool is_shader = folder.ends_with(".shader") || folder.ends_with(".hlsl") || folder.ends_with(".slang");
      if (facts.valid && path.ends_with(".spv") && is_shader) folders[folder].push_back(path);
    }
    for (const auto& [folder, paths] : folders) {
      std::vector<Bytes> files;
      std::vector<spirv::Reflection> wants;  // views into files
      std::vector<shader::StageBindings> stages;
      std::set<spirv::Stage> of_stage;
      bool several = false;
      wants.reserve(paths.size());
      for (const std::string_view path : paths) {
        auto bytes = read(path);
        if (!bytes) return;
        files.push_back(std::move(*bytes));
        auto one = spirv::reflect(files.back());
        if (!one || one->stage == spirv::Stage::kCompute) continue;
        // Two entry points of one stage belong to several pipelines.
        if (!of_stage.insert(one->stage).second) several = true;
        wants.push_back(std::move(*one));
        const std::string_view name = path.substr(folder.size() + 1);
        stages.push_back({name.substr(0, name.rfind('.')), wants.back().bindings});
      }
      if (several) continue;
      if (auto agree = shader::check_pipeline(stages); !agree) problem(folder, std::move(agree).error());
    }
  }

  // If no material names a texture, engines load all textures by path, so there is nothing to report.
  void find_unreferenced() {
    if (referenced_.empty()) return;
    for (const auto& [path, facts] : facts_) {
      const auto* info = facts.get<filetypes::TextureInfo>();
      const bool is_plain = info != nullptr && info->faces == 1 && info->layers == 0 && info->depth_texels == 0;
      if (is_plain && !referenced_.contains(hash_asset_ref(path.substr(0, path.rfind('.')))))
        report_.unreferenced.push_back(path);
    }
  }

  void find_unrecorded() {
    if (!recorded_ || !recorded_->dropped.empty() || recorded_->unfinished) return;
    for (const auto& [path, facts] : facts_) {
      if (!recorded_->contents.contains(path)) report_.unrecorded.push_back(path);
    }
  }

  void check_mesh(const std::string& path, const filetypes::MeshInfo& mesh) {
    if (!mesh.names_rows || scene_meshes_.contains(path)) return;
    const std::string sibling = with_extension(path, ".hmat");
    const auto table = facts_.find(sibling);
    if (table == facts_.end()) {
      if (mesh.materials > 0) {
        problem(path, "MTRL", formatted("has {}, but there is no {}", plural(mesh.materials, "material"), sibling),
                "build again");
      }
    } else if (const auto* rows = table->second.get<filetypes::MaterialInfo>(); rows && rows->rows != mesh.materials) {
      problem(
          path, "MTRL",
          formatted("has {}, but {} has {}", plural(mesh.materials, "material"), sibling, plural(rows->rows, "row")),
          "build again");
    }
  }

  void check_joints(const std::string& path, const std::function<Result<void>(std::size_t)>& joints_fit) {
    std::vector<std::pair<std::string, std::uint32_t>> meshes;  // with the number of joints
    std::string names;
    for (const filetypes::Row& row : filetypes::all_rows()) {
      if (!row.is_model() || !row.is_compiled()) continue;
      const std::string name = with_extension(path, row.suffix());
      names += (names.empty() ? "" : " or ") + name;
      const auto mesh = facts_.find(name);
      if (mesh == facts_.end()) continue;
      if (!mesh->second.valid) return;  // already reported
      meshes.emplace_back(mesh->first, mesh->second.get<filetypes::MeshInfo>()->joints);
    }
    if (meshes.empty()) {
      return problem(path, {}, "animates " + names + ", but none of these is there", "build again");
    }
    for (const auto& [mesh, joints] : meshes) {
      if (auto fits = joints_fit(joints); !fits) {
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
  std::optional<Recorded> recorded_;
  std::atomic<std::uint64_t> compared_ = 0;
  std::optional<std::unordered_set<std::uint64_t>> known_;  // hashes listed in the manifest; nullopt without one
  std::unordered_set<std::uint64_t> referenced_;            // by materials
  std::map<std::uint64_t, std::string> by_hash_;            // paths by hash_embed_ref
  std::set<std::string> scene_meshes_;                      // whose materials are those of a scene
};

}  // namespace

Result<CheckReport> check(const std::string& output, Disk& disk) { return Checker(output, disk).run(); }

Result<CheckReport> check_pack(const std::string& file, Disk& disk) {
  ASSETC_TRY(const Bytes bytes, disk.read(file));
  CheckReport report;
  const auto pack = hpack::View::open(bytes);
  if (!pack) {
    report.problems.push_back(Error(pack.error()).in(file));
    return report;
  }
  report.files = pack->entries().size();
  if (pack->has_checksums()) report.compared = report.files;
  if (auto whole = pack->verify_layout(); !whole) report.problems.push_back(std::move(whole).error().in(file));
  hpack::View::Hashes known;
  std::map<std::pair<std::uint64_t, const filetypes::Row*>, Result<void>> checked;  // payloads, each as a type
  for (const hpack::EntryView& entry : pack->entries()) {
    if (auto whole = pack->verify(entry, known); !whole) {  // the error has a place in the pack and names the entry
      report.problems.push_back(std::move(whole).error().in(file));
      continue;
    }
    const std::pair payload(entry.size_bytes == 0 ? 0 : entry.offset_bytes, filetypes::find_compiled(entry.path));
    auto at = checked.find(payload);
    if (at == checked.end())
      at = checked.emplace(payload, filetypes::check_file(entry.path, pack->payload(entry))).first;
    Result<void> sound = at->second;
    const auto manifest = entry.path == kManifestName ? hman::View::open(pack->payload(entry)) : Result<hman::View>();
    if (manifest && manifest->is_incomplete()) sound = std::unexpected(incomplete());
    if (sound) continue;
    Error error = std::move(sound).error().in(file);
    error.place = std::string(entry.path) + (error.place.empty() ? "" : ": " + error.place);
    report.problems.push_back(std::move(error));
  }
  return report;
}

Result<CheckReport> check_bundle(const std::string& file, Disk& disk) {
  ASSETC_TRY(Bytes bytes, disk.peek(file));
  CheckReport report;
  const auto bundle = bundle::Reader::open(std::move(bytes));
  const auto whole = bundle ? bundle->verify() : std::unexpected(bundle.error());
  if (!whole) report.problems.push_back(Error(whole.error()).in(file));
  if (bundle) report.files = bundle->entries().size();
  report.compared = report.files;
  return report;
}

Result<CheckReport> check_file(const std::string& file, Disk& disk) {
  const filetypes::Row* row = filetypes::find_row(file);
  if (row == nullptr || !row->is_compiled()) {
    return std::unexpected(
        Error{ErrorCode::kUsage,
              file,
              {},
              "is not a compiled file",
              "compiled files end in " + filetypes::list_suffixes(&filetypes::Row::is_compiled, ", ", " or ")});
  }
  if (row == filetypes::find_row(".hpack")) return check_pack(file, disk);
  if (row == filetypes::find_row(".pak")) return check_bundle(file, disk);
  ASSETC_TRY(const Bytes bytes, disk.read(file));
  CheckReport report;
  report.files = 1;
  Result<void> sound;
  if (row->reader->inspect == nullptr) {
    sound = row->reader->open(bytes);
  } else if (const auto content = check_alone(*row->reader, bytes); !content) {
    sound = std::unexpected(content.error());
  }
  ASSETC_TRY(const auto written, recorded_hash(file, runtime_target(), disk));
  if (written) report.compared = 1;
  if (sound && written && content_hash(bytes) != *written) sound = fail(ErrorCode::kInvalidData, kChanged, kBuild);
  if (!sound) report.problems.push_back(std::move(sound).error().in(file));
  return report;
}

}  // namespace assetc::engine
