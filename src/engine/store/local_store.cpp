#include "engine/store/local_store.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <iterator>

#include "compression/encode.hpp"

namespace assetc::engine {
namespace {

constexpr std::string_view kProducts = "/products-2/";
constexpr std::string_view kBlobs = "/blobs-1/";
constexpr std::string_view kBatches = "/batches-2/";
constexpr std::array kFolders{kProducts, kBlobs, kBatches};
// Folders of earlier formats. They are no longer read, but count towards the size limit.
constexpr std::array<std::string_view, 2> kFormerFolders{"/products-1/", "/batches-1/"};
constexpr std::string_view kUsage = "/usage";
constexpr std::string_view kPacked = ".zst";

// Limits on the products of one key. A model has several products if its images differ between branches.
constexpr std::size_t kMaxProducts = 8;
constexpr std::size_t kMaxProductsBytes = 16u << 20;
// A file's time stamp is its last use, accurate to this, so that most reads write nothing.
constexpr std::int64_t kUseNs = 3'600'000'000'000;
// A store that is too large is trimmed to this share of its limit, so that not every build has to trim.
constexpr std::uint64_t kKeptTenths = 9;
// Memory limit for new blobs that were not read yet.
constexpr std::size_t kMaxUnreadBytes = 32u << 20;
// If the gathered parts exceed this, a batch is written.
constexpr std::size_t kMaxGatheredBytes = 32u << 20;
// Limit for a batch's file. Old parts that do not fit are dropped.
constexpr std::size_t kMaxBatchFileBytes = 16u << 20;
constexpr std::size_t kSampleBytes = 64u << 10;
// How often the usage file is updated while writing, and how often all files are recounted.
constexpr std::uint64_t kNoteBytes = 64u << 20;
constexpr std::int64_t kCountNs = 7 * 24 * kUseNs;

bool pays(std::size_t packed, std::size_t plain) { return packed < plain - plain / 8; }

// The fastest level of Zstd.
constexpr compression::FrameOptions kFrames{.level = 1};

// A Zstd frame, if it saves enough to be worth unpacking.
std::optional<ByteVector> packed(ByteSpan bytes) {
  // From the middle: a file may begin with text although most of it is compressed, as a .glb with pictures does.
  const std::size_t sample_bytes = std::min(bytes.size(), kSampleBytes);
  const ByteSpan sample = bytes.subspan((bytes.size() - sample_bytes) / 2, sample_bytes);
  const auto trial = compression::deflate_if_smaller(sample, kFrames);
  if (!trial || !pays(trial->size(), sample.size())) return std::nullopt;
  return sample.size() == bytes.size() ? trial : compression::deflate_if_smaller(bytes, kFrames);
}

// The products of a key with a new one put first. Drops existing ones that are invalid.
ByteVector with_product(const ContentHash& key, const std::optional<Bytes>& file, Bytes product) {
  std::vector<Bytes> products{std::move(product)};
  std::size_t bytes = products[0].size();
  const auto parts = file ? split_products(*file) : std::vector<Bytes>();
  for (std::size_t i = 0; parts && i < parts->size() && products.size() < kMaxProducts; ++i) {
    bytes += (*parts)[i].size();
    if (bytes > kMaxProductsBytes) break;
    if (!std::ranges::equal((*parts)[i].span(), products[0].span()) && StoredProduct::decode(key, (*parts)[i]))
      products.push_back((*parts)[i]);
  }
  return encode_products(products);
}

// False if the file is damaged.
bool add_products(const ContentHash& key, const Bytes& file, std::vector<StoredProduct>& to) {
  const auto parts = split_products(file);
  if (!parts) return false;
  for (const Bytes& part : *parts) {
    auto product = StoredProduct::decode(key, part);
    if (!product) return false;
    to.push_back(std::move(*product));
  }
  return true;
}

// name: a key in hex.
bool is_products(std::string_view name, const Bytes& file) {
  ContentHash key;
  const auto read_half = [](std::string_view digits, std::uint64_t& half) {
    return std::from_chars(digits.data(), digits.data() + digits.size(), half, 16).ec == std::errc();
  };
  if (name.size() != 32 || !read_half(name.substr(0, 16), key.high) || !read_half(name.substr(16), key.low))
    return false;
  std::vector<StoredProduct> products;
  return add_products(key, file, products);
}

// name: a hash in hex, with kPacked for a Zstd frame.
bool is_blob(std::string_view name, const Bytes& bytes) {
  if (!name.ends_with(kPacked)) return content_hash(bytes).hex() == name;
  const auto hash = compression::inflated_hash(bytes);
  return hash && hash->hex() == name.substr(0, name.size() - kPacked.size());
}

bool is_batch(const Bytes& file) {
  const auto parts = split_parts(file);
  return parts && std::ranges::all_of(*parts, [](const StorePart& part) {
           if (part.kind == StorePartKind::kProducts) return is_products(part.name.hex(), part.bytes);
           return is_blob(part.name.hex() + std::string(part.kind == StorePartKind::kPackedBlob ? kPacked : ""),
                          part.bytes);
         });
}

// path: relative to the store.
bool is_in_any(std::span<const std::string_view> folders, std::string_view path) {
  return std::ranges::any_of(
      folders, [&](std::string_view folder) { return path.starts_with(folder.substr(1, folder.size() - 2)); });
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
  for (std::string_view folder : kFolders)
    store->is_new_ = store->is_new_ && !disk.status(store->settings_.path + std::string(folder));
  return store;
}

std::string LocalStore::products_path(const ContentHash& key) const { return placed(settings_.path, kProducts, key); }
std::string LocalStore::blob_path(const ContentHash& hash) const { return placed(settings_.path, kBlobs, hash); }
std::string LocalStore::batch_path(const ContentHash& batch) const { return placed(settings_.path, kBatches, batch); }

void LocalStore::note_use(const std::string& path, const FileSignature& signature) {
  // If this fails, the file only looks older than it is. A stamp in the future comes from a wrong clock, so it is
  // replaced too.
  if (std::abs(disk_.now_ns() - signature.mtime_ns) > kUseNs) (void)disk_.mark_used(path);
}

std::optional<Bytes> LocalStore::read(const std::string& path) {
  FileSignature signature;
  auto bytes = disk_.read(path, &signature);
  if (!bytes) return std::nullopt;
  note_use(path, signature);
  return std::move(*bytes);
}

std::vector<StoredProduct> LocalStore::find(const ContentHash& key, const std::optional<ContentHash>& batch) {
  if (batch) look_into(*batch);
  std::vector<StoredProduct> found;
  const std::string path = products_path(key);
  if (const auto file = read(path); file && !add_products(key, *file, found)) (void)disk_.remove(path);
  Bytes batched;
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = batch_products_.find(key); at != batch_products_.end()) batched = at->second;
  }
  if (!batched.empty()) (void)add_products(key, batched, found);
  return found;
}

