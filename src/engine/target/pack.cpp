#include "engine/target/pack.hpp"

#include <algorithm>
#include <unordered_map>

#include "assetc/formats/hpack.hpp"
#include "engine/target/output_tree.hpp"

namespace assetc::engine {
namespace {

constexpr std::size_t kZeroBytes = hpack::kPayloadAlignment;

std::string folder_with_slash(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string(".") : path.substr(0, slash + 1);
}

// The content hashes for the checksums. By now all are known: the payloads have been read.
std::vector<ContentHash> contents_of(std::span<const hpack::PlanInput> inputs) {
  std::vector<ContentHash> contents;
  contents.reserve(inputs.size());
  for (const hpack::PlanInput& input : inputs) contents.push_back(*input.content);
  return contents;
}

// Whether the existing pack already has these bytes.
Result<bool> is_current(Disk& disk, const std::string& path, const hpack::Plan& plan,
                        std::span<hpack::PlanInput> inputs, const std::string& root) {
  const auto present = disk.peek(path);
  if (!present || present->size() != plan.file_size_bytes) return false;
  const ByteSpan file = present->span();
  if (!std::ranges::equal(file.first(plan.head.size()), plan.head)) return false;
  std::uint64_t end = plan.head.size();
  const auto zeros_until = [&](std::uint64_t offset) {
    const ByteSpan gap = file.subspan(end, offset - end);
    return std::ranges::all_of(gap, [](std::byte b) { return b == std::byte{0}; });
  };
  for (const hpack::Plan::Payload& payload : plan.payloads) {
    hpack::PlanInput& input = inputs[payload.input];
    ASSETC_TRY(const Bytes bytes, disk.read(root + "/" + input.path));
    input.content = content_hash(bytes);
    if (bytes.size() != payload.size_bytes || !zeros_until(payload.offset_bytes) ||
        !std::ranges::equal(file.subspan(payload.offset_bytes, payload.size_bytes), bytes.span())) {
      return false;
    }
    end = payload.offset_bytes + payload.size_bytes;
  }
  return zeros_until(plan.checksums_offset_bytes) &&
         std::ranges::equal(file.subspan(plan.checksums_offset_bytes), hpack::checksums(plan, contents_of(inputs)));
}

}  // namespace

Result<void> write_pack(const Target& target, const Profile& profile, std::span<const std::string> without,
                        Disk& disk) {
  ASSETC_TRY(const Tree tree, disk.walk(profile.output, output_skip(profile, target, disk), 1, Links::kFiles));
  ASSETC_CHECK(tree.whole(profile.output));
  std::vector<hpack::PlanInput> inputs;
  std::unordered_map<std::uint64_t, int> files_of_size;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const std::string_view path = tree.path(i);
    const std::string_view name = path.substr(path.rfind('/') + 1);
    if (tree[i].type != FileType::kFile || name.starts_with('.') || std::ranges::binary_search(without, path)) continue;
    inputs.push_back({std::string(path), tree[i].signature.size_bytes, std::nullopt});
    ++files_of_size[tree[i].signature.size_bytes];
  }
  for (hpack::PlanInput& input : inputs) {
    if (files_of_size[input.size_bytes] < 2) continue;  // no other file can be equal
    ASSETC_TRY(const Bytes bytes, disk.read(profile.output + "/" + input.path));
    input.content = content_hash(bytes);
  }
  ASSETC_TRY(const hpack::Plan plan, hpack::plan(inputs));
  const std::string path = bundle_path(target, profile);
  ASSETC_TRY(const bool current, is_current(disk, path, plan, inputs, profile.output));
  if (current) return {};

  ASSETC_CHECK(disk.sweep(folder_with_slash(path)));
  ASSETC_TRY(const auto file, disk.create(path));
  std::uint64_t end = 0;
  static constexpr std::byte kZeros[kZeroBytes]{};
  const auto write = [&](ByteSpan bytes) {
    end += bytes.size();
    return file->write(bytes);
  };
  const auto zeros_until = [&](std::uint64_t offset) -> Result<void> {
    while (end < offset) ASSETC_CHECK(write(ByteSpan(kZeros).first(std::min<std::uint64_t>(offset - end, kZeroBytes))));
    return {};
  };
  ASSETC_CHECK(write(plan.head));
  for (const hpack::Plan::Payload& payload : plan.payloads) {
    hpack::PlanInput& input = inputs[payload.input];
    const std::string source = profile.output + "/" + input.path;
    ASSETC_TRY(const Bytes bytes, disk.read(source));
    const ContentHash content = content_hash(bytes);
    if (bytes.size() != payload.size_bytes || (input.content && *input.content != content)) {
      return std::unexpected(Error{ErrorCode::kIo, source, {}, "the file changed while it was packed", "pack again"});
    }
    input.content = content;
    ASSETC_CHECK(zeros_until(payload.offset_bytes));
    ASSETC_CHECK(write(bytes));
  }
  ASSETC_CHECK(zeros_until(plan.checksums_offset_bytes));
  ASSETC_CHECK(write(hpack::checksums(plan, contents_of(inputs))));
  return file->commit();
}

}  // namespace assetc::engine
