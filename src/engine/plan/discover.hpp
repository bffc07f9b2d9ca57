// Which files are sources, and of which recipe.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "assetc/base/result.hpp"
#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"
#include "engine/state/inputs.hpp"
#include "engine/target/target.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

struct Source {
  std::uint32_t entry = 0;   // in the tree
  std::uint16_t recipe = 0;  // in the list of recipes
  std::uint16_t claim = 0;   // in its claims
};

// Claims on files or on directories by their last character, longest suffix first: most names meet one or two.
class ClaimIndex {
 public:
  ClaimIndex(std::span<const recipes::Recipe* const> recipes, bool directories);
  // Says who takes what has this path; false: nobody.
  bool match(std::string_view path, Source& out) const;

 private:
  struct Candidate {
    std::string suffix;
    std::uint16_t recipe;
    std::uint16_t claim;
  };
  std::array<std::vector<Candidate>, 256> by_last_;
};

struct Sources {
  std::vector<Source> claimed;                   // in tree order
  std::vector<std::uint32_t> unclaimed;          // files that no recipe takes, in tree order
  std::vector<recipes::Diagnostic> diagnostics;  // what the walk left out
  // Files below a folder of a claimed directory that would be sources elsewhere, and the directory; in tree order.
  struct Inside {
    std::uint32_t entry = 0;
    std::uint32_t directory = 0;
  };
  std::vector<Inside> inside;
};

// What the input walk leaves out: hidden names, ignored globs, the configuration, and every output that lies inside,
// with its bundle: those of the profile by their real path, others by the cache in them.
Disk::Skip input_skip(const Profile& profile, const Target& target, Disk& disk);

Sources discover(const Tree& tree, std::span<const recipes::Recipe* const> recipes);

// Sources that are not compiled, by position in sources.claimed.
struct Conflicts {
  // Would publish the same files as another source, which the error names, or have no identity to publish under.
  std::unordered_map<std::size_t, std::shared_ptr<const Error>> refused;
  // The same, but `prefer:` says that another one is compiled: its position.
  std::unordered_map<std::size_t, std::size_t> left_out;

  // A note for each that is left out.
  void describe(const Tree& tree, const Sources& sources, std::vector<recipes::Diagnostic>& out) const;
};

// prefer: suffixes without a dot, the best first. Of the sources that would publish the same files the one with the
// best suffix wins, where there is one. ASCII case is ignored: not every disk has it.
Conflicts find_conflicts(const Tree& tree, const Sources& sources, const AssetRules& assets,
                         std::span<const std::string> prefer);

}  // namespace assetc::engine
