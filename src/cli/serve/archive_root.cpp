#include "cli/serve/archive_root.hpp"

#include <algorithm>
#include <list>
#include <map>
#include <mutex>
#include <utility>

#include "assetc/formats/aas1.hpp"
#include "assetc/formats/hpack.hpp"
#include "base/json_line.hpp"
#include "base/plural.hpp"
#include "bundle/reader.hpp"
#include "cli/report/info_json.hpp"
#include "filetypes/filetypes.hpp"

namespace assetc::cli {
namespace {

using engine::HttpAnswer;
using engine::OpenedFile;

constexpr std::uint64_t kMaxTableBytes = 256u << 20;  // of a pack, which is read whole

std::string etag_of(const OpenedFile& file) { return "\"" + std::to_string(file.version) + "\""; }

// A file that may be replaced or changed while it is served. Contents: what is read from each version of it.
template <class Contents>
class ChangingFile {
 public:
  using Read = Result<Contents> (*)(std::shared_ptr<const OpenedFile> file);
  ChangingFile(std::string path, engine::Disk& disk, Read read) : path_(std::move(path)), disk_(disk), read_(read) {}

  // Returns the contents of what is there now. Errors name the file.
  Result<std::shared_ptr<const Contents>> now() {
    auto opened = open();
    if (!opened) return std::unexpected(std::move(opened).error().in(path_));
    const std::scoped_lock lock(mutex_);
    if (contents_ && version_ == opened->version) return contents_;
    const std::uint64_t version = opened->version;
    auto read = read_(std::make_shared<const OpenedFile>(std::move(*opened)));
    if (!read) return std::unexpected(std::move(read).error().in(path_));
    version_ = version;
    contents_ = std::make_shared<const Contents>(std::move(*read));
    return contents_;
  }

 private:
  // The path that the user gave may be a link, which can change too.
  Result<OpenedFile> open() {
    const std::string real = disk_.real_path(path_);
    const std::size_t slash = real.rfind('/');
    return disk_.open_below(real.substr(0, std::max<std::size_t>(slash, 1)), real.substr(slash + 1));
  }

  const std::string path_;
  engine::Disk& disk_;
  const Read read_;
  std::mutex mutex_;  // guards the rest
  std::uint64_t version_ = 0;
  std::shared_ptr<const Contents> contents_;
};

Result<Bytes> read_exactly(const OpenedFile& file, std::uint64_t offset, std::size_t size) {
  ASSETC_TRY(Bytes bytes, file.read(offset, size));
  if (bytes.size() != size || file.is_changed())
    return fail(ErrorCode::kIo, "the file changed while it was read", "ask again");
  return bytes;
}

struct PackContents {
  std::shared_ptr<const OpenedFile> file;
  Bytes head;
  hpack::Toc toc;
};

Result<PackContents> read_pack(std::shared_ptr<const OpenedFile> file) {
  ASSETC_TRY(const Bytes start, file->read(0, hpack::kHeaderBytes));
  ASSETC_TRY(const std::uint64_t size, hpack::Toc::size_of(start));
  if (size > kMaxTableBytes) {
    return fail(ErrorCode::kLimit,
                "found a table of " + counted(size, "byte") + ", the limit is " + std::to_string(kMaxTableBytes));
  }
  PackContents contents{std::move(file), {}, {}};
  ASSETC_TRY(contents.head, contents.file->read(0, static_cast<std::size_t>(size)));
  ASSETC_TRY(contents.toc, hpack::Toc::open(contents.head, contents.file->size_bytes));
  return contents;
}

class Pack final : public ViewRoot {
 public:
  Pack(std::string path, engine::Disk& disk) : pack_(std::move(path), disk, read_pack) {}
  Result<void> open() {
    ASSETC_CHECK(pack_.now());
    return {};
  }
  std::string_view type() const override { return "pack"; }
  Result<std::vector<File>> files() override {
    ASSETC_TRY(const auto pack, pack_.now());
    std::vector<File> files;
    // Any number of entries may have one payload, which is read once for each type.
    std::map<std::pair<std::uint64_t, const filetypes::Row*>, engine::FileInfo> known;
    for (const hpack::EntryView& entry : pack->toc.entries()) {
      const std::string path(entry.path);
      const filetypes::Row* row = filetypes::find_compiled(path);
      const auto [at, is_new] = known.try_emplace({entry.size_bytes == 0 ? 0 : entry.offset_bytes, row});
      engine::FileInfo& info = at->second;
      info.path = path;
      info.size_bytes = entry.size_bytes;
      if (is_new && row != nullptr) {
        info.kind = row->kind;
        ASSETC_TRY(const Bytes payload,
                   read_exactly(*pack->file, entry.offset_bytes, static_cast<std::size_t>(entry.size_bytes)));
        auto content = row->reader->inspect(payload);
        if (content) {
          info.content = std::move(*content);
        } else {
          info.problem = std::move(content).error();
        }
      }
      JsonObject json = file_json(info);
      json.add("offset", entry.offset_bytes).add("stored_bytes", entry.size_bytes);
      files.push_back({path, json.str(), {}});
    }
    return files;
  }
  Result<HttpAnswer> file(const std::string& path) override {
    ASSETC_TRY(const auto pack, pack_.now());
    const hpack::EntryView* entry = pack->toc.find(path);
    if (entry == nullptr) return no_such(path);
    return part_of_file(path, pack->file, entry->offset_bytes, entry->size_bytes);
  }
  Result<HttpAnswer> source(const std::string& path) override { return no_such(path); }
  std::optional<std::string> text(std::string_view) override { return std::nullopt; }