std::vector<StorePart> LocalStore::parts_of(const ContentHash& batch) {
  const std::string path = batch_path(batch);
  const auto status = disk_.status(path);
  if (!status) return {};
  note_use(path, status->signature);
  const auto file = disk_.peek(path);
  if (!file) return {};
  auto parts = split_parts(*file);
  if (parts) return std::move(*parts);
  (void)disk_.remove(path);
  return {};
}

// The caller holds the lock.
void LocalStore::know(StorePart part) {
  if (part.kind == StorePartKind::kProducts) {
    batch_products_.insert_or_assign(part.name, std::move(part.bytes));
  } else {
    const bool packed = part.kind == StorePartKind::kPackedBlob;
    batch_blobs_.insert_or_assign(part.name, PackedBlob{std::move(part.bytes), packed});
  }
}

void LocalStore::look_into(const ContentHash& batch) {
  const std::lock_guard lock(mutex_);
  if (!looked_into_.insert(batch).second) return;
  for (StorePart& part : parts_of(batch)) know(std::move(part));
}

std::optional<PackedBlob> LocalStore::part(const ContentHash& hash) {
  const std::lock_guard lock(mutex_);
  const auto at = batch_blobs_.find(hash);
  return at == batch_blobs_.end() ? std::nullopt : std::optional(at->second);
}

std::optional<Bytes> LocalStore::blob(const ContentHash& hash, std::uint64_t size_bytes) {
  {
    std::unique_lock lock(mutex_);
    if (auto unread = unread_.extract(hash)) {
      unread_bytes_ -= unread.mapped().bytes.size();
      lock.unlock();
      return unpacked(unread.mapped(), size_bytes);
    }
  }
  std::string path = blob_path(hash);
  auto bytes = read(path);
  if (!bytes) {
    path += kPacked;
    // A frame of another size becomes empty, so that it is removed below.
    if (auto frame = read(path)) bytes = unpacked({std::move(*frame), true}, size_bytes).value_or(Bytes());
  }
  if (bytes) {
    if (bytes->size() == size_bytes && content_hash(*bytes) == hash) return bytes;
    (void)disk_.remove(path);
  }
  if (const auto batched = part(hash)) bytes = unpacked(*batched, size_bytes);
  return bytes && content_hash(*bytes) == hash ? bytes : std::nullopt;
}

