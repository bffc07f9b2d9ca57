#include <algorithm>
#include <cstddef>

#include "assetc/formats/hmesh_encoded.hpp"
#include "assetc/formats/hmesh_view.hpp"
#include "codec/mesh/decode/grid.hpp"
#include "codec/mesh/decode/meshlet_stream.hpp"
#include "codec/mesh/decode/meshopt_stream.hpp"
#include "formats/hmesh/table.hpp"
#include "formats/reader.hpp"
#include "formats/text.hpp"

namespace assetc::hmesh {
namespace {

using namespace formats;
using chunks::ChunkEntry;
namespace streams = meshopt_stream;

// Chunks that may be encoded.
constexpr std::array kEncodable{
    kVerticesId,         kIndicesId, kLodIndicesId,  kMeshletsId,        kMeshletVerticesId, kMeshletBoundsId,
    kMeshletTrianglesId, kSkinId,    kFurtherSkinId, kFurtherVerticesId, kMorphsId};

bool has_encoding(const ChunkEntry& entry) {
  return entry.flags != 0 && std::ranges::find(kEncodable, entry.id) != kEncodable.end();
}

// Chunks that this version does not know are streams of attributes.
bool may_have(std::uint32_t id, Encoding encoding) {
  const auto* const row = std::ranges::find(table::kChunks, id, &ChunkRow::id);
  const std::uint16_t allowed = row == std::end(table::kChunks) ? table::kStreams : row->encodings;
  const auto number = static_cast<std::uint32_t>(encoding);
  return number < 16 && (allowed >> number & 1) != 0;
}

// The rotations of five triangles are one byte.
constexpr std::uint64_t kRotationsPerByte = 5;
constexpr std::uint64_t rotation_bytes(std::uint64_t triangles) {
  return (triangles + kRotationsPerByte - 1) / kRotationsPerByte;
}
// The five rotations of each byte, with two bits for each.
constexpr std::array<std::uint16_t, 256> kRotations = [] {
  std::array<std::uint16_t, 256> rotations{};
  for (unsigned byte = 0; byte < rotations.size(); ++byte) {
    for (unsigned k = 0, left = byte; k < kRotationsPerByte; ++k, left /= 3)
      rotations[byte] = static_cast<std::uint16_t>(rotations[byte] | left % 3 << 2 * k);
  }
  return rotations;
}();
// The places in the plain file of the corners of a stream's triangle, by rotation.
constexpr std::array<std::array<std::uint8_t, 3>, 3> kPlaces{{{0, 1, 2}, {2, 0, 1}, {1, 2, 0}}};

// The content of a Zstd frame may be this many times as large as the frame.
constexpr std::uint64_t kMaxInflation = 1024;

constexpr std::uint64_t align_up(std::uint64_t value) {
  return (value + chunks::kPayloadAlignment - 1) / chunks::kPayloadAlignment * chunks::kPayloadAlignment;
}

// A chunk of the file, and its place in the decoded file.
struct Part {
  ChunkEntry entry;
  Encoding encoding = Encoding::kPlain;
  EncodedHeader header{};
  std::uint64_t size_bytes = 0;    // decoded
  std::uint64_t offset_bytes = 0;  // in the decoded file

  std::uint64_t triangle_count() const { return size_bytes / (3 * std::uint64_t{header.stride_bytes}); }
};

class Decoder {
 public:
  explicit Decoder(ByteSpan file) : file_(file) {}

  // Reads the table and the headers, and places the chunks.
  Result<void> open() {
    ASSETC_TRY(const std::span<const ChunkEntry> table, chunks::open_table(file_, kVersion));
    parts_.reserve(table.size());
    for (const ChunkEntry& entry : table) {
      Part& part = parts_.emplace_back(Part{.entry = entry, .size_bytes = entry.size_bytes});
      if (has_encoding(entry)) ASSETC_CHECK(open_part(part, table));
    }
    size_bytes_ = sizeof(chunks::FileHeader) + table.size_bytes();
    for (Part& part : parts_) {
      ASSETC_CHECK(check_size(part));
      part.offset_bytes = align_up(size_bytes_);
      size_bytes_ = part.offset_bytes + part.size_bytes;
    }
    return {};
  }