 private:
  ChangingFile<PackContents> pack_;
};

// The contents of the blocks that were decoded last, for all answers together. An answer copies its pieces, so that
// slow clients do not hold blocks.
class BlockCache {
 public:
  template <class Decode>
  Result<Bytes> get(std::size_t block, const Decode& decode) {
    {
      const std::scoped_lock lock(mutex_);
      const auto known = std::ranges::find(blocks_, block, &Kept::block);
      if (known != blocks_.end()) {
        blocks_.splice(blocks_.begin(), blocks_, known);
        return known->bytes;
      }
    }
    ASSETC_TRY(ByteVector content, decode(block));
    Bytes bytes(std::move(content));
    const std::scoped_lock lock(mutex_);
    blocks_.push_front({block, bytes});
    kept_bytes_ += bytes.size();
    while (kept_bytes_ > kMaxBytes) {
      kept_bytes_ -= blocks_.back().bytes.size();
      blocks_.pop_back();
    }
    return bytes;
  }

 private:
  static constexpr std::uint64_t kMaxBytes = 64u << 20;  // four blocks of the largest size
  struct Kept {
    std::size_t block;
    Bytes bytes;
  };
  std::mutex mutex_;  // guards the rest
  std::list<Kept> blocks_;
  std::uint64_t kept_bytes_ = 0;
};

struct BundleContents {
  std::shared_ptr<const OpenedFile> file;
  bundle::Reader reader;
  std::shared_ptr<BlockCache> blocks;
};

Result<BundleContents> read_bundle(std::shared_ptr<const OpenedFile> file) {
  const auto read_at = [file](std::uint64_t offset, std::size_t size) { return file->read(offset, size); };
  ASSETC_TRY(bundle::Reader reader, bundle::Reader::open_to_read(file->size_bytes, read_at));
  return BundleContents{std::move(file), std::move(reader), std::make_shared<BlockCache>()};
}

// Reads a part of an entry's content, block by block. ends: of the blocks, from the start of the entry.
Result<Bytes> read_entry(const BundleContents& bundle, std::span<const std::uint32_t> blocks,
                         const std::vector<std::uint64_t>& ends, std::uint64_t offset, std::size_t size) {
  ByteVector out;
  out.reserve(size);
  auto i = static_cast<std::size_t>(std::ranges::upper_bound(ends, offset) - ends.begin());
  for (; out.size() < size && i < blocks.size(); ++i) {
    ASSETC_TRY(const Bytes content,
               bundle.blocks->get(blocks[i], [&](std::size_t block) { return bundle.reader.read_block(block); }));
    const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
    const auto from = static_cast<std::size_t>(offset + out.size() - begin);
    if (from > content.size()) break;
    append_bytes(out, content.span().subspan(from, std::min(size - out.size(), content.size() - from)));
  }
  return Bytes(std::move(out));
}

class Bundle final : public ViewRoot {
 public:
  Bundle(std::string path, engine::Disk& disk) : bundle_(std::move(path), disk, read_bundle) {}
  Result<void> open() {
    ASSETC_CHECK(bundle_.now());
    return {};
  }
  std::string_view type() const override { return "bundle"; }
  Result<std::vector<File>> files() override {
    ASSETC_TRY(const auto bundle, bundle_.now());
    const pak::View& view = bundle->reader.view();
    std::vector<File> files;
    std::uint64_t decoded = 0;
    for (const pak::Entry& entry : view.entries()) {
      std::uint64_t stored = 0, offset = 0;
      for (const std::uint32_t block : view.refs(entry)) {
        const pak::Block& one = view.blocks()[block];
        if (stored == 0) offset = one.offset_bytes;
        stored += one.stored_size_bytes;
      }
      const std::string path = entry.uuid.to_string();
      JsonObject json = json_event("file").add("path", path).add("kind", "asset").add("bytes", entry.size_bytes);
      json.add("offset", offset).add("stored_bytes", stored);
      if (const std::string_view name = type_of(bundle->reader, entry, decoded); !name.empty()) json.add("type", name);
      files.push_back({path, json.str(), {}});
    }
    return files;
  }
  Result<HttpAnswer> file(const std::string& path) override {
    ASSETC_TRY(const auto bundle, bundle_.now());
    const pak::View& view = bundle->reader.view();
    const auto found =
        std::ranges::find_if(view.entries(), [&](const pak::Entry& e) { return e.uuid.to_string() == path; });
    if (found == view.entries().end()) return no_such(path);
    const pak::Header& header = bundle->reader.header();
    if (header.is_encrypted()) return bundle->reader.locked();
    std::vector<std::uint64_t> ends;
    std::uint64_t size = 0;
    for (const std::uint32_t block : view.refs(*found)) ends.push_back(size += view.blocks()[block].size_bytes);
    HttpAnswer answer;
    answer.size_bytes = size;
    answer.etag = etag_of(*bundle->file);
    answer.headers.emplace_back("Cache-Control", "no-cache");
    answer.read = [bundle, blocks = view.refs(*found), ends = std::move(ends)](std::uint64_t offset,
                                                                               std::size_t count) {
      return read_entry(*bundle, blocks, ends, offset, count);
    };
    return answer;
  }
  Result<HttpAnswer> source(const std::string& path) override { return no_such(path); }
  std::optional<std::string> text(std::string_view) override { return std::nullopt; }

