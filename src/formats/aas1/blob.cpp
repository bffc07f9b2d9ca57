// The frame of every cooked asset: header, description, data. Views of a type check only what is inside.
#include <algorithm>
#include <limits>

#include "assetc/formats/aas1.hpp"
#include "base/plural.hpp"
#include "formats/aas1/desc_table.hpp"
#include "formats/text.hpp"

namespace assetc::aas1 {
namespace {

using namespace formats;

constexpr std::uint64_t align_up(std::uint64_t value) {
  return (value + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
}

struct TypeName {
  Type type;
  std::string_view name;
};
constexpr TypeName kTypeNames[] = {
    {Type::kTexture2D, "Texture2D"},
    {Type::kMesh, "Mesh"},
    {Type::kMaterial, "Material"},
    {Type::kAudio, "Audio"},
    {Type::kScript, "Script"},
    {Type::kRedirector, "Redirector"},
    {Type::kTextureCube, "TextureCube"},
    {Type::kTexture2DArray, "Texture2DArray"},
    {Type::kTextureCubeArray, "TextureCubeArray"},
    {Type::kTexture3D, "Texture3D"},
    {Type::kSkeleton, "Skeleton"},
    {Type::kAnimation, "Animation"},
    {Type::kShader, "Shader"},
    {Type::kRaw, "Raw"},
    {Type::kModel, "Model"},
    {Type::kClusters, "Clusters"},
    {Type::kFont, "Font"},
};

// Skips the zeros up to the next multiple of 4 in the file.
Result<void> skip_padding(Reader& reader) {
  const std::uint64_t at = reader.position();
  ASSETC_TRY(const ByteSpan zeros, reader.take(align_up(at) - at, "padding"));
  if (!all_zero(zeros)) return invalid(at, "found padding that is not zero");
  return {};
}

}  // namespace

std::string_view type_name(Type type) {
  const auto* const found = std::ranges::find(kTypeNames, type, &TypeName::type);
  return found == std::end(kTypeNames) ? std::string_view() : found->name;
}

bool is_texture(Type type) {
  return type == Type::kTexture2D || (type >= Type::kTextureCube && type <= Type::kTexture3D);
}

Result<Blob> Blob::open(ByteSpan file) {
  Blob blob;
  ASSETC_CHECK(check_alignment(file, kBufferAlignment));
  Reader reader(file);
  ASSETC_TRY(blob.header_, reader.read<BlobHeader>("the header of an AAS1 blob"));
  const BlobHeader& header = blob.header_;
  if (header.magic != kMagic) {
    return invalid(0, message("found magic ", fourcc_text(header.magic), ", expected AAS1"),
                   "check that this is a cooked asset");
  }
  if (header.version != kVersion) {
    return fail_at(ErrorCode::kVersion, byte_place(4),
                   message("found AAS1 version ", header.version, ", expected ", kVersion),
                   header.version > kVersion ? "read it with a newer assetc, or cook its source again with this one"
                                             : "cook its source again");
  }
  const Context context;
  ASSETC_CHECK(check_records(table::kBlob, object_bytes(header), 0, context));
  blob.file_ = file;
  ASSETC_TRY(blob.desc_, reader.take(header.desc_size_bytes, "the Desc"));
  ASSETC_TRY(blob.data_, reader.take(header.data_size_bytes, "the data"));
  if ((header.flags & kFlagExtended) == 0) {
    ASSETC_CHECK(expect_end(reader.position(), file.size()));
    return blob;
  }
  ASSETC_CHECK(skip_padding(reader));
  ASSETC_TRY(const ByteSpan head, take_record(reader, table::kExtensions, context));
  std::vector<ExtensionEntry> entries(load<ExtensionHeader>(head).count);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::uint64_t place = reader.position();
    ASSETC_TRY(const ByteSpan row, take_record(reader, table::kExtension, context, i));
    ExtensionEntry& entry = entries[i];
    entry = load<ExtensionEntry>(row);
    const auto same = std::ranges::count(entries.data(), &entry, entry.id, &ExtensionEntry::id);
    if (same != 0) return invalid(place, message("found a second extension ", fourcc_text(entry.id), ", expected one"));
  }
  for (const ExtensionEntry& entry : entries) {
    ASSETC_TRY(const ByteSpan bytes, reader.take(entry.size_bytes, message("the extension ", fourcc_text(entry.id))));
    blob.extensions_.push_back({entry.id, bytes});
    ASSETC_CHECK(skip_padding(reader));
  }
  ASSETC_CHECK(expect_end(reader.position(), file.size()));
  return blob;
}

Result<Blob> Blob::open(ByteSpan file, Type type, std::size_t desc_size_bytes) {
  ASSETC_TRY(Blob blob, open(file));
  if (blob.type() != type) {
    return fail_at(ErrorCode::kUnsupported, byte_place(6),
                   message("found a blob of type ", type_name(blob.type()), ", expected ", type_name(type)),
                   "open it with the reader of its type");
  }
  if (blob.desc_.size() < desc_size_bytes) {
    return invalid(8, message("found a Desc of ", counted(blob.desc_.size(), "byte"), ", expected ", desc_size_bytes,
                              " for ", type_name(type)));
  }
  return blob;
}

ByteSpan Blob::extension(std::uint32_t id) const {
  const auto found = std::ranges::find(extensions_, id, &Extension::id);
  return found == extensions_.end() ? ByteSpan() : found->bytes;
}

Result<ByteVector> without_data(ByteSpan head, ByteSpan behind) {
  Reader reader(head);
  ASSETC_TRY(BlobHeader header, reader.read<BlobHeader>("the header of an AAS1 blob"));
  ASSETC_TRY(const ByteSpan desc, reader.take(header.desc_size_bytes, "the Desc"));
  // Extensions begin at the next multiple of 4 after the end of the data.
  const std::uint64_t end = reader.position() + std::uint64_t{header.data_size_bytes};
  const std::uint64_t padding = behind.empty() ? 0 : align_up(end) - end;
  if (padding > behind.size() || !all_zero(behind.first(padding)))
    return invalid(end, "found padding that is cut or not zero");
  header.data_size_bytes = 0;
  ByteVector file;
  append(file, header);
  append_bytes(file, desc);
  if (!behind.empty()) pad_to(file, kBufferAlignment);
  append_bytes(file, behind.subspan(padding));
  return file;
}

Result<ByteVector> write_blob(Type type, std::uint8_t flags, ByteSpan desc, std::span<const ByteSpan> data,
                              std::span<const Extension> extensions) {
  constexpr std::uint64_t kMaxBytes = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t data_size = 0, extensions_size = 0;
  for (const ByteSpan part : data) data_size += part.size();
  std::vector<Extension> written;
  for (const Extension& extension : extensions) {
    if (extension.bytes.empty()) continue;
    written.push_back(extension);
    extensions_size += align_up(extension.bytes.size()) + sizeof(ExtensionEntry);
  }
  if (data_size > kMaxBytes || extensions_size > kMaxBytes) {
    return fail(ErrorCode::kLimit,
                message("the asset has ", counted(std::max(data_size, extensions_size), "byte"), ", expected at most ",
                        kMaxBytes, " in an AAS1 blob"),
                "split the source, or make it smaller");
  }
  if (!written.empty()) flags |= kFlagExtended;
  ByteVector file;
  file.reserve(sizeof(BlobHeader) + desc.size() + data_size + kBufferAlignment + sizeof(ExtensionHeader) +
               extensions_size);
  append(file, BlobHeader{kMagic, kVersion, static_cast<std::uint8_t>(type), flags,
                          static_cast<std::uint32_t>(desc.size()), static_cast<std::uint32_t>(data_size)});
  append_bytes(file, desc);
  for (const ByteSpan part : data) append_bytes(file, part);
  if (written.empty()) return file;
  pad_to(file, kBufferAlignment);
  append(file, ExtensionHeader{kExtensionMagic, static_cast<std::uint32_t>(written.size())});
  for (const Extension& extension : written)
    append(file, ExtensionEntry{extension.id, static_cast<std::uint32_t>(extension.bytes.size())});
  for (const Extension& extension : written) {
    append_bytes(file, extension.bytes);
    pad_to(file, kBufferAlignment);
  }
  return file;
}

Result<std::span<const Uuid>> uuids_of(const Blob& blob, std::uint32_t extension) {
  const ByteSpan bytes = blob.extension(extension);
  const auto place = static_cast<std::uint64_t>(bytes.data() - blob.file().data());
  if (bytes.size() % sizeof(Uuid) != 0) {
    return invalid(place, message("extension ", fourcc_text(extension), " has ", counted(bytes.size(), "byte"),
                                  ", expected UUIDs of ", sizeof(Uuid)));
  }
  const std::span uuids(reinterpret_cast<const Uuid*>(bytes.data()), bytes.size() / sizeof(Uuid));
  for (std::size_t i = 0; i < uuids.size(); ++i) {
    if (uuids[i].is_nil()) {
      return invalid(place + i * sizeof(Uuid),
                     message("extension ", fourcc_text(extension), " names no asset, expected a UUID"));
    }
  }
  return uuids;
}

}  // namespace assetc::aas1
