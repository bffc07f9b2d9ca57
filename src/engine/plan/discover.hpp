// Finds the sources of the input and their recipes.
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

// Claims on files or on directories by their last character, longest suffix first. Most names match one or two.
class ClaimIndex {
 public:
  ClaimIndex(std::span<const recipes::Recipe* const> recipes, bool directories);
  // Finds the recipe and claim for a path. Returns false if no recipe takes it.
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
  // Files in a subfolder of a claimed directory that would be sources elsewhere, with that directory; in tree order.
  struct Inside {
    std::uint32_t entry = 0;
    std::uint32_t directory = 0;
  };
  std::vector<Inside> inside;
};

// Selects what the input walk leaves out: hidden names, ignored globs, the configuration, and all outputs inside the
// input with their bundles. The outputs of the profile are found by their real paths, others by the cache in them.
Disk::Skip input_skip(const Profile& profile, const Target& target, Disk& disk);

// The entries of the input of a build: files that may be sources, and the folders that contain them.
Result<Tree> walk_input(const Profile& profile, const Target& target, Disk& disk, int threads);

// takes_twins: whether a source that two paths lead to is two sources, as for targets that name outputs by path. For
// those that name them by UUID it is one.
Sources discover(const Tree& tree, std::span<const recipes::Recipe* const> recipes, bool takes_twins);

// Sources that are not compiled, by position in sources.claimed.
struct Conflicts {
  // Sources that would write the same outputs as another source, which the error names, or that have no identity to
  // publish under.
  std::unordered_map<std::size_t, std::shared_ptr<const Error>> refused;
  // The same, but `prefer:` selects another source, whose position this is.
  std::unordered_map<std::size_t, std::size_t> left_out;

  // Adds a note for each source that is left out.
  void describe(const Tree& tree, const Sources& sources, std::vector<recipes::Diagnostic>& out) const;
};

// prefer: suffixes without a dot, the best first. Of several sources that would write the same outputs, the one with
// the best suffix wins, if there is exactly one. ASCII case is ignored, because not all file systems distinguish it.
Conflicts find_conflicts(const Tree& tree, const Sources& sources, const AssetRules& assets,
                         std::span<const std::string> prefer);

}  // namespace assetc::engine
