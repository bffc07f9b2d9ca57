#include "os/file.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "os/directory.hpp"
#include "os/mapping.hpp"
#include "os/pages.hpp"

namespace assetc::os {
namespace {

class OsFile : public testing::Test {
 protected:
  void SetUp() override { folder_ = make_temporary_directory("assetc-os-test-").value(); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void put(const std::string& name, std::string_view text) const {
    const File file = File::open(path(name), File::Mode::kCreate).value();
    ASSERT_TRUE(file.write(as_bytes(text)));
  }
  std::string get(const std::string& name) const {
    const File file = File::open(path(name), File::Mode::kRead).value();
    ByteVector bytes(file.status().value().size_bytes);
    EXPECT_EQ(file.read_at(0, bytes).value(), bytes.size());
    return std::string(as_text(bytes));
  }

  std::string folder_;
};

TEST_F(OsFile, reads_what_was_written_at_an_offset) {
  put("a", "0123456789");
  const File file = File::open(path("a"), File::Mode::kReadWrite).value();
  ASSERT_TRUE(file.write_at(3, as_bytes("xyz")));
  ByteVector bytes(20);
  EXPECT_EQ(file.read_at(2, bytes).value(), 8u);
  EXPECT_EQ(as_text(ByteSpan(bytes).first(8)), "2xyz6789");
  ASSERT_TRUE(file.truncate(4));
  EXPECT_EQ(get("a"), "012x");
}

TEST_F(OsFile, says_why_it_cannot_open) {
  put("file", "");
  EXPECT_TRUE(File::open(path("absent"), File::Mode::kRead).error().is(FaultKind::kNotFound));
  EXPECT_TRUE(File::open(path("file/below"), File::Mode::kRead).error().is(FaultKind::kNotDirectory));
  EXPECT_TRUE(File::open(path("."), File::Mode::kReadWrite).error().is(FaultKind::kIsDirectory));
  EXPECT_TRUE(File::open(path(std::string(300, 'a')), File::Mode::kRead).error().is(FaultKind::kNameTooLong));
  EXPECT_TRUE(make_directory(path("file")).error().is(FaultKind::kExists));
  EXPECT_EQ(status(path("absent")).error().text(), "No such file or directory");
}

TEST_F(OsFile, a_nameless_file_gets_its_name_once) {
  auto file = File::open_nameless(folder_);
  if (!file) GTEST_SKIP() << "this file system has no nameless files: " << file.error().text();
  ASSERT_TRUE(file->write(as_bytes("whole")));
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  ASSERT_TRUE(file->link_as(path("a")));
  EXPECT_EQ(get("a"), "whole");
  put("b", "other");
  EXPECT_TRUE(file->link_as(path("b")).error().is(FaultKind::kExists));
  EXPECT_EQ(get("b"), "other");
}

TEST_F(OsFile, rename_replaces_and_rename_if_free_does_not) {
  put("a", "1");
  put("b", "2");
  EXPECT_TRUE(rename_if_free(path("a"), path("b")).error().is(FaultKind::kExists));
  EXPECT_EQ(get("b"), "2");
  ASSERT_TRUE(rename(path("a"), path("b")));
  EXPECT_EQ(get("b"), "1");
  EXPECT_TRUE(status(path("a")).error().is(FaultKind::kNotFound));
}

TEST_F(OsFile, exchange_swaps_two_files_and_needs_both) {
  put("a", "1");
  put("b", "2");
  const auto exchanged = exchange(path("a"), path("b"));
  ASSERT_TRUE(exchanged) << exchanged.error().text();
  EXPECT_EQ(get("a"), "2");
  EXPECT_EQ(get("b"), "1");
  EXPECT_TRUE(exchange(path("a"), path("none")).error().is(FaultKind::kNotFound));
  EXPECT_EQ(get("a"), "2");
}

TEST_F(OsFile, a_lock_excludes_another_opening_of_the_file) {
  put("lock", "");
  File first = File::open(path("lock"), File::Mode::kReadWrite).value();
  const File second = File::open(path("lock"), File::Mode::kReadWrite).value();
  ASSERT_TRUE(first.try_lock());
  EXPECT_TRUE(second.try_lock().error().is(FaultKind::kBusy));
  first = File();
  EXPECT_TRUE(second.try_lock());
}

#ifndef _WIN32  // the folder decides there
TEST_F(OsFile, private_files_are_for_their_owner) {
  {
    const PrivateFiles only_ours;
    put("secret", "");
  }
  put("shared", "");
  using std::filesystem::perms;
  const perms others = perms::group_all | perms::others_all;
  EXPECT_EQ(std::filesystem::status(path("secret")).permissions() & others, perms::none);
  EXPECT_NE(std::filesystem::status(path("shared")).permissions() & others, perms::none);
}
#endif

TEST_F(OsFile, version_changes_when_a_file_is_replaced) {
  put("a", "one");
  const auto before = map_file(path("a"), 4096).value();  // a mapped file cannot be replaced on Windows
  put("b", "two");
  ASSERT_TRUE(rename(path("b"), path("a")));
  const auto after = map_file(path("a"), 4096).value();
  EXPECT_NE(before.version, 0u);
  EXPECT_NE(before.version, after.version);
  EXPECT_EQ(as_text(before.bytes), "one");
  EXPECT_EQ(as_text(after.bytes), "two");
}

TEST_F(OsFile, a_directory_lists_its_entries_with_their_kinds) {
  put("file", "12345");
  ASSERT_TRUE(make_directory(path("folder")));
  std::vector<std::string> expected{"file", "folder"};
#ifndef _WIN32  // links need a privilege there
  std::filesystem::create_symlink("file", path("link"));
  std::filesystem::create_symlink("absent", path("dangling"));
  expected.insert(expected.end(), {"link", "dangling"});
#endif
  Directory directory = Directory::open(folder_).value();
  std::vector<std::string> names;
  for (auto entry = directory.next(); entry && *entry; entry = directory.next()) names.emplace_back((*entry)->name);
  EXPECT_THAT(names, testing::UnorderedElementsAreArray(expected));
  EXPECT_EQ(directory.status_of("file").value().size_bytes, 5u);
  EXPECT_EQ(directory.status_of("folder").value().kind, FileKind::kDirectory);
#ifndef _WIN32
  EXPECT_EQ(directory.status_of("link").value().size_bytes, 5u);
  EXPECT_EQ(directory.link_status_of("link").value().kind, FileKind::kLink);
  EXPECT_TRUE(directory.status_of("dangling").error().is(FaultKind::kNotFound));
  EXPECT_FALSE(directory.open_file("link"));
#endif
  EXPECT_TRUE(directory.remove_file("file"));
  EXPECT_EQ(directory.status().value().inode, status(folder_).value().inode);
}

TEST_F(OsFile, released_pages_read_as_zeros) {
  ByteVector bytes(1u << 20, std::byte{7});
  release_pages(std::span(bytes).subspan(100, bytes.size() - 200));
  EXPECT_EQ(bytes.front(), std::byte{7});
  EXPECT_EQ(bytes.back(), std::byte{7});
#ifndef _WIN32
  EXPECT_EQ(bytes[bytes.size() / 2], std::byte{0});
#endif
  ByteVector late;
  resize_without_pages(late, 9u << 20);
  EXPECT_EQ(late.size(), 9u << 20);
  EXPECT_TRUE(std::ranges::all_of(late, [](std::byte b) { return b == std::byte{0}; }));
}

#ifdef __linux__
// The flags of the mapping of an address ("rd wr mr mw me ac"), as the kernel lists them.
std::string mapping_flags(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%zx-%zx ", &begin, &end) == 2)
      inside = reinterpret_cast<std::uintptr_t>(address) - begin < end - begin;
    if (inside && line.starts_with("VmFlags:")) return line.substr(8) + " ";
  }
  return {};
}

TEST_F(OsFile, huge_pages_are_asked_for_and_keep_values) {
  constexpr std::size_t kSize = 16u << 20;
  const auto asked = reserve_zeros(kSize).value(), memory = reserve_zeros(kSize).value();
  ::madvise(asked.get(), kSize, MADV_HUGEPAGE);
  if (!mapping_flags(asked.get()).contains(" hg ")) GTEST_SKIP() << "the system does not list huge pages";
  const std::span bytes(memory.get(), kSize);
  std::ranges::fill(bytes, std::byte{7});
  EXPECT_FALSE(mapping_flags(&bytes[kSize / 2]).contains(" hg "));
  use_huge_pages(bytes);
  EXPECT_TRUE(mapping_flags(&bytes[kSize / 2]).contains(" hg "));
  EXPECT_TRUE(std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{7}; }));
  use_huge_pages(bytes.first(100));  // has no whole page
}
#endif

}  // namespace
}  // namespace assetc::os