  std::uint64_t size_bytes() const { return size_bytes_; }

  std::optional<GridPrecision> precision(InflateFunction inflate) const {
    const Part* part = find(kVerticesId);
    if (part == nullptr || part->encoding != Encoding::kGrid) return std::nullopt;
    const auto body = body_of(*part, inflate);
    if (!body) return std::nullopt;
    const auto header = load<GridHeader>(*body);
    if (!check_grid(*part, header)) return std::nullopt;
    return GridPrecision{power_of_two(header.position_exponent), power_of_two(header.texcoord_exponent),
                         header.normal_bits, header.tangent_bits};
  }

  Result<void> decode(std::span<std::byte> out, InflateFunction inflate) {
    if (out.size() != size_bytes_) {
      return fail(ErrorCode::kUsage, message("found memory of ", counted(out.size(), "byte"), ", expected ",
                                             size_bytes_, " as decoded_size() returns"));
    }
    ASSETC_CHECK(check_alignment(out, kBufferAlignment));
    out_ = out;
    write_table();
    for (const Part& part : parts_) {
      switch (part.encoding) {
        case Encoding::kPlain:
          std::ranges::copy(file_.subspan(part.entry.offset_bytes, part.entry.size_bytes), out_of(part).begin());
          break;
        case Encoding::kAttributes:
          ASSETC_CHECK(decode_elements(part, inflate));
          break;
        case Encoding::kTriangles:
          ASSETC_CHECK(decode_triangles(part, inflate));
          break;
        case Encoding::kMeshlets:
          ASSETC_CHECK(decode_meshlets(part, inflate));
          break;
        case Encoding::kGrid:
        case Encoding::kDerived:
          break;
      }
    }
    // Last, because the triangles predict the vertices.
    const Part* vertices = find(kVerticesId);
    if (vertices != nullptr && vertices->encoding == Encoding::kGrid) return decode_grid(*vertices, inflate);
    return {};
  }

 private:
  const Part* find(std::uint32_t id) const {
    const auto found = std::ranges::find(parts_, id, [](const Part& part) { return part.entry.id; });
    return found == parts_.end() ? nullptr : &*found;
  }

  static std::uint64_t place_of(const Part& part) { return part.entry.offset_bytes; }
  static std::unexpected<Error> damaged(const Part& part, std::string_view what) {
    return invalid(place_of(part), message("chunk ", fourcc_text(part.entry.id), ": ", what));
  }

  Result<void> open_part(Part& part, std::span<const ChunkEntry> table) const {
    const ChunkEntry& entry = part.entry;
    ASSETC_CHECK(check_once(table, entry.id));
    part.encoding = static_cast<Encoding>(entry.flags & kEncodingMask);
    if ((entry.flags & ~(kEncodingMask | kZstdFlag)) != 0 || !may_have(entry.id, part.encoding)) {
      return fail_at(
          ErrorCode::kUnsupported, byte_place(place_of(part)),
          message("chunk ", fourcc_text(entry.id), " has flags ", entry.flags, ", which are no encoding of this chunk"),
          "read it with a newer assetc, or compile its source again");
    }
    if (entry.size_bytes < sizeof(EncodedHeader)) {
      return damaged(
          part, message("found ", counted(entry.size_bytes, "byte"), ", expected a header of ", sizeof(EncodedHeader)));
    }
    part.header = load<EncodedHeader>(file_, entry.offset_bytes);
    part.size_bytes = part.header.decoded_bytes;
    const std::uint64_t stored = entry.size_bytes - sizeof(EncodedHeader);
    const bool holds = (entry.flags & kZstdFlag) == 0 ? part.header.body_bytes == stored
                                                      : part.header.body_bytes / kMaxInflation <= stored;
    if (!holds) {
      return damaged(part, message("found ", counted(stored, "byte"), " of a body of ", part.header.body_bytes));
    }
    if (part.header.prefix_bytes > part.header.body_bytes) {
      return damaged(part, message("found a prefix of ", counted(part.header.prefix_bytes, "byte"),
                                   ", expected at most ", part.header.body_bytes));
    }
    return {};
  }

