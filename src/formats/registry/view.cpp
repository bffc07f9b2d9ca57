#include <algorithm>
#include <cstring>

#include "assetc/base/hash.hpp"
#include "assetc/formats/registry.hpp"
#include "base/ascii.hpp"
#include "formats/registry/layout.hpp"
#include "formats/registry/table.hpp"

namespace assetc::registry {

using namespace formats;

namespace {

// The places in the sorted keys where a key can be: those of its bucket. Empty if the buckets are damaged.
struct Range {
  std::size_t begin = 0, end = 0;
};
Range bucket_of(std::span<const std::uint32_t> buckets, std::uint64_t rank, std::size_t count) {
  if (buckets.empty()) return {};  // no file
  const int bits = std::bit_width(buckets.size() - 1) - 1;
  const auto bucket = static_cast<std::size_t>(bits == 0 ? 0 : rank >> (64 - bits));
  const Range range{buckets[bucket], buckets[bucket + 1]};
  return range.begin <= range.end && range.end <= count ? range : Range{};
}

// Returns the first place in a range whose key is not below the given one. The keys of a bucket are few and adjacent,
// so counting the lower ones costs one cache miss. A forged large bucket is bisected.
template <class Key, class At>
std::size_t first_not_below(Range range, const Key& key, const At& at) {
  constexpr std::size_t kFew = 64;
  while (range.end - range.begin > kFew) {
    const std::size_t half = range.begin + (range.end - range.begin) / 2;
    if (at(half) < key) {
      range.begin = half + 1;
    } else {
      range.end = half;
    }
  }
  std::size_t lower = 0;
  for (std::size_t i = range.begin; i < range.end; ++i) lower += at(i) < key;
  return range.begin + lower;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return ascii_lower(x) == ascii_lower(y); });
}

// How many elements the arrays of a file have.
Counts counts_of(const Header& header) {
  Counts counts{};
  give_counts(table::kHeader, object_bytes(header), counts);
  counts[table::kBucketEnds] = (std::uint64_t{1} << bucket_bits(header.asset_count)) + 1;
  return counts;
}

template <class T>
T words_as(const std::array<std::uint32_t, 11>& words) {
  return load<T>(object_bytes(words));
}

}  // namespace

std::uint64_t uuid_rank(const Uuid& uuid) {
  std::uint64_t rank = 0;
  for (std::size_t i = 0; i < 8; ++i) rank = rank << 8 | uuid.bytes[i];
  return rank;
}

std::uint64_t path_hash(std::string_view virtual_path) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : virtual_path) hash = (hash ^ static_cast<unsigned char>(ascii_lower(c))) * 0x100000001b3ull;
  return hash;
}

Result<View> View::open(ByteSpan file) {
  ASSETC_CHECK(check_magic(file, kMagic, kVersion, "registry"));
  ASSETC_CHECK(check_alignment(file, kBufferAlignment));
  Reader reader(file);
  View view;
  view.file_ = file;
  ASSETC_TRY(view.header_, reader.read<Header>("the header"));
  const Header& h = view.header_;
  const Counts counts = counts_of(h);
  std::array<ByteSpan, std::size(table::kArrays)> arrays;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const table::Array& array = table::kArrays[i];
    const std::uint64_t size = counts[array.count] * array.record->size_bytes;
    ASSETC_TRY(const ByteSpan bytes, reader.take(padded(size), array.what));
    arrays[i] = bytes.first(static_cast<std::size_t>(size));
  }
  const auto rows = [&]<class T>(std::span<const T>& out, table::ArrayNumber array) {
    out = {reinterpret_cast<const T*>(arrays[array].data()), arrays[array].size() / sizeof(T)};
  };
  rows(view.uuid_buckets_, table::kUuidBucketArray);
  rows(view.path_buckets_, table::kPathBucketArray);
  rows(view.uuids_, table::kUuidArray);
  rows(view.records_, table::kAssetArray);
  rows(view.paths_, table::kPathArray);
  rows(view.redirectors_, table::kRedirectorArray);
  rows(view.old_paths_, table::kOldPathArray);
  rows(view.dependencies_, table::kDependencyArray);
  ASSETC_TRY(const ByteSpan text, reader.take(padded(h.text_size_bytes), "the text"));
  view.text_ = as_text(text.first(h.text_size_bytes));
  ASSETC_CHECK(expect_end(reader.position(), file.size()));
  return view;
}

std::string_view View::text_at(std::uint32_t offset, std::uint32_t size) const {
  if (offset > text_.size() || size > text_.size() - offset) return {};
  return text_.substr(offset, size);
}

std::span<const std::uint32_t> View::dependencies(std::uint64_t first, std::uint64_t count) const {
  if (first > dependencies_.size() || count > dependencies_.size() - first) return {};
  const auto part = dependencies_.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  const auto is_asset = [&](std::uint32_t index) { return index < size(); };
  return std::all_of(part.begin(), part.end(), is_asset) ? part : std::span<const std::uint32_t>();
}

