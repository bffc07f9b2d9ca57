#include "engine/look/registry_file.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <memory>

#include "assetc/formats/aas1.hpp"

namespace assetc::engine {
namespace {

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};
struct FinishStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;
using Prepared = std::unique_ptr<sqlite3_stmt, FinishStatement>;

constexpr const char* kSchema =
    "CREATE TABLE asset(uuid TEXT PRIMARY KEY, type TEXT NOT NULL, virtual_path TEXT NOT NULL UNIQUE COLLATE NOCASE)"
    " WITHOUT ROWID;"
    "CREATE TABLE dependency(asset TEXT NOT NULL, needs TEXT NOT NULL, hard INTEGER NOT NULL);"
    "CREATE TABLE redirector(old_uuid TEXT PRIMARY KEY, old_virtual_path TEXT NOT NULL, asset TEXT NOT NULL)"
    " WITHOUT ROWID;"
    "BEGIN";

// A database in memory that is written row by row. Reports the first failure.
class Writer {
 public:
  Writer() {
    sqlite3* opened = nullptr;
    ok_ = sqlite3_open(":memory:", &opened) == SQLITE_OK;
    database_.reset(opened);
    run(kSchema);
  }
  void run(const char* sql) { ok_ = ok_ && sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK; }
  Prepared prepare(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    ok_ = ok_ && sqlite3_prepare_v2(database_.get(), sql, -1, &statement, nullptr) == SQLITE_OK;
    return Prepared(statement);
  }
  template <class... Values>
  void insert(const Prepared& statement, const Values&... values) {
    if (!ok_) return;
    int column = 0;
    (bind(statement.get(), ++column, values), ...);
    ok_ = sqlite3_step(statement.get()) == SQLITE_DONE;
    sqlite3_reset(statement.get());
  }
  Result<ByteVector> bytes() {
    sqlite3_int64 size = 0;
    unsigned char* const image = ok_ ? sqlite3_serialize(database_.get(), "main", &size, 0) : nullptr;
    if (image == nullptr) {
      return fail(ErrorCode::kIo, std::string("SQLite: ") + sqlite3_errmsg(database_.get()));
    }
    const auto* const begin = reinterpret_cast<const std::byte*>(image);
    ByteVector copy(begin, begin + size);
    sqlite3_free(image);
    return copy;
  }

 private:
  static void bind(sqlite3_stmt* statement, int column, const std::string& text) {
    sqlite3_bind_text(statement, column, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  }
  static void bind(sqlite3_stmt* statement, int column, bool value) {
    sqlite3_bind_int(statement, column, value ? 1 : 0);
  }

  Database database_;
  bool ok_ = false;
};

std::vector<Uuid> uuids_of(const registry::View& view, std::span<const std::uint32_t> indices) {
  std::vector<Uuid> uuids;
  uuids.reserve(indices.size());
  for (const std::uint32_t index : indices) uuids.push_back(view.uuid(index));
  return uuids;
}

std::string differences(const registry::View& a, const registry::AssetView& old_one, const registry::View& b,
                        const registry::AssetView& new_one) {
  std::string what;
  const auto add = [&](const char* word) { what.append(what.empty() ? "" : ", ").append(word); };
  if (old_one.type != new_one.type) add("type");
  if (uuids_of(a, old_one.hard_dependencies) != uuids_of(b, new_one.hard_dependencies) ||
      uuids_of(a, old_one.soft_dependencies) != uuids_of(b, new_one.soft_dependencies) ||
      !std::ranges::equal(old_one.outer_hard_dependencies, new_one.outer_hard_dependencies) ||
      !std::ranges::equal(old_one.outer_soft_dependencies, new_one.outer_soft_dependencies))
    add("dependencies");
  if (!std::ranges::equal(old_one.tags, new_one.tags)) add("tags");
  if (old_one.desc != new_one.desc) add("description");
  return what;
}

}  // namespace

std::vector<RegistryChange> compare_registries(const registry::View& old_one, const registry::View& new_one) {
  using Kind = RegistryChange::Kind;
  std::vector<RegistryChange> changes;
  const auto own = [](const registry::View& view, const Uuid& uuid) {
    const auto at = view.find(uuid);
    return at && view.uuid(*at) == uuid ? at : std::nullopt;  // not through a redirector
  };
  for (std::uint32_t i = 0; i < new_one.size(); ++i) {
    const registry::AssetView now = new_one.asset(i);
    const auto at = own(old_one, now.uuid);
    if (!at) {
      changes.push_back({Kind::kAdded, now.uuid, std::string(now.virtual_path), {}});
      continue;
    }
    const registry::AssetView before = old_one.asset(*at);
    if (before.virtual_path != now.virtual_path)
      changes.push_back({Kind::kRenamed, now.uuid, std::string(now.virtual_path), std::string(before.virtual_path)});
    if (std::string what = differences(old_one, before, new_one, now); !what.empty())
      changes.push_back({Kind::kChanged, now.uuid, std::string(now.virtual_path), std::move(what)});
  }
  for (std::uint32_t i = 0; i < old_one.size(); ++i) {
    const registry::AssetView before = old_one.asset(i);
    if (!own(new_one, before.uuid))
      changes.push_back({Kind::kRemoved, before.uuid, std::string(before.virtual_path), {}});
  }
  std::ranges::stable_sort(changes, {}, &RegistryChange::virtual_path);
  return changes;
}

Result<void> export_registry(const registry::View& view, const std::string& path, Disk& disk) {
  Writer writer;
  const Prepared asset = writer.prepare("INSERT INTO asset VALUES(?, ?, ?)");
  const Prepared dependency = writer.prepare("INSERT INTO dependency VALUES(?, ?, ?)");
  const Prepared redirector = writer.prepare("INSERT INTO redirector VALUES(?, ?, ?)");
  for (std::uint32_t i = 0; i < view.size(); ++i) {
    const registry::AssetView one = view.asset(i);
    const std::string uuid = one.uuid.to_string();
    writer.insert(asset, uuid, std::string(aas1::type_name(static_cast<aas1::Type>(one.type))),
                  std::string(one.virtual_path));
    for (const std::uint32_t to : one.hard_dependencies)
      writer.insert(dependency, uuid, view.uuid(to).to_string(), true);
    for (const std::uint32_t to : one.soft_dependencies)
      writer.insert(dependency, uuid, view.uuid(to).to_string(), false);
  }
  for (std::uint32_t i = 0; i < view.redirector_count(); ++i) {
    const auto old = view.redirector(i);
    writer.insert(redirector, old.old_uuid.to_string(), std::string(old.old_virtual_path),
                  view.uuid(old.asset).to_string());
  }
  writer.run("COMMIT");
  ASSETC_TRY(const ByteVector bytes, writer.bytes());
  ASSETC_CHECK(disk.publish(path, bytes));
  return {};
}

}  // namespace assetc::engine
