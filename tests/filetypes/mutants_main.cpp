// Writes the mutants of a format with the verdicts of the C++ readers. web/test/mutants.test.mjs compares them with the
// verdicts of the JavaScript readers.
//
//   mutants FORMAT          frames to the standard output; each number is a u32 in little-endian order:
//                           mutant number, 1 if it is accepted, and three blocks: the name of the seed, the message of
//                           a refusal, the bytes. A block is its size and its content.
//   mutants --text FORMAT   a line for each mutant: seed, number, "accepted" or the message. For diffs of two builds.
//   mutants --one FORMAT SEED NUMBER   the bytes of one mutant
//   mutants --seeds FOLDER  for fuzzers: the valid files of all formats and the first mutants that are accepted, as
//                           FOLDER/FORMAT/NAME
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "filetypes/seeds.hpp"
#include "places.hpp"

namespace {

using namespace assetc;

void write(ByteSpan bytes) { std::fwrite(bytes.data(), 1, bytes.size(), stdout); }
void write_number(std::size_t value) { write(object_bytes(static_cast<std::uint32_t>(value))); }
void write_block(ByteSpan bytes) {
  write_number(bytes.size());
  write(bytes);
}

enum class Output { kFrames, kLines, kOne };

void write_mutant(Output output, const std::string& seed, std::uint32_t i, ByteSpan bytes,
                  const Result<void>& verdict) {
  const std::string message = verdict ? "" : verdict.error().to_string();
  if (output == Output::kOne) return write(bytes);
  if (output == Output::kLines) {
    std::printf("%s %u %s\n", seed.c_str(), i, verdict ? "accepted" : message.c_str());
    return;
  }
  write_number(i);
  write_number(verdict ? 1 : 0);
  write_block(as_bytes(seed));
  write_block(as_bytes(message));
  write_block(bytes);
}

int write_seeds(const std::filesystem::path& folder) {
  constexpr std::uint32_t kMutantsOfSeed = 100;
  for (const auto& format : filetypes_test::seeded_formats(places::kSource)) {
    const std::filesystem::path here = folder / format.name;
    std::filesystem::create_directories(here);
    const auto add = [&](const std::string& name, const ByteVector& bytes) {
      std::ofstream(here / name, std::ios::binary)
          .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    };
    for (const auto& seed : format.seeds) {
      add(seed.name, seed.bytes);
      const formats_test::Mutants mutants(seed.bytes, seed.name);
      for (std::uint32_t i = 0; i < kMutantsOfSeed; ++i) {
        const ByteVector bytes = format.mutant(mutants, i);
        if (format.judge(bytes)) add(seed.name + "-" + std::to_string(i), bytes);
      }
    }
  }
  return 0;
}

int usage() {
  std::fputs("usage: mutants [--text] FORMAT | --one FORMAT SEED NUMBER | --seeds FOLDER, where FORMAT is one of:",
             stderr);
  for (const auto& format : filetypes_test::seeded_formats(places::kSource))
    std::fprintf(stderr, " %.*s", static_cast<int>(format.name.size()), format.name.data());
  std::fputs("\n", stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string_view> words(argv + 1, argv + argc);
  if (words.size() == 2 && words[0] == "--seeds") return write_seeds(words[1]);
  Output output = Output::kFrames;
  if (!words.empty() && words[0] == "--text") output = Output::kLines;
  if (!words.empty() && words[0] == "--one") output = Output::kOne;
  if (output != Output::kFrames) words.erase(words.begin());
  if (words.size() != (output == Output::kOne ? 3u : 1u)) return usage();
  std::uint32_t only = 0;
  if (output == Output::kOne) only = static_cast<std::uint32_t>(std::strtoul(argv[4], nullptr, 10));

  for (const auto& format : filetypes_test::seeded_formats(places::kSource)) {
    if (format.name != words[0]) continue;
    for (const auto& seed : format.seeds) {
      if (output == Output::kOne && seed.name != words[1]) continue;
      const formats_test::Mutants mutants(seed.bytes, seed.name);
      for (std::uint32_t i = 0; i < format.mutants_per_seed(); ++i) {
        if (output == Output::kOne && i != only) continue;
        const ByteVector bytes = format.mutant(mutants, i);
        write_mutant(output, seed.name, i, bytes, format.judge(bytes));
      }
    }
    return 0;
  }
  return usage();
}