  static Result<void> check_once(std::span<const ChunkEntry> table, std::uint32_t id) {
    const auto count = std::ranges::count(table, id, &ChunkEntry::id);
    if (count == 1) return {};
    return invalid(sizeof(chunks::FileHeader),
                   message("found the chunk ", fourcc_text(id), " more than once, expected one"));
  }

  // Whether a decoded size fits the encoding, and whether the stream can be as long.
  Result<void> check_size(const Part& part) const {
    const EncodedHeader& h = part.header;
    const std::uint64_t stream = h.body_bytes - h.prefix_bytes;
    const auto elements = [&](std::uint64_t size_bytes, std::uint64_t decoded_stride, std::uint64_t stride) {
      return stride >= 4 && stride <= streams::kMaxStride && stride % 4 == 0 && size_bytes % decoded_stride == 0 &&
             size_bytes / decoded_stride <= streams::kAttributeExpansion * stream / stride;
    };
    const auto triangles = [&](std::uint64_t count) {
      return count <= stream && (h.prefix_bytes == 0 || h.prefix_bytes == rotation_bytes(count));
    };
    bool holds = true;
    switch (part.encoding) {
      case Encoding::kPlain:
        break;
      case Encoding::kAttributes:
        holds = h.decoded_bytes >= h.prefix_bytes && h.stride_bytes != 0 &&
                elements(h.decoded_bytes - h.prefix_bytes, h.stride_bytes, h.stride_bytes);
        break;
      case Encoding::kTriangles:
        holds = (h.stride_bytes == 2 || h.stride_bytes == 4) && h.decoded_bytes % (3 * h.stride_bytes) == 0 &&
                triangles(part.triangle_count());
        break;
      case Encoding::kGrid:
        holds = h.prefix_bytes == sizeof(GridHeader) && elements(h.decoded_bytes, sizeof(GpuVertex), kGridStride);
        break;
      case Encoding::kMeshlets:
        holds = h.prefix_bytes == 0 && h.decoded_bytes % sizeof(MeshletTriangle) == 0 &&
                meshlet_triangles(part) <= 2 * h.body_bytes;
        break;
      case Encoding::kDerived: {
        const Part* meshlets = encoded_meshlets();
        holds = h.body_bytes == 0 && meshlets != nullptr &&
                (part.entry.id == kMeshletsId ? h.decoded_bytes % sizeof(Meshlet) == 0 &&
                                                    h.decoded_bytes / sizeof(Meshlet) <= meshlets->header.body_bytes
                 : part.entry.id == kMeshletVerticesId
                     ? h.decoded_bytes % sizeof(std::uint32_t) == 0 &&
                           h.decoded_bytes / sizeof(std::uint32_t) <= 8 * meshlets->header.body_bytes
                     : index_triangles() == meshlet_triangles(*meshlets) &&
                           (h.decoded_bytes == 0 ||
                            h.decoded_bytes == 3 * std::uint64_t{index_width()} * index_triangles()));
        break;
      }
    }
    if (holds) return {};
    return damaged(part, message("found ", counted(h.decoded_bytes, "decoded byte"), " of elements of ", h.stride_bytes,
                                 " in a body of ", h.body_bytes, ", which its encoding cannot hold"));
  }
  // MLTR if it holds the counts and vertices of meshlets too, or null.
  const Part* encoded_meshlets() const {
    const Part* part = find(kMeshletTrianglesId);
    return part != nullptr && part->encoding == Encoding::kMeshlets ? part : nullptr;
  }
  static std::uint64_t meshlet_triangles(const Part& part) { return part.size_bytes / sizeof(MeshletTriangle); }
  // Where a derived chunk is written; nothing if the chunk is not derived.
  std::span<std::byte> derived(std::uint32_t id) const {
    const Part* part = find(id);
    return part != nullptr && part->encoding == Encoding::kDerived ? out_of(*part) : std::span<std::byte>();
  }
  // Nothing is the same as too few.
  std::uint64_t index_triangles() const {
    const Part* desc = find(kDescId);
    const Part* indices = find(kIndicesId);
    if (desc == nullptr || indices == nullptr || desc->entry.size_bytes != sizeof(MeshDesc)) return 0;
    const auto width = load<MeshDesc>(file_, desc->entry.offset_bytes).index_width_bytes;
    return width == 2 || width == 4 ? indices->size_bytes / (3u * width) : 0;
  }
  std::uint32_t index_width() const {
    return load<MeshDesc>(file_, find(kDescId)->entry.offset_bytes).index_width_bytes;
  }

