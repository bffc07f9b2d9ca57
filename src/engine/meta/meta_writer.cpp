#include "engine/meta/meta_writer.hpp"

#include <optional>

#include "engine/meta/in_root.hpp"
#include "identity/meta.hpp"

namespace assetc::engine {

std::set<std::string> folders_of_writes(const identity::Reconciled& reconciled,
                                        std::span<const identity::IdentityChange> changes) {
  std::set<std::string> folders;
  const auto add = [&](const std::string& path) {
    if (!path.empty()) folders.insert(folder_of(path));
  };
  for (const identity::MetaWrite& write : reconciled.writes) {
    add(write.path);
    add(write.from);
  }
  for (const identity::IdentityChange& change : changes) {
    if (change.kind == identity::IdentityChange::Kind::kOrphaned) continue;
    add(change.path);
    add(change.from);
  }
  for (const std::string& path : reconciled.removals) add(path);
  return folders;
}

Result<void> MetaWriter::check_rest(const std::string& path) const {
  const std::string folder = folder_of(path);
  return settling_.is_busy(folder) ? std::unexpected(settling_.error_of(folder)) : Result<void>();
}

Result<Bytes> MetaWriter::read_as_walked(const std::string& path) const {
  FileSignature signature;
  ASSETC_TRY(Bytes bytes, disk_.read(in_root(root_, path), &signature));
  if (const auto at = index_.find(path); !at || tree_[*at].signature != signature)
    return fail(ErrorCode::kConflict, "was changed by something else while the import ran", "import again");
  return bytes;
}

Result<FileSignature> MetaWriter::write(const identity::MetaWrite& write, const identity::Meta& meta) const {
  ASSETC_CHECK(check_rest(write.path));
  std::optional<Bytes> before;
  if (index_.find(write.path)) {
    ASSETC_TRY(before, read_as_walked(write.path));
  }
  std::string text;
  if (write.from.empty()) {
    text = identity::MetaFile::create(meta).text();
  } else {
    ASSETC_TRY(const Bytes from, write.from == write.path ? *before : read_as_walked(write.from));
    ASSETC_TRY(const auto file, identity::MetaFile::parse(std::string(as_text(from))));
    text = file.with(meta).text();
  }
  return disk_.replace(in_root(root_, write.path), before ? std::optional(before->span()) : std::nullopt,
                       as_bytes(text));
}

Result<void> MetaWriter::remove(const std::string& path) const {
  ASSETC_CHECK(check_rest(path));
  ASSETC_TRY(const Bytes before, read_as_walked(path));
  return disk_.remove_unchanged(in_root(root_, path), before);
}

}  // namespace assetc::engine
