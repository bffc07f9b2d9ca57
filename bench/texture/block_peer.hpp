// Another block encoder to measure beside ours: PROGRAM FORMAT LEVEL WIDTH HEIGHT IN OUT. IN holds the texels, row by row;
// it writes the blocks, in row order, to OUT and prints the processor seconds that encoding alone took. Any encoder is
// made one in some 40 lines around its library.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pictures.hpp"

namespace assetc::bench {

// A folder of its own in /tmp, gone at the end.
class Scratch {
 public:
  Scratch() {
    char folder[] = "/tmp/bench_XXXXXX";
    if (mkdtemp(folder) != nullptr) path_ = folder;
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::filesystem::path& path() const { return path_; }  // empty where none could be made

 private:
  std::filesystem::path path_;
};

struct PeerRun {
  double cpu_s = 0;
  std::vector<std::byte> blocks;
};

// Nothing where the program fails or prints nothing.
inline std::optional<PeerRun> run_peer(const std::string& program, std::string_view format, int level, std::uint32_t width,
                                       std::uint32_t height, std::span<const std::byte> texels,
                                       const std::filesystem::path& scratch) {
  const std::filesystem::path in = scratch / "texels", out = scratch / "blocks";
  std::ofstream(in, std::ios::binary)
      .write(reinterpret_cast<const char*>(texels.data()), static_cast<std::streamsize>(texels.size()));
  const std::string command =
      fmt::format("'{}' {} {} {} {} '{}' '{}'", program, format, level, width, height, in.string(), out.string());
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::array<char, 256> text{};
  const std::size_t length = std::fread(text.data(), 1, text.size() - 1, pipe);
  if (pclose(pipe) != 0 || length == 0) return std::nullopt;
  return PeerRun{std::atof(text.data()), read_file(out)};
}

// The levels of "0,1,4".
inline std::vector<int> parse_levels(const std::string& list) {
  std::vector<int> levels;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    levels.push_back(std::atoi(list.substr(at, end - at).c_str()));
    at = end + 1;
  }
  return levels;
}

}  // namespace assetc::bench