  static bool check_grid(const Part&, const GridHeader& h) {
    const auto exponent_holds = [](int e) { return e >= kMinExponent && e <= kMaxExponent; };
    const auto bits_hold = [](unsigned bits) { return bits >= 2 && bits <= 16; };
    return exponent_holds(h.position_exponent) && exponent_holds(h.texcoord_exponent) && bits_hold(h.normal_bits) &&
           bits_hold(h.tangent_bits);
  }

  // The body of a chunk, inflated if it is a Zstd frame.
  static Result<ByteSpan> body_in(ByteSpan stored, const Part& part, InflateFunction inflate, ByteVector& memory) {
    if ((part.entry.flags & kZstdFlag) == 0) return stored;
    if (inflate == nullptr) {
      return fail_at(ErrorCode::kUnsupported, byte_place(place_of(part)),
                     message("chunk ", fourcc_text(part.entry.id), " is a Zstd frame, which this call cannot inflate"),
                     "pass a function that inflates Zstd frames");
    }
    memory.resize(part.header.body_bytes);
    auto done = inflate(stored, memory);
    if (!done) return damaged(part, std::move(done).error().what);
    return ByteSpan(memory);
  }
  Result<Bytes> body_of(const Part& part, InflateFunction inflate) const {
    const ByteSpan stored =
        file_.subspan(part.entry.offset_bytes + sizeof(EncodedHeader), part.entry.size_bytes - sizeof(EncodedHeader));
    ByteVector memory;
    ASSETC_TRY(const ByteSpan body, body_in(stored, part, inflate, memory));
    return memory.empty() ? Bytes(nullptr, body) : Bytes(std::move(memory));
  }
  static ByteSpan prefix_of(const Part& part, ByteSpan body) { return body.first(part.header.prefix_bytes); }
  static ByteSpan stream_of(const Part& part, ByteSpan body) { return body.subspan(part.header.prefix_bytes); }

  std::span<std::byte> out_of(const Part& part) const {
    return out_.subspan(static_cast<std::size_t>(part.offset_bytes), static_cast<std::size_t>(part.size_bytes));
  }

  void write_table() {
    const auto put = [&](std::size_t at, const auto& value) { std::memcpy(out_.data() + at, &value, sizeof value); };
    put(0, load<chunks::FileHeader>(file_));
    std::uint64_t end = sizeof(chunks::FileHeader) + parts_.size() * sizeof(ChunkEntry);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Part& part = parts_[i];
      ChunkEntry entry = part.entry;
      if (part.encoding != Encoding::kPlain) entry.flags = 0;
      entry.offset_bytes = part.offset_bytes;
      entry.size_bytes = part.size_bytes;
      put(sizeof(chunks::FileHeader) + i * sizeof entry, entry);
      std::ranges::fill(out_.subspan(end, part.offset_bytes - end), std::byte{0});
      end = part.offset_bytes + part.size_bytes;
    }
  }

