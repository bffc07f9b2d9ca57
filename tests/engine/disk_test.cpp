// RealDisk behaves as documented and as the fake disk does.
#include "engine/disk/disk.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "engine/disk/path_index.hpp"

namespace assetc::engine {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::string_view_literals;

class RealDiskTest : public testing::Test {
 protected:
  RealDiskTest() {
    std::string name = (fs::temp_directory_path() / "assetc-disk-XXXXXX").string();
    root = ::mkdtemp(name.data());
  }
  ~RealDiskTest() override { fs::remove_all(root); }
  void write(const std::string& path, std::string_view text) {
    fs::create_directories((fs::path(root) / path).parent_path());
    std::ofstream(fs::path(root) / path) << text;
  }
  std::vector<std::string> walked(const Disk::Skip& skip = {}) {
    const auto tree = disk->walk(root, skip, 2);
    EXPECT_TRUE(tree) << tree.error().to_string();
    std::vector<std::string> paths;
    paths.reserve(tree->size());
    for (std::size_t i = 0; i < tree->size(); ++i)
      paths.push_back(std::string(tree->path(i)) + ((*tree)[i].type == FileType::kDirectory ? "/" : ""));
    return paths;
  }

  std::unique_ptr<Disk> disk = make_real_disk();
  std::string root;
};

TEST_F(RealDiskTest, walks_depth_first_in_byte_order) {
  write("b.png", "");
  write("b/x", "");
  write("b/c/y", "");
  write("a", "");
  EXPECT_THAT(walked(), ElementsAre("a", "b/", "b/c/", "b/c/y", "b/x", "b.png"));
}

TEST_F(RealDiskTest, an_absent_root_is_an_empty_tree) {
  const auto tree = disk->walk(root + "/nothing", {}, 2);
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->size(), 0u);
}

