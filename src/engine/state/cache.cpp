#include "engine/state/cache.hpp"

#include <sqlite3.h>

#include "engine/disk/sqlite_vfs.hpp"

namespace assetc::engine {
namespace {

// Raise it when the log's encoding or the meaning of a record changes: caches of other versions are dropped.
constexpr int kCacheVersion = 2;
// A blob larger than this is split: SQLite refuses a gigabyte.
constexpr std::size_t kBlockBytes = 8u << 20;
// Below this size nobody notices a log that could be smaller.
constexpr std::uint64_t kSmallLogBytes = 4u << 20;
// meta: bytes of the log when it was last compact.
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

bool is_damage(int code) {
  code &= 0xFF;
  return code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_ERROR || code == SQLITE_SCHEMA;
}

}  // namespace

struct Cache::Impl {
  Disk& disk;
  std::string path;
  bool read_only;
  SqliteVfs vfs;
  sqlite3* db = nullptr;
  std::uint64_t last_sequence = 0;
  std::uint64_t log_bytes = 0;
  bool damaged = false;

  int exec(const char* sql) { return sqlite3_exec(db, sql, nullptr, nullptr, nullptr); }
  void close() {
    if (db != nullptr) sqlite3_close(db);
    db = nullptr;
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
  for (int attempt = 0; attempt < 2; ++attempt) {
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(impl_->path.c_str(), &impl_->db, flags, impl_->vfs.name()) != SQLITE_OK) return error("open");
    const auto existed = impl_->disk.status(impl_->path);
    const bool fresh = !existed || existed->signature.size_bytes == 0;
    int code = impl_->exec(
        "PRAGMA page_size=16384; PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL;"
        "PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY;");
    std::string why;
    if (code == SQLITE_OK && !fresh) {
      Statement version(impl_->db, "PRAGMA user_version");
      code = version.step();
      if (code == SQLITE_ROW) {
        const int found = sqlite3_column_int(version.get(), 0);
        code = SQLITE_OK;
        if (found != kCacheVersion) why = "it was written by another version of assetc";
      }
    }
    if (code == SQLITE_OK && why.empty()) {
      const std::string create =
          "BEGIN;"
          "CREATE TABLE IF NOT EXISTS log(sequence INTEGER PRIMARY KEY, checksum BLOB NOT NULL, block BLOB NOT NULL);"
          "CREATE TABLE IF NOT EXISTS meta(name TEXT PRIMARY KEY, checksum BLOB NOT NULL, value BLOB NOT NULL) WITHOUT "
          "ROWID;"
          "PRAGMA user_version=" +
          std::to_string(kCacheVersion) + "; COMMIT;";
      if (fresh) code = impl_->exec(create.c_str());
      if (code == SQLITE_OK && !fresh) {
        Statement shape(impl_->db, "SELECT count(*) FROM log, meta WHERE 0");
        code = shape.step() == SQLITE_ROW ? SQLITE_OK : sqlite3_errcode(impl_->db);
      }
    }
    if (code == SQLITE_OK && why.empty()) {
      Statement last(impl_->db, "SELECT coalesce(max(sequence), 0) FROM log");
      code = last.step();
      if (code == SQLITE_ROW) {
        impl_->last_sequence = static_cast<std::uint64_t>(sqlite3_column_int64(last.get(), 0));
        return {};
      }
    }
    if (why.empty() && !is_damage(code)) return error("open");
    ASSETC_CHECK(drop(why.empty() ? "it is damaged" : why));
  }
  return error("open");
}

// Forgets everything. The database is closed afterwards; open_database() makes a new one.
Result<void> Cache::drop(const std::string& why) {
  if (dropped_.empty()) dropped_ = "the build cache is dropped because " + why + "; everything is checked again";
  impl_->close();
  impl_->last_sequence = 0;
  impl_->log_bytes = 0;
  if (impl_->read_only) {
    // A dry run must not touch the file: go on with an empty database in memory.
    impl_->path = ":memory:";
    return {};
  }
  for (const char* suffix : {"-wal", "-journal", "-shm", ""}) ASSETC_CHECK(impl_->disk.remove(impl_->path + suffix));
  return {};
}

// Runs a write; when it meets damage, once more on a new file. compact_if_useful() then writes what the file lost.
template <class Write>
Result<void> Cache::healing(const Write& write) {
  auto written = write();
  if (written || impl_->read_only || !is_damage(sqlite3_errcode(impl_->db))) return written;
  ASSETC_CHECK(drop("it is damaged"));
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

Result<void> Cache::set(std::string_view name, ByteSpan value) {
  const ContentHash checksum = ContentHasher().add(name).add(value).finish();
  const auto put = [&]() -> Result<void> {
    Statement insert(impl_->db, "INSERT OR REPLACE INTO meta(name, checksum, value) VALUES(?, ?, ?)");
    if (!insert) return error("write");
    insert.bind(1, name);
    insert.bind(2, object_bytes(checksum));
    insert.bind(3, value);
    if (insert.step() != SQLITE_DONE) return error("write");
    return {};
  };
  return healing(put);
}

Result<void> Cache::load(State& state) {
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
      if (!whole || sequence != expected_sequence || !replay(state, std::move(block))) impl_->damaged = true;
      expected_sequence = sequence + 1;
    }
  }
  if (code != SQLITE_DONE) {
    if (!is_damage(code)) return error("read");
    // What was read before the fault was whole: keep it, and write it to a new file.
    ASSETC_CHECK(drop("it is damaged"));
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

Result<void> Cache::append(ByteVector block) {
  if (block.empty()) return {};
  return healing([&] { return insert(impl_->last_sequence + 1, block); });
}

Result<void> Cache::compact_if_useful(const State& state) {
  return healing([&] { return compact(state); });
}

Result<void> Cache::compact(const State& state) {
  const auto base = get(kBaseName);
  const std::uint64_t base_bytes = base && base->size() == 8 ? assetc::load<std::uint64_t>(*base) : 0;
  if (!impl_->damaged && impl_->log_bytes < std::max(kSmallLogBytes, 2 * base_bytes)) return {};
  if (!impl_->damaged && base_bytes == 0) return set(kBaseName, object_bytes(impl_->log_bytes));  // the first build's
  if (impl_->exec("BEGIN; DELETE FROM log;") != SQLITE_OK) return error("write");
  const std::uint64_t bytes_before = std::exchange(impl_->log_bytes, 0);
  const std::uint64_t sequence_before = impl_->last_sequence;
  std::uint64_t sequence = 0;
  LogWriter writer;
  const auto flush = [&](std::size_t limit) -> Result<void> {
    if (writer.size() <= limit) return {};
    return insert(++sequence, writer.take());
  };
  Result<void> written;
  for (std::size_t i = 0; written && i < state.steps.size(); ++i) {
    writer.step(*state.steps[i]);
    written = flush(kBlockBytes);
  }
  for (auto it = state.files.begin(); written && it != state.files.end(); ++it) {
    writer.file(it->first, it->second);
    written = flush(kBlockBytes);
  }
  for (std::string_view path : state.orphans) writer.orphan(path);
  if (written) written = flush(0);
  if (written) written = set(kBaseName, object_bytes(impl_->log_bytes));
  if (written && impl_->exec("COMMIT") != SQLITE_OK) written = error("write");
  if (!written) {
    if (!is_damage(sqlite3_errcode(impl_->db))) impl_->exec("ROLLBACK");  // else the caller closes it
    impl_->log_bytes = bytes_before;
    impl_->last_sequence = sequence_before;
    return written;
  }
  impl_->damaged = false;
  return {};
}

}  // namespace assetc::engine