void LocalStore::write(const std::string& path, ByteSpan bytes) {
  if (const auto written = disk_.publish(path, bytes); !written) {
    const std::lock_guard lock(mutex_);
    if (!trouble_) trouble_ = written.error();
    return;
  }
  // Update the usage now and then, because a build that is killed cannot do it at its end.
  const std::uint64_t not_noted = written_bytes_ += bytes.size();
  if (not_noted >= kNoteBytes) (void)note_written(false);
}

void LocalStore::put_blob(const ContentHash& hash, const Bytes& bytes) {
  {
    const std::lock_guard lock(mutex_);
    if (trouble_ || !put_.insert(hash).second) return;
  }
  // Blobs in batches do not count: only builds that look into the batch would find them.
  if (has_intact(hash)) return;
  const std::string path = blob_path(hash);
  const auto smaller = packed(bytes);
  smaller ? write(path + std::string(kPacked), *smaller) : write(path, bytes);
}

bool LocalStore::has_file(const ContentHash& hash) {
  const std::string plain = blob_path(hash);
  for (const std::string& path : {plain, plain + std::string(kPacked)}) {
    const auto status = disk_.status(path);
    if (!status) continue;
    note_use(path, status->signature);
    return true;
  }
  return false;
}

bool LocalStore::has_intact(const ContentHash& hash) {
  const std::string plain = blob_path(hash);
  for (const std::string& path : {plain, plain + std::string(kPacked)}) {
    const auto bytes = read(path);
    if (!bytes) continue;
    if (is_blob(std::string_view(path).substr(path.rfind('/') + 1), *bytes)) return true;
    (void)disk_.remove(path);
  }
  return false;
}

bool LocalStore::has_blob(const ContentHash& hash) { return part(hash) || has_file(hash); }

std::optional<PackedBlob> LocalStore::packed_blob(const ContentHash& hash) {
  const std::string path = blob_path(hash);
  if (auto plain = read(path)) return PackedBlob{std::move(*plain), false};
  if (auto frame = read(path + std::string(kPacked))) return PackedBlob{std::move(*frame), true};
  return part(hash);
}

void LocalStore::keep_for_reader(const ContentHash& hash, const PackedBlob& blob) {
  if (blob.bytes.size() > kMaxUnreadBytes) return;
  const std::lock_guard lock(mutex_);
  if (!unread_.emplace(hash, blob).second) return;
  unread_order_.push_back(hash);
  unread_bytes_ += blob.bytes.size();
  while (unread_bytes_ > kMaxUnreadBytes) {
    if (const auto oldest = unread_.extract(unread_order_.front())) unread_bytes_ -= oldest.mapped().bytes.size();
    unread_order_.pop_front();
  }
}

void LocalStore::keep_blob(const ContentHash& hash, const PackedBlob& blob, const std::optional<ContentHash>& batch) {
  if (batch) return gather(*batch, {blob.packed ? StorePartKind::kPackedBlob : StorePartKind::kBlob, hash, blob.bytes});
  write(blob_path(hash) + std::string(blob.packed ? kPacked : ""), blob.bytes);
  keep_for_reader(hash, blob);
}

void LocalStore::put(const MadeProduct& made) {
  {
    const std::lock_guard lock(mutex_);
    if (trouble_) return;
  }
  put_encoded(made.key, Bytes(StoredProduct::encode(made.key, made.record, made.small)), made.batch);
}

void LocalStore::keep(const ContentHash& key, const StoredProduct& product, const std::optional<ContentHash>& batch) {
  put_encoded(key, product.encoded(), batch);
}

void LocalStore::put_encoded(const ContentHash& key, Bytes product, const std::optional<ContentHash>& batch) {
  if (batch) return gather(*batch, {StorePartKind::kProducts, key, std::move(product)});
  const std::string path = products_path(key);
  const auto file = disk_.read(path);
  write(path, with_product(key, file ? std::optional(*file) : std::nullopt, std::move(product)));
}

void LocalStore::gather(const ContentHash& batch, StorePart part) {
  look_into(batch);
  std::optional<ContentHash> full;
  {
    const std::lock_guard lock(mutex_);
    if (part.kind == StorePartKind::kProducts) {
      const auto known = batch_products_.find(part.name);
      const auto before = known == batch_products_.end() ? std::nullopt : std::optional(known->second);
      part.bytes = Bytes(with_product(part.name, before, std::move(part.bytes)));
    }
    know(part);
    gathered_bytes_ += part.bytes.size();
    gathered_[batch].push_back(std::move(part));
    if (gathered_bytes_ > kMaxGatheredBytes) full = gathered_.begin()->first;
  }
  if (full) write_batch(*full);
}