  Result<void> decode_elements(const Part& part, InflateFunction inflate) {
    ASSETC_TRY(const Bytes body, body_of(part, inflate));
    const ByteSpan prefix = prefix_of(part, body);
    std::ranges::copy(prefix, out_of(part).begin());
    const std::uint64_t count = (part.size_bytes - prefix.size()) / part.header.stride_bytes;
    if (streams::decode_attributes(stream_of(part, body), count, part.header.stride_bytes,
                                   out_of(part).data() + prefix.size()))
      return {};
    return damaged(part, "found a damaged attribute stream");
  }

  // Calls sink(triangle, places) for each triangle of a stream. Corner k has place places[k] in the plain file.
  template <class Sink>
  Result<void> read_triangles(const Part& part, ByteSpan body, std::uint64_t count, Sink sink) {
    const ByteSpan rotations = prefix_of(part, body);
    const std::optional<streams::Triangles> opened = streams::Triangles::open(stream_of(part, body), count);
    if (!opened) return damaged(part, "found no triangle stream");
    streams::Triangles triangles = *opened;  // whose state stays in registers
    bool goes_on = true;
    if (rotations.empty()) {
      for (std::uint64_t t = 0; t < count && goes_on; ++t) goes_on = sink(triangles.next(), kPlaces[0]);
    } else {
      for (std::uint64_t t = 0; t < count && goes_on;) {
        unsigned five = kRotations[static_cast<std::uint8_t>(rotations[t / kRotationsPerByte])];
        for (const std::uint64_t end = std::min(t + kRotationsPerByte, count); t < end && goes_on; ++t, five >>= 2)
          goes_on = sink(triangles.next(), kPlaces[five & 3]);
      }
    }
    if (goes_on && triangles.is_complete()) return {};
    return damaged(part, "found a damaged triangle stream");
  }

  template <class Index>
  Result<void> write_indices(const Part& part, ByteSpan body) {
    std::byte* to = out_of(part).data();
    const auto put = [&](const streams::Triangle& triangle, const std::array<std::uint8_t, 3>& places) {
      // One by one: an array would be put together in memory and read back.
      for (std::size_t k = 0; k < 3; ++k) {
        const auto index = static_cast<Index>(triangle[k]);
        std::memcpy(to + places[k] * sizeof index, &index, sizeof index);
      }
      to += 3 * sizeof(Index);
      return true;
    };
    return read_triangles(part, body, part.triangle_count(), put);
  }
  Result<void> decode_triangles(const Part& part, InflateFunction inflate) {
    ASSETC_TRY(const Bytes body, body_of(part, inflate));
    return part.header.stride_bytes == 2 ? write_indices<std::uint16_t>(part, body)
                                         : write_indices<std::uint32_t>(part, body);
  }

