// The same sources give the same bytes in every environment.
#include "e2e/project.hpp"
#include "places.hpp"

namespace assetc::e2e {
namespace {

using SameBytes = Project;

TEST_F(SameBytes, any_thread_count_folder_and_locale) {
  fs::create_directories(root_ / "one");
  fs::create_directories(root_ / "deeper/down");
  fs::copy(fs::path(places::kSource) / "examples/demo/assets", root_ / "one/assets", fs::copy_options::recursive);
  fs::copy(fs::path(places::kSource) / "examples/demo/assetc.yml", root_ / "one/assetc.yml");
  fs::copy(root_ / "one", root_ / "deeper/down/two", fs::copy_options::recursive);
  ASSERT_EQ(run("-q -j 1 --pack", "LC_ALL=C", "one").exit_code, 0) << read("stderr.txt");
  ASSERT_EQ(run("-q -j 8 --pack", "LC_ALL=de_DE.UTF-8 LANG=tr_TR.UTF-8 TZ=Asia/Tokyo", "deeper/down/two").exit_code, 0);
  const auto one = tree("one/runtime");
  EXPECT_GT(one.size(), 20u);
  EXPECT_EQ(one, tree("deeper/down/two/runtime"));
  ASSERT_EQ(run("-q --no-cache --memory 16M --pack", "", "one").exit_code, 0);
  EXPECT_EQ(one, tree("one/runtime"));
}

}  // namespace
}  // namespace assetc::e2e
