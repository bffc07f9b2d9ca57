// Files that no recipe takes, counted by the suffixes of their names: what a build says of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace assetc::engine {

struct IgnoredKind {
  std::string suffix;       // ".psd", in lower case; empty: of names without one
  std::uint64_t count = 0;  // of files
  bool is_cooked = false;   // a cook compiles them
  bool operator==(const IgnoredKind&) const = default;
};

class IgnoredKinds {
 public:
  void add(std::string_view path);
  // Most files first; as many kinds as anyone reads.
  std::vector<IgnoredKind> list() const;

 private:
  std::map<std::string, std::uint64_t, std::less<>> counts_;
};

// "4 files ignored, no importer: .psd 3, .tif 1", and those that a cook compiles behind a comma in the same way. total:
// of all kinds, those that list() leaves out too.
std::string ignored_text(const std::vector<IgnoredKind>& kinds, std::uint64_t total);

}  // namespace assetc::engine
