// Embeds from their description to the pack, and to a program that is compiled with the header.
#include <gmock/gmock.h>

#include "e2e/project.hpp"

namespace assetc::e2e {
namespace {

using testing::HasSubstr;

class Embeds : public Project {};

TEST_F(Embeds, are_packed_and_follow_their_file) {
  write("assets/tables/drops.csv", "sword,3\n");
  write("assets/tables/drops.csv.embed.yml", "");
  const Finished first = run("--pack");
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(read_file(root_ / "runtime/tables/drops.csv"), "sword,3\n");
  EXPECT_THAT(run("pack info runtime.hpack").out, HasSubstr("tables/drops.csv"));
  write("assets/tables/drops.csv", "axe,1\n");
  EXPECT_THAT(run("--explain").out, HasSubstr("input changed: tables/drops.csv"));
  EXPECT_EQ(read_file(root_ / "runtime/tables/drops.csv"), "axe,1\n");
  EXPECT_EQ(run("check").exit_code, 0);
  fs::remove(root_ / "assets/tables/drops.csv");
  EXPECT_THAT(run("").err, HasSubstr("assets/tables/drops.csv: "));
  EXPECT_EQ(read_file(root_ / "runtime/tables/drops.csv"), "axe,1\n") << "a failure keeps the output";
}

TEST_F(Embeds, of_two_descriptions_with_one_output_are_refused) {
  write("assets/a.csv", "1");
  write("assets/a.csv.embed.yml", "");
  write("assets/a.embed.yml", "file: a.csv\n");
  const Finished done = run("");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("a.csv"));
}

// The hash of the texture wall.ktx2 is that of the path "t/wall".
TEST_F(Embeds, of_the_hash_of_a_texture_are_refused) {
  write("assets/t/wall.png", png(4, 4, 1));
  write("assets/t/wall", "stone");
  write("assets/t/wall.embed.yml", "");
  const Finished done = run("");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("t/wall.ktx2"));
  EXPECT_THAT(done.err, HasSubstr("t/wall\""));
  fs::rename(root_ / "assets/t/wall", root_ / "assets/t/wall.txt");
  fs::rename(root_ / "assets/t/wall.embed.yml", root_ / "assets/t/wall.txt.embed.yml");
  EXPECT_EQ(run("").exit_code, 0);
}

TEST_F(Embeds, become_headers_that_a_compiler_takes) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) bytes += static_cast<char>(i);
  write("assets/data/blob.bin", bytes);
  write("assets/data/blob.embed.yml", "file: blob.bin\nas: header\nname: blob\nnamespace: game::data\n");
  write("assets/data/empty.bin", "");
  write("assets/data/empty.embed.yml", "file: empty.bin\nas: header\nname: empty\n");
  EXPECT_EQ(run("").exit_code, 0);
  write("main.cpp", R"(#include "runtime/data/blob.bin.hpp"
#include "runtime/data/empty.bin.hpp"
static_assert(empty.size() == 0 && game::data::blob_id != 0);
int main() {
  for (int i = 0; i < 300; ++i)
    if (game::data::blob[static_cast<std::size_t>(i)] != i % 256) return 1;
  return game::data::blob.size() == 300 ? 0 : 2;
})");
  const std::string in = "cd '" + root_.string() + "' && ";
  EXPECT_EQ(std::system((in + "c++ -std=c++17 -Wall -Wextra -Werror main.cpp -o main && ./main").c_str()), 0);
}

}  // namespace
}  // namespace assetc::e2e
