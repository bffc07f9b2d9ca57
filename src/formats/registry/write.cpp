// Writes assets in the order of their UUIDs, and an index by the hash of their paths, so that a game searches the file
// in place.
#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "assetc/base/hash.hpp"
#include "assetc/formats/registry.hpp"
#include "base/ascii.hpp"
#include "base/plural.hpp"
#include "formats/message.hpp"
#include "formats/registry/layout.hpp"

namespace assetc::registry {

using namespace formats;

namespace {

template <class T>
void append_section(ByteVector& file, const std::vector<T>& items) {
  append_array<T>(file, items);
  file.resize(static_cast<std::size_t>(padded(file.size())));
}

struct Texts {
  std::string text;
  Result<std::uint32_t> add(std::string_view part) {
    const std::size_t at = text.size();
    text.append(part).push_back('\0');
    return place(at);
  }
  // Equal parts share their bytes.
  Result<std::uint32_t> add_shared(const std::string& part) {
    const auto [known, is_new] = shared_.emplace(part, text.size());
    if (is_new) text.append(part);
    return place(known->second);
  }

 private:
  Result<std::uint32_t> place(std::size_t at) const {
    if (text.size() > std::numeric_limits<std::uint32_t>::max())
      return fail(ErrorCode::kLimit, "virtual paths and tags take more than 4 GiB", "make them shorter");
    return static_cast<std::uint32_t>(at);
  }
  std::unordered_map<std::string, std::size_t> shared_;
};

// Tags as they are stored: ascending, each once.
Result<std::vector<std::string>> sorted_tags(const Asset& asset) {
  std::vector<std::string> tags = asset.tags;
  for (const std::string& tag : tags) {
    if (tag.empty() || tag.size() > kMaxTagBytes || tag.find('\0') != std::string::npos)
      return fail(ErrorCode::kLimit, message(quote(asset.virtual_path), " has the tag ", quote(tag), ", expected 1 to ",
                                             kMaxTagBytes, " bytes without a zero"));
  }
  std::ranges::sort(tags, [](const std::string& a, const std::string& b) {
    const std::string low_a = ascii_lower(a), low_b = ascii_lower(b);
    return low_a != low_b ? low_a < low_b : a < b;
  });
  const auto same = [](const std::string& a, const std::string& b) { return ascii_lower(a) == ascii_lower(b); };
  tags.erase(std::ranges::unique(tags, same).begin(), tags.end());
  return tags;
}

// The bytes of a list with its count; empty if it is empty.
template <class T>
Result<std::string> list_of(const Asset& asset, const std::vector<T>& list, std::size_t desc_kind) {
  if (list.empty()) return std::string();
  constexpr std::size_t kMost = More::kHasFile - 1;
  if (list.size() > kMost || asset.desc.index() != desc_kind)
    return fail(ErrorCode::kLimit,
                message(quote(asset.virtual_path), " has a list of ", counted(list.size(), "value"),
                        ", expected at most ", kMost, " attributes of a mesh or bindings of a material"));
  const auto count = static_cast<std::uint16_t>(list.size());
  return std::string(as_text(object_bytes(count))).append(as_text(std::as_bytes(std::span(list))));
}

// The bytes of an asset's More; empty if it needs none. index_of: the index of an asset by its UUID.
template <class IndexOf>
Result<std::string> more_of(const Asset& asset, const IndexOf& index_of) {
  More more{};
  std::string rest;
  if (!asset.container.is_nil()) {
    const auto index = index_of(asset.container);
    if (!index)
      return fail(ErrorCode::kNotFound,
                  message(quote(asset.virtual_path), " has the container ", asset.container.to_string(),
                          ", which is not an asset of this registry"));
    more.container = *index + 1;
  }
  for (const std::vector<Uuid>* list : {&asset.outer_hard_dependencies, &asset.outer_soft_dependencies}) {
    if (list->size() > std::numeric_limits<std::uint16_t>::max())
      return fail(ErrorCode::kLimit, message(quote(asset.virtual_path), " has ", counted(list->size(), "dependency"),
                                             ", expected at most 65535"));
    for (const Uuid& uuid : *list) {
      if (uuid.is_nil() || index_of(uuid))
        return fail(ErrorCode::kConflict, message(quote(asset.virtual_path), " has the outer dependency ",
                                                  uuid.to_string(), ", which is an asset of this registry"));
      rest.append(as_text(object_bytes(uuid)));
    }
  }
  more.hard_count = static_cast<std::uint16_t>(asset.outer_hard_dependencies.size());
  more.soft_count = static_cast<std::uint16_t>(asset.outer_soft_dependencies.size());
  ASSETC_TRY(const std::vector<std::string> tags, sorted_tags(asset));
  const std::size_t uuids_size = rest.size();
  for (const std::string& tag : tags) rest.append(tag).push_back('\0');
  if (rest.size() - uuids_size > std::numeric_limits<std::uint16_t>::max())
    return fail(ErrorCode::kLimit, message("the tags of ", quote(asset.virtual_path), " take ",
                                           counted(rest.size() - uuids_size, "byte"), ", expected at most 65535"));
  more.tag_count = static_cast<std::uint16_t>(tags.size());
  more.tags_size_bytes = static_cast<std::uint16_t>(rest.size() - uuids_size);
  ASSETC_TRY(std::string list, list_of(asset, asset.vertex_attributes, 2));
  ASSETC_TRY(const std::string bindings, list_of(asset, asset.texture_bindings, 3));
  list += bindings;
  if (!asset.shared_file.is_nil()) {
    if (index_of(asset.shared_file))
      return fail(ErrorCode::kConflict, message(quote(asset.virtual_path), " shares the file ",
                                                asset.shared_file.to_string(), ", which has the UUID of an asset"));
    if (list.empty()) list.assign(sizeof(std::uint16_t), '\0');
    list[1] = static_cast<char>(list[1] | (More::kHasFile >> 8));
    list.append(as_text(object_bytes(asset.shared_file)));
  }
  if (!list.empty()) more.tag_count |= More::kHasList;
  rest += list;
  if (rest.empty() && more.container == 0) return std::string();
  return std::string(as_text(object_bytes(more))) + rest;
}

// If several redirectors have the same old UUID or old virtual path, the last one is kept. Ascending by UUID.
std::vector<Redirector> latest_holders(std::vector<Redirector> redirectors) {
  std::unordered_set<Uuid> uuids;
  std::unordered_set<std::string> paths;
  std::vector<Redirector> latest;
  for (auto at = redirectors.rbegin(); at != redirectors.rend(); ++at) {
    if (!uuids.insert(at->old_uuid).second) continue;
    if (!paths.insert(ascii_lower(at->old_virtual_path)).second) at->old_virtual_path.clear();
    latest.push_back(std::move(*at));
  }
  std::ranges::sort(latest, {}, &Redirector::old_uuid);
  return latest;
}

}  // namespace

std::vector<std::uint32_t> buckets_of(std::span<const std::uint64_t> ranks) {
  const int bits = bucket_bits(static_cast<std::uint32_t>(ranks.size()));
  std::vector<std::uint32_t> begins((std::size_t{1} << bits) + 1, 0);
  for (const std::uint64_t rank : ranks) ++begins[(bits == 0 ? 0 : static_cast<std::size_t>(rank >> (64 - bits))) + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  return begins;
}

Result<ByteVector> write(std::vector<Asset> assets, std::vector<Redirector> redirectors) {
  std::sort(assets.begin(), assets.end(), [](auto& a, auto& b) { return a.uuid < b.uuid; });
  redirectors = latest_holders(std::move(redirectors));
  if (assets.size() > std::numeric_limits<std::uint32_t>::max() - 1)
    return fail(ErrorCode::kLimit,
                message("found ", counted(assets.size(), "asset"), ", expected fewer than 2^32 - 1"));
  const auto index_of = [&](const Uuid& uuid) -> std::optional<std::uint32_t> {
    const auto at = std::lower_bound(assets.begin(), assets.end(), uuid, [](auto& a, auto& u) { return a.uuid < u; });
    if (at == assets.end() || at->uuid != uuid) return std::nullopt;
    return static_cast<std::uint32_t>(at - assets.begin());
  };

  Texts texts;
  std::vector<Uuid> uuids;
  std::vector<Record> records;
  std::vector<PathEntry> paths;
  std::vector<std::uint32_t> dependencies;
  for (std::size_t i = 0; i < assets.size(); ++i) {
    const Asset& asset = assets[i];
    if (i > 0 && assets[i - 1].uuid == asset.uuid) {
      return fail(ErrorCode::kConflict,
                  message(quote(assets[i - 1].virtual_path), " and ", quote(asset.virtual_path),
                          " have the same UUID, ", asset.uuid.to_string()),
                  "run `assetc import`: it gives the copy a new UUID");
    }
    if (asset.virtual_path.empty() || asset.virtual_path.size() > kMaxVirtualPath) {
      return fail(ErrorCode::kLimit,
                  message("the virtual path of ", asset.uuid.to_string(), " has ",
                          counted(asset.virtual_path.size(), "byte"), ", expected 1 to ", kMaxVirtualPath));
    }
    if (asset.virtual_path.find('\0') != std::string::npos)
      return fail(ErrorCode::kInvalidData, message("the virtual path ", quote(asset.virtual_path), " holds a zero"));
    Record record{};
    ASSETC_TRY(record.path_offset_bytes, texts.add(asset.virtual_path));
    record.path_size_bytes = static_cast<std::uint16_t>(asset.virtual_path.size());
    record.type = asset.type;
    record.desc_kind = static_cast<std::uint8_t>(asset.desc.index());
    record.first_dependency = static_cast<std::uint32_t>(dependencies.size());
    for (const std::vector<Uuid>* list : {&asset.hard_dependencies, &asset.soft_dependencies}) {
      if (list->size() > std::numeric_limits<std::uint16_t>::max())
        return fail(ErrorCode::kLimit, message(quote(asset.virtual_path), " has ", counted(list->size(), "dependency"),
                                               ", expected at most 65535"));
      for (const Uuid& uuid : *list) {
        const auto index = index_of(uuid);
        if (!index) {
          return fail(ErrorCode::kNotFound,
                      message(quote(asset.virtual_path), " depends on ", uuid.to_string(),
                              ", which is not an asset of this registry"),
                      "add it, or correct the reference");
        }
        dependencies.push_back(*index);
      }
    }
    record.hard_count = static_cast<std::uint16_t>(asset.hard_dependencies.size());
    record.soft_count = static_cast<std::uint16_t>(asset.soft_dependencies.size());
    std::visit(
        [&]<class T>(const T& desc) {
          static_assert(sizeof(T) <= sizeof record.desc);
          if constexpr (!std::is_same_v<T, std::monostate>) std::memcpy(record.desc.data(), &desc, sizeof desc);
        },
        asset.desc);
    uuids.push_back(asset.uuid);
    records.push_back(record);
    paths.push_back({path_hash(asset.virtual_path), static_cast<std::uint32_t>(i), record.path_offset_bytes});
  }
  const auto by_hash = [](const PathEntry& a, const PathEntry& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.index < b.index;
  };
  std::sort(paths.begin(), paths.end(), by_hash);
  for (std::size_t i = 1; i < paths.size(); ++i) {
    const std::string &a = assets[paths[i - 1].index].virtual_path, &b = assets[paths[i].index].virtual_path;
    if (paths[i - 1].hash == paths[i].hash && ascii_lower(a) == ascii_lower(b)) {
      return fail(ErrorCode::kConflict,
                  message(quote(a), " and ", quote(b), " are the same virtual path except for letter case"),
                  "give one of the assets another path");
    }
  }

  std::vector<RedirectorRecord> old_records;
  std::vector<PathEntry> old_paths;
  for (std::size_t i = 0; i < redirectors.size(); ++i) {
    const Redirector& redirector = redirectors[i];
    if (index_of(redirector.old_uuid)) continue;
    const auto index = index_of(redirector.new_uuid);
    if (!index) continue;  // its asset is not cooked here
    RedirectorRecord record{redirector.old_uuid, *index, 0,
                            static_cast<std::uint32_t>(redirector.old_virtual_path.size()), 0};
    ASSETC_TRY(record.path_offset_bytes, texts.add(redirector.old_virtual_path));
    old_paths.push_back({path_hash(redirector.old_virtual_path), static_cast<std::uint32_t>(old_records.size()),
                         record.path_offset_bytes});
    old_records.push_back(record);
  }
  std::sort(old_paths.begin(), old_paths.end(), by_hash);

  for (std::size_t i = 0; i < assets.size(); ++i) {
    ASSETC_TRY(const std::string more, more_of(assets[i], index_of));
    if (more.empty()) continue;
    ASSETC_TRY(records[i].more_offset_bytes, texts.add_shared(more));
  }

  Header header{kMagic,
                kVersion,
                static_cast<std::uint32_t>(assets.size()),
                static_cast<std::uint32_t>(old_records.size()),
                static_cast<std::uint32_t>(dependencies.size()),
                static_cast<std::uint32_t>(texts.text.size()),
                0};
  ByteVector file;
  append(file, header);
  std::vector<std::uint64_t> uuid_ranks, path_ranks;
  for (const Uuid& uuid : uuids) uuid_ranks.push_back(uuid_rank(uuid));
  for (const PathEntry& path : paths) path_ranks.push_back(path.hash);
  append_section(file, buckets_of(uuid_ranks));
  append_section(file, buckets_of(path_ranks));
  append_section(file, uuids);
  append_section(file, records);
  append_section(file, paths);
  append_section(file, old_records);
  append_section(file, old_paths);
  append_section(file, dependencies);
  append_bytes(file, as_bytes(texts.text));
  file.resize(static_cast<std::size_t>(padded(file.size())));
  header.content_hash = xxh3_64(ByteSpan(file).subspan(sizeof header));
  std::memcpy(file.data(), &header, sizeof header);

  ASSETC_TRY(const View view, View::open(file));
  if (const auto circle = find_circle(view)) {
    std::string text;
    for (const std::uint32_t index : *circle) text += assets[index].virtual_path + " -> ";
    return fail(ErrorCode::kConflict,
                "assets that depend on each other: " + text + assets[circle->front()].virtual_path,
                "one of them must load without the others");
  }
  return file;
}

}  // namespace assetc::registry
