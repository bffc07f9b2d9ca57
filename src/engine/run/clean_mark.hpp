// Proves with the two walks alone that nothing changed since everything was up to date: the whole of a no-op build.
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

// All that decides outputs besides the input tree.
ContentHash environment_of(const Profile& profile, std::span<const recipes::Recipe* const> recipes,
                           const Target& target);

class CleanMark {
 public:
  // All outlive the mark. input: the root that the paths of uncovered files start from.
  CleanMark(Cache& cache, Disk& disk, std::string input, const ContentHash& environment)
      : cache_(cache), disk_(disk), input_(std::move(input)), environment_(environment) {}

  // What was left, if nothing that decides outputs and no output has changed since.
  std::optional<Summary> find(const Tree& input, const Tree& output) const;

  // Leaves the mark, unless a later walk could not prove that nothing changed: a file was touched too recently, or a
  // step listed a directory that the walk does not look at.
  // input: walked at walked_at_ns; output: as it is now. summary: what is to be said again; its hashes are filled in.
  Result<void> leave(const Tree& input, std::int64_t walked_at_ns, const Tree& output, const FileTable& files,
                     const StepSet& steps, Summary summary);

 private:
  std::optional<std::vector<Summary::Uncovered>> uncovered(const FileTable& files, const StepSet& steps,
                                                           std::int64_t walked_at_ns) const;
  bool is_as_before(const Summary::Uncovered& file) const;
  std::optional<FileSignature> signature_of(std::string_view path) const;

  Cache& cache_;
  Disk& disk_;
  std::string input_;
  ContentHash environment_;
};

}  // namespace assetc::engine
