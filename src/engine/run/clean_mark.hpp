// Proves by the two tree walks alone that nothing changed since everything was up to date. This is all that a no-op
// build does.
#pragma once

#include <optional>
#include <span>

#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"
#include "engine/state/cache.hpp"
#include "engine/state/inputs.hpp"
#include "engine/state/step_set.hpp"
#include "engine/state/summary.hpp"

namespace assetc::engine {

// Hash of everything besides the input tree and the recipes' libraries that decides outputs.
ContentHash environment_of(const Profile& profile, std::span<const recipes::Recipe* const> recipes,
                           const Target& target);

class CleanMark {
 public:
  // All outlive the mark. input: the root of the uncovered files' paths.
  CleanMark(Cache& cache, Disk& disk, std::string input, const ContentHash& environment,
            std::span<const recipes::Recipe* const> recipes)
      : cache_(cache), disk_(disk), input_(std::move(input)), environment_(environment), recipes_(recipes) {}

  // The summary that was left, if since then neither an output nor anything that decides outputs has changed.
  std::optional<Summary> find(const Tree& input, const Tree& output) const;

  // Leaves the mark, unless a later walk could not prove that nothing changed: if a file was touched too recently, or
  // if a step listed a directory that the walk does not cover.
  // input: walked at walked_at_ns. output: as it is now. summary: what an unchanged build reports again; its hashes are
  // filled in here.
  Result<void> leave(const Tree& input, std::int64_t walked_at_ns, const Tree& output, const FileTable& files,
                     const StepSet& steps, Summary summary);

 private:
  std::optional<std::vector<Summary::Uncovered>> uncovered(const FileTable& files, const StepSet& steps,
                                                           std::int64_t walked_at_ns) const;
  // Hash of the libraries of the named recipes. Other recipes are not asked, because that may load their libraries.
  ContentHash libraries_of(std::span<const std::string> names) const;
  bool is_as_before(const Summary::Uncovered& file) const;
  std::optional<FileSignature> signature_of(std::string_view path) const;

  Cache& cache_;
  Disk& disk_;
  std::string input_;
  ContentHash environment_;
  std::span<const recipes::Recipe* const> recipes_;
};

}  // namespace assetc::engine
