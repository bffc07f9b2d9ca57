// One mount: an index of entries, and how the bytes of an entry come out of a source.
#pragma once

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
#include "assetc/runtime/source.hpp"

namespace assetc::runtime {

// A range of one of a mount's files.
struct StoredRange {
  std::uint32_t file = 0;
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = kToEnd;
};

// Of a part whose file is not the one that other parts of its asset were read from.
inline constexpr std::string_view kReplacedMessage = "the file was replaced while it was read in parts";

// Thread safety: const.
class MountPoint {
 public:
  explicit MountPoint(std::shared_ptr<Source> source) : source_(std::move(source)) {}
  virtual ~MountPoint() = default;
  MountPoint(const MountPoint&) = delete;
  MountPoint& operator=(const MountPoint&) = delete;

  // All but path and priority, which the catalog knows.
  virtual MountInfo info() const = 0;

  // Entries by what they are asked for; no allocation.
  virtual std::optional<std::uint32_t> find(const Uuid& /*uuid*/) const { return std::nullopt; }
  virtual std::optional<std::uint32_t> find(std::uint64_t /*hash*/) const { return std::nullopt; }
  // The handle of the asset that a hash stands for.
  virtual std::optional<AssetHandle> resolve(std::uint64_t /*hash*/) const { return std::nullopt; }
  virtual std::optional<std::uint32_t> find_path(std::string_view /*path*/) const { return std::nullopt; }
  virtual AssetHandle handle(std::uint32_t entry) const = 0;
  virtual std::string_view path(std::uint32_t /*entry*/) const { return {}; }
  // Of the content; kToEnd where only the source knows.
  virtual std::uint64_t size_bytes(std::uint32_t entry) const = 0;
  virtual const registry::View* registry() const { return nullptr; }
  // Where a redirector leads that this mount's registry cannot resolve within itself. Nil: nowhere.
  virtual Uuid redirect(const Uuid& /*uuid*/) const { return {}; }
  virtual Uuid redirect(std::string_view /*virtual_path*/) const { return {}; }

  virtual std::string file(std::uint32_t file) const = 0;
  virtual void parts(std::uint32_t entry, std::vector<StoredRange>& out) const = 0;
  // The content of an entry out of its parts: verified, decrypted, inflated. Requires one answer a part.
  virtual Result<Bytes> assemble(std::uint32_t /*entry*/, std::span<const Bytes> parts) const { return parts[0]; }

  // For hot reload, of folders. An index that such changes concern, read anew; null where they do not.
  virtual Expected<std::shared_ptr<const MountPoint>> reopen(const Changes& /*changes*/) const { return nullptr; }
  // The asset in a file of the folder.
  virtual std::optional<AssetHandle> asset_in(std::string_view /*file*/) const { return std::nullopt; }
  virtual void list_loose(std::vector<AssetHandle>& /*out*/) const {}

  // The same of a range of the content. cover() gives the parts that hold it: the range itself where the content lies
  // in one part as it is, and whole blocks of a bundle. Requires a range that is not empty and within the content.
  virtual void cover(std::uint32_t entry, std::uint64_t offset_bytes, std::uint64_t size_bytes,
                     std::vector<StoredRange>& out) const {
    parts(entry, out);
    out.back().offset_bytes += offset_bytes;
    out.back().size_bytes = size_bytes;
  }
  virtual Result<Bytes> assemble_range(std::uint32_t /*entry*/, std::uint64_t /*offset_bytes*/,
                                       std::uint64_t /*size_bytes*/, std::span<const Bytes> parts) const {
    return parts[0];
  }

  Source& source() const { return *source_; }
  const std::shared_ptr<Source>& shared_source() const { return source_; }

 private:
  std::shared_ptr<Source> source_;
};

using MountResult = Expected<std::shared_ptr<const MountPoint>>;
// The failure of a mount; Catalog::mount says of which.
inline std::unexpected<Failure> mount_failure(Error error, std::optional<Fault> fault = std::nullopt) {
  const Fault said = fault.value_or(fault_of(error.code));
  return std::unexpected(Failure{said, {}, {}, std::move(error)});
}

// Whether a file, or a folder that it is in, has a name that begins with a dot: caches and sockets, and no assets.
inline bool is_hidden(std::string_view path) { return path.starts_with('.') || path.contains("/."); }

// A folder ends in '/' or is "".
using FileLister = std::function<std::vector<std::string>()>;
// list: what there is now; unset where only changes tell.
MountResult open_tree(std::shared_ptr<Source> source, const std::string& folder, std::vector<std::string> files,
                      FileLister list = {});
MountResult open_pack(std::shared_ptr<Source> source, const std::string& file);
// has_blobs: whether Assets/ is there too.
MountResult open_cooked(std::shared_ptr<Source> source, const std::string& folder, bool has_blobs);
MountResult open_bundle(std::shared_ptr<Source> source, const std::string& file, const MountOptions& options);

// Waits for one answer.
Result<ReadAnswer> ask(Source& source, std::string path, std::uint64_t offset_bytes = 0,
                       std::uint64_t size_bytes = kToEnd);
// Bytes at an address that every view takes: the same, or a copy where they lie elsewhere.
Bytes aligned(Bytes bytes);

}  // namespace assetc::runtime