TEST_F(RealDiskTest, names_what_a_walk_leaves_out_and_why) {
  write("a/.hidden", "");
  write("a/file", "");
  write("other/deep/mark", "");
  write("other/deep/file", "");
  write("ignored/pipe", "");
  fs::create_directory_symlink("..", fs::path(root) / "a/up");
  fs::create_symlink("nowhere", fs::path(root) / "a/broken");
  fs::create_symlink("self", fs::path(root) / "a/self");
  ASSERT_EQ(::mkfifo((root + "/a/pipe").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo((root + "/ignored/pipe2").c_str(), 0600), 0);
  const auto skip = [](std::string_view path, bool) {
    if (path.starts_with("ignored/")) return Visit::kLeaveOut;
    if (path.ends_with("/mark")) return Visit::kLeaveOutFolder;
    return path.find("/.") != std::string_view::npos ? Visit::kTell : Visit::kTake;
  };
  const auto tree = disk->walk(root, skip, 2);
  ASSERT_TRUE(tree);
  std::vector<std::pair<std::string, LeftOut>> notes;
  for (const Tree::Note& note : tree->left_out()) notes.emplace_back(note.path, note.why);
  EXPECT_THAT(notes,
              ElementsAre(testing::Pair("a/.hidden", LeftOut::kTold), testing::Pair("a/broken", LeftOut::kNowhere),
                          testing::Pair("a/pipe", LeftOut::kSpecial), testing::Pair("a/self", LeftOut::kNowhere),
                          testing::Pair("a/up", LeftOut::kLoop), testing::Pair("other/deep", LeftOut::kFolder)));
  EXPECT_THAT(walked(skip), ElementsAre("a/", "a/file", "a/up/", "ignored/", "other/", "other/deep/"));
  const ContentHash before = tree->fingerprint();
  fs::remove(root + "/a/pipe");
  EXPECT_NE(disk->walk(root, skip, 2)->fingerprint(), before);
}

TEST_F(RealDiskTest, the_real_path_of_a_folder_is_the_same_however_it_is_spelled) {
  write("real/deep/file", "x");
  fs::create_directory_symlink("real", fs::path(root) / "link");
  const std::string real = disk->real_path(root) + "/real/deep";
  for (const char* path : {"/real/deep", "/link/deep/", "/real/../link/./deep", "//real//deep"})
    EXPECT_EQ(disk->real_path(root + path), real) << path;
  EXPECT_EQ(disk->real_path(root + "/link/new/er/"), disk->real_path(root) + "/real/new/er");
  EXPECT_EQ(disk->real_path("/"), "/");
  EXPECT_EQ(disk->real_path("."), fs::current_path().string());
}

TEST_F(RealDiskTest, a_file_that_is_replaced_while_it_is_read_stays_as_it_was) {
  const std::string path = root + "/a";
  write("a", "first");
  const auto opened = disk->open_below(root, "a");
  ASSERT_TRUE(opened) << opened.error().to_string();
  ASSERT_TRUE(disk->publish(path, as_bytes("second, longer"sv)));
  EXPECT_EQ(opened->size_bytes, 5u);
  const auto part = opened->read(1, 100);
  ASSERT_TRUE(part);
  EXPECT_EQ(as_text(*part), "irst");
  EXPECT_NE(disk->open_below(root, "a")->version, opened->version);
  for (const char* other : {".", "none", "a/b"})
    EXPECT_EQ(disk->open_below(root, other).error().code, ErrorCode::kNotFound) << other;
}

TEST_F(RealDiskTest, a_file_below_a_folder_is_opened_through_links_that_stay_there) {
  write("in/real/file", "inside");
  write("outside", "outside");
  const fs::path in = fs::path(root) / "in";
  fs::create_symlink("real/../real/file", in / "relative");
  fs::create_symlink(in / "real/file", in / "absolute");
  fs::create_directory_symlink("real", in / "folder");
  fs::create_directory_symlink("in", fs::path(root) / "other_name");
  for (const char* folder : {"/in", "/other_name"}) {
    for (const char* path : {"real/file", "relative", "absolute", "folder/file"}) {
      const auto opened = disk->open_below(root + folder, path);
      ASSERT_TRUE(opened) << opened.error().to_string();
      EXPECT_EQ(as_text(*opened->read(0, 100)), "inside");
    }
  }
  fs::create_symlink("../outside", in / "relative_out");
  fs::create_symlink(fs::path(root) / "outside", in / "absolute_out");
  fs::create_directory_symlink("..", in / "up");
  for (const std::string path : {"relative_out", "absolute_out", "up/outside", "../outside"}) {
    const auto opened = disk->open_below(root + "/in", path);
    ASSERT_FALSE(opened) << path;
    EXPECT_EQ(opened.error().to_string(), root + "/in/" + path + ": is reached through a link that leads out of " +
                                              root + "/in; put the file itself in the folder");
  }
}

// The link leads inside and outside in turns while it is opened.
TEST_F(RealDiskTest, a_link_that_changes_while_it_is_opened_does_not_lead_out) {
  write("in/real/file", "inside");
  write("outside/file", "outside");
  const fs::path in = fs::path(root) / "in";
  std::atomic<bool> ends = false;
  std::thread attacker([&] {
    for (bool leads_out = false; !ends; leads_out = !leads_out) {
      fs::create_directory_symlink(leads_out ? "../outside" : in / "real", in / "new");
      fs::rename(in / "new", in / "link");
    }
  });
  int opened_count = 0;
  while (opened_count < 2000) {
    const auto opened = disk->open_below(root + "/in", "link/file");
    if (!opened) continue;
    ++opened_count;
    EXPECT_EQ(as_text(*opened->read(0, 100)), "inside");
  }
  ends = true;
  attacker.join();
}

TEST_F(RealDiskTest, files_of_the_engine_are_not_opened_through_links) {
  write("precious", "mine");
  for (const char* target : {"precious", "new"}) {
    const std::string link = root + "/link";
    fs::create_symlink(target, link);
    for (const Error& error :
         {disk->open(link, true).error(), disk->open(link, false).error(), disk->lock(link).error()}) {
      EXPECT_EQ(error.to_string(), link +
                                       ": is a link, expected a file: assetc does not write its own files through "
                                       "links; remove the link");
      EXPECT_EQ(error.code, ErrorCode::kConflict);
    }
    (void)disk->mark_used(link);
    EXPECT_TRUE(disk->publish(link, as_bytes("published"sv)));
    EXPECT_FALSE(fs::is_symlink(link)) << "replaced";
    fs::remove(link);
    fs::create_symlink(target, link);
    auto stream = disk->create(link);
    ASSERT_TRUE(stream);
    ASSERT_TRUE((*stream)->write(as_bytes("written"sv)) && (*stream)->commit());
    EXPECT_FALSE(fs::is_symlink(link)) << "replaced";
    fs::remove(link);
  }
  EXPECT_EQ(as_text(*disk->read(root + "/precious")), "mine");
  EXPECT_FALSE(fs::exists(root + "/new"));
}

// The names of temporary files can be guessed.
TEST_F(RealDiskTest, temporary_files_are_not_opened_through_links) {
  write("precious", "mine");
  for (int i = 0; i < 300; ++i)
    fs::create_symlink("precious", root + "/.assetc-tmp." + std::to_string(::getpid()) + "." + std::to_string(i));
  auto stream = disk->create(root + "/file");
  ASSERT_TRUE(stream) << stream.error().to_string();
  ASSERT_TRUE((*stream)->write(as_bytes("written"sv)) && (*stream)->commit());
  EXPECT_EQ(as_text(*disk->read(root + "/file")), "written");
  EXPECT_EQ(as_text(*disk->read(root + "/precious")), "mine");
}

TEST_F(RealDiskTest, only_the_owner_reads_a_secret) {
  const std::string path = root + "/key";
  ASSERT_TRUE(disk->publish_secret(path, as_bytes("secret"sv)));
  EXPECT_EQ(fs::status(path).permissions() & (fs::perms::group_all | fs::perms::others_all), fs::perms::none);
}

TEST_F(RealDiskTest, a_secret_that_others_may_read_or_write_is_refused) {
  const std::string path = root + "/key";
  write("key", "secret");
  for (const unsigned mode : {0600u, 0400u}) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    EXPECT_TRUE(disk->read_secret(path, false)) << mode;
  }
  for (const unsigned mode : {0640u, 0620u, 0604u, 0602u, 0644u}) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    const auto refused = disk->read_secret(path, false);
    ASSERT_FALSE(refused) << mode;
    EXPECT_EQ(refused.error().to_string(),
              path +
                  ": holds a secret and belongs to or is open to other users, expected a file of yours that only "
                  "you may read and write; chmod 600 it, or accept it with --allow-shared-key; for a cache, with "
                  "ASSETC_CACHE_SHARED_KEY=allow");
    EXPECT_TRUE(disk->read_secret(path, true)) << mode;
  }
  EXPECT_EQ(disk->read_secret(root + "/none", false).error().code, ErrorCode::kNotFound);
}

