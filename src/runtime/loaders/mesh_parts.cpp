// Meshes in parts: the coarsest level of detail first, each as a mesh of its own, and last the whole file.
#include <algorithm>
#include <array>
#include <cstring>
#include <variant>

#include "assetc/runtime/assets.hpp"
#include "runtime/loaders/load_mesh.hpp"
#include "runtime/loaders/mesh_levels.hpp"
#include "runtime/mount/mount_point.hpp"

namespace assetc::runtime {

struct MeshContent {
  PartContent content;                     // the parts of the file that coarse levels were made from
  std::vector<std::uint64_t> value_bytes;  // one for each level
};

namespace {

// The state of loading one part.
struct MeshProgress {
  PartContent all;                                  // the parts of the file that were read
  std::optional<std::vector<ContentRange>> base{};  // the ranges that every level needs
  bool is_whole = false;
  std::shared_ptr<std::byte[]> file{};  // as large as the whole file; only `all` is filled; null if `all` lies in place
  const std::byte* opened = nullptr;    // where the file was when `levels` was opened
  std::optional<std::variant<HmeshLevels, Aas1Levels>> levels{};
  std::uint32_t lod_count = 1;
};

std::uint64_t size_of(const std::vector<ContentRange>& ranges) {
  std::uint64_t size = 0;
  for (const ContentRange& range : ranges) size += range.size_bytes;
  return size;
}

// A file is much larger than its first read if reading those bytes again costs nothing.
constexpr std::uint64_t kMuchLarger = 16;

class MeshParts {
 public:
  explicit MeshParts(const PartOptions& parts) : parts_(parts) {}

  Result<PartPlan> plan(PartInput& in, const MeshData* last) const {
    if (in.progress == nullptr) in.progress = std::make_shared<MeshProgress>();
    MeshProgress& progress = *static_cast<MeshProgress*>(in.progress.get());
    progress.all = all_of(in, last);
    const PartContent& all = progress.all;
    if (in.level == 0) progress.is_whole = true;
    if (!progress.is_whole && !progress.base) {
      const ContentRange start{0, std::min(parts_.first_read_bytes, in.content_bytes)};
      const auto first = all.find(start);
      if (!first) return PartPlan{all.lacking({start}), 0};
      progress.base = HmeshLevels::plan(*first, in.content_bytes);
      if (!progress.base) progress.base = Aas1Levels::plan(*first, in.content_bytes);
      // A file without levels follows as a whole, in one read. Joining it to the first bytes would copy it.
      if (!progress.base && in.content_bytes / kMuchLarger > start.size_bytes && last == nullptr) {
        progress.is_whole = true;
        return PartPlan{{{0, in.content_bytes}}, 0};
      }
      if (!progress.base || (in.level == kFirstLevel && start.size_bytes == in.content_bytes)) progress.is_whole = true;
    }
    if (!progress.is_whole && !progress.levels) {
      std::vector<ContentRange> lacking = all.lacking(*progress.base);
      if (!lacking.empty()) return PartPlan{std::move(lacking), 0};
      open_levels(progress, in.content_bytes);
    }
    const std::uint32_t lod = lod_of(in, progress);
    if (lod == 0) {
      progress.is_whole = true;
      const bool is_one_piece = all.pieces().empty() || all.has_one_piece({0, in.content_bytes});
      return PartPlan{all.lacking({{0, in.content_bytes}}), is_one_piece ? 0 : in.content_bytes};
    }
    std::vector<ContentRange> ranges = ranges_of(progress, lod);
    // A mesh of its own, and the bytes that it is written to.
    const std::uint64_t decoded = 2 * (size_of(ranges) + size_of(*progress.base));
    return PartPlan{all.lacking(std::move(ranges)), decoded};
  }

  Result<MeshData> decode(PartInput& in, const MeshData* last) const {
    MeshProgress& progress = *static_cast<MeshProgress*>(in.progress.get());
    const std::uint32_t lod = lod_of(in, progress);
    Bytes bytes;
    if (lod == 0) {
      const std::optional<Bytes> found = progress.all.find({0, in.content_bytes});
      if (!found) return fail(ErrorCode::kTruncated, "found fewer bytes than the file has");
      bytes = aligned(*found);
      if (last == nullptr && !progress.levels) find_levels(progress, bytes);
    } else {
      open_levels(progress, in.content_bytes);
      if (!progress.levels) return fail(ErrorCode::kInvalidData, "its levels changed while it was read");
      ASSETC_TRY(bytes, std::visit([&](const auto& levels) { return levels.build(lod); }, *progress.levels));
    }
    LoadInput input{in.desc, bytes, in.catalog, in.canceled, in.memory};
    ASSETC_TRY(MeshData mesh, load_mesh(input));
    in.hard = std::move(input.hard);
    in.soft = std::move(input.soft);
    mesh.lod = lod;
    if (last != nullptr && last->content != nullptr) progress.lod_count = last->lod_count;
    mesh.lod_count = progress.lod_count;
    if (mesh.lod_count == 1) return mesh;
    auto content = std::make_shared<MeshContent>();
    // After a whole file was read, nothing of it is kept, because a coarse level should free memory.
    if (lod > 0 && (last == nullptr || last->lod > 0)) content->content = progress.all;
    content->value_bytes =
        last != nullptr && last->content != nullptr ? last->content->value_bytes : value_bytes_of(progress, in);
    mesh.content = std::move(content);
    return mesh;
  }

