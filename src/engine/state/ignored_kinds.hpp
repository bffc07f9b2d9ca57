// Counts the files that no recipe handles by file extension, for the messages of a build.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace assetc::engine {

struct IgnoredKind {
  std::string suffix;       // ".psd", in lower case; empty: no extension
  std::uint64_t count = 0;  // number of files
  bool is_cooked = false;   // a cook compiles such files
  bool operator==(const IgnoredKind&) const = default;
};

class IgnoredKinds {
 public:
  void add(std::string_view path);
  // Sorted by number of files, largest first. Limited to a readable number of kinds.
  std::vector<IgnoredKind> list() const;

 private:
  std::map<std::string, std::uint64_t, std::less<>> counts_;
};

// "4 files ignored, no importer: .psd 3, .tif 1". Files that a cook compiles follow after a comma in the same form.
// total: number of files of all kinds, including those that list() leaves out.
std::string ignored_text(const std::vector<IgnoredKind>& kinds, std::uint64_t total);

}  // namespace assetc::engine
