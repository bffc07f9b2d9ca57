// One mount: an index of entries, and the way to read their bytes from a source.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/registry.hpp"
#include "assetc/runtime/catalog.hpp"
#include "assetc/runtime/memory.hpp"
#include "assetc/runtime/source.hpp"

namespace assetc::runtime {

// A range of one of a mount's files.
struct StoredRange {
  std::uint32_t file = 0;
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = kToEnd;
};

// Entries with equal ids have the same bytes, as long as their mount is not changed. Only entries of one mount are
// compared: what an index says about bytes that were not read may be a lie about the assets of another mount.
struct ContentId {
  std::uint64_t mount = 0;                  // MountPoint::id()
  std::array<std::uint64_t, 4> bytes = {};  // as the mount tells contents apart
  bool operator==(const ContentId&) const = default;
};

// The error of a part that comes from another version of the file than earlier parts of the asset.
inline constexpr std::string_view kReplacedMessage = "the file was replaced while it was read in parts";

// Thread safety: const.
class MountPoint {
 public:
  explicit MountPoint(std::shared_ptr<Source> source) : source_(std::move(source)), id_(++last_id_) {}
  virtual ~MountPoint() = default;
  MountPoint(const MountPoint&) = delete;
  MountPoint& operator=(const MountPoint&) = delete;

  // Returns everything except path and priority, which the catalog adds.
  virtual MountInfo info() const = 0;

  // Finds an entry. Does not allocate.
  virtual std::optional<std::uint32_t> find(const Uuid& /*uuid*/) const { return std::nullopt; }
  virtual std::optional<std::uint32_t> find(std::uint64_t /*hash*/) const { return std::nullopt; }
  // Returns the handle of the asset that a hash stands for, and its entry if the hash is that of its path.
  struct Resolved {
    AssetHandle asset;
    std::optional<std::uint32_t> entry{};
  };
  virtual std::optional<Resolved> resolve(std::uint64_t /*hash*/) const { return std::nullopt; }
  virtual std::optional<std::uint32_t> find_path(std::string_view /*path*/) const { return std::nullopt; }
  virtual AssetHandle handle(std::uint32_t entry) const = 0;
  // Returns the number of entries. Mounts with a registry: that of its assets, also if the mount has no blobs.
  virtual std::uint32_t entry_count() const = 0;
  // Returns whether an entry is no asset but a file about assets.
  virtual bool is_index(std::uint32_t /*entry*/) const { return false; }
  virtual std::string_view path(std::uint32_t /*entry*/) const { return {}; }
  // Returns the size of the content; kToEnd if only the source knows it.
  virtual std::uint64_t size_bytes(std::uint32_t entry) const = 0;
  virtual const registry::View* registry() const { return nullptr; }
  // Returns the target of a redirector that this mount's registry cannot resolve itself. Nil: none.
  virtual Uuid redirect(const Uuid& /*uuid*/) const { return {}; }
  virtual Uuid redirect(std::string_view /*virtual_path*/) const { return {}; }

  virtual std::string file(std::uint32_t file) const = 0;
  // Returns the ReadAnswer::file_version of the file that the index describes. 0: unknown, or there is no such file.
  virtual std::uint64_t file_version(std::uint32_t /*file*/) const { return 0; }
  // Fails if the answer comes from another file than the index describes: its bytes would be those of other assets.
  Result<void> check_version(std::uint32_t file, const ReadAnswer& answer) const;
  virtual void parts(std::uint32_t entry, std::vector<StoredRange>& out) const = 0;
  // Nothing: the mount does not know whether another entry has the same bytes.
  virtual std::optional<ContentId> content(std::uint32_t /*entry*/) const { return std::nullopt; }
  // Makes the content of an entry from its parts: verified, decrypted, decompressed. Requires one answer for each part,
  // and may move them.
  virtual Result<Bytes> assemble(std::uint32_t /*entry*/, std::span<Bytes> parts,
                                 const Memory& /*memory*/ = kDefaultMemory) const {
    return std::move(parts[0]);
  }

  // For hot reload of folders. Reads the index again if these changes affect it; otherwise returns null.
  virtual Expected<std::shared_ptr<const MountPoint>> reopen(const Changes& /*changes*/) const { return nullptr; }
  // Adds the assets in a file of the folder.
  virtual void assets_in(std::string_view /*file*/, std::vector<AssetHandle>& /*out*/) const {}
  virtual void list_loose(std::vector<AssetHandle>& /*out*/) const {}

  // The same for a range of the content. cover() gives the parts that contain the range: the range itself if the
  // content is stored uncompressed in one part, or whole blocks of a bundle. Requires a range that is not empty and
  // within the content.
  virtual void cover(std::uint32_t entry, std::uint64_t offset_bytes, std::uint64_t size_bytes,
                     std::vector<StoredRange>& out) const {
    parts(entry, out);
    out.back().offset_bytes += offset_bytes;
    out.back().size_bytes = size_bytes;
  }
  virtual Result<Bytes> assemble_range(std::uint32_t /*entry*/, std::uint64_t /*offset_bytes*/,
                                       std::uint64_t /*size_bytes*/, std::span<const Bytes> parts,
                                       const Memory& /*memory*/ = kDefaultMemory) const {
    return parts[0];
  }

  Source& source() const { return *source_; }
  const std::shared_ptr<Source>& shared_source() const { return source_; }

 protected:
  // Of no other mount, but of the same one after reopen().
  std::uint64_t id() const { return id_; }
  void keep_id(const MountPoint& before) { id_ = before.id_; }

 private:
  static inline std::atomic<std::uint64_t> last_id_ = 0;
  std::shared_ptr<Source> source_;
  std::uint64_t id_;
};

using MountResult = Expected<std::shared_ptr<const MountPoint>>;
// The failure of a mount. Catalog::mount adds the mount's path.
inline std::unexpected<Failure> mount_failure(Error error, std::optional<Fault> fault = std::nullopt) {
  const Fault said = fault.value_or(fault_of(error.code));
  return std::unexpected(Failure{said, {}, {}, std::move(error)});
}

// Returns whether the name of a file, or of a folder above it, begins with a dot. Such files are caches and sockets,
// not assets.
inline bool is_hidden(std::string_view path) { return path.starts_with('.') || path.contains("/."); }

// The path of a folder ends in '/' or is "".
using FileLister = std::function<std::vector<std::string>()>;
// list: returns the existing files; unset if files are known only from changes.
MountResult open_tree(std::shared_ptr<Source> source, const std::string& folder, std::vector<std::string> files,
                      FileLister list = {});
MountResult open_pack(std::shared_ptr<Source> source, const std::string& file);
// has_blobs: whether the folder has Assets/.
MountResult open_cooked(std::shared_ptr<Source> source, const std::string& folder, bool has_blobs);
MountResult open_bundle(std::shared_ptr<Source> source, const std::string& file, const MountOptions& options);

// Waits for one answer.
Result<ReadAnswer> ask(Source& source, std::string path, std::uint64_t offset_bytes = 0,
                       std::uint64_t size_bytes = kToEnd);
// Returns the bytes at an address that is aligned for all views: the same bytes, or a copy.
Bytes aligned(Bytes bytes);
// A copy in memory, which no other program changes.
Bytes copied(const Bytes& bytes);
// The same, in memory of an engine. Errors: kLimit.
Result<Bytes> aligned(Bytes bytes, const Memory& memory);

}  // namespace assetc::runtime