AssetView View::asset(std::uint32_t index) const {
  const Record& record = records_[index];
  AssetView asset;
  asset.uuid = uuids_[index];
  asset.type = record.type;
  asset.virtual_path = text_at(record.path_offset_bytes, record.path_size_bytes);
  asset.hard_dependencies = dependencies(record.first_dependency, record.hard_count);
  asset.soft_dependencies = dependencies(std::uint64_t{record.first_dependency} + record.hard_count, record.soft_count);
  switch (record.desc_kind) {
    case 1:
      asset.desc = words_as<TextureDesc>(record.desc);
      break;
    case 2:
      asset.desc = words_as<MeshDesc>(record.desc);
      break;
    case 3:
      asset.desc = words_as<MaterialDesc>(record.desc);
      break;
    case 4:
      asset.desc = words_as<AudioDesc>(record.desc);
      break;
    default:
      break;
  }
  add_more(record, asset);
  return asset;
}

bool View::add_more(const Record& record, AssetView& asset) const {
  if (record.more_offset_bytes == 0) return true;
  const std::string_view head = text_at(record.more_offset_bytes, sizeof(More));
  if (head.empty()) return false;
  const auto more = load<More>(as_bytes(head));
  const auto uuids_size = static_cast<std::uint32_t>((more.hard_count + more.soft_count) * sizeof(Uuid));
  const std::uint32_t rest_size = uuids_size + more.tags_size_bytes;
  const std::string_view all = text_at(record.more_offset_bytes, static_cast<std::uint32_t>(sizeof more) + rest_size);
  if (all.empty()) return false;
  const std::string_view tags = all.substr(sizeof more + uuids_size);
  if (more.container > size() || (!tags.empty() && tags.back() != '\0')) return false;
  const ByteSpan uuids = as_bytes(all).subspan(sizeof more, uuids_size);
  asset.outer_hard_dependencies = uuids.first(more.hard_count * sizeof(Uuid));
  asset.outer_soft_dependencies = uuids.subspan(more.hard_count * sizeof(Uuid));
  if (more.container != 0) asset.container = more.container - 1;
  asset.tags = Tags(tags);
  if ((more.tag_count & More::kHasList) == 0) return true;
  const std::uint64_t list_at = std::uint64_t{record.more_offset_bytes} + all.size();
  const std::size_t size_bytes = record.desc_kind == 2   ? sizeof(VertexAttribute)
                                 : record.desc_kind == 3 ? sizeof(TextureBinding)
                                                         : 0;
  const std::string_view after = as_text(as_bytes(text_).subspan(static_cast<std::size_t>(list_at)));
  if (after.size() < sizeof(std::uint16_t)) return false;
  const auto count = load<std::uint16_t>(as_bytes(after));
  const bool has_file = (count & More::kHasFile) != 0;
  const std::size_t list_bytes = (count & ~unsigned{More::kHasFile}) * size_bytes;
  const std::size_t file_bytes = has_file ? sizeof(Uuid) : 0;
  if (list_bytes + file_bytes == 0 || list_bytes + file_bytes > after.size() - sizeof(std::uint16_t)) return false;
  if (size_bytes == 0 && count != More::kHasFile) return false;
  const ByteSpan list = as_bytes(after).subspan(sizeof(std::uint16_t), list_bytes);
  if (has_file)
    asset.shared_file = load<Uuid>(as_bytes(after).subspan(sizeof(std::uint16_t) + list_bytes, sizeof(Uuid)));
  if (record.desc_kind == 2) {
    asset.vertex_attributes = List<VertexAttribute>(list);
  } else if (record.desc_kind == 3) {
    asset.texture_bindings = List<TextureBinding>(list);
  }
  return true;
}

bool Tags::contains(std::string_view tag) const {
  return std::any_of(begin(), end(), [&](std::string_view own) { return equal_ignoring_case(own, tag); });
}

std::optional<std::uint32_t> View::find(const Uuid& uuid) const {
  const std::size_t at = first_not_below(bucket_of(uuid_buckets_, uuid_rank(uuid), uuids_.size()), uuid,
                                         [&](std::size_t i) -> const Uuid& { return uuids_[i]; });
  if (at < uuids_.size() && uuids_[at] == uuid) return static_cast<std::uint32_t>(at);
  const std::size_t old = first_not_below(Range{0, redirectors_.size()}, uuid,
                                          [&](std::size_t i) -> const Uuid& { return redirectors_[i].old_uuid; });
  if (old == redirectors_.size() || redirectors_[old].old_uuid != uuid || redirectors_[old].asset >= size())
    return std::nullopt;
  return redirectors_[old].asset;
}

