// A patch applied to its old bundle gives the new bundle, byte for byte, or an error.
#include <algorithm>

#include "bundle/support.hpp"

namespace assetc::bundle {
namespace {

// Edits as in releases; each one returns the next assets.
struct Edit {
  const char* name;
  void (*make)(Assets&);
  std::size_t at_most_bytes;  // the largest allowed patch
};
const Edit kEdits[] = {
    {"nothing", [](Assets&) {}, 600},
    {"a byte in the middle of a large one", [](Assets& a) { a[uuid(1)][150'000] ^= 1; }, 60'000},
    {"bytes into a large one", [](Assets& a) { a[uuid(1)].insert(100'000, "inserted"); }, 60'000},
    {"a small one", [](Assets& a) { a[uuid(2)] = words(720, 9); }, 2'000},
    {"one more, in front of all", [](Assets& a) { a[Uuid{{0, 0, 1}}] = words(700, 8); }, 2'000},
    {"one gone", [](Assets& a) { a.erase(uuid(3)); }, 1'000},
    {"a copy", [](Assets& a) { a[uuid(8)] = a[uuid(1)]; }, 1'500},
    {"all",
     [](Assets& a) {
       for (auto& [id, text] : a) text = words(text.size() + 10, 30);
     },
     1'000'000},
};

TEST(Patch, makes_the_next_bundle_of_the_old_one) {
  for (const Edit& edit : kEdits) {
    Assets assets = many_small();
    const Reader old = open(bundle_of(assets));
    edit.make(assets);
    WriteOptions how = options(2);
    how.base = &old;
    const Bytes next = bundle_of(assets, how);
    const Bytes patch = patch_of(old, open(next));
    EXPECT_LE(patch.size(), edit.at_most_bytes) << edit.name;
    const auto mounted = old.mount(patch);
    ASSERT_TRUE(mounted) << edit.name << ": " << error_of(mounted);
    EXPECT_TRUE(mounted->verify()) << error_of(mounted->verify());
    EXPECT_EQ(contents(*mounted), assets) << edit.name;
    EXPECT_TRUE(same(patched(*mounted), next)) << edit.name;
  }
}

TEST(Patch, reports_what_changed) {
  Assets assets = sample();
  const Reader old = open(bundle_of(assets));
  assets.erase(uuid(3));
  assets[uuid(2)] = words(720, 9);
  assets[uuid(9)] = noise(100, 10);
  const Reader next = open(bundle_of(assets, options(2)));
  const auto report = write_patch(old, next, [](ByteSpan) -> Result<void> { return {}; });
  ASSERT_TRUE(report) << error_of(report);
  EXPECT_EQ(report->added, 1u);
  EXPECT_EQ(report->changed, 1u);
  EXPECT_EQ(report->removed, 1u);
  EXPECT_EQ(report->new_blocks, 2u);
  EXPECT_EQ(report->changed_bytes, 820u);
  EXPECT_FALSE(report->new_dictionary);
}

TEST(Patch, of_signed_and_encrypted_bundles_needs_no_key_and_keeps_the_signature) {
  const auto key = std::make_shared<ContentKey>(ContentKey::generate());
  const SigningKey signer = SigningKey::generate();
  const PublicKey trusted = signer.public_key();
  Assets assets = many_small();
  WriteOptions how = options(1);
  how.sign = &signer;
  how.encrypt = key.get();
  const Bytes old_file = bundle_of(assets, how);
  const Reader old = open(old_file, key);
  assets[uuid(2)] = words(720, 9);
  how.version = 2;
  how.base = &old;
  const Bytes next = bundle_of(assets, how);
  const Bytes patch = patch_of(open(old_file), open(next));
  EXPECT_LT(patch.size(), 2'000u);
  EXPECT_TRUE(same(patched(*open(old_file).mount(patch)), next));
  const auto mounted = old.mount(patch);
  ASSERT_TRUE(mounted) << error_of(mounted);
  EXPECT_TRUE(mounted->verify(&trusted)) << error_of(mounted->verify(&trusted));
  EXPECT_EQ(contents(*mounted), assets);
}

TEST(Patch, any_flipped_bit_is_found) {
  const Reader old = open(bundle_of(sample()));
  Assets assets = sample();
  assets[uuid(2)] = words(720, 9);
  assets[uuid(9)] = noise(100, 10);
  const Bytes patch = patch_of(old, open(bundle_of(assets, options(2))));
  for (std::size_t at = 0; at < patch.size(); ++at) {
    const auto mounted = old.mount(changed(patch, at, static_cast<int>(at % 8)));
    if (!mounted) continue;
    ASSERT_FALSE(mounted->verify()) << "byte " << at;
    ASSERT_FALSE(write_patched(*mounted, [](ByteSpan) -> Result<void> { return {}; })) << "byte " << at;
  }
}

TEST(Patch, is_refused_cut_short_anywhere_and_with_extra_bytes) {
  const Reader old = open(bundle_of(sample()));
  Assets assets = sample();
  assets[uuid(2)] = words(720, 9);
  const Bytes patch = patch_of(old, open(bundle_of(assets, options(2))));
  for (std::size_t size = 0; size < patch.size(); ++size) ASSERT_FALSE(old.mount(patch.slice(0, size))) << size;
  for (const std::size_t extra : {1, 16}) EXPECT_FALSE(old.mount(Bytes(formats_test::with_extra(patch, extra))));
}

TEST(Patch, fits_one_bundle_alone) {
  const Bytes first = bundle_of(sample());
  Assets assets = sample();
  assets[uuid(2)] = words(720, 9);
  const Bytes second = bundle_of(assets, options(2));
  const Bytes patch = patch_of(open(first), open(second));
  EXPECT_EQ(open(second).mount(patch).error().what, "is already applied: version 2 of \"base\" for Win64");
  EXPECT_EQ(open(bundle_of(assets)).mount(patch).error().what,
            "is a patch of another bundle: of version 1 of \"base\" for Win64");
  const auto backwards = write_patch(open(second), open(first), [](ByteSpan) -> Result<void> { return {}; });
  EXPECT_EQ(backwards.error().what, "replaces version 2 with the older version 1");
  WriteOptions other = options(2);
  other.name = "extra";
  const auto renamed =
      write_patch(open(first), open(bundle_of(assets, other)), [](ByteSpan) -> Result<void> { return {}; });
  EXPECT_EQ(renamed.error().what, "makes bundle \"extra\" for Win64 from bundle \"base\" for Win64");
}

// Both bundles are signed, so the signature of the result is valid: the name and the platform must be compared.
TEST(Patch, into_another_bundle_is_refused_whoever_signed_it) {
  const SigningKey studio = SigningKey::generate();
  WriteOptions how = options(1);
  how.sign = &studio;
  const Reader base = open(bundle_of(sample(), how));
  for (const bool rename : {true, false}) {
    // The patch must be forged: our writer refuses to make it.
    how.name = rename ? "dlc" : "base";
    how.platform = rename ? "Win64" : "Linux";
    const Reader other = open(bundle_of(sample(), how));
    WriteOptions same_name = options(1);
    same_name.sign = &studio;
    const Bytes patch = patch_of(base, open(bundle_of(sample(), same_name)));
    auto head = load<pak::PatchHead>(patch);
    head.header = other.header();
    head.footer = other.view().footer();
    head.head_sha256 = sha256(object_bytes(head).first(sizeof head - 32));
    ByteVector forged(patch.span().begin(), patch.span().end());
    std::memcpy(forged.data(), &head, sizeof head);
    const auto mounted = base.mount(Bytes(std::move(forged)));
    ASSERT_FALSE(mounted);
    EXPECT_EQ(mounted.error().what, rename ? "makes bundle \"dlc\" for Win64 from bundle \"base\" for Win64"
                                           : "makes bundle \"base\" for Linux from bundle \"base\" for Win64");
  }
}

// A recipe that claims an impossible size allocates no memory for it.
TEST(Patch, a_claim_of_two_billion_entries_is_refused) {
  const Reader old = open(bundle_of(sample()));
  const Bytes patch = patch_of(old, open(bundle_of(sample(), options(2))));
  auto head = load<pak::PatchHead>(patch);
  head.footer.entry_count = 2'000'000'000;
  head.recipe_size_bytes = 60ull * head.footer.entry_count;
  head.head_sha256 = sha256(object_bytes(head).first(sizeof head - 32));
  ByteVector forged(patch.span().begin(), patch.span().end());
  std::memcpy(forged.data(), &head, sizeof head);
  const auto mounted = old.mount(Bytes(std::move(forged)));
  ASSERT_FALSE(mounted);
  EXPECT_EQ(mounted.error().code, ErrorCode::kLimit);
}

}  // namespace
}  // namespace assetc::bundle