  Result<void> decode_meshlets(const Part& part, InflateFunction inflate) {
    ASSETC_TRY(const Bytes body, body_of(part, inflate));
    auto meshlets = meshlet_stream::Reader::open(body, meshlet_triangles(part));
    if (!meshlets) return damaged(part, "found no stream of meshlets");
    if (write_meshlets(*meshlets, out_of(part)) && meshlets->is_complete()) return {};
    return damaged(part, "found a damaged stream of meshlets");
  }
  bool write_meshlets(meshlet_stream::Reader& stream, std::span<std::byte> triangles) const {
    const std::span<std::byte> meshlets = derived(kMeshletsId), vertices = derived(kMeshletVerticesId);
    if (meshlets.size() != stream.meshlet_count() * sizeof(Meshlet) ||
        vertices.size() != stream.vertex_count() * sizeof(std::uint32_t))
      return false;
    std::byte* indices = derived(kIndicesId).data();
    const std::size_t width = derived(kIndicesId).empty() ? 0 : index_width();
    Meshlet meshlet{};
    meshlet_stream::Content content;
    for (std::uint32_t m = 0; m < stream.meshlet_count(); ++m) {
      if (!stream.next(content)) return false;
      meshlet.vertex_count = content.vertex_count, meshlet.triangle_count = content.triangle_count;
      std::memcpy(meshlets.data() + m * sizeof meshlet, &meshlet, sizeof meshlet);
      std::memcpy(triangles.data() + meshlet.triangle_offset * sizeof(MeshletTriangle), content.corners.data(),
                  content.triangle_count * sizeof(MeshletTriangle));
      std::memcpy(vertices.data() + meshlet.vertex_offset * sizeof(std::uint32_t), content.vertices.data(),
                  content.vertex_count * sizeof(std::uint32_t));
      if (width == 2) indices = write_indices<std::uint16_t>(content, indices);
      if (width == 4) indices = write_indices<std::uint32_t>(content, indices);
      meshlet.vertex_offset += content.vertex_count, meshlet.triangle_offset += content.triangle_count;
    }
    return true;
  }
  // Writes the corners as vertices of the mesh. Returns the end.
  template <class Index>
  static std::byte* write_indices(const meshlet_stream::Content& meshlet, std::byte* to) {
    for (std::size_t i = 0; i < 3 * std::size_t{meshlet.triangle_count}; ++i, to += sizeof(Index)) {
      const auto index = static_cast<Index>(meshlet.vertices[meshlet.corners[i]]);
      std::memcpy(to, &index, sizeof index);
    }
    return to;
  }

  Result<void> decode_grid(const Part& part, InflateFunction inflate) {
    ASSETC_TRY(const Bytes body, body_of(part, inflate));
    const auto header = load<GridHeader>(body);
    if (!check_grid(part, header)) {
      return damaged(part,
                     message("found exponents ", int{header.position_exponent}, " and ", int{header.texcoord_exponent},
                             " and normals of ", int{header.normal_bits}, " and ", int{header.tangent_bits}, " bits"));
    }
    const ByteSpan indices = index_triangles() == 0 ? ByteSpan() : ByteSpan(out_of(*find(kIndicesId)));
    const std::size_t width = indices.empty() ? sizeof(std::uint32_t) : index_width();
    if (decode_grid_vertices(header, stream_of(part, body), indices, width, out_of(part))) return {};
    return damaged(part, "found a damaged attribute stream");
  }

  ByteSpan file_;
  std::span<std::byte> out_;
  std::vector<Part> parts_;
  std::uint64_t size_bytes_ = 0;
};

}  // namespace

bool is_encoded(ByteSpan file) {
  if (file.size() < sizeof(chunks::FileHeader)) return false;
  const auto header = load<chunks::FileHeader>(file);
  if (header.magic != chunks::kMagic || header.version != kVersion) return false;
  const std::uint64_t entries = (file.size() - sizeof header) / sizeof(ChunkEntry);
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(entries, header.chunk_count); ++i) {
    if (has_encoding(load<ChunkEntry>(file, sizeof header + i * sizeof(ChunkEntry)))) return true;
  }
  return false;
}

Result<std::uint64_t> decoded_size(ByteSpan file) {
  Decoder decoder(file);
  ASSETC_CHECK(decoder.open());
  return decoder.size_bytes();
}

Result<void> decode(ByteSpan file, std::span<std::byte> out, InflateFunction inflate) {
  Decoder decoder(file);
  ASSETC_CHECK(decoder.open());
  return decoder.decode(out, inflate);
}

std::optional<GridPrecision> grid_precision(ByteSpan file, InflateFunction inflate) {
  Decoder decoder(file);
  if (!decoder.open()) return std::nullopt;
  return decoder.precision(inflate);
}

}  // namespace assetc::hmesh
