#include "assetc/formats/hman.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "assetc/base/hash.hpp"
#include "base/plural.hpp"
#include "formats/hman_table.hpp"
#include "formats/text.hpp"

namespace assetc::hman {

using namespace formats;

namespace {

struct FileHeader {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint32_t count;
  std::uint32_t flags;
};
static_assert(sizeof(FileHeader) == table::kHeader.size_bytes);
constexpr std::uint32_t kIncomplete = 1;

// An entry without its path.
#pragma pack(push, 1)
struct EntryFields {
  std::uint64_t hash;
  Kind kind;
  Colorspace colorspace;
  std::uint16_t path_size_bytes;
};
#pragma pack(pop)
static_assert(sizeof(EntryFields) == table::kEntry.size_bytes);
constexpr std::string_view kTextureExtension = ".ktx2";

// Returns the hash that an entry of this kind must have. If the kind does not define it, returns the entry's own hash.
std::uint64_t expected_hash(const EntryView& entry) {
  if (entry.kind == Kind::kTexture)
    return hash_asset_ref(entry.path.substr(0, entry.path.size() - kTextureExtension.size()));
  if (entry.kind == Kind::kEmbed) return hash_embed_ref(entry.path);
  return entry.hash;
}

std::string hex(std::uint64_t value) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + 16, value, 16).ptr;
  const auto size = static_cast<std::size_t>(end - digits);
  return "0x" + std::string(16 - size, '0') + std::string(digits, size);
}

std::unexpected<Error> conflict(std::string place, std::uint64_t hash, std::string_view a, std::string_view b) {
  return fail_at(ErrorCode::kConflict, std::move(place),
                 message("hash ", hex(hash), " stands for both ", quote(a), " and ", quote(b)),
                 "rename the source of one of them");
}

}  // namespace

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::kTexture:
      return "texture";
    case Kind::kMesh:
      return "mesh";
    case Kind::kMaterial:
      return "material";
    case Kind::kLut:
      return "lut";
    case Kind::kShader:
      return "shader";
    case Kind::kEmbed:
      return "embed";
    case Kind::kAnimation:
      return "animation";
    case Kind::kFont:
      return "font";
    case Kind::kScene:
      return "scene";
  }
  return "other";
}

Entry texture_entry(std::string path, Colorspace colorspace) {
  std::string_view ref = path;
  if (ref.ends_with(kTextureExtension)) ref.remove_suffix(kTextureExtension.size());
  return {hash_asset_ref(ref), Kind::kTexture, colorspace, std::move(path)};
}

Entry file_entry(std::string path, Kind kind) {
  const std::uint64_t hash = hash_embed_ref(path);
  return {hash, kind, Colorspace::kLinear, std::move(path)};
}

Result<View> View::open(ByteSpan file) {
  ASSETC_CHECK(check_magic(file, kMagic, kVersion, "hman"));
  Reader reader(file);
  const Context context;
  ASSETC_TRY(const ByteSpan head, take_record(reader, table::kHeader, context));
  const auto header = load<FileHeader>(head);
  View view;
  view.is_incomplete_ = (header.flags & kIncomplete) != 0;
  view.entries_.reserve(std::min<std::uint64_t>(header.count, reader.remaining() / sizeof(EntryFields)));
  for (std::uint32_t i = 0; i < header.count; ++i) {
    const std::uint64_t place = reader.position();
    ASSETC_TRY(const ByteSpan row, take_record(reader, table::kEntry, context, i));
    const auto fields = load<EntryFields>(row);
    ASSETC_TRY(const ByteSpan path, reader.take(fields.path_size_bytes, "a path"));
    const EntryView entry{fields.hash, fields.kind, fields.colorspace, as_text(path)};
    if (const auto fault = path_fault(entry.path); !fault.empty()) {
      return invalid(place + 12, message("path ", quote(entry.path), " is not below the output root: ", fault));
    }
    if (entry.kind == Kind::kTexture && !entry.path.ends_with(kTextureExtension)) {
      return invalid(place + 12, message("texture ", quote(entry.path), " does not end in .ktx2"));
    }
    if (entry.hash != expected_hash(entry)) {
      return invalid(place, message("found hash ", hex(entry.hash), ", expected ", hex(expected_hash(entry)),
                                    ", that of ", quote(entry.path)));
    }
    if (!view.entries_.empty()) {
      const EntryView& before = view.entries_.back();
      if (entry.hash == before.hash) return conflict(byte_place(place), entry.hash, before.path, entry.path);
      if (entry.hash < before.hash) {
        return invalid(
            place, message("found hash ", hex(entry.hash), " after ", hex(before.hash), ", expected them to ascend"));
      }
    }
    view.entries_.push_back(entry);
  }
  ASSETC_CHECK(expect_end(reader.position(), file.size()));
  return view;
}

const EntryView* View::find(std::uint64_t hash) const {
  const auto it = std::lower_bound(entries_.begin(), entries_.end(), hash,
                                   [](const EntryView& e, std::uint64_t h) { return e.hash < h; });
  return it != entries_.end() && it->hash == hash ? &*it : nullptr;
}

Result<ByteVector> write(std::vector<Entry> entries, bool is_incomplete) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.hash, a.path, a.kind, a.colorspace) < std::tie(b.hash, b.path, b.kind, b.colorspace);
  });
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  std::size_t size_bytes = sizeof(FileHeader);
  for (const Entry& entry : entries) size_bytes += sizeof(EntryFields) + entry.path.size();
  ByteVector file;
  file.reserve(size_bytes);
  append(file,
         FileHeader{kMagic, kVersion, static_cast<std::uint32_t>(entries.size()), is_incomplete ? kIncomplete : 0});
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    if (i > 0 && entries[i - 1].hash == entry.hash) {
      const Entry& before = entries[i - 1];
      if (before.path != entry.path) return conflict({}, entry.hash, before.path, entry.path);
      return fail(ErrorCode::kConflict, message(quote(entry.path), " is listed twice, with two kinds or color spaces"),
                  "use the image in one color space, or make a copy of it");
    }
    if (entry.path.size() > std::numeric_limits<std::uint16_t>::max()) {
      return fail(ErrorCode::kLimit, message("path ", quote(entry.path), " takes ", counted(entry.path.size(), "byte"),
                                             ", expected at most 65535"));
    }
    append(file, EntryFields{entry.hash, entry.kind, entry.colorspace, static_cast<std::uint16_t>(entry.path.size())});
    append_bytes(file, as_bytes(entry.path));
  }
  ASSETC_CHECK(View::open(file));
  return file;
}

}  // namespace assetc::hman