TEST_F(RealDiskTest, follows_links_and_leaves_loops_out) {
  write("real/file", "x");
  fs::create_directory_symlink("real", fs::path(root) / "link");
  fs::create_directory_symlink("..", fs::path(root) / "real/up");
  fs::create_symlink("real/file", fs::path(root) / "one");
  fs::create_symlink("nowhere", fs::path(root) / "broken");
  const auto paths = walked();
  EXPECT_THAT(paths, testing::Contains("link/file"));
  EXPECT_THAT(paths, testing::Contains("one"));
  EXPECT_THAT(paths, testing::Not(testing::Contains("broken")));
  EXPECT_LT(paths.size(), 20u);
}

TEST_F(RealDiskTest, folder_links_that_multiply_are_an_error_with_a_place) {
  constexpr int kLevels = 24;  // 2^24 paths
  for (int i = 0; i <= kLevels; ++i) fs::create_directories(fs::path(root) / std::to_string(i));
  for (int i = 0; i < kLevels; ++i) {
    for (const char* name : {"a", "b"})
      fs::create_directory_symlink("../" + std::to_string(i + 1), fs::path(root) / std::to_string(i) / name);
  }
  const auto tree = disk->walk(root, {}, 2);
  ASSERT_FALSE(tree);
  EXPECT_EQ(tree.error().code, ErrorCode::kLimit);
  EXPECT_THAT(tree.error().to_string(),
              HasSubstr("found more than 10000 links to folders up to here; do links lead to one another?"));
  EXPECT_THAT(tree.error().file, testing::StartsWith(root + "/"));
}

TEST_F(RealDiskTest, does_not_enter_what_is_skipped) {
  write("in/a", "");
  write("out/b", "");
  EXPECT_THAT(walked([](std::string_view path, bool directory) {
                return directory && path == "out" ? Visit::kLeaveOut : Visit::kTake;
              }),
              ElementsAre("in/", "in/a"));
}

