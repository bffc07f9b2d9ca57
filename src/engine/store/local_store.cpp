#include "engine/store/local_store.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "bundle/zstd.hpp"

namespace assetc::engine {
namespace {

constexpr std::string_view kProducts = "/products-1/";
constexpr std::string_view kBlobs = "/blobs-1/";
constexpr std::string_view kUsage = "/usage";
constexpr std::string_view kPacked = ".zst";

// Products of one key that are kept: a model whose pictures change between branches has as many.
constexpr std::size_t kMaxProducts = 8;
constexpr std::size_t kMaxProductsBytes = 16u << 20;
// A file's stamp is that of its last use, give or take this: reading writes nothing most of the time.
constexpr std::int64_t kUseNs = 3'600'000'000'000;
// What is removed at once, so that not every build has to.
constexpr std::uint64_t kKeptTenths = 9;
constexpr std::size_t kSampleBytes = 64u << 10;
// What is written is noted at least so often, and all of it counted.
constexpr std::uint64_t kNoteBytes = 64u << 20;
constexpr std::int64_t kCountNs = 7 * 24 * kUseNs;

bool pays(std::size_t packed, std::size_t plain) { return packed < plain - plain / 8; }

// Zstd's frame where that is worth reading it back.
std::optional<ByteVector> packed(ByteSpan bytes) {
  const ByteSpan sample = bytes.first(std::min(bytes.size(), kSampleBytes));
  const auto trial = bundle::deflate_fast(sample);
  if (!trial || !pays(trial->size(), sample.size())) return std::nullopt;
  return sample.size() == bytes.size() ? trial : bundle::deflate_fast(bytes);
}

// Nothing where the frame has not so many bytes in it.
Bytes unpacked(ByteSpan frame, std::uint64_t size_bytes) {
  if (bundle::content_size(frame) != size_bytes) return {};
  auto plain = bundle::inflate(frame, size_bytes, nullptr);
  return plain ? Bytes(std::move(*plain)) : Bytes();
}

std::string placed(const std::string& root, std::string_view folder, const ContentHash& hash) {
  const std::string name = hash.hex();
  return root + std::string(folder) + name.substr(0, 2) + "/" + name;
}

}  // namespace

Result<std::unique_ptr<LocalStore>> LocalStore::open(Disk& disk, StoreSettings settings) {
  ASSETC_CHECK(disk.make_directories(settings.path));
  if (disk.is_remote(settings.path)) {
    return std::unexpected(Error{ErrorCode::kUnsupported,
                                 settings.path,
                                 {},
                                 "is on a network file system, where several machines cannot share a store",
                                 "set cache.path or ASSETC_CACHE to a folder on a local disk"});
  }
  std::unique_ptr<LocalStore> store(new LocalStore(disk, std::move(settings)));
  for (std::string_view folder : {kProducts, kBlobs})
    store->is_new_ = store->is_new_ && !disk.status(store->settings_.path + std::string(folder));
  return store;
}

std::string LocalStore::products_path(const ContentHash& key) const { return placed(settings_.path, kProducts, key); }
std::string LocalStore::blob_path(const ContentHash& hash) const { return placed(settings_.path, kBlobs, hash); }

std::optional<Bytes> LocalStore::read(const std::string& path) {
  FileSignature signature;
  auto bytes = disk_.read(path, &signature);
  if (!bytes) return std::nullopt;
  // Without it the file only looks older than it is.
  // A stamp of the future is no better: the clock was wrong once.
  if (std::abs(disk_.now_ns() - signature.mtime_ns) > kUseNs) (void)disk_.mark_used(path);
  return std::move(*bytes);
}

std::vector<StoredProduct> LocalStore::find(const ContentHash& key) {
  std::vector<StoredProduct> found;
  const std::string path = products_path(key);
  const auto file = read(path);
  if (!file) return found;
  auto parts = split_products(*file);
  bool damaged = !parts;
  for (std::size_t i = 0; !damaged && i < parts->size(); ++i) {
    auto product = StoredProduct::decode((*parts)[i]);
    damaged = !product;
    if (product) found.push_back(std::move(*product));
  }
  if (damaged) (void)disk_.remove(path);
  return found;
}

std::optional<Bytes> LocalStore::blob(const ContentHash& hash, std::uint64_t size_bytes) {
  std::string path = blob_path(hash);
  auto bytes = read(path);
  if (!bytes) {
    path += kPacked;
    const auto frame = read(path);
    if (!frame) return std::nullopt;
    bytes = unpacked(*frame, size_bytes);
  }
  if (bytes->size() == size_bytes && content_hash(*bytes) == hash) return bytes;
  (void)disk_.remove(path);
  return std::nullopt;
}

void LocalStore::write(const std::string& path, ByteSpan bytes) {
  if (const auto written = disk_.publish(path, bytes); !written) {
    const std::lock_guard lock(mutex_);
    if (!trouble_) trouble_ = written.error();
    return;
  }
  // A build that is killed notes nothing more.
  const std::uint64_t not_noted = written_bytes_ += bytes.size();
  if (not_noted >= kNoteBytes) (void)note_written(false);
}

void LocalStore::put_blob(const ContentHash& hash, const Bytes& bytes) {
  {
    const std::lock_guard lock(mutex_);
    if (trouble_ || !put_.insert(hash).second) return;
  }
  if (has_blob(hash)) return;
  const std::string path = blob_path(hash);
  const auto smaller = packed(bytes);
  smaller ? write(path + std::string(kPacked), *smaller) : write(path, bytes);
}

bool LocalStore::has_blob(const ContentHash& hash) {
  const std::string path = blob_path(hash);
  return disk_.status(path).has_value() || disk_.status(path + std::string(kPacked)).has_value();
}

std::optional<LocalStore::PackedBlob> LocalStore::packed_blob(const ContentHash& hash) {
  const std::string path = blob_path(hash);
  if (auto plain = read(path)) return PackedBlob{std::move(*plain), false};
  if (auto frame = read(path + std::string(kPacked))) return PackedBlob{std::move(*frame), true};
  return std::nullopt;
}

bool LocalStore::put_packed_blob(const ContentHash& hash, std::uint64_t size_bytes, const PackedBlob& blob) {
  // A frame is not unpacked into memory: what it has in it may be anything yet.
  const std::uint64_t bytes = blob.packed ? bundle::content_size(blob.bytes).value_or(~0ull) : blob.bytes.size();
  if (bytes != size_bytes) return false;
  const auto found = blob.packed ? bundle::inflated_hash(blob.bytes) : Result<ContentHash>(content_hash(blob.bytes));
  if (!found || *found != hash) return false;
  write(blob_path(hash) + std::string(blob.packed ? kPacked : ""), blob.bytes);
  return true;
}

void LocalStore::put(const ContentHash& key, const StepRecord& record, std::span<const Bytes> small) {
  {
    const std::lock_guard lock(mutex_);
    if (trouble_) return;
  }
  const std::string path = products_path(key);
  std::vector<Bytes> products{Bytes(StoredProduct::encode(record, small))};
  std::size_t bytes = products[0].size();
  if (const auto file = disk_.read(path)) {
    const auto parts = split_products(*file);
    for (std::size_t i = 0; parts && i < parts->size() && products.size() < kMaxProducts; ++i) {
      const auto same = [&](ByteSpan a, ByteSpan b) { return std::ranges::equal(a, b); };
      bytes += (*parts)[i].size();
      if (bytes > kMaxProductsBytes) break;
      if (!same((*parts)[i], products[0])) products.push_back((*parts)[i]);
    }
  }
  write(path, encode_products(products));
}

// Two numbers: bytes, and when they were last counted.
std::optional<LocalStore::Noted> LocalStore::noted() {
  const auto text = disk_.read(settings_.path + std::string(kUsage));
  if (!text) return std::nullopt;
  Noted noted;
  const char* at = as_text(*text).data();
  const char* const end = at + text->size();
  auto read = std::from_chars(at, end, noted.bytes);
  if (read.ec != std::errc() || read.ptr == end || *read.ptr != ' ') return std::nullopt;
  read = std::from_chars(read.ptr + 1, end, noted.counted_ns);
  return read.ec == std::errc() && read.ptr == end ? std::optional(noted) : std::nullopt;
}

Result<void> LocalStore::note(const Noted& noted) {
  const std::string text = std::to_string(noted.bytes) + " " + std::to_string(noted.counted_ns);
  ASSETC_TRY([[maybe_unused]] const FileSignature written,
             disk_.publish(settings_.path + std::string(kUsage), as_bytes(text)));
  return {};
}

Result<void> LocalStore::finish() {
  Result<void> noted = note_written(true);
  return trouble_ ? std::unexpected(*trouble_) : noted;
}

Result<void> LocalStore::note_written(bool at_end) {
  const std::lock_guard lock(noting_);
  const std::uint64_t written = written_bytes_.exchange(0);
  if (written == 0) return {};
  // Another process may be doing the same, or be killed before it does: what is lost of a sum is found by a count.
  auto sum = noted();
  if (!sum && is_new_) sum = Noted{0, disk_.now_ns()};
  if (sum) sum->bytes += written;
  if (at_end && (!sum || std::abs(disk_.now_ns() - sum->counted_ns) > kCountNs)) {
    ASSETC_TRY(const Usage usage, count());
    sum = Noted{usage.bytes, disk_.now_ns()};
  }
  if (!sum) return {};
  if (at_end && sum->bytes > settings_.size_bytes) {
    ASSETC_CHECK(trim(settings_.size_bytes / 10 * kKeptTenths));
    return {};
  }
  return note(*sum);
}

Result<Tree> LocalStore::walk() {
  const auto skip = [](std::string_view path, bool directory) {
    const bool ours = path.starts_with(kProducts.substr(1, kProducts.size() - 2)) ||
                      path.starts_with(kBlobs.substr(1, kBlobs.size() - 2));
    if (!ours) return Visit::kLeaveOut;
    const std::size_t slash = path.rfind('/');
    const bool unfinished = !directory && path.substr(slash + 1).starts_with(kTemporaryPrefix);
    return unfinished ? Visit::kLeaveOut : Visit::kTake;
  };
  return disk_.walk(settings_.path, skip, 1);
}

Result<LocalStore::Usage> LocalStore::count() {
  ASSETC_TRY(const Tree tree, walk());
  Usage usage;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].type != FileType::kFile) continue;
    ++(tree.path(i).starts_with(kBlobs.substr(1)) ? usage.blobs : usage.products);
    usage.bytes += tree[i].signature.size_bytes;
    const std::int64_t used = tree[i].signature.mtime_ns;
    usage.oldest_use_ns = usage.oldest_use_ns == 0 ? used : std::min(usage.oldest_use_ns, used);
  }
  return usage;
}

