#include "assetc/formats/hmesh_encoded.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "assetc/base/hash.hpp"
#include "assetc/formats/hmesh.hpp"
#include "formats/encoded_mesh.hpp"
#include "formats/sample_mesh.hpp"
#include "formats/support.hpp"
#include "places.hpp"

namespace assetc::hmesh {
namespace {

using namespace formats_test;

Result<ByteVector> plain_of(ByteSpan file) {
  ASSETC_TRY(const std::uint64_t size, decoded_size(file));
  ByteVector out(size);
  ASSETC_CHECK(decode(file, out));
  return out;
}

// Changes the table entry of a chunk, or the header of its payload.
template <class Change>
ByteVector changed(ByteVector file, std::uint32_t id, Change change) {
  const auto header = load<chunks::FileHeader>(file);
  for (std::uint32_t i = 0; i < header.chunk_count; ++i) {
    const std::size_t at = sizeof header + i * sizeof(chunks::ChunkEntry);
    auto entry = load<chunks::ChunkEntry>(file, at);
    if (entry.id != id) continue;
    auto encoded = load<EncodedHeader>(file, entry.offset_bytes);
    change(entry, encoded);
    std::memcpy(file.data() + at, &entry, sizeof entry);
    std::memcpy(file.data() + entry.offset_bytes, &encoded, sizeof encoded);
  }
  return file;
}
template <class Change>
std::string error_after(std::uint32_t id, Change change) {
  const auto result = plain_of(changed(encoded_mesh(*write(full_quad())), id, change));
  return result ? "no error" : result.error().what;
}

TEST(HmeshEncoded, decodes_to_the_plain_file) {
  for (const Model& model : {static_quad(), full_quad(), further_quad(), quad_with_primitives()}) {
    const ByteVector plain = *write(model), file = encoded_mesh(plain);
    EXPECT_TRUE(is_encoded(file));
    EXPECT_FALSE(is_encoded(plain));
    EXPECT_EQ(*plain_of(Exact(file)), plain);
    EXPECT_EQ(*plain_of(Exact(plain)), plain);
  }
}

// A rounded mesh with a skin, which has every encoding.
TEST(HmeshEncoded, reads_the_golden_file) {
  std::ifstream in(std::string(places::kSource) + "/tests/formats/golden/small.hmesh", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const ByteSpan file = as_bytes(text);
  std::vector<std::uint32_t> flags;
  const Exact exact(file);
  for (const auto table = *chunks::open_table(exact, kVersion); const chunks::ChunkEntry& entry : table)
    flags.push_back(entry.flags);
  for (const Encoding encoding : {Encoding::kPlain, Encoding::kAttributes, Encoding::kTriangles, Encoding::kGrid,
                                  Encoding::kMeshlets, Encoding::kDerived})
    EXPECT_NE(std::ranges::find(flags, static_cast<std::uint32_t>(encoding)), flags.end());
  const auto plain = plain_of(exact);
  ASSERT_TRUE(plain) << error_of(plain);
  EXPECT_EQ(content_hash(*plain).hex(), "8574cd9bfe42fc6373340ea8691f3917");
  const auto view = View::open(*plain);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_EQ(grid_precision(exact)->normal_bits, 8u);
  expect_every_prefix_refused(exact, plain_of);
}

TEST(HmeshEncoded, is_encoded_reads_any_bytes) {
  const ByteVector file = encoded_mesh(*write(static_quad()));
  for (std::size_t size = 0; size < file.size(); ++size) (void)is_encoded(Exact(ByteSpan(file).first(size)));
  EXPECT_FALSE(is_encoded({}));
}

TEST(HmeshEncoded, refuses_every_prefix_and_survives_changed_bytes) {
  const ByteVector file = encoded_mesh(*write(full_quad()));
  expect_every_prefix_refused(file, plain_of);
  expect_survives_changed_bytes(file, plain_of);
}

TEST(HmeshEncoded, names_what_is_wrong) {
  EXPECT_EQ(error_after(kVerticesId, [](auto& entry, auto&) { entry.flags = 9; }),
            "chunk VTXS has flags 9, which are no encoding of this chunk");
  EXPECT_EQ(error_after(kVerticesId, [](auto& entry, auto&) { entry.flags = 2; }),
            "chunk VTXS has flags 2, which are no encoding of this chunk");
  EXPECT_EQ(error_after(kVerticesId, [](auto& entry, auto&) { entry.flags |= 0x200; }),
            "chunk VTXS has flags 513, which are no encoding of this chunk");
  EXPECT_EQ(error_after(kVerticesId, [](auto& entry, auto&) { entry.flags |= kZstdFlag; }),
            "chunk VTXS is a Zstd frame, which this call cannot inflate");
  EXPECT_EQ(error_after(kVerticesId, [](auto&, auto& header) { header.body_bytes += 1; }),
            "chunk VTXS: found 509 bytes of a body of 510");
  EXPECT_EQ(error_after(kVerticesId, [](auto&, auto& header) { header.prefix_bytes = 510; }),
            "chunk VTXS: found a prefix of 510 bytes, expected at most 509");
  EXPECT_EQ(error_after(kVerticesId, [](auto&, auto& header) { header.stride_bytes = 26; }),
            "chunk VTXS: found 112 decoded bytes of elements of 26 in a body of 509, which its encoding cannot hold");
  EXPECT_EQ(error_after(kVerticesId, [](auto&, auto& header) { header.decoded_bytes = 28u << 20; }),
            "chunk VTXS: found 29360128 decoded bytes of elements of 28 in a body of 509, which its encoding cannot "
            "hold");
  EXPECT_EQ(error_after(kVerticesId, [](auto&, auto& header) { header.decoded_bytes = 28 * 40; }),
            "chunk VTXS: found a damaged attribute stream");
}

TEST(HmeshEncoded, refuses_a_second_chunk) {
  const ByteVector plain = *write(static_quad()), file = encoded_mesh(plain);
  std::vector<chunks::Chunk> list;
  for (const auto table = *chunks::open_table(file, kVersion); const chunks::ChunkEntry& entry : table) {
    for (int times = 0; times < (entry.id == kVerticesId ? 2 : 1); ++times) {
      list.push_back({entry.id, ByteSpan(file).subspan(entry.offset_bytes, entry.size_bytes)});
      list.back().flags = entry.flags;
    }
  }
  const auto size = decoded_size(chunks::write_file(kVersion, list));
  ASSERT_FALSE(size);
  EXPECT_EQ(size.error().what, "found the chunk VTXS more than once, expected one");
}

}  // namespace
}  // namespace assetc::hmesh