TEST_F(RealDiskTest, a_large_directory_is_walked_whole_and_equal_on_any_number_of_threads) {
  for (int i = 0; i < 3000; ++i) write("d/" + std::to_string(i), std::to_string(i));
  const auto one = disk->walk(root, {}, 1);
  const auto many = disk->walk(root, {}, 4);
  ASSERT_TRUE(one && many);
  EXPECT_EQ(one->size(), 3001u);
  EXPECT_EQ(one->fingerprint(), many->fingerprint());
  write("d/77", "xx");
  EXPECT_NE(disk->walk(root, {}, 4)->fingerprint(), one->fingerprint());
}

TEST_F(RealDiskTest, many_folders_are_walked_whole_and_equal_on_any_number_of_threads) {
  std::string folder;
  for (int i = 0; i < 60; ++i) {
    folder = (i % 3 == 0 ? "" : folder + "/") + std::to_string(i);  // three levels
    for (int k = 0; k < 20; ++k) write(folder + "/file" + std::to_string(k), "");
  }
  const auto one = disk->walk(root, {}, 1);
  const auto many = disk->walk(root, {}, 4);
  ASSERT_TRUE(one && many);
  EXPECT_EQ(one->size(), 60u * 21);
  EXPECT_EQ(one->fingerprint(), many->fingerprint());
  fs::remove(fs::path(root) / folder / "file7");
  EXPECT_NE(disk->walk(root, {}, 4)->fingerprint(), one->fingerprint());
}

TEST_F(RealDiskTest, publishes_whole_files_with_the_signature_that_a_walk_sees) {
  const std::string path = root + "/new/deep/file";
  const auto signature = disk->publish(path, as_bytes("bytes"));
  ASSERT_TRUE(signature) << signature.error().to_string();
  EXPECT_EQ(disk->status(path)->signature, *signature);
  EXPECT_EQ(as_text(*disk->read(path)), "bytes");
  EXPECT_THAT(walked(), ElementsAre("new/", "new/deep/", "new/deep/file"));  // no incomplete file is left
  ASSERT_TRUE(disk->publish(path, as_bytes("others")));
  EXPECT_EQ(as_text(*disk->read(path)), "others");
}

TEST_F(RealDiskTest, replaces_only_the_file_that_was_read) {
  const std::string path = root + "/a.meta";
  const auto created = disk->replace(path, std::nullopt, as_bytes("one"));
  ASSERT_TRUE(created) << created.error().to_string();
  EXPECT_EQ(*created, disk->status(path)->signature);
  EXPECT_EQ(disk->replace(path, std::nullopt, as_bytes("two")).error().code, ErrorCode::kConflict) << "it is there";
  EXPECT_EQ(disk->replace(path, as_bytes("other"), as_bytes("two")).error().code, ErrorCode::kConflict);
  EXPECT_EQ(as_text(*disk->read(path)), "one");
  const auto replaced = disk->replace(path, as_bytes("one"), as_bytes("two"));
  ASSERT_TRUE(replaced);
  EXPECT_EQ(*replaced, disk->status(path)->signature);
  EXPECT_EQ(as_text(*disk->read(path)), "two");
  EXPECT_EQ(disk->replace(root + "/none", as_bytes("x"), as_bytes("y")).error().code, ErrorCode::kConflict);
  EXPECT_EQ(disk->remove_unchanged(path, as_bytes("one")).error().code, ErrorCode::kConflict);
  EXPECT_EQ(as_text(*disk->read(path)), "two");
  ASSERT_EQ(::chmod(path.c_str(), 0444), 0);
  EXPECT_THAT(disk->replace(path, as_bytes("two"), as_bytes("3")).error().what, HasSubstr("is read-only"));
  EXPECT_THAT(disk->remove_unchanged(path, as_bytes("two")).error().what, HasSubstr("is read-only"));
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  EXPECT_TRUE(disk->remove_unchanged(path, as_bytes("two")));
  EXPECT_TRUE(disk->remove_unchanged(path, as_bytes("two"))) << "it is gone";
  EXPECT_THAT(walked(), testing::IsEmpty()) << "no temporary files";
}

