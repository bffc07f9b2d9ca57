#include "assetc/formats/hpack.hpp"

#include <algorithm>
#include <fstream>
#include <map>

#include "formats/support.hpp"
#include "places.hpp"

namespace assetc::hpack {
namespace {

using namespace formats_test;

Bytes bytes_of(std::string_view text) { return Bytes(ByteVector(as_bytes(text).begin(), as_bytes(text).end())); }

std::vector<File> sample() {
  return {{"models/court/tex_0.ktx2", bytes_of("texture")},
          {"models/court.hmesh", bytes_of("seventeen bytes!!")},
          {"assets.hman", bytes_of("")},
          {"models/chair/tex_0.ktx2", bytes_of("texture")}};
}

TEST(Hpack, finds_every_file_by_path) {
  const ByteVector file = *write(sample());
  const auto view = View::open(file);
  ASSERT_TRUE(view) << error_of(view);
  ASSERT_EQ(view->entries().size(), 4u);
  for (const File& f : sample()) {
    const auto found = view->read(f.path);
    ASSERT_TRUE(found) << f.path;
    EXPECT_EQ(as_text(*found), as_text(f.bytes));
    EXPECT_EQ(view->find(f.path)->offset_bytes % 16, 0u);
  }
  EXPECT_FALSE(view->read("models/court"));
  EXPECT_EQ(view->find("models/court.hmesh")->kind, PackKind::kMesh);
  EXPECT_TRUE(View::open(*write({})));
}

TEST(Hpack, order_of_inputs_does_not_change_the_bytes) {
  auto reversed = sample();
  std::reverse(reversed.begin(), reversed.end());
  EXPECT_EQ(*write(reversed), *write(sample()));
}

TEST(Hpack, equal_contents_are_stored_once) {
  const ByteVector file = *write(sample());
  const View view = *View::open(file);
  EXPECT_EQ(view.find("models/chair/tex_0.ktx2")->offset_bytes, view.find("models/court/tex_0.ktx2")->offset_bytes);
}

TEST(Hpack, a_plan_is_enough_to_stream_the_same_pack) {
  const auto files = sample();
  std::vector<PlanInput> inputs;
  inputs.reserve(files.size());
  for (const File& f : files) inputs.push_back({f.path, f.bytes.size(), content_hash(f.bytes)});
  const Plan p = *plan(inputs);
  ByteVector out = p.head;
  for (const auto& payload : p.payloads) {
    ASSERT_GE(payload.offset_bytes, out.size());
    out.resize(payload.offset_bytes);
    append_bytes(out, files[payload.input].bytes);
  }
  out.resize(p.checksums_offset_bytes);
  std::vector<ContentHash> contents;
  contents.reserve(files.size());
  for (const File& f : files) contents.push_back(content_hash(f.bytes));
  append_bytes(out, checksums(p, contents));
  EXPECT_EQ(out.size(), p.file_size_bytes);
  EXPECT_EQ(out, *write(files));
  EXPECT_LE(*Toc::size_of(ByteSpan(out).first(kHeaderBytes)), p.head.size());
  EXPECT_EQ(Toc::open(p.head, p.file_size_bytes)->entries().size(), 4u);
}

TEST(Hpack, kinds_follow_from_extensions) {
  EXPECT_EQ(kind_of("a.hmesh"), PackKind::kMesh);
  EXPECT_EQ(kind_of("a.hmat"), PackKind::kMaterial);
  EXPECT_EQ(kind_of("assets.hman"), PackKind::kManifest);
  EXPECT_EQ(kind_of("a.hanim"), PackKind::kAnimation);
  EXPECT_EQ(kind_of("a.lut.ktx2"), PackKind::kTexture);
  EXPECT_EQ(kind_of("a.shader/vertex.spv"), PackKind::kShader);
  EXPECT_EQ(kind_of("a.hfont"), PackKind::kFont);
  EXPECT_EQ(kind_of("a.txt"), PackKind::kOther);
}

TEST(Hpack, keeps_its_golden_bytes) { expect_golden("four.hpack", *write(sample())); }

TEST(Hpack, lays_out_header_and_table_as_specified) {
  const ByteVector file = *write(sample());
  EXPECT_EQ(as_text(ByteSpan(file).first(4)), "HPAK");
  EXPECT_EQ(load<std::uint32_t>(file, 4), 2u);
  EXPECT_EQ(load<std::uint32_t>(file, 8), 4u);
  EXPECT_EQ(load<std::uint64_t>(file, 16), 4u * 19 + 11 + 23 + 18 + 23);
  EXPECT_EQ(load<std::uint64_t>(file, 32), 0u);
  EXPECT_EQ(load<std::uint8_t>(file, 40), 3u);
  EXPECT_EQ(load<std::uint16_t>(file, 41), 11u);
  EXPECT_EQ(as_text(ByteSpan(file).subspan(43, 11)), "assets.hman");
  EXPECT_EQ(file.size() % 16, 0u);
}

// A reader that knows only header, table and payloads, as engines wrote it before checksums existed.
TEST(Hpack, reads_without_knowledge_of_checksums) {
  const ByteVector file = *write(sample());
  const auto count = load<std::uint32_t>(file, 8);
  EXPECT_EQ(load<std::uint32_t>(file, 12), 0u);  // flags
  std::map<std::string, std::string> found;
  std::size_t at = 24;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto offset = load<std::uint64_t>(file, at), size = load<std::uint64_t>(file, at + 8);
    const auto path_size = load<std::uint16_t>(file, at + 17);
    ASSERT_EQ(offset % 16, 0u);
    ASSERT_LE(offset + size, file.size());
    found[std::string(as_text(ByteSpan(file).subspan(at + 19, path_size)))] =
        as_text(ByteSpan(file).subspan(offset, size));
    at += 19 + path_size;
  }
  EXPECT_EQ(at, 24 + load<std::uint64_t>(file, 16));
  ASSERT_EQ(found.size(), 4u);
  for (const File& f : sample()) EXPECT_EQ(found.at(f.path), as_text(f.bytes));
}

TEST(Hpack, opens_packs_without_checksums) {
  std::ifstream in(std::string(places::kSource) + "/tests/formats/golden/four_without_checksums.hpack",
                   std::ios::binary);
  const std::string old{std::istreambuf_iterator<char>(in), {}};
  const auto view = View::open(as_bytes(old));
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_FALSE(view->has_checksums());
  EXPECT_TRUE(view->verify());
  for (const File& f : sample()) EXPECT_EQ(as_text(*view->read(f.path)), as_text(f.bytes));
}

TEST(Hpack, refuses_every_prefix) { expect_every_prefix_refused(*write(sample()), View::open); }

TEST(Hpack, finds_every_changed_byte) {
  for (const std::vector<File>& files : {sample(), std::vector<File>{}}) {
    const ByteVector whole = *write(files);
    EXPECT_TRUE(View::open(whole)->verify());
    EXPECT_TRUE(View::open(whole)->has_checksums());
    for (std::size_t i = 0; i < whole.size(); ++i) {
      for (const int change : {1, 0x80, 0xff}) {
        ByteVector file = whole;
        file[i] ^= static_cast<std::byte>(change);
        const auto view = View::open(file);
        EXPECT_FALSE(view && view->verify()) << "byte " << i;
      }
    }
  }
}

TEST(Hpack, names_the_damaged_file) {
  ByteVector file = *write(sample());
  const View view = *View::open(file);
  const EntryView& entry = *view.find("models/court.hmesh");
  file[entry.offset_bytes + 3] ^= std::byte{1};
  EXPECT_EQ(view.verify().error().what, "\"models/court.hmesh\" does not hold the bytes that were packed");
  EXPECT_TRUE(view.verify_layout());
  EXPECT_TRUE(view.verify(*view.find("models/court/tex_0.ktx2")));
}

TEST(Hpack, rejects_checksums_of_another_version) {
  const ByteVector file = *write(sample());
  const std::size_t mark = (24 + load<std::uint64_t>(file, 16) + 15) / 16 * 16;
  EXPECT_EQ(View::open(with(file, mark + 4, std::uint32_t{2})).error().code, ErrorCode::kVersion);
  EXPECT_EQ(View::open(with(file, mark, std::uint32_t{0})).error().code, ErrorCode::kInvalidData);
}

TEST(Hpack, survives_changed_bytes) { expect_survives_changed_bytes(*write(sample()), View::open); }

TEST(Hpack, rejects_extra_bytes) {
  const ByteVector file = *write({{File{"a.bin", bytes_of("0123456789abcdef")}}});
  EXPECT_EQ(View::open(with_extra(file, 1)).error().what, "found 1 extra byte, expected the end of the pack");
  const ByteVector padded = *write({{File{"a", bytes_of("0123456789abcdef")}}});
  const auto toc = load<std::uint64_t>(padded, 16);
  EXPECT_NE(error_of(View::open(with(padded, 16, toc + 1))).find("expected the end of the table"), std::string::npos);
}

TEST(Hpack, rejects_another_version) {
  EXPECT_EQ(View::open(with(*write(sample()), 4, std::uint32_t{1})).error().code, ErrorCode::kVersion);
}

TEST(Hpack, rejects_counts_and_sizes_that_overflow) {
  const ByteVector file = *write(sample());
  EXPECT_FALSE(View::open(with(file, 8, ~std::uint32_t{0})));
  EXPECT_FALSE(View::open(with(file, 16, ~std::uint64_t{0})));
  EXPECT_EQ(View::open(with(file, 24, ~std::uint64_t{0})).error().code, ErrorCode::kTruncated);
  EXPECT_EQ(View::open(with(file, 32, ~std::uint64_t{0})).error().code, ErrorCode::kTruncated);
}

TEST(Hpack, rejects_overlapping_or_misplaced_payloads) {
  const ByteVector file = *write({{File{"a.bin", bytes_of("0123456789abcdef0")}, File{"b.bin", bytes_of("x")}}});
  const auto first = load<std::uint64_t>(file, 24);
  const std::size_t second_entry = 24 + 19 + 5;
  EXPECT_EQ(View::open(with(file, second_entry, first + 16)).error().what,
            "the payloads of \"a.bin\" and \"b.bin\" overlap");
  EXPECT_NE(error_of(View::open(with(file, second_entry, first + 1))).find("multiple of 16"), std::string::npos);
  EXPECT_NE(error_of(View::open(with(file, 24, std::uint64_t{0}))).find("after the table"), std::string::npos);
}

TEST(Hpack, rejects_paths_that_leave_the_root_repeat_or_descend) {
  EXPECT_EQ(error_of(write({{File{"../a", {}}}})),
            "path \"../a\" is not below the root of the pack: it has a \".\" or \"..\" segment; rename the file");
  EXPECT_EQ(write({{File{"a", {}}, File{"a", {}}}}).error().code, ErrorCode::kConflict);
  const ByteVector file = *write({{File{"a", bytes_of("1")}, File{"b", bytes_of("2")}}});
  EXPECT_NE(error_of(View::open(with(file, 24 + 19, 'c'))).find("expected them to ascend"), std::string::npos);
  EXPECT_NE(error_of(View::open(with(file, 24 + 19, 'b'))).find("expected them to ascend"), std::string::npos);
  EXPECT_NE(error_of(View::open(with(file, 24 + 19, '/'))).find("not below the root"), std::string::npos);
}

TEST(Hpack, rejects_a_kind_that_is_not_its_extensions) {
  const ByteVector file = *write({{File{"a.hmat", {}}}});
  EXPECT_EQ(View::open(with(file, 40, std::uint8_t{1})).error().what,
            "found kind 1 of \"a.hmat\", expected 2 material");
  EXPECT_TRUE(View::open(with(file, 40, std::uint8_t{0})));
}

}  // namespace
}  // namespace assetc::hpack
