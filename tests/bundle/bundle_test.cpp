// Bundles return the contents that were written, and every changed byte is found.
#include <algorithm>
#include <numeric>
#include <random>

#include "bundle/chunker.hpp"
#include "bundle/load_order.hpp"
#include "bundle/support.hpp"

namespace assetc::bundle {
namespace {

// The results of open() and verify() as one.
Result<void> verified(const Bytes& file, std::shared_ptr<const ContentKey> key = nullptr,
                      const PublicKey* trusted = nullptr) {
  ASSETC_TRY(const Reader reader, Reader::open(file, std::move(key)));
  return reader.verify(trusted);
}

TEST(Bundle, holds_every_content_by_uuid) {
  for (const Assets& assets : {Assets{}, sample(), many_small()}) {
    const Reader reader = open(bundle_of(assets));
    EXPECT_EQ(contents(reader), assets);
    EXPECT_TRUE(reader.verify()) << error_of(reader.verify());
    EXPECT_EQ(reader.view().find(uuid(77)), nullptr);
    for (const pak::Entry& entry : reader.entries()) EXPECT_EQ(reader.view().find(entry.uuid), &entry);
  }
}

TEST(Bundle, is_read_in_pieces_from_a_file_that_is_not_in_memory) {
  for (const Assets& assets : {Assets{}, sample(), many_small()}) {
    const Bytes file = bundle_of(assets);
    std::uint64_t available = file.size();
    const auto read_at = [&](std::uint64_t offset, std::size_t size) -> Result<Bytes> {
      const std::uint64_t from = std::min(offset, available);
      return file.slice(static_cast<std::size_t>(from),
                        static_cast<std::size_t>(std::min<std::uint64_t>(size, available - from)));
    };
    const auto reader = Reader::open_to_read(file.size(), read_at);
    ASSERT_TRUE(reader) << error_of(reader);
    EXPECT_EQ(contents(*reader), assets);
    for (const pak::Entry& entry : reader->entries()) {
      ByteVector joined;
      for (const std::uint32_t block : reader->view().refs(entry))
        append_bytes(joined, reader->read_block(block).value());
      EXPECT_EQ(as_text(joined), assets.at(entry.uuid));
    }
    // Files that are shorter than their index says, or that become shorter.
    for (std::uint64_t size = 0; size < file.size(); size += file.size() / 50 + 1) {
      available = size;
      EXPECT_FALSE(Reader::open_to_read(size, read_at)) << size;
      EXPECT_FALSE(Reader::open_to_read(file.size(), read_at)) << size;
    }
    available = 0;
    for (const pak::Entry& entry : reader->entries())
      EXPECT_EQ(reader->read(entry, ~0u).has_value(), entry.size_bytes == 0);
  }
}

TEST(Bundle, an_entry_is_read_up_to_a_limit) {
  const Reader reader = open(bundle_of(sample()));
  const pak::Entry& entry = *std::ranges::max_element(reader.entries(), {}, &pak::Entry::size_bytes);
  ASSERT_GT(entry.size_bytes, 1u);
  EXPECT_TRUE(reader.read(entry, entry.size_bytes));
  const auto refused = reader.read(entry, entry.size_bytes - 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kLimit);
}

// An entry that names one block any number of times.
Bytes repeated(std::uint32_t refs) {
  const Bytes one = bundle_of({{uuid(1), std::string(100'000, 'a')}});
  const Reader reader = open(one);
  EXPECT_EQ(reader.view().blocks().size(), 1u);
  pak::Entry entry = reader.entries()[0];
  entry.ref_count = refs;
  entry.size_bytes *= refs;
  pak::Footer footer = reader.view().footer();
  footer.ref_count = refs;
  ByteVector file(one.span().begin(), one.span().begin() + static_cast<std::ptrdiff_t>(footer.index_offset_bytes));
  ByteVector index;
  append(index, entry);
  append(index, reader.view().blocks()[0]);
  index.resize(index.size() + 4 * std::size_t{refs});
  index.resize(static_cast<std::size_t>(pak::align_up(index.size())));
  footer.index_sha256 = sha256(index);
  footer.mac = {};  // as earlier writers wrote it
  append_bytes(file, index);
  append(file, footer);
  return Bytes(std::move(file));
}

TEST(Bundle, more_contents_than_its_blocks_can_mean_are_refused_before_they_are_made) {
  const Result<void> some = verified(repeated(5));
  ASSERT_FALSE(some);
  EXPECT_EQ(some.error().code, ErrorCode::kInvalidData) << "read, and found to differ from their hash";
  const Result<void> many = verified(repeated(50'000));
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().to_string(),
            "found contents of 5000000000 bytes that share blocks of 100000, expected at most 64 times as much, or "
            "4294967296 bytes; leave out copies of assets, or make several bundles");
  EXPECT_TRUE(check_repetition(6ull << 30, 100u << 20));
  EXPECT_TRUE(check_repetition(4ull << 30, 0));
}

TEST(Bundle, same_input_gives_the_same_bytes) {
  const auto key = std::make_shared<ContentKey>(ContentKey::generate());
  const SigningKey signer = SigningKey::generate();
  WriteOptions how = options();
  how.sign = &signer;
  how.encrypt = key.get();
  EXPECT_TRUE(same(bundle_of(many_small()), bundle_of(many_small())));
  EXPECT_TRUE(same(bundle_of(many_small(), how), bundle_of(many_small(), how)));
}

TEST(Bundle, equal_contents_are_stored_once_and_told) {
  const auto written = write(sample(), options());
  ASSERT_TRUE(written);
  ASSERT_EQ(written->report.twice.size(), 1u);
  const auto& twice = written->report.twice.front();
  EXPECT_EQ((std::pair{std::min(twice.uuid, twice.same_as), std::max(twice.uuid, twice.same_as)}),
            (std::pair{std::min(uuid(4), uuid(5)), std::max(uuid(4), uuid(5))}));
  EXPECT_EQ(twice.size_bytes, 50'000u);
  EXPECT_EQ(written->report.shared_bytes, 50'000u);
  const Reader reader = open(written->file);
  const auto refs = [&](std::uint32_t n) { return reader.view().refs(*reader.view().find(uuid(n))); };
  EXPECT_TRUE(std::ranges::equal(refs(4), refs(5)));
}

TEST(Bundle, small_assets_share_a_dictionary_where_it_pays) {
  const auto with = write(many_small(), options());
  ASSERT_TRUE(with);
  EXPECT_GT(with->report.dictionary_bytes, 0u);
  EXPECT_EQ(write(sample(), options())->report.dictionary_bytes, 0u);
  const Reader reader = open(with->file);
  std::size_t blocks = 0;
  for (const pak::Block& block : reader.view().blocks()) blocks += block.codec == pak::Codec::kZstdDictionary ? 1 : 0;
  EXPECT_GE(blocks, 300u);
}

TEST(Bundle, payloads_that_do_not_compress_lie_as_they_are) {
  const Assets assets = sample();
  const Bytes file = bundle_of(assets);
  const Reader reader = open(file);
  const pak::Block& block = reader.view().blocks()[reader.view().refs(*reader.view().find(uuid(3))).front()];
  EXPECT_EQ(block.codec, pak::Codec::kNone);
  EXPECT_EQ(block.offset_bytes % pak::kAlignment, 0u);
  EXPECT_EQ(as_text(file.span().subspan(block.offset_bytes, block.size_bytes)), assets.at(uuid(3)));
}

TEST(Bundle, any_flipped_bit_of_a_signed_one_is_found) {
  const SigningKey signer = SigningKey::generate();
  const PublicKey trusted = signer.public_key();
  WriteOptions how = options(7);
  how.sign = &signer;
  const Assets assets{{uuid(1), words(90, 1)}, {uuid(2), noise(21, 2)}, {uuid(3), words(90, 1)}, {uuid(4), ""}};
  for (const std::vector<std::size_t>& order : {std::vector<std::size_t>{}, {2, 1}}) {
    how.order = order;
    const Bytes file = bundle_of(assets, how);
    ASSERT_TRUE(verified(file, nullptr, &trusted));
    for (std::size_t at = 0; at < file.size(); ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        const auto result = verified(changed(file, at, bit));  // no trusted key: only the hashes are checked
        ASSERT_FALSE(result) << "byte " << at << ", bit " << bit;
        ASSERT_FALSE(result.error().what.empty());
      }
    }
  }
}

TEST(Bundle, lies_in_any_order_with_the_same_contents) {
  const auto key = std::make_shared<ContentKey>(ContentKey::generate());
  const Assets assets = many_small();
  std::mt19937 random(3);
  std::vector<std::size_t> order(assets.size());
  for (int round = 0; round < 6; ++round) {
    std::iota(order.begin(), order.end(), 0);
    std::ranges::shuffle(order, random);
    order.resize(order.size() / static_cast<std::size_t>(1 + round % 3));
    WriteOptions how = options();
    how.order = order;
    how.encrypt = round % 2 == 0 ? nullptr : key.get();
    const Bytes file = bundle_of(assets, how);
    const Reader reader = open(file, round % 2 == 0 ? nullptr : key);
    EXPECT_TRUE(reader.header().is_laid_out());
    EXPECT_TRUE(lies_in_order(reader.view(), order));
    EXPECT_FALSE(lies_in_order(reader.view(), {}));
    EXPECT_TRUE(reader.verify());
    EXPECT_EQ(contents(reader), assets);
  }
  const std::vector<std::size_t> plain{0, 1, 2};
  WriteOptions how = options();
  how.order = plain;
  EXPECT_EQ(as_text(bundle_of(assets, how)), as_text(bundle_of(assets)));
}

TEST(Bundle, any_flipped_bit_of_an_encrypted_one_is_found) {
  const auto key = std::make_shared<ContentKey>(ContentKey::generate());
  WriteOptions how = options(7);
  how.encrypt = key.get();
  const Bytes file = bundle_of({{uuid(1), words(700, 1)}, {uuid(2), noise(61, 2)}}, how);
  ASSERT_TRUE(verified(file, key));
  for (std::size_t at = 0; at < file.size(); ++at)
    ASSERT_FALSE(verified(changed(file, at, static_cast<int>(at % 8)), key)) << "byte " << at;
}

TEST(Bundle, is_refused_cut_short_anywhere_and_with_extra_bytes) {
  const Bytes file = bundle_of({{uuid(1), words(700, 1)}, {uuid(2), noise(61, 2)}});
  for (std::size_t size = 0; size < file.size(); ++size) {
    const auto result = verified(file.slice(0, size));
    ASSERT_FALSE(result) << size;
    ASSERT_FALSE(result.error().what.empty());
  }
  for (const std::size_t extra : {1, 16, 160}) EXPECT_FALSE(verified(Bytes(formats_test::with_extra(file, extra))));
}

TEST(Bundle, an_encrypted_one_needs_its_key) {
  const auto key = std::make_shared<ContentKey>(ContentKey::generate());
  const auto other = std::make_shared<ContentKey>(ContentKey::generate());
  WriteOptions how = options();
  how.encrypt = key.get();
  const Bytes file = bundle_of(many_small(), how);
  EXPECT_EQ(contents(open(file, key)), many_small());
  EXPECT_TRUE(verified(file, key));
  const auto wrong = Reader::open(file, other);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::kUsage);
  EXPECT_EQ(wrong.error().what,
            "is encrypted with key " + hex(key->id()) + ", but the given key is " + hex(other->id()));
  const Reader without = open(file);
  EXPECT_TRUE(without.verify());  // the stored bytes are the written bytes
  EXPECT_FALSE(without.read(without.entries().front(), ~std::uint64_t{0}));
  // The file contains no content and no hash of a content in plain text.
  const std::string_view text = as_text(file.span());
  EXPECT_EQ(text.find("metallic-roughness"), text.npos);
  const Sha256 hash = sha256(as_bytes(sample().at(uuid(4))));
  EXPECT_EQ(text.find(as_text(object_bytes(hash))), text.npos);
}

TEST(Bundle, a_block_of_another_asset_bundle_or_platform_does_not_decrypt) {
  const ContentKey key = ContentKey::generate();
  const ByteVector sealed = key.seal(as_bytes("Win64 base asset"), as_bytes("content"));
  EXPECT_EQ(as_text(*key.open(as_bytes("Win64 base asset"), sealed)), "content");
  EXPECT_FALSE(key.open(as_bytes("Linux base asset"), sealed));
  // Two bundles that differ only in the platform share no encrypted block.
  WriteOptions how = options();
  how.encrypt = &key;
  const Bytes a = bundle_of(sample(), how);
  how.platform = "Linux";
  const Reader linux_one = open(bundle_of(sample(), how)), windows = open(a);
  for (const pak::Block& one : windows.view().blocks()) {
    for (const pak::Block& two : linux_one.view().blocks()) EXPECT_NE(one.stored_sha256, two.stored_sha256);
  }
}

TEST(Bundle, the_signature_of_a_newer_version_does_not_fit_an_older) {
  const SigningKey signer = SigningKey::generate();
  WriteOptions how = options(1);
  how.sign = &signer;
  const Bytes old_file = bundle_of(sample(), how);
  how.version = 2;
  const Bytes new_file = bundle_of(sample(), how);
  ASSERT_EQ(old_file.size(), new_file.size());
  ByteVector forged(old_file.span().begin(), old_file.span().end());
  const std::size_t signature_at = forged.size() - 64;
  std::ranges::copy(new_file.span().subspan(signature_at), forged.begin() + static_cast<std::ptrdiff_t>(signature_at));
  EXPECT_FALSE(verified(Bytes(forged)));
  // The old file is refused too if its header names the newer version.
  forged.assign(old_file.span().begin(), old_file.span().end());
  forged[16] = std::byte{2};
  const auto result = verified(Bytes(forged));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "the signature does not match the header and the index");
}

TEST(Bundle, another_signer_is_named) {
  const SigningKey mine = SigningKey::generate(), theirs = SigningKey::generate();
  WriteOptions how = options();
  how.sign = &theirs;
  const Bytes file = bundle_of(sample(), how);
  const PublicKey trusted = mine.public_key();
  const auto result = verified(file, nullptr, &trusted);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "is signed by " + hex(theirs.public_key()) + ", but the given key is " + hex(trusted));
  EXPECT_EQ(verified(bundle_of(sample()), nullptr, &trusted).error().what, "is not signed");
}

TEST(Bundle, signing_later_is_signing_at_once) {
  const SigningKey signer = SigningKey::generate();
  WriteOptions how = options();
  how.sign = &signer;
  const Reader unsigned_one = open(bundle_of(many_small()));
  EXPECT_TRUE(same(bytes_of([&](const Sink& sink) { return sign_bundle(unsigned_one, signer, sink); }),
                   bundle_of(many_small(), how)));
  const auto key = std::make_shared<ContentKey>(ContentKey::generate());
  how.encrypt = key.get();
  WriteOptions plain = how;
  plain.sign = nullptr;
  const Reader encrypted = open(bundle_of(sample(), plain), key);
  EXPECT_TRUE(
      same(bytes_of([&](const Sink& sink) { return sign_bundle(encrypted, signer, sink); }), bundle_of(sample(), how)));
}

TEST(Bundle, refuses_inputs_that_cannot_be) {
  WriteOptions how = options();
  how.name = "a/b";
  EXPECT_EQ(write({}, how).error().what,
            "found \"a/b\" as the name of the bundle, which has a quote, slash or backslash");
  how = options();
  how.platform = "";
  EXPECT_FALSE(write({}, how));
  const std::vector<Input> twice{{uuid(1), 1}, {uuid(1), 1}};
  const ReadInput read = [](std::size_t) -> Result<Bytes> { return Bytes(); };
  const Sink sink = [](ByteSpan) -> Result<void> { return {}; };
  EXPECT_EQ(write_bundle(options(), twice, read, sink).error().code, ErrorCode::kConflict);
  const std::vector<Input> shrunk{{uuid(1), 1}};
  EXPECT_EQ(write_bundle(options(), shrunk, read, sink).error().code, ErrorCode::kIo);
}

TEST(Keys, survive_their_files) {
  const SigningKey signer = SigningKey::generate();
  EXPECT_EQ(SigningKey::parse(signer.to_pem())->public_key(), signer.public_key());
  EXPECT_EQ(*parse_public_key(to_pem(signer.public_key())), signer.public_key());
  const ContentKey key = ContentKey::generate();
  EXPECT_EQ(ContentKey::parse(key.to_pem())->id(), key.id());
  EXPECT_FALSE(SigningKey::parse(key.to_pem()));
  EXPECT_FALSE(ContentKey::parse(signer.to_pem()));
  EXPECT_FALSE(parse_public_key(signer.to_pem()));
  EXPECT_FALSE(parse_public_key("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"));
}

TEST(Chunks, an_insertion_moves_few_cuts) {
  const std::string before = noise(4 << 20, 1);
  const std::string after = before.substr(0, 1'000'000) + "inserted" + before.substr(1'000'000);
  const auto pieces = [](const std::string& text) {
    std::vector<std::string> out;
    std::size_t at = 0;
    for (const std::size_t size : chunk_sizes(as_bytes(text))) {
      EXPECT_LE(size, kMaxChunkBytes);
      out.push_back(text.substr(at, size));
      at += size;
    }
    EXPECT_EQ(at, text.size());
    return out;
  };
  const std::vector<std::string> a = pieces(before), b = pieces(after);
  EXPECT_GT(a.size(), 32u);
  EXPECT_LT(a.size(), 128u);
  std::size_t fresh = 0;
  for (const std::string& piece : b) fresh += std::ranges::find(a, piece) == a.end() ? 1 : 0;
  EXPECT_GE(fresh, 1u);
  EXPECT_LE(fresh, 3u);
  EXPECT_TRUE(chunk_sizes({}).empty());
}

}  // namespace
}  // namespace assetc::bundle
