// Writes the mutants of a format with the verdicts of the C++ readers. web/test/mutants.test.mjs compares them with the
// verdicts of the JavaScript readers.
//
//   mutants FORMAT          frames to the standard output; each number is a u32 in little-endian order:
//                           mutant number, 1 if it is accepted, and three blocks: the name of the seed, the message of
//                           a refusal, the bytes. A block is its size and its content.
//   mutants --text FORMAT   a line for each mutant: seed, number, "accepted" or the message. For diffs of two builds.
#include <cstdio>
#include <cstring>
#include <string>

#include "filetypes/seeds.hpp"

namespace {

using namespace assetc;

void write(ByteSpan bytes) { std::fwrite(bytes.data(), 1, bytes.size(), stdout); }
void write_number(std::size_t value) { write(object_bytes(static_cast<std::uint32_t>(value))); }
void write_block(ByteSpan bytes) {
  write_number(bytes.size());
  write(bytes);
}

}  // namespace

int main(int argc, char** argv) {
  const bool as_lines = argc == 3 && std::strcmp(argv[1], "--text") == 0;
  const std::string_view wanted = as_lines ? argv[2] : argc == 2 ? argv[1] : "";
  for (const auto& format : filetypes_test::seeded_formats(ASSETC_SOURCE_DIR)) {
    if (format.name != wanted) continue;
    for (const auto& seed : format.seeds) {
      const formats_test::Mutants mutants(seed.bytes, seed.name);
      for (std::uint32_t i = 0; i < format.mutants_per_seed(); ++i) {
        const ByteVector bytes = format.mutant(mutants, i);
        const auto verdict = format.judge(bytes);
        const std::string message = verdict ? "" : verdict.error().to_string();
        if (as_lines) {
          std::printf("%s %u %s\n", seed.name.c_str(), i, verdict ? "accepted" : message.c_str());
          continue;
        }
        write_number(i);
        write_number(verdict.has_value() ? 1 : 0);
        write_block(as_bytes(seed.name));
        write_block(as_bytes(message));
        write_block(bytes);
      }
    }
    return 0;
  }
  std::fputs("usage: mutants [--text] FORMAT, where FORMAT is one of:", stderr);
  for (const auto& format : filetypes_test::seeded_formats(ASSETC_SOURCE_DIR))
    std::fprintf(stderr, " %.*s", static_cast<int>(format.name.size()), format.name.data());
  std::fputs("\n", stderr);
  return 2;
}