// Another program writes all the time; its last file must be the one that stays.
TEST_F(RealDiskTest, replacing_never_loses_the_file_of_another_program) {
  const std::string path = root + "/a.meta";
  write("a.meta", "0");
  std::atomic<bool> done = false;
  std::thread ours([&] {
    while (!done) {
      if (const auto now = disk->read(path)) (void)disk->replace(path, now->span(), as_bytes("ours"));
    }
  });
  for (int i = 1; i <= 2000; ++i) {
    const std::string text = std::to_string(i), next = root + "/next";
    write("next", text);
    fs::rename(next, path);
    // Ours may replace it after it has read it. A file before it is there only until ours has given the name back.
    std::string found;
    for (int looks = 0; looks < 10'000 && found != text && found != "ours"; ++looks) {
      const auto now = disk->read(path);
      found = now ? as_text(*now) : "nothing";
    }
    EXPECT_TRUE(found == text || found == "ours") << i << ": " << found;
  }
  done = true;
  ours.join();
}

TEST_F(RealDiskTest, names_folders_that_several_paths_lead_to) {
  write("a/s/x", "");
  write("shared/y", "");
  fs::create_directory_symlink("s", root + "/a/l");
  fs::create_directory_symlink("../shared", root + "/a/m");
  const auto skip = [](std::string_view path, bool) { return path == "shared" ? Visit::kLeaveOut : Visit::kTake; };
  fs::create_directory_symlink("../shared", root + "/a/n");
  const auto tree = disk->walk(root, skip, 2);
  ASSERT_TRUE(tree);
  ASSERT_EQ(tree->twins().size(), 2u);
  EXPECT_EQ(tree->twins()[0].path, "a/l");
  EXPECT_EQ(tree->twins()[0].first, "a/s");
  EXPECT_EQ(tree->twins()[1].path, "a/n");
  EXPECT_EQ(tree->twins()[1].first, "a/m");
  EXPECT_TRUE(tree->is_twin("a/n/y"));
  EXPECT_FALSE(tree->is_twin("a/nn/y"));
}

TEST_F(RealDiskTest, an_uncommitted_stream_leaves_nothing) {
  {
    auto file = disk->create(root + "/a");
    ASSERT_TRUE(file);
    ASSERT_TRUE((*file)->write(as_bytes("x")));
  }
  EXPECT_TRUE(walked().empty());
  auto file = disk->create(root + "/a");
  ASSERT_TRUE((*file)->write(as_bytes("x")));
  ASSERT_TRUE((*file)->commit());
  EXPECT_THAT(walked(), ElementsAre("a"));
}

TEST_F(RealDiskTest, a_lock_is_held_by_one_and_names_the_holder) {
  auto first = disk->lock(root + "/lock");
  ASSERT_TRUE(first);
  const auto second = disk->lock(root + "/lock");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kConflict);
  EXPECT_THAT(second.error().to_string(), HasSubstr("(process " + std::to_string(::getpid()) + ")"));
  first->reset();
  EXPECT_TRUE(disk->lock(root + "/lock"));
}

