// Mounts an .hpack: its table is read once, payloads are read by range.
#include "assetc/formats/hman.hpp"
#include "assetc/formats/hpack.hpp"
#include "runtime/mount/indexed_mount.hpp"

namespace assetc::runtime {
namespace {

class PackMount final : public IndexedMount {
 public:
  PackMount(std::shared_ptr<Source> source, std::string file)
      : IndexedMount(std::move(source)), file_(std::move(file)) {}

  Result<void> open() {
    ASSETC_TRY(const ReadAnswer all, ask(source(), file_, 0, 0));
    const std::uint64_t start = std::min<std::uint64_t>(hpack::kHeaderBytes, all.file_size_bytes);
    ASSETC_TRY(const ReadAnswer head, ask(source(), file_, 0, start));
    ASSETC_TRY(const std::uint64_t size, hpack::Toc::size_of(head.bytes));
    ASSETC_TRY(const ReadAnswer table, ask(source(), file_, 0, std::min(size, all.file_size_bytes)));
    // A copy, because another program may write into a mapped file.
    table_ = copied(table.bytes);
    version_ = table.file_version;
    ASSETC_TRY(toc_, hpack::Toc::open(table_, all.file_size_bytes));
    index_.reserve(toc_.entries().size());
    for (std::uint32_t i = 0; i < toc_.entries().size(); ++i) index_.add_path(entry(i).path, i);
    ASSETC_CHECK(add_manifest());
    index_.sort();
    return {};
  }

  MountInfo info() const override { return {.layout = Layout::kPack}; }
  std::uint32_t entry_count() const override { return static_cast<std::uint32_t>(toc_.entries().size()); }
  std::string_view path(std::uint32_t i) const override { return entry(i).path; }
  std::uint64_t size_bytes(std::uint32_t i) const override { return entry(i).size_bytes; }
  std::string file(std::uint32_t) const override { return file_; }
  std::uint64_t file_version(std::uint32_t) const override { return version_; }
  void parts(std::uint32_t i, std::vector<StoredRange>& out) const override {
    out.push_back({0, entry(i).offset_bytes, entry(i).size_bytes});
  }
  std::optional<ContentId> content(std::uint32_t i) const override {
    return ContentId{id(), {entry(i).offset_bytes, entry(i).size_bytes}};
  }

 private:
  const hpack::EntryView& entry(std::uint32_t i) const { return toc_.entries()[i]; }

  Result<void> add_manifest() {
    const hpack::EntryView* listed = toc_.find(kManifest);
    if (listed == nullptr) return {};
    ASSETC_TRY(const ReadAnswer answer, ask(source(), file_, listed->offset_bytes, listed->size_bytes));
    auto manifest = hman::View::open(answer.bytes);
    if (!manifest) return std::unexpected(std::move(manifest).error().in(kManifest));
    for (const hman::EntryView& named : manifest->entries()) {
      const hpack::EntryView* found = toc_.find(named.path);
      if (found == nullptr || named.hash == hash_embed_ref(named.path)) continue;  // the path is in the index
      index_.add_name(named.hash, named.path, static_cast<std::uint32_t>(found - toc_.entries().data()));
    }
    return {};
  }

  std::string file_;
  std::uint64_t version_ = 0;
  Bytes table_;
  hpack::Toc toc_;
};

}  // namespace

MountResult open_pack(std::shared_ptr<Source> source, const std::string& file) {
  auto mount = std::make_shared<PackMount>(std::move(source), file);
  if (auto opened = mount->open(); !opened) return mount_failure(std::move(opened).error());
  return mount;
}

}  // namespace assetc::runtime
