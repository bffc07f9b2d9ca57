#include "assetc/base/hash.hpp"

#include <gtest/gtest.h>

namespace assetc {
namespace {

TEST(Hash, fnv1a64_matches_the_published_vectors) {
  EXPECT_EQ(fnv1a64_lower(""), 0xcbf29ce484222325ull);
  EXPECT_EQ(fnv1a64_lower("a"), 0xaf63dc4c8601ec8cull);
  EXPECT_EQ(fnv1a64_lower("foobar"), 0x85944171f73967e8ull);
}

TEST(Hash, refs_ignore_ascii_case) {
  EXPECT_EQ(hash_asset_ref("Models/Chair/TEX_0"), hash_asset_ref("models/chair/tex_0"));
}

TEST(Hash, content_hash_matches_xxh3_128_of_nothing) {
  EXPECT_EQ(content_hash({}).hex(), "99aa06d3014798d86001c324468d497f");
}

TEST(Hash, part_boundaries_count) {
  EXPECT_NE(ContentHasher().add("ab").add("c").finish(), ContentHasher().add("a").add("bc").finish());
}

}  // namespace
}  // namespace assetc