TEST_F(RealDiskTest, what_is_not_there_is_not_found) {
  EXPECT_EQ(disk->read(root + "/x").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(disk->status(root + "/x").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(disk->list(root + "/x").error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(disk->remove(root + "/x"));
  EXPECT_TRUE(disk->remove_empty_directory(root + "/x"));
  write("d/e", "");
  EXPECT_FALSE(disk->remove_empty_directory(root + "/d"));
}

TEST_F(RealDiskTest, a_directory_is_not_a_file_to_read) { EXPECT_FALSE(disk->read(root)); }

TEST_F(RealDiskTest, lists_files_in_byte_order) {
  write("b", "");
  write("A", "");
  write("c/d", "");
  EXPECT_EQ(*disk->list(root), (std::vector<std::string>{"A", "b"}));
}

TEST_F(RealDiskTest, hashes_in_parts_what_a_read_hashes_whole) {
  for (const std::size_t size : {0u, 1u, 1u << 20, (3u << 20) + 7}) {
    std::string text(size, 'x');
    for (std::size_t i = 0; i < size; i += 977) text[i] = static_cast<char>(i);
    write("file", text);
    FileSignature of_hash, of_read;
    const auto hash = disk->hash(root + "/file", &of_hash);
    ASSERT_TRUE(hash) << hash.error().to_string();
    EXPECT_EQ(*hash, content_hash(*disk->read(root + "/file", &of_read)));
    EXPECT_EQ(of_hash, of_read);
  }
}

TEST_F(RealDiskTest, a_head_holds_the_first_bytes_and_zeros) {
  for (const std::size_t size : {10u, 1u << 20}) {
    write("file", std::string(size, 'x'));
    const auto head = disk->head(root + "/file", 4096);
    ASSERT_TRUE(head) << head.error().to_string();
    ASSERT_EQ(head->size(), size);
    const std::string_view text = as_text(*head);
    EXPECT_EQ(text.substr(0, 4096), std::string(std::min<std::size_t>(size, 4096), 'x'));
    EXPECT_EQ(text.find_first_not_of("x\0"sv), text.npos);
  }
}

TEST_F(RealDiskTest, a_file_that_shrinks_while_it_is_looked_at_is_no_fault) {
  const std::string path = root + "/file";
  write("file", std::string(8 << 20, 'x'));
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (bool small = true; !done; small = !small) {
      EXPECT_EQ(::truncate(path.c_str(), small ? 100 : 8 << 20), 0);
      std::this_thread::yield();
    }
  });
  for (int i = 0; i < 30; ++i) {
    const auto head = disk->head(path, 1 << 20);
    if (head) {
      EXPECT_EQ(content_hash(*head), content_hash(*head));
    }
    FileSignature signature;
    if (const auto bytes = disk->read(path, &signature); bytes) {
      EXPECT_EQ(bytes->size(), signature.size_bytes);
    } else {
      EXPECT_THAT(bytes.error().to_string(), HasSubstr("the file keeps changing while it is read"));
    }
    if (const auto hash = disk->hash(path); !hash) {
      EXPECT_THAT(hash.error().to_string(), HasSubstr("the file keeps changing while it is read"));
    }
  }
  done = true;
  writer.join();
}

TEST_F(RealDiskTest, a_sparse_file_larger_than_memory_is_an_error) {
  write("file", "");
  const std::string path = root + "/file";
  constexpr std::int64_t kSize = std::int64_t{1} << 42;
  if (::truncate(path.c_str(), kSize) != 0) GTEST_SKIP() << "no files of this size here";
  const auto bytes = disk->read(path);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().to_string(),
            path + ": the file has 4398046511104 bytes, more than fits in memory; is this the right file?");
}

TEST_F(RealDiskTest, a_pipe_is_refused_wherever_a_file_is_opened) {
  const std::string pipe = root + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto refused = [&](const auto& result) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().to_string(),
              pipe + ": is a pipe, socket or device, expected a regular file; put a file in its place");
  };
  refused(disk->read(pipe));
  refused(disk->hash(pipe));
  refused(disk->head(pipe, 10));
  refused(disk->peek(pipe));
  refused(disk->open(pipe, true));
  refused(disk->open(pipe, false));
  {
    const auto lock = disk->lock(pipe);  // a lock of the folder
    EXPECT_TRUE(lock) << lock.error().to_string();
    const auto second = disk->lock(pipe);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().to_string(), root +
                                              ": another build (process unknown) is writing this output; wait for it, "
                                              "or build into another output with -o");
  }
  EXPECT_TRUE(disk->publish(pipe, as_bytes("x")));  // replaces it
  EXPECT_EQ(as_text(*disk->read(pipe)), "x");
}

TEST_F(RealDiskTest, peeks_into_small_and_large_files) {
  write("small", "abc");
  write("large", std::string(1 << 20, 'x'));
  EXPECT_EQ(as_text(*disk->peek(root + "/small")), "abc");
  EXPECT_EQ(disk->peek(root + "/large")->size(), 1u << 20);
}

TEST(PathIndex, finds_every_path_of_a_tree_and_no_other) {
  Tree tree;
  EXPECT_EQ(PathIndex(tree).find("a"), std::nullopt);
  for (int i = 0; i < 1000; ++i) tree.add("folder/" + std::to_string(i), FileType::kFile, {});
  const PathIndex index(tree);
  for (std::size_t i = 0; i < tree.size(); ++i) EXPECT_EQ(index.find(tree.path(i)), i);
  for (const char* other : {"", "folder", "folder/", "folder/1000", "folder/1/", "Folder/1"})
    EXPECT_EQ(index.find(other), std::nullopt) << other;
}

}  // namespace
}  // namespace assetc::engine
