// Only src/os includes headers of an operating system.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "places.hpp"

namespace {

namespace fs = std::filesystem;

// The includes of text that are headers of POSIX, Linux, macOS or Windows.
std::vector<std::string> system_includes(const std::string& text) {
  static const std::regex include(
      R"re(#\s*include\s*[<"]((?:sys|linux|arpa|net|netinet|mach|asm|bits)/[^>"]*|)re"
      R"re((?:aio|copyfile|cpio|dirent|dlfcn|direct|fcntl|glob|grp|io|langinfo|libgen|malloc|netdb|nl_types|poll|process|)re"
      R"re(pthread|pwd|regex|sched|semaphore|spawn|strings|syslog|termios|ucontext|unistd|utime|wordexp|windows|winsock2|)re"
      R"re(ws2tcpip|winioctl|psapi|shlobj|tlhelp32)\.h)[>"])re",
      std::regex::icase);
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), include), end; at != end; ++at) found.push_back((*at)[1]);
  return found;
}

TEST(SystemHeaders, are_found) {
  EXPECT_THAT(
      system_includes("#include <sys/stat.h>\n#include <unistd.h>\n#  include <Windows.h>\n#include <vector>\n"),
      testing::ElementsAre("sys/stat.h", "unistd.h", "Windows.h"));
  EXPECT_THAT(
      system_includes("#include \"os/process.hpp\"\n#include <uv.h>\n#include <cerrno>\n#include <sqlite3.h>\n"),

      testing::IsEmpty());
}

TEST(SystemHeaders, only_os_includes_them) {
  const fs::path root = assetc::places::kSource;
  std::size_t in_os = 0;
  for (const fs::path& place : {root / "src", root / "include"}) {
    for (const auto& entry : fs::recursive_directory_iterator(place)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      const std::string name = fs::relative(entry.path(), root).generic_string();
      const auto found = system_includes(text);
      if (name.starts_with("src/os/")) {
        in_os += found.size();
      } else {
        EXPECT_THAT(found, testing::IsEmpty()) << name << ": add what it needs to src/os";
      }
    }
  }
  EXPECT_GT(in_os, 10u);
}

}  // namespace