std::span<const PathEntry> View::entries_of(bool redirectors, std::uint64_t hash) const {
  const std::span<const PathEntry> entries = redirectors ? old_paths_ : paths_;
  const Range range = redirectors ? Range{0, entries.size()} : bucket_of(path_buckets_, hash, entries.size());
  const std::size_t begin = first_not_below(range, hash, [&](std::size_t i) { return entries[i].hash; });
  std::size_t end = begin;
  while (end < entries.size() && entries[end].hash == hash) ++end;
  return entries.subspan(begin, end - begin);
}

std::optional<std::uint32_t> View::asset_of(bool redirectors, const PathEntry& entry) const {
  if (!redirectors) return entry.index < size() ? std::optional(entry.index) : std::nullopt;
  if (entry.index >= redirectors_.size() || redirectors_[entry.index].asset >= size()) return std::nullopt;
  return redirectors_[entry.index].asset;
}

std::optional<std::uint32_t> View::find(std::string_view virtual_path) const {
  if (virtual_path.empty() || virtual_path.size() > kMaxVirtualPath) return std::nullopt;
  const std::uint64_t hash = path_hash(virtual_path);
  const auto size = static_cast<std::uint32_t>(virtual_path.size());
  for (const bool redirectors : {false, true}) {
    for (const PathEntry& entry : entries_of(redirectors, hash)) {
      const std::string_view path = text_at(entry.path_offset_bytes, size + 1);
      if (!path.empty() && path.back() == '\0' && equal_ignoring_case(path.substr(0, size), virtual_path))
        return asset_of(redirectors, entry);
    }
  }
  return std::nullopt;
}

std::optional<std::uint32_t> View::find_hash(std::uint64_t hash) const {
  for (const bool redirectors : {false, true}) {
    const auto entries = entries_of(redirectors, hash);
    if (!entries.empty()) return asset_of(redirectors, entries.front());
  }
  return std::nullopt;
}

View::RedirectorView View::redirector(std::uint32_t i) const {
  const RedirectorRecord& record = redirectors_[i];
  return {record.old_uuid, text_at(record.path_offset_bytes, record.path_size_bytes), record.asset};
}

Result<void> View::check() const {
  const auto place = [&](const auto& inside) {
    return static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(&inside) - file_.data());
  };
  if (xxh3_64(file_.subspan(sizeof(Header))) != header_.content_hash)
    return invalid(24, "the content does not match the hash in the header");
  Context context;
  context.counts = counts_of(header_);
  std::uint64_t at = sizeof(Header);
  for (const table::Array& array : table::kArrays) {
    const std::uint64_t size = context.counts[array.count] * array.record->size_bytes;
    const ByteSpan rows = file_.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(size));
    ASSETC_CHECK(check_records(*array.record, rows, at, context));
    at += padded(size);
  }
  const auto begin_where = [&](std::span<const std::uint32_t> buckets, const auto& rank) {
    std::vector<std::uint64_t> ranks;
    ranks.reserve(size());
    for (std::uint32_t i = 0; i < size(); ++i) ranks.push_back(rank(i));
    return std::equal(buckets.begin(), buckets.end(), buckets_of(ranks).begin());
  };
  if (!begin_where(uuid_buckets_, [&](std::uint32_t i) { return uuid_rank(uuids_[i]); }) ||
      !begin_where(path_buckets_, [&](std::uint32_t i) { return paths_[i].hash; }))
    return invalid(sizeof(Header), "buckets do not begin where their UUIDs or paths do");
  for (std::uint32_t i = 0; i < size(); ++i) {
    const Record& r = records_[i];
    if (uuids_[i].is_nil()) return invalid(place(uuids_[i]), message("asset ", i, " has a UUID that is all zero"));
    if (i > 0 && !(uuids_[i - 1] < uuids_[i]))
      return invalid(place(uuids_[i]), message("the UUID of asset ", i, " does not ascend"));
    const std::string_view path = text_at(r.path_offset_bytes, r.path_size_bytes);
    if (path.empty() || path.size() > kMaxVirtualPath || path.find('\0') != std::string_view::npos)
      return invalid(
          place(r), message("the virtual path of asset ", i, " does not fit in the text, is too long or holds a zero"));
    const std::uint64_t count = std::uint64_t{r.hard_count} + r.soft_count;
    if (dependencies(r.first_dependency, count).size() != count)
      return invalid(place(r.first_dependency), message("the dependencies of asset ", i, " are out of range"));
    if (find(path) != i)
      return invalid(place(r), message("the virtual path ", quote(path), " does not lead to its asset ", i));
    ASSETC_CHECK(check_more(i));
  }
  const auto ascend = [](std::span<const PathEntry> entries) {
    return std::is_sorted(entries.begin(), entries.end(), [](auto& a, auto& b) { return a.hash < b.hash; });
  };
  if (!ascend(paths_) || !ascend(old_paths_)) return invalid(sizeof(Header), "the hashes of paths do not ascend");
  for (std::uint32_t i = 0; i < redirectors_.size(); ++i) {
    const RedirectorRecord& r = redirectors_[i];
    if (i > 0 && !(redirectors_[i - 1].old_uuid < r.old_uuid))
      return invalid(place(r), message("the old UUID of redirector ", i, " does not ascend"));
    if (r.path_size_bytes != 0 && text_at(r.path_offset_bytes, r.path_size_bytes).empty())
      return invalid(place(r), message("the old path of redirector ", i, " does not fit in the text"));
  }
  if (const auto circle = find_circle(*this)) {
    std::string text;
    for (const std::uint32_t index : *circle) text += std::string(asset(index).virtual_path) + " -> ";
    return invalid(sizeof(Header),
                   "assets that depend on each other: " + text + std::string(asset(circle->front()).virtual_path));
  }
  return {};
}

