#include "engine/state/cache.hpp"

#include <sqlite3.h>

#include "engine/disk/sqlite_vfs.hpp"

namespace assetc::engine {
namespace {

// Increase if the encoding of the log or the meaning of a record changes. Caches of other versions are dropped.
constexpr std::uint64_t kCacheVersion = 5;
constexpr std::string_view kVersionName = "version";
// The schema in a file must match exactly. Otherwise the file counts as damaged, because SQLite would use its schema.
constexpr std::string_view kLogTable =
    "CREATE TABLE log(sequence INTEGER PRIMARY KEY, checksum BLOB NOT NULL, block BLOB NOT NULL)";
constexpr std::string_view kMetaTable =
    "CREATE TABLE meta(name TEXT PRIMARY KEY, checksum BLOB NOT NULL, value BLOB NOT NULL) WITHOUT ROWID";
// Larger blocks are split, because SQLite refuses blobs of a gigabyte.
constexpr std::size_t kBlockBytes = 8u << 20;
// A smaller log is not worth compacting.
constexpr std::uint64_t kSmallLogBytes = 4u << 20;
constexpr const char* kInMemory = ":memory:";
// In meta: size of the log in bytes when it was last compact.
constexpr std::string_view kBaseName = "log_base";

class Statement {
 public:
  Statement(sqlite3* db, const char* sql) { sqlite3_prepare_v2(db, sql, -1, &statement_, nullptr); }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  explicit operator bool() const { return statement_ != nullptr; }
  sqlite3_stmt* get() { return statement_; }
  int step() { return statement_ == nullptr ? SQLITE_ERROR : sqlite3_step(statement_); }
  void bind(int i, ByteSpan bytes) {
    sqlite3_bind_blob64(statement_, i, bytes.empty() ? reinterpret_cast<const std::byte*>("") : bytes.data(),
                        bytes.size(), SQLITE_STATIC);
  }
  void bind(int i, std::string_view text) {
    sqlite3_bind_text(statement_, i, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  }
  void bind(int i, std::uint64_t value) { sqlite3_bind_int64(statement_, i, static_cast<sqlite3_int64>(value)); }
  Bytes blob(int column) {
    const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(statement_, column));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    return Bytes(data == nullptr ? ByteVector() : ByteVector(data, data + size));
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace

struct Cache::Impl {
  Disk& disk;
  std::string path;
  bool in_memory;  // nothing is written to the disk
  SqliteVfs vfs;
  sqlite3* db = nullptr;
  std::uint64_t last_sequence = 0;
  std::uint64_t log_bytes = 0;
  bool damaged = false;

  bool exec(const std::string& sql) { return sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK; }
  // Only this process writes the file. So if an operation fails although the disk reported no error, the file is
  // damaged.
  bool refused() const { return !vfs.last_error().what.empty(); }
  void close() {
    if (db != nullptr) sqlite3_close(db);
    db = nullptr;
    last_sequence = 0;
    log_bytes = 0;
  }
};

Cache::Cache(Disk& disk, std::string path, bool read_only)
    : impl_(new Impl{disk, std::move(path), read_only, SqliteVfs(disk, read_only)}) {}

Cache::~Cache() { impl_->close(); }

Result<std::unique_ptr<Cache>> Cache::open(Disk& disk, const std::string& path, bool read_only) {
  std::unique_ptr<Cache> cache(new Cache(disk, path, read_only));
  ASSETC_CHECK(cache->open_database());
  return cache;
}

std::unexpected<Error> Cache::error(std::string_view doing) {
  const Error& disk_error = impl_->vfs.last_error();
  std::string what = "cannot " + std::string(doing) + " the build cache: ";
  what += disk_error.what.empty() ? std::string(sqlite3_errmsg(impl_->db)) : disk_error.what;
  return std::unexpected(Error{ErrorCode::kIo, impl_->path, {}, std::move(what), disk_error.hint});
}

Result<void> Cache::open_database() {
  constexpr int kAttempts = 3;  // existing file, new file, memory
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    impl_->vfs.forget_error();
    const std::string why = try_open();
    if (why.empty()) return {};
    if (impl_->refused()) {
      go_without(impl_->vfs.last_error());
    } else {
      drop(why);
    }
  }
  return error("open");
}

// Returns why the file cannot be used, or an empty text if it is open.
std::string Cache::try_open() {
  constexpr const char* kDamaged = "it is damaged";
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  // A new file has nothing to lose, so writes do not wait for the disk until its tables exist.
  const bool is_new = !impl_->disk.status(impl_->path);
  const std::string synchronous = is_new ? "OFF" : "NORMAL";
  if (sqlite3_open_v2(impl_->path.c_str(), &impl_->db, flags, impl_->vfs.name()) != SQLITE_OK ||
      !impl_->exec("PRAGMA page_size=16384; PRAGMA locking_mode=EXCLUSIVE; PRAGMA synchronous=" + synchronous +
                   "; PRAGMA journal_mode=WAL; PRAGMA temp_store=MEMORY; PRAGMA cell_size_check=ON;")) {
    return kDamaged;
  }
  std::vector<std::string> tables;
  {
    Statement select(impl_->db, "SELECT sql FROM sqlite_master ORDER BY name");
    int code = SQLITE_DONE;
    while ((code = select.step()) == SQLITE_ROW) tables.emplace_back(as_text(select.blob(0)));
    if (code != SQLITE_DONE) return kDamaged;
  }
  if (tables.empty()) {  // new, or left by a build that was killed before it recorded anything
    impl_->exec("BEGIN");
    impl_->exec(std::string(kLogTable));
    impl_->exec(std::string(kMetaTable));
    if (!put(kVersionName, object_bytes(kCacheVersion)) || !impl_->exec("COMMIT; PRAGMA synchronous=NORMAL;"))
      return kDamaged;
  } else {
    const auto version = get(kVersionName);
    const bool known = version && version->size() == sizeof kCacheVersion;
    if (known && assetc::load<std::uint64_t>(*version) != kCacheVersion)
      return "it was written by another version of assetc";
    if (!known || tables != std::vector<std::string>{std::string(kLogTable), std::string(kMetaTable)}) return kDamaged;
  }
  Statement last(impl_->db, "SELECT coalesce(max(sequence), 0) FROM log");
  if (last.step() != SQLITE_ROW) return kDamaged;
  impl_->last_sequence = static_cast<std::uint64_t>(sqlite3_column_int64(last.get(), 0));
  return {};
}

// Drops the whole cache and closes the database. open_database() creates a new one.
void Cache::drop(const std::string& why) {
  if (dropped_.empty()) dropped_ = "the build cache is dropped because " + why + "; everything is checked again";
  impl_->close();
  if (impl_->in_memory) {
    impl_->path = kInMemory;  // a dry run must not touch the file
    return;
  }
  for (const char* suffix : {"-wal", "-journal", "-shm", ""}) {
    if (auto removed = impl_->disk.remove(impl_->path + suffix); !removed) return go_without(removed.error());
  }
}

// Continues in memory. That is safe: a later build that reads the old file compares its records with the outputs.
void Cache::go_without(const Error& refusal) {
  if (dropped_.empty()) {
    dropped_ = "the build cache cannot be used: " + refusal.what + "; everything is checked again";
    if (!refusal.hint.empty()) dropped_ += "; " + refusal.hint;
  }
  impl_->close();
  impl_->in_memory = true;
  impl_->path = kInMemory;
}

// Runs a write. If the file turns out to be damaged, repeats the write on a new file. compact_if_useful() later writes
// what the old file held.
template <class Write>
Result<void> Cache::healing(const Write& write) {
  impl_->vfs.forget_error();
  auto written = write();
  if (written || impl_->refused()) return written;
  drop("it is damaged");
  ASSETC_CHECK(open_database());
  impl_->damaged = true;
  return write();
}

std::optional<Bytes> Cache::get(std::string_view name) {
  Statement select(impl_->db, "SELECT checksum, value FROM meta WHERE name = ?");
  if (!select) return std::nullopt;
  select.bind(1, name);
  if (select.step() != SQLITE_ROW) return std::nullopt;
  const Bytes checksum = select.blob(0);
  Bytes value = select.blob(1);
  const ContentHash expected = ContentHasher().add(name).add(value).finish();
  if (checksum.size() != sizeof expected || assetc::load<ContentHash>(checksum) != expected) return std::nullopt;
  return value;
}

bool Cache::has(std::string_view name) {
  Statement select(impl_->db, "SELECT 1 FROM meta WHERE name = ?");
  if (!select) return false;
  select.bind(1, name);
  return select.step() == SQLITE_ROW;
}

Result<void> Cache::set(std::string_view name, ByteSpan value) {
  return healing([&] { return put(name, value); });
}

Result<void> Cache::put(std::string_view name, ByteSpan value) {
  const ContentHash checksum = ContentHasher().add(name).add(value).finish();
  Statement insert(impl_->db, "INSERT OR REPLACE INTO meta(name, checksum, value) VALUES(?, ?, ?)");
  if (!insert) return error("write");
  insert.bind(1, name);
  insert.bind(2, object_bytes(checksum));
  insert.bind(3, value);
  if (insert.step() != SQLITE_DONE) return error("write");
  return {};
}

Result<void> Cache::load(State& state) {
  impl_->vfs.forget_error();
  int code = SQLITE_OK;
  {
    Statement select(impl_->db, "SELECT sequence, checksum, block FROM log ORDER BY sequence");
    std::uint64_t expected_sequence = 1;
    for (;;) {
      code = select.step();
      if (code != SQLITE_ROW) break;
      const auto sequence = static_cast<std::uint64_t>(sqlite3_column_int64(select.get(), 0));
      const Bytes checksum = select.blob(1);
      Bytes block = select.blob(2);
      impl_->log_bytes += block.size();
      const bool whole = checksum.size() == sizeof(ContentHash) &&
                         assetc::load<ContentHash>(checksum) == ContentHasher().add(sequence).add(block).finish();
      impl_->damaged |= !whole || sequence != expected_sequence;
      if (whole && !replay(state, block)) impl_->damaged = true;
      expected_sequence = sequence + 1;
    }
  }
  if (code != SQLITE_DONE) {
    // Everything read before the fault was intact: keep it, and write it to a new file.
    if (impl_->refused()) {
      go_without(impl_->vfs.last_error());
    } else {
      drop("it is damaged");
    }
    ASSETC_CHECK(open_database());
    impl_->damaged = true;
  } else if (impl_->damaged && dropped_.empty()) {
    dropped_ = "a part of the build cache is dropped because it is damaged; what it held is checked again";
  }
  return {};
}

Result<void> Cache::insert(std::uint64_t sequence, ByteSpan block) {
  const ContentHash checksum = ContentHasher().add(sequence).add(block).finish();
  Statement insert(impl_->db, "INSERT INTO log(sequence, checksum, block) VALUES(?, ?, ?)");
  if (!insert) return error("write");
  insert.bind(1, sequence);
  insert.bind(2, object_bytes(checksum));
  insert.bind(3, block);
  if (insert.step() != SQLITE_DONE) return error("write");
  impl_->last_sequence = sequence;
  impl_->log_bytes += block.size();
  return {};
}

Result<void> Cache::append(ByteSpan block) {
  if (block.empty()) return {};
  return healing([&] { return insert(impl_->last_sequence + 1, block); });
}

Result<void> Cache::compact_if_useful(const State& state) {
  if (impl_->damaged) ASSETC_CHECK(make_anew());
  return healing([&] { return compact(state); });
}

// Creates a new file. Keeps only the small values that verify.
Result<void> Cache::make_anew() {
  std::vector<std::pair<std::string, Bytes>> kept;
  {
    Statement select(impl_->db, "SELECT name FROM meta");
    while (select.step() == SQLITE_ROW) {
      std::string name(as_text(select.blob(0)));
      if (auto value = get(name)) kept.emplace_back(std::move(name), std::move(*value));
    }
  }
  drop("it is damaged");
  ASSETC_CHECK(open_database());
  for (const auto& [name, value] : kept) ASSETC_CHECK(set(name, value));
  return {};
}

Result<void> Cache::compact(const State& state) {
  const auto base = get(kBaseName);
  const std::uint64_t base_bytes = base && base->size() == 8 ? assetc::load<std::uint64_t>(*base) : 0;
  if (!impl_->damaged && impl_->log_bytes < std::max(kSmallLogBytes, 2 * base_bytes)) return {};
  // the first build's log is compact
  if (!impl_->damaged && base_bytes == 0) return set(kBaseName, object_bytes(impl_->log_bytes));
  if (!impl_->exec("BEGIN; DELETE FROM log;")) return error("write");
  const std::uint64_t bytes_before = std::exchange(impl_->log_bytes, 0);
  const std::uint64_t sequence_before = impl_->last_sequence;
  std::uint64_t sequence = 0;
  LogWriter writer;
  const auto flush = [&](std::size_t limit) -> Result<void> {
    if (writer.size() <= limit) return {};
    return insert(++sequence, writer.take());
  };
  Result<void> written;
  StepRecord scratch;
  for (std::size_t i = 0; written && i < state.steps.size(); ++i) {
    writer.step(state.steps[i].read(scratch));
    written = flush(kBlockBytes);
  }
  for (std::size_t i = 0; written && i < state.files.size(); ++i) {
    writer.file(state.files.path(i), state.files[i]);
    written = flush(kBlockBytes);
  }
  for (std::string_view path : state.orphans) writer.orphan(path);
  if (written) written = flush(0);
  if (written) written = put(kBaseName, object_bytes(impl_->log_bytes));
  if (written && !impl_->exec("COMMIT")) written = error("write");
  if (!written) {
    if (impl_->refused()) impl_->exec("ROLLBACK");  // otherwise the caller closes it
    impl_->log_bytes = bytes_before;
    impl_->last_sequence = sequence_before;
    return written;
  }
  impl_->damaged = false;
  return {};
}

}  // namespace assetc::engine