 private:
  // So many bytes are decoded to find the types of entries. The page finds the types of the others when it opens them.
  static constexpr std::uint64_t kMaxListBytes = 128u << 20;

  // The name of the type of an entry, which its first bytes say; empty if it is not known. decoded: the bytes that were
  // decoded so far.
  static std::string_view type_of(const bundle::Reader& reader, const pak::Entry& entry, std::uint64_t& decoded) {
    const auto blocks = reader.view().refs(entry);
    if (blocks.empty()) return {};
    decoded += reader.view().blocks()[blocks.front()].size_bytes;
    if (decoded > kMaxListBytes) return {};
    const auto first = reader.read_first_block(entry);
    if (!first || first->size() < sizeof(aas1::BlobHeader)) return {};
    const auto header = load<aas1::BlobHeader>(*first);
    return header.magic == aas1::kMagic ? aas1::type_name(static_cast<aas1::Type>(header.type)) : std::string_view();
  }

  ChangingFile<BundleContents> bundle_;
};

template <class Root>
Result<std::unique_ptr<ViewRoot>> open_root(const std::string& path, engine::Disk& disk) {
  auto root = std::make_unique<Root>(path, disk);
  ASSETC_CHECK(root->open());
  return root;
}

}  // namespace

std::unexpected<Error> no_such(const std::string& path) {
  return std::unexpected(Error{ErrorCode::kNotFound, path, {}, "is not here", {}});
}

HttpAnswer part_of_file(const std::string& path, std::shared_ptr<const OpenedFile> file, std::uint64_t offset_bytes,
                        std::uint64_t size_bytes) {
  HttpAnswer answer;
  answer.content_type = media_type(path);
  answer.size_bytes = size_bytes;
  answer.etag = etag_of(*file);
  answer.headers.emplace_back("Cache-Control", "no-cache");
  answer.read = [file = std::move(file), offset_bytes, path](std::uint64_t at, std::size_t size) -> Result<Bytes> {
    auto bytes = read_exactly(*file, offset_bytes + at, size);
    if (!bytes) return std::unexpected(std::move(bytes).error().in(path));
    return bytes;
  };
  return answer;
}

Result<std::unique_ptr<ViewRoot>> open_pack_root(const std::string& path, engine::Disk& disk) {
  return open_root<Pack>(path, disk);
}
Result<std::unique_ptr<ViewRoot>> open_bundle_root(const std::string& path, engine::Disk& disk) {
  return open_root<Bundle>(path, disk);
}

}  // namespace assetc::cli
