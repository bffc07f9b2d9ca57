#include "engine/store/store_parts.hpp"

#include <string_view>

namespace assetc::engine {
namespace {

// Layout of each part: name (low half first), uint32 size, uint8 kind, bytes. The file ends with XXH3 of everything
// before.
constexpr std::string_view kPartsMagic = "assetc parts 1\n";
constexpr std::size_t kPartHeaderBytes = 2 * sizeof(std::uint64_t) + sizeof(std::uint32_t) + 1;
constexpr std::size_t kPartsChecksumBytes = sizeof(std::uint64_t);

}  // namespace

ByteVector encode_parts(std::span<const StorePart> parts) {
  std::size_t size = kPartsMagic.size() + kPartsChecksumBytes;
  for (const StorePart& part : parts) size += kPartHeaderBytes + part.bytes.size();
  ByteVector file;
  file.reserve(size);
  append_bytes(file, as_bytes(kPartsMagic));
  for (const StorePart& part : parts) {
    append(file, part.name.low);
    append(file, part.name.high);
    append(file, static_cast<std::uint32_t>(part.bytes.size()));
    append(file, static_cast<std::uint8_t>(part.kind));
    append_bytes(file, part.bytes);
  }
  append(file, xxh3_64(file));
  return file;
}

Result<std::vector<StorePart>> split_parts(const Bytes& file) {
  if (file.size() < kPartsMagic.size() + kPartsChecksumBytes || !as_text(file).starts_with(kPartsMagic))
    return fail(ErrorCode::kInvalidData, "no parts of this version");
  const std::size_t end = file.size() - kPartsChecksumBytes;
  if (load<std::uint64_t>(file, end) != xxh3_64(file.span().first(end)))
    return fail(ErrorCode::kInvalidData, "a checksum that does not match");
  std::vector<StorePart> parts;
  for (std::size_t at = kPartsMagic.size(); at < end;) {
    if (!range_fits(at, kPartHeaderBytes, end)) return fail(ErrorCode::kInvalidData, "parts that end too early");
    const ContentHash name{load<std::uint64_t>(file, at), load<std::uint64_t>(file, at + 8)};
    const auto size = load<std::uint32_t>(file, at + 16);
    const auto kind = load<std::uint8_t>(file, at + 20);
    at += kPartHeaderBytes;
    if (kind > static_cast<std::uint8_t>(StorePartKind::kPackedBlob) || !range_fits(at, size, end))
      return fail(ErrorCode::kInvalidData, "parts that end too early");
    parts.push_back({static_cast<StorePartKind>(kind), name, file.slice(at, size)});
    at += size;
  }
  return parts;
}

}  // namespace assetc::engine
