#include "engine/publish/shared_files.hpp"

#include <gtest/gtest.h>

#include "engine/fake_disk.hpp"
#include "engine/target/cooked.hpp"

namespace assetc::engine {
namespace {

TEST(SharedFiles, are_read_as_they_were_written) {
  FakeDisk disk;
  const auto cache = *Cache::open(disk, "runtime/.assetc-cache", false);
  EXPECT_TRUE(read_shared_files(*cache, cooked_target()).empty());
  const SharedFiles::Table table{{"Assets/a.bin", "Assets/c.bin"}, {"Assets/b.bin", "Assets/c.bin"}};
  ASSERT_TRUE(write_shared_files(*cache, table));
  EXPECT_EQ(read_shared_files(*cache, cooked_target()), table);
}

// The engine removes files of the table, so it must not name files of other folders.
TEST(SharedFiles, of_a_cache_that_somebody_edited_are_in_the_output_folder) {
  FakeDisk disk;
  const auto cache = *Cache::open(disk, "runtime/.assetc-cache", false);
  for (const char* path : {"../victim", "/victim", "Assets/../../victim", "Registry/AssetRegistry.json", ".hidden", "",
                           "C:\\victim", "Assets/\xff.bin"}) {
    SCOPED_TRACE(path);
    ASSERT_TRUE(write_shared_files(*cache, {{"Assets/a.bin", path}, {path, "Assets/c.bin"}}));
    EXPECT_TRUE(read_shared_files(*cache, cooked_target()).empty());
  }
}

}  // namespace
}  // namespace assetc::engine