Result<std::uint64_t> LocalStore::trim(std::uint64_t size_bytes) {
  ASSETC_TRY(const Tree tree, walk());
  std::vector<std::size_t> files;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].type == FileType::kDirectory) {
      ASSETC_CHECK(disk_.sweep(settings_.path + "/" + std::string(tree.path(i))));
      continue;
    }
    files.push_back(i);
    bytes += tree[i].signature.size_bytes;
  }
  const std::int64_t future_ns = disk_.now_ns() + kUseNs;
  std::ranges::sort(files, {}, [&](std::size_t i) {
    const std::int64_t used_ns = tree[i].signature.mtime_ns;
    return used_ns > future_ns ? 0 : used_ns;  // of a clock that was wrong: nobody knows when
  });
  std::uint64_t removed = 0;
  for (std::size_t i : files) {
    if (bytes <= size_bytes) break;
    ASSETC_CHECK(disk_.remove(settings_.path + "/" + std::string(tree.path(i))));
    bytes -= tree[i].signature.size_bytes;
    ++removed;
  }
  ASSETC_CHECK(note({bytes, disk_.now_ns()}));
  return removed;
}

Result<std::uint64_t> LocalStore::verify() {
  ASSETC_TRY(const Tree tree, walk());
  std::uint64_t damaged = 0;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].type != FileType::kFile) continue;
    const std::string path = settings_.path + "/" + std::string(tree.path(i));
    auto bytes = disk_.read(path);
    if (!bytes) continue;  // another process has trimmed it
    bool good = false;
    if (tree.path(i).starts_with(kBlobs.substr(1))) {
      std::string name = path.substr(path.rfind('/') + 1);
      if (name.ends_with(kPacked)) {
        name.resize(name.size() - kPacked.size());
        const auto hash = bundle::inflated_hash(*bytes);
        good = hash && hash->hex() == name;
      } else {
        good = content_hash(*bytes).hex() == name;
      }
    } else {
      const auto parts = split_products(*bytes);
      good = parts &&
             std::ranges::all_of(*parts, [](const Bytes& part) { return StoredProduct::decode(part).has_value(); });
    }
    if (good) continue;
    ++damaged;
    ASSETC_CHECK(disk_.remove(path));
  }
  return damaged;
}

Result<std::uint64_t> LocalStore::clear() {
  ASSETC_TRY(const std::uint64_t removed, trim(0));
  ASSETC_CHECK(disk_.remove(settings_.path + std::string(kUsage)));
  return removed;
}

}  // namespace assetc::engine