void LocalStore::write_batch(const ContentHash& batch) {
  std::vector<StorePart> gathered;
  {
    const std::lock_guard lock(mutex_);
    auto node = gathered_.extract(batch);
    if (!node) return;
    gathered = std::move(node.mapped());
    for (const StorePart& part : gathered) gathered_bytes_ -= part.bytes.size();
  }
  // Newest parts first, each name once, then what the file already had.
  std::ranges::reverse(gathered);
  std::ranges::move(parts_of(batch), std::back_inserter(gathered));
  std::unordered_set<ContentHash> names;
  std::size_t bytes = 0;
  std::erase_if(gathered, [&](const StorePart& part) {
    if (!names.insert(part.name).second || bytes + part.bytes.size() > kMaxBatchFileBytes) return true;
    bytes += part.bytes.size();
    return false;
  });
  write(batch_path(batch), encode_parts(gathered));
  // Refer to the mapped file, whose pages the system may drop: all batches together need not fit in memory.
  std::vector<StorePart> written = parts_of(batch);
  const std::lock_guard lock(mutex_);
  for (StorePart& part : written) know(std::move(part));
}

// Two numbers: the total in bytes, and the time of the last full count.
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

Costs* LocalStore::costs() {
  const std::lock_guard lock(mutex_);
  if (!costs_) costs_.emplace(disk_, settings_.path + std::string(kCostsFile));
  return &*costs_;
}

Result<void> LocalStore::finish() {
  if (costs_) (void)costs_->save();  // if this fails, the next build uses guessed costs
  while (!gathered_.empty()) write_batch(ContentHash(gathered_.begin()->first));
  Result<void> noted = note_written(true);
  return trouble_ ? std::unexpected(*trouble_) : noted;
}

Result<void> LocalStore::note_written(bool at_end) {
  const std::lock_guard lock(noting_);
  const std::uint64_t written = written_bytes_.exchange(0);
  if (written == 0) return {};
  // Another process may update the sum at the same time, or be killed before it does. A later full count corrects the
  // sum.
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
    if (!is_in_any(kFolders, path) && !is_in_any(kFormerFolders, path)) return Visit::kLeaveOut;
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
    const auto is_in = [&](std::string_view folder) { return tree.path(i).starts_with(folder.substr(1)); };
    ++(is_in(kBlobs) ? usage.blobs : is_in(kBatches) ? usage.batches : usage.products);
    usage.bytes += tree[i].signature.size_bytes;
    const std::int64_t used = tree[i].signature.mtime_ns;
    usage.oldest_use_ns = usage.oldest_use_ns == 0 ? used : std::min(usage.oldest_use_ns, used);
  }
  return usage;
}

Result<std::uint64_t> LocalStore::trim(std::uint64_t size_bytes, std::int64_t used_before_ns) {
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
  const auto used = [&](std::size_t i) {
    const std::int64_t used_ns = tree[i].signature.mtime_ns;
    return used_ns > future_ns ? 0 : used_ns;  // written with a wrong clock: treat as oldest
  };
  std::ranges::sort(files, {}, used);
  std::uint64_t removed = 0;
  for (std::size_t i : files) {
    if (bytes <= size_bytes && used(i) >= used_before_ns) break;
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
  Result<void> unread = tree.whole(settings_.path);
  const auto cannot_read = [&](Error error) {
    if (unread) unread = std::unexpected(std::move(error));
  };
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const std::string_view place = tree.path(i);
    const std::string_view name = place.substr(place.rfind('/') + 1);
    const std::string path = settings_.path + "/" + std::string(place);
    if (is_in_any(kFormerFolders, place)) continue;  // not of this format, so it cannot be verified
    if (tree[i].type != FileType::kFile) {
      if (name.size() >= 32) cannot_read({ErrorCode::kIo, path, {}, "found a folder, expected a file", "remove it"});
      continue;
    }
    auto bytes = disk_.read(path);
    if (!bytes) {
      // Another process may have removed it.
      if (bytes.error().code != ErrorCode::kNotFound) cannot_read(std::move(bytes).error());
      continue;
    }
    if (!(place.starts_with(kBlobs.substr(1))     ? is_blob(name, *bytes)
          : place.starts_with(kBatches.substr(1)) ? is_batch(*bytes)
                                                  : is_products(name, *bytes))) {
      ++damaged;
      ASSETC_CHECK(disk_.remove(path));
    }
  }
  if (!unread) return std::unexpected(std::move(unread).error());
  return damaged;
}

Result<std::uint64_t> LocalStore::clear() {
  ASSETC_TRY(const std::uint64_t removed, trim(0));
  ASSETC_CHECK(disk_.remove(settings_.path + std::string(kUsage)));
  ASSETC_CHECK(disk_.remove(settings_.path + std::string(kCostsFile)));
  return removed;
}

}  // namespace assetc::engine