  static PartLevels levels(const MeshData& mesh) {
    if (mesh.content == nullptr) return {.first = 0, .finest = 0, .count = 1, .value_bytes = {mesh.bytes.size()}};
    return {.first = mesh.lod, .finest = 0, .count = mesh.lod_count, .value_bytes = mesh.content->value_bytes};
  }

 private:
  static PartContent all_of(const PartInput& in, const MeshData* last) {
    PartContent all = in.content;
    // The value of an encoded file has the bytes of the decoded one.
    if (last != nullptr && last->lod == 0 && last->bytes.size() == in.content_bytes)
      all.add({0, last->bytes.size()}, last->bytes);
    if (last != nullptr && last->lod > 0 && last->content != nullptr) {
      for (const auto& [range, bytes] : last->content->content.pieces()) all.add(range, bytes);
    }
    return all;
  }

  // Returns the file with the bytes of `all` in their places.
  static ByteSpan file_of(MeshProgress& progress, std::uint64_t content_bytes) {
    if (const auto there = progress.all.in_place(content_bytes)) return *there;
    if (progress.file == nullptr)
      progress.file.reset(std::make_unique_for_overwrite<std::byte[]>(content_bytes).release());
    const std::span<std::byte> file(progress.file.get(), static_cast<std::size_t>(content_bytes));
    progress.all.copy_to(file);
    return file;
  }

  // For a file that was read at once.
  static void find_levels(MeshProgress& progress, ByteSpan file) {
    progress.base = HmeshLevels::plan(file, file.size());
    if (!progress.base) progress.base = Aas1Levels::plan(file, file.size());
    if (!progress.base) return;
    set_levels(progress, file);
  }

  // A file that breaks a rule is read whole, and its view reports the error.
  static void open_levels(MeshProgress& progress, std::uint64_t content_bytes) {
    const ByteSpan file = file_of(progress, content_bytes);
    if (progress.levels && progress.opened == file.data()) return;
    progress.levels.reset();
    progress.opened = file.data();
    set_levels(progress, file);
    progress.is_whole = !progress.levels;
  }

  static void set_levels(MeshProgress& progress, ByteSpan file) {
    if (auto levels = HmeshLevels::open(file)) {
      progress.levels = std::move(*levels);
    } else if (load<std::uint32_t>(file) == aas1::kMagic) {
      if (auto blob = Aas1Levels::open(file)) progress.levels = std::move(*blob);
    }
    if (progress.levels)
      progress.lod_count = std::visit([](const auto& levels) { return levels.lod_count(); }, *progress.levels);
  }

  static std::uint32_t lod_of(const PartInput& in, const MeshProgress& progress) {
    return progress.is_whole ? 0 : std::min(in.level, progress.lod_count - 1);
  }
  static std::vector<ContentRange> ranges_of(const MeshProgress& progress, std::uint32_t lod) {
    return std::visit([&](const auto& levels) { return levels.ranges(lod); }, *progress.levels);
  }
  static std::vector<std::uint64_t> value_bytes_of(const MeshProgress& progress, const PartInput& in) {
    std::vector<std::uint64_t> out{in.content_bytes};
    for (std::uint32_t lod = 1; lod < progress.lod_count; ++lod)
      out.push_back(std::min(in.content_bytes, size_of(*progress.base) + size_of(ranges_of(progress, lod))));
    return out;
  }

  PartOptions parts_;
};

std::uint64_t held_by(const MeshData& mesh) {
  return mesh.bytes.size() + (mesh.content == nullptr ? 0 : mesh.content->content.size_bytes());
}

}  // namespace

Loader<MeshData> mesh_loader(const PartOptions& parts) {
  Loader<MeshData> loader = mesh_loader();
  const MeshParts in_parts(parts);
  loader.size_bytes = held_by;
  loader.parts =
      Parts<MeshData>{.first_read_bytes = parts.first_read_bytes,
                      .plan = [in_parts](PartInput& in, const MeshData* last) { return in_parts.plan(in, last); },
                      .decode = [in_parts](PartInput& in, const MeshData* last) { return in_parts.decode(in, last); },
                      .levels = MeshParts::levels};
  return loader;
}

}  // namespace assetc::runtime
