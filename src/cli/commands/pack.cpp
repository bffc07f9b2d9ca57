// assetc pack info: where the bytes of a pack are, and what it saves by storing equal files once.
#include <map>
#include <set>

#include "assetc/formats/hpack.hpp"
#include "base/json_line.hpp"
#include "cli/commands/commands.hpp"
#include "text/format.hpp"

namespace assetc::cli {
namespace {

struct Layout {
  std::uint64_t file = 0;
  std::uint64_t toc = 0;      // without the header
  std::uint64_t payload = 0;  // each counted once, even if several entries share it
  std::uint64_t shared = 0;   // bytes that are saved by sharing
  std::uint64_t checksums = 0;
  std::uint64_t padding() const { return file - hpack::kHeaderBytes - toc - payload - checksums; }
};

struct PackedTotal {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

Layout layout_of(const hpack::View& pack, std::uint64_t file_bytes) {
  Layout layout{.file = file_bytes, .toc = pack.toc().size_bytes() - hpack::kHeaderBytes};
  if (pack.has_checksums()) layout.checksums = hpack::kMarkBytes + file_bytes - pack.toc().checksums_offset_bytes();
  std::set<std::uint64_t> offsets;
  for (const hpack::EntryView& entry : pack.entries()) {
    (entry.size_bytes == 0 || offsets.insert(entry.offset_bytes).second ? layout.payload : layout.shared) +=
        entry.size_bytes;
  }
  return layout;
}

}  // namespace

int run_pack_info(const Arguments& arguments, Console& console, engine::Disk& disk) {
  std::string file = arguments.pack_file;
  if (file.empty()) {
    const auto profile = load_profile(arguments, console, disk);
    if (!profile) return stop(arguments, console, profile.error());
    file = profile->output + ".hpack";
  }
  const auto bytes = disk.read(file);
  if (!bytes) {
    Error error = bytes.error();
    if (error.code == ErrorCode::kNotFound && error.hint.empty()) error.hint = "assetc --pack writes one";
    return stop(arguments, console, std::move(error).in(file));
  }
  const auto pack = hpack::View::open(*bytes);
  if (!pack) return stop(arguments, console, Error(pack.error()).in(file));

  if (auto whole = pack->verify(); !whole) return stop(arguments, console, std::move(whole).error().in(file));

  const Layout layout = layout_of(*pack, bytes->size());
  std::map<std::string, PackedTotal, std::less<>> kinds;
  for (const hpack::EntryView& entry : pack->entries()) {
    PackedTotal& total = kinds[std::string(to_string(entry.kind))];
    ++total.files;
    total.bytes += entry.size_bytes;
  }

  if (arguments.json) {
    for (const hpack::EntryView& entry : pack->entries()) {
      console.out(json_event("entry")
                      .add("path", entry.path)
                      .add("kind", to_string(entry.kind))
                      .add("bytes", entry.size_bytes)
                      .add("offset", entry.offset_bytes)
                      .str() +
                  "\n");
    }
    JsonObject by_kind;
    for (const auto& [kind, t] : kinds) by_kind.add(kind, JsonObject().add("files", t.files).add("bytes", t.bytes));
    console.out(json_event("pack")
                    .add("file", file)
                    .add("version", hpack::kVersion)
                    .add("bytes", layout.file)
                    .add("entries", pack->entries().size())
                    .add("header_bytes", hpack::kHeaderBytes)
                    .add("toc_bytes", layout.toc)
                    .add("payload_bytes", layout.payload)
                    .add("padding_bytes", layout.padding())
                    .add("checksum_bytes", layout.checksums)
                    .add("shared_bytes", layout.shared)
                    .add("kinds", by_kind)
                    .str() +
                "\n");
    return kExitOk;
  }

  using enum Table::Align;
  console.out(formatted("{}: version {}, {}, {}\n\n", printable(file), hpack::kVersion,
                        plural(pack->entries().size(), "entry"), size_text(layout.file)));
  Table parts({kLeft, kRight, kRight});
  const auto part = [&](const char* name, std::uint64_t size) {
    parts.add({name, count_text(size) + " B",
               formatted("{:.1f} %", 100.0 * static_cast<double>(size) / static_cast<double>(layout.file))});
  };
  part("header", hpack::kHeaderBytes);
  part("table of contents", layout.toc);
  part("payloads", layout.payload);
  part("alignment padding", layout.padding());
  if (pack->has_checksums()) part("checksums, all correct", layout.checksums);
  console.out(parts.str());
  if (layout.shared > 0)
    console.out(formatted("files with identical contents are stored once, which saves {}\n", size_text(layout.shared)));

  Table sums({kLeft, kRight, kRight});
  for (const auto& [kind, t] : kinds) sums.add({kind, plural(t.files, "file"), size_text(t.bytes)});
  console.out("\n" + sums.str() + "\n");

  Table listing({kLeft, kLeft, kRight, kRight});
  listing.add({"path", "kind", "size", "offset"});
  for (const hpack::EntryView& entry : pack->entries()) {
    listing.add({std::string(entry.path), std::string(to_string(entry.kind)), size_text(entry.size_bytes),
                 std::to_string(entry.offset_bytes)});
  }
  console.out(listing.str());
  return kExitOk;
}

}  // namespace assetc::cli
