// What a watch learns from the operating system of the files that change.
#include "engine/watch/watch_loop.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "engine/watch/folders.hpp"

namespace assetc::engine {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

constexpr std::chrono::milliseconds kPatience{60'000};  // only a broken program is this slow

class WatchedFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "assetc-watch-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
    fs::create_directory(root_ + "/in");
    auto loop = WatchLoop::open(root_ + "/socket", "hello");
    ASSERT_TRUE(loop) << loop.error().to_string();
    loop_ = std::move(*loop);
    ASSERT_TRUE(loop_->watch({root_ + "/in"}));
  }
  void TearDown() override {
    loop_.reset();
    fs::remove_all(root_);
  }
  void write(const std::string& name) const { std::ofstream(root_ + "/in/" + name) << name; }

  std::string root_;
  std::unique_ptr<WatchLoop> loop_;
};

TEST_F(WatchedFolder, changes_are_named_once_they_are_taken_and_not_again) {
  write("a.png");
  ASSERT_EQ(loop_->wait(kPatience), WatchLoop::Woken::kChanged);
  EXPECT_THAT(loop_->take_changes(), Optional(Contains(root_ + "/in/a.png")));
  EXPECT_THAT(loop_->take_changes(), Optional(IsEmpty()));
  fs::rename(root_ + "/in/a.png", root_ + "/in/b.png");
  ASSERT_EQ(loop_->wait(kPatience), WatchLoop::Woken::kChanged);
  const auto changes = loop_->take_changes();
  EXPECT_THAT(changes, Optional(Contains(root_ + "/in/a.png")));
  EXPECT_THAT(changes, Optional(Contains(root_ + "/in/b.png")));
}

TEST_F(WatchedFolder, where_more_changes_than_the_system_may_keep_anything_may_have) {
  for (int i = 0; i < 2000; ++i) write("file" + std::to_string(i));
  ASSERT_EQ(loop_->wait(kPatience), WatchLoop::Woken::kChanged);
  EXPECT_EQ(loop_->take_changes(), std::nullopt);
}

TEST_F(WatchedFolder, what_happens_to_a_watched_folder_is_no_change_of_a_file) {
  fs::rename(root_ + "/in", root_ + "/out");
  ASSERT_EQ(loop_->wait(kPatience), WatchLoop::Woken::kChanged);
  EXPECT_EQ(loop_->take_changes(), std::nullopt);
}

TEST_F(WatchedFolder, a_folder_in_the_place_of_another_is_watched) {
  fs::remove_all(root_ + "/in");
  fs::create_directory(root_ + "/in");
  ASSERT_EQ(loop_->wait(kPatience), WatchLoop::Woken::kChanged);
  EXPECT_EQ(loop_->watch({root_ + "/in"}), true) << "it may have changed unseen";
  loop_->take_changes();
  write("a.png");
  ASSERT_EQ(loop_->wait(kPatience), WatchLoop::Woken::kChanged);
  EXPECT_THAT(loop_->take_changes(), Optional(Contains(root_ + "/in/a.png")));
}

TEST(Changes, are_those_below_the_input_unless_a_configuration_is_among_them) {
  Profile profile;
  profile.input = "game/assets";
  profile.config_file = "game/assetc.yml";
  using Paths = std::vector<std::string>;
  EXPECT_THAT(changes_of_input(Paths{"game/assets/a.png", "game/notes.txt", "game/assets/b/c.yml"}, profile),
              Optional(ElementsAre("a.png", "b/c.yml")));
  EXPECT_EQ(changes_of_input(Paths{"game/assetc.yml"}, profile), std::nullopt);
  EXPECT_EQ(changes_of_input(Paths{"game/.assetc.YAML"}, profile), std::nullopt);
  EXPECT_EQ(changes_of_input(std::nullopt, profile), std::nullopt);
  profile.config_file.clear();
  EXPECT_EQ(changes_of_input(Paths{"./assetc.yml"}, profile), std::nullopt);
  profile.input = "game";
  EXPECT_THAT(changes_of_input(Paths{"game/a.png", "./game"}, profile), Optional(ElementsAre("a.png")));
}

}  // namespace
}  // namespace assetc::engine
