// A project in a temporary folder, and runs of the built command in it.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "places.hpp"

namespace assetc::e2e {

namespace fs = std::filesystem;

struct Finished {
  int exit_code = -1;  // 128 + the signal that ended it
  std::string out;
  std::string err;
};

inline std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();  // not by iterators: tests are compiled without optimization
  return std::move(text).str();
}

// An RGBA picture in color whose texels depend on seed, so that pictures differ. It needs no zlib: its deflate blocks
// are stored.
inline std::string png(std::uint32_t width, std::uint32_t height, std::uint32_t seed) {
  const auto big = [](std::uint32_t v) {
    return std::string{static_cast<char>(v >> 24), static_cast<char>(v >> 16), static_cast<char>(v >> 8),
                       static_cast<char>(v)};
  };
  const auto chunk = [&](const std::string& name, const std::string& body) {
    std::uint32_t crc = 0xffffffffu;
    for (unsigned char c : name + body) {
      crc ^= c;
      for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1)));
    }
    return big(static_cast<std::uint32_t>(body.size())) + name + body + big(~crc);
  };
  std::string rows;
  for (std::uint32_t y = 0; y < height; ++y) {
    rows += '\0';
    for (std::uint32_t x = 0; x < width; ++x) {
      rows += static_cast<char>(x * 255 / width);
      rows += static_cast<char>(y * 255 / height);
      rows += static_cast<char>((seed * 37 + (x / 4 + y / 4) % 2 * 60) & 255);
      rows += '\xff';
    }
  }
  std::string zlib = "\x78\x01";
  std::uint32_t a = 1, b = 0;
  for (unsigned char c : rows) {
    a = (a + c) % 65521;
    b = (b + a) % 65521;
  }
  for (std::size_t at = 0; at < rows.size(); at += 65535) {
    const std::string part = rows.substr(at, 65535);
    const auto size = static_cast<std::uint16_t>(part.size());
    zlib += at + part.size() == rows.size() ? '\1' : '\0';
    for (const std::uint16_t v : {size, static_cast<std::uint16_t>(~size)})
      zlib += {static_cast<char>(v), static_cast<char>(v >> 8)};
    zlib += part;
  }
  zlib += big(b << 16 | a);
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", big(width) + big(height) + std::string("\x08\x06\0\0\0", 5)) +
         chunk("IDAT", zlib) + chunk("IEND", "");
}

class Project : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "assetc-e2e-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
    ::setenv("ASSETC_CACHE", "off", 1);
    ::setenv("ASSETC_SETTLE", "0", 1);  // nothing else writes into most projects
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& path, std::string_view text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream file(root_ / path, std::ios::binary);
    file << text;
  }
  std::string read(const std::string& path) const { return read_file(root_ / path); }
  bool exists(const std::string& path) const { return fs::exists(root_ / path); }
  void remove(const std::string& path) const { fs::remove_all(root_ / path); }
  void replace(const std::string& path, const std::string& from, const std::string& to) const {
    std::string text = read(path);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from << " in " << path;
    write(path, text.replace(at, from.size(), to));
  }

  // Starts the command with arguments in `folder` below the root. prefix: shell text before the command, such as
  // "LC_ALL=C" or "ulimit -f 1;".
  pid_t start(const std::string& arguments, const std::string& prefix = {}, const std::string& folder = ".") const {
    const std::string command = "cd '" + (root_ / folder).string() + "' && " + prefix + " '" +
                                std::string(places::kProgram) + "' " + arguments + " >'" +
                                (root_ / "stdout.txt").string() + "' 2>'" + (root_ / "stderr.txt").string() + "'";
    // Readers must not see the output of the command before.
    fs::remove(root_ / "stdout.txt"), fs::remove(root_ / "stderr.txt");
    const pid_t child = fork();
    if (child == 0) {
      setpgid(0, 0);
      unsetenv("NO_COLOR");
      execl("/bin/bash", "bash", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    setpgid(child, child);
    return child;
  }
  Finished finish(pid_t child) const {
    int status = 0;
    waitpid(child, &status, 0);
    Finished done{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read("stdout.txt"),
                  read("stderr.txt")};
    return done;
  }
  Finished run(const std::string& arguments = {}, const std::string& prefix = {},
               const std::string& folder = ".") const {
    return finish(start(arguments, prefix, folder));
  }
  // Runs the command and expects success.
  Finished build(const std::string& arguments = {}) const {
    Finished done = run(arguments);
    EXPECT_EQ(done.exit_code, 0) << "assetc " << arguments << "\n" << done.out << done.err;
    return done;
  }

  // Every file of an output folder except the build's own bookkeeping.
  std::map<std::string, std::string> tree(const std::string& folder = "runtime") const {
    std::map<std::string, std::string> files;
    if (!exists(folder)) return files;
    for (const auto& entry : fs::recursive_directory_iterator(root_ / folder)) {
      const std::string path = fs::relative(entry.path(), root_ / folder).string();
      if (entry.is_regular_file() && path.find(".assetc-") == std::string::npos) files[path] = read_file(entry.path());
    }
    return files;
  }

  fs::path root_;
};

// The transfer function in the data format descriptor of a KTX 2 file: 1 linear, 2 sRGB.
inline int ktx2_transfer(const std::string& file) {
  const auto byte = [&](std::size_t at) { return at < file.size() ? static_cast<unsigned char>(file[at]) : 0u; };
  const std::size_t descriptor = byte(48) | byte(49) << 8 | byte(50) << 16 | byte(51) << 24;
  return static_cast<int>(byte(descriptor + 14));
}
inline constexpr int kLinear = 1, kSrgb = 2;

// The lines of text that start with a prefix, without the prefix.
inline std::vector<std::string> lines_after(const std::string& text, const std::string& prefix) {
  std::vector<std::string> lines;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (text.compare(at, prefix.size(), prefix) == 0)
      lines.push_back(text.substr(at + prefix.size(), end - at - prefix.size()));
    at = end + 1;
  }
  return lines;
}

}  // namespace assetc::e2e
