// Which mutants of valid files the readers accept. A change of a reader that accepts or refuses other files changes a
// line of tests/data/verdicts.txt.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <map>
#include <sstream>

#include "filetypes/seeds.hpp"
#include "formats/support.hpp"
#include "places.hpp"

namespace assetc::filetypes_test {
namespace {

struct Verdicts {
  std::uint32_t mutants = 0, accepted = 0;
  ByteVector bits;  // one byte for each mutant

  void add(bool is_accepted) {
    ++mutants;
    accepted += is_accepted ? 1 : 0;
    bits.push_back(static_cast<std::byte>(is_accepted));
  }
  std::string line(std::string_view format, const std::string& seed) const {
    std::ostringstream text;
    text << format << ' ' << seed << ' ' << mutants << ' ' << accepted << ' ' << std::hex << std::setw(16)
         << std::setfill('0') << xxh3_64(bits);
    return std::move(text).str();
  }
};

// The committed lines by "format seed".
std::map<std::string, std::string> known_lines(const std::string& path) {
  std::map<std::string, std::string> lines;
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) lines[line.substr(0, line.find(' ', line.find(' ') + 1))] = line;
  return lines;
}

TEST(Verdicts, readers_accept_the_mutants_that_they_accepted_before) {
  const std::string path = std::string(places::kSource) + "/tests/data/verdicts.txt";
  auto known = known_lines(path);
  std::string all, changed;
  for (const SeededFormat& format : seeded_formats(places::kSource)) {
    ASSERT_FALSE(format.seeds.empty()) << format.name;
    Verdicts sum;
    for (const Seed& seed : format.seeds) {
      const auto whole = format.judge(Exact(seed.bytes));
      ASSERT_TRUE(whole) << format.name << " " << seed.name << ": " << whole.error().to_string();
      const Mutants mutants(seed.bytes, seed.name);
      Verdicts verdicts;
      for (std::uint32_t i = 0; i < format.mutants_per_seed(); ++i) {
        const auto verdict = format.judge(Exact(format.mutant(mutants, i)));
        if (!verdict) {
          ASSERT_FALSE(verdict.error().what.empty()) << format.name << " " << seed.name << " mutant " << i;
        }
        verdicts.add(verdict.has_value());
        sum.add(verdict.has_value());
      }
      const std::string line = verdicts.line(format.name, seed.name);
      std::string& old = known[std::string(format.name) + " " + seed.name];
      if (old != line) changed += (old.empty() ? "" : "- " + old + "\n") + "+ " + line + "\n";
      old.clear();
      all += line + "\n";
    }
    EXPECT_GE(sum.mutants, 10'000u) << format.name;
    // Mutants of which nearly all have one verdict tell little.
    EXPECT_GT(sum.accepted, sum.mutants / 10) << format.name;
    EXPECT_LT(sum.accepted, sum.mutants / 10 * 9) << format.name;
  }
  for (const auto& [name, line] : known) {
    if (!line.empty()) changed += "- " + line + "\n";
  }
  if (changed.empty()) return;
  if (std::getenv("ASSETC_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << all;
    return;
  }
  FAIL() << "Readers accept other files than before:\n"
         << changed << "`mutants --text FORMAT` of both builds lists the verdict of each mutant, for a diff. After an "
         << "intended change, set ASSETC_UPDATE_GOLDEN=1 to write " << path << " again.";
}

}  // namespace
}  // namespace assetc::filetypes_test