Result<void> View::check_more(std::uint32_t index) const {
  const Record& record = records_[index];
  const auto wrong = [&](std::string_view what) {
    const auto* const at = reinterpret_cast<const std::byte*>(&record.more_offset_bytes);
    return invalid(static_cast<std::uint64_t>(at - file_.data()), message("asset ", index, " ", what));
  };
  AssetView asset;
  if (!add_more(record, asset)) return wrong("has tags, outer dependencies or values that do not fit in the text");
  if (record.more_offset_bytes == 0) return {};
  if (asset.container == index) return wrong("is its own container");
  if (const auto own = find(asset.shared_file); own && uuids_[*own] == asset.shared_file)
    return wrong("shares a file that has the UUID of an asset");
  for (const ByteSpan list : {asset.outer_hard_dependencies, asset.outer_soft_dependencies}) {
    for (std::size_t i = 0; i < list.size() / sizeof(Uuid); ++i) {
      const Uuid uuid = uuid_at(list, i);
      const auto own = find(uuid);
      if (uuid.is_nil() || (own && uuids_[*own] == uuid))
        return wrong("has an outer dependency that is all zero or an asset of this registry");
    }
  }
  std::string before;
  std::size_t count = 0;
  for (const std::string_view tag : asset.tags) {
    std::string key = ascii_lower(std::string(tag));
    if (tag.empty() || tag.size() > kMaxTagBytes || (count++ > 0 && key <= before))
      return wrong("has tags that are empty, too long or do not ascend");
    before = std::move(key);
  }
  const auto more = load<More>(as_bytes(text_at(record.more_offset_bytes, sizeof(More))));
  if ((more.tag_count & ~More::kHasList) != count) return wrong("has another number of tags than it says");
  for (std::size_t i = 0; i < asset.vertex_attributes.size(); ++i) {
    const VertexAttribute attribute = asset.vertex_attributes[i];
    if (attribute.reserved != 0 || attribute.offset_bytes >= attribute.stride_bytes)
      return wrong("has a vertex attribute that is not in its vertex");
  }
  for (std::size_t i = 0; i < asset.texture_bindings.size(); ++i) {
    if (asset.texture_bindings[i].texture.is_nil()) return wrong("has a binding without a texture");
  }
  return {};
}

std::optional<std::vector<std::uint32_t>> find_circle(const View& view) {
  enum class State : std::uint8_t { kUnseen, kOnPath, kDone };
  std::vector<State> states(view.size(), State::kUnseen);
  struct Step {
    std::uint32_t asset;
    std::size_t next;
  };
  std::vector<Step> path;
  const auto edge = [&](std::uint32_t index, std::size_t i) -> std::optional<std::uint32_t> {
    const AssetView asset = view.asset(index);
    if (i < asset.hard_dependencies.size()) return asset.hard_dependencies[i];
    i -= asset.hard_dependencies.size();
    if (i < asset.soft_dependencies.size()) return asset.soft_dependencies[i];
    return std::nullopt;
  };
  for (std::uint32_t start = 0; start < view.size(); ++start) {
    if (states[start] != State::kUnseen) continue;
    path.push_back({start, 0});
    states[start] = State::kOnPath;
    while (!path.empty()) {
      const std::optional<std::uint32_t> to = edge(path.back().asset, path.back().next++);
      if (!to) {
        states[path.back().asset] = State::kDone;
        path.pop_back();
      } else if (states[*to] == State::kOnPath) {
        std::vector<std::uint32_t> circle;
        auto at = std::find_if(path.begin(), path.end(), [&](const Step& step) { return step.asset == *to; });
        for (; at != path.end(); ++at) circle.push_back(at->asset);
        return circle;
      } else if (states[*to] == State::kUnseen) {
        states[*to] = State::kOnPath;
        path.push_back({*to, 0});
      }
    }
  }
  return std::nullopt;
}

}  // namespace assetc::registry
