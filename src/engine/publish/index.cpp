#include "engine/publish/index.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "base/ascii.hpp"

namespace assetc::engine {
namespace {

// Cache entries: the state that the bundle was made from, and the hashes of the index.
constexpr std::string_view kBundleName = "pack";
constexpr std::string_view kIndexName = "index";

}  // namespace

// Its stem, and the part of its suffix before the extension.
std::string referred_name(const StepRecord& record, const OutputRecord& output) {
  const std::string_view more = output.suffix.substr(0, std::min(output.suffix.rfind('.'), output.suffix.size()));
  return ascii_lower(std::string(record.stem).append(more));
}

Index index_of(const StepSet& steps, const Target& target) {
  Index index;
  std::vector<LooseReference> references;
  steps.each([&](const StepRecord& record, const StepSet::Member& step) {
    for (std::string_view name : record.references) references.push_back({record.source, name});
    for (const OutputRecord& output : record.outputs)
      index.files.push_back({record.stem, output.suffix, output.descriptor, record.params, step.listed});
  });
  if (references.empty()) return index;

  std::map<std::string, IndexedFile> named;
  steps.each([&](const StepRecord& record, const StepSet::Member&) {
    for (const OutputRecord& output : record.outputs) {
      if (!target.is_referred_to(output.descriptor)) continue;
      named.emplace(referred_name(record, output),
                    IndexedFile{record.stem, output.suffix, output.descriptor, record.params, true});
    }
  });
  std::ranges::sort(references, {}, [](const LooseReference& r) { return std::pair(r.name, r.source); });
  for (const LooseReference& reference : references) {
    const auto found = named.find(ascii_lower(reference.name));
    if (found != named.end()) {
      index.files.push_back(found->second);
    } else {
      index.loose.push_back(reference);
    }
  }
  return index;
}

Result<void> record_index(Cache& cache, std::span<const ByteVector> files) {
  std::vector<ContentHash> hashes;
  hashes.reserve(files.size());
  for (const ByteVector& file : files) hashes.push_back(content_hash(file));
  if (recorded_index(cache) == hashes) return {};
  return cache.set(kIndexName, std::as_bytes(std::span(hashes)));
}

std::vector<ContentHash> recorded_index(Cache& cache) {
  const auto value = cache.get(kIndexName);
  if (!value || value->size() % sizeof(ContentHash) != 0) return {};
  std::vector<ContentHash> hashes(value->size() / sizeof(ContentHash));
  std::memcpy(hashes.data(), value->data(), value->size());
  return hashes;
}

Result<void> update_bundle(const Target& target, const Profile& profile, Disk& disk, Cache& cache,
                           const ContentHash& output_fingerprint, bool verify) {
  const std::string path = bundle_path(target, profile);
  const auto contents_hash = [&](const FileSignature& s) {
    return ContentHasher()
        .add(output_fingerprint)
        .add(s.size_bytes)
        .add(static_cast<std::uint64_t>(s.mtime_ns))
        .add(static_cast<std::uint64_t>(s.ctime_ns))
        .add(s.inode)
        .finish();
  };
  const auto present = disk.status(path);
  const auto mark = cache.get(kBundleName);
  if (present && mark && mark->size() == sizeof(ContentHash) &&
      load<ContentHash>(*mark) == contents_hash(present->signature))
    return {};
  ASSETC_CHECK(write_bundle(target, profile, {}, disk, verify));
  ASSETC_TRY(const auto now, disk.status(path));
  return cache.set(kBundleName, object_bytes(contents_hash(now.signature)));
}

Result<void> write_bundle(const Target& target, const Profile& profile, std::span<const std::string> without,
                          Disk& disk, bool verify) {
  ASSETC_CHECK(target.bundle(target, profile, without, disk));
  if (!verify) return {};
  const std::string path = bundle_path(target, profile);
  ASSETC_TRY(const Bytes bytes, disk.peek(path));
  if (auto valid = target.verify(path, bytes); !valid) return std::unexpected(std::move(valid).error().in(path));
  return {};
}

}  // namespace assetc::engine
