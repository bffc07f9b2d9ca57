// Runs our block encoders at every effort and, beside them, another program: PROGRAM FORMAT LEVEL WIDTH HEIGHT IN OUT.
// The program reads the texels from IN, row by row, writes the blocks in row order to OUT and prints the processor
// seconds of the encoding alone. About 40 lines around its library turn any encoder into such a program.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/codec/transcode.hpp"
#include "codec/encode/common/encode_options.hpp"
#include "pictures.hpp"

namespace assetc::bench {

// A temporary folder in /tmp; the destructor removes it.
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
  const std::filesystem::path& path() const { return path_; }  // empty if no folder could be made

 private:
  std::filesystem::path path_;
};

struct PeerRun {
  double cpu_s = 0;
  std::vector<std::byte> blocks;
};

// Returns nothing if the program fails or prints nothing.
inline std::optional<PeerRun> run_peer(const std::string& program, std::string_view format, int level,
                                       std::uint32_t width, std::uint32_t height, std::span<const std::byte> texels,
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

// Parses a list of levels such as "0,1,4".
inline std::vector<int> parse_levels(const std::string& list) {
  std::vector<int> levels;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    levels.push_back(std::atoi(list.substr(at, end - at).c_str()));
    at = end + 1;
  }
  return levels;
}

// Maps "--name" to the argument after it.
using Options = std::map<std::string, std::string>;

// Stores options by their names and reads every other argument as a picture. Returns the argument that cannot be read,
// or an empty string.
template <class P, class Read>
std::string read_arguments(int argc, char** argv, Read&& read, Options& options, std::vector<P>& pictures) {
  for (int i = 1; i < argc; ++i) {
    if (const auto option = options.find(argv[i]); option != options.end() && i + 1 < argc) {
      option->second = argv[++i];
      continue;
    }
    std::optional<P> picture = read(argv[i]);
    if (!picture) return argv[i];
    pictures.push_back(std::move(*picture));
  }
  return {};
}

// One row of a table: our encoder at an effort, or the program at a level. Holds its blocks and its time for every
// picture.
struct Subject {
  std::string name;
  std::optional<int> peer_level;
  codec::Effort effort{};
  std::vector<double> cpu_s{};
  std::vector<std::vector<std::byte>> blocks{};
};

// Runs all subjects in turn on every picture, --runs times, including --peer at --levels, and keeps the least time of
// each. encode(effort, picture, blocks) is our encoder and returns whether it succeeded. If a subject fails, message
// names it and the result is empty.
template <class P, class Encode>
std::vector<Subject> race(const Options& options, std::string_view format, std::size_t block_bytes,
                          const std::vector<P>& pictures, Encode&& encode, std::string& message) {
  using enum codec::Effort;
  std::vector<Subject> subjects = {
      {"assetc fast", {}, kFast}, {"assetc normal", {}, kNormal}, {"assetc best", {}, kBest}};
  const std::string& peer = options.at("--peer");
  if (!peer.empty())
    for (const int level : parse_levels(options.at("--levels")))
      subjects.push_back({fmt::format("{} {}", std::filesystem::path(peer).filename().string(), level), level});
  for (Subject& s : subjects) {
    s.cpu_s.assign(pictures.size(), 1e9);
    s.blocks.resize(pictures.size());
  }
  const Scratch scratch;
  if (scratch.path().empty()) {
    message = "no scratch folder in /tmp";
    return {};
  }
  for (int run = 0; run < std::max(1, std::atoi(options.at("--runs").c_str())); ++run)
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      const P& picture = pictures[i];
      const std::size_t bytes = block_count(picture.width, picture.height) * block_bytes;
      for (Subject& s : subjects) {
        bool good = false;
        double cpu_s = 0;
        if (s.peer_level) {
          auto ran = run_peer(peer, format, *s.peer_level, picture.width, picture.height,
                              std::as_bytes(std::span(picture.texels)), scratch.path());
          good = ran && ran->blocks.size() == bytes;
          if (good) {
            cpu_s = ran->cpu_s;
            s.blocks[i] = std::move(ran->blocks);
          }
        } else {
          s.blocks[i].resize(bytes);
          cpu_s = timed([&] { good = encode(s.effort, picture, s.blocks[i]); }).cpu_s;
        }
        if (!good) {
          message = fmt::format("{} failed on {}", s.name, std::filesystem::path(picture.path).string());
          return {};
        }
        s.cpu_s[i] = std::min(s.cpu_s[i], cpu_s);
      }
    }
  return subjects;
}

}  // namespace assetc::bench
