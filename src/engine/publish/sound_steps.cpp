#include "engine/publish/sound_steps.hpp"

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "engine/publish/index.hpp"

namespace assetc::engine {
namespace {

// The steps that each step needs, as positions in the set.
struct Needs {
  std::vector<StepSet::Member> members;
  std::unordered_map<StepId, std::size_t> positions;
  std::vector<std::vector<std::size_t>> of;
  std::vector<bool> lacks;  // a step that it needs is not in the set
};

Needs needs_of(const StepSet& steps, const Target& target) {
  Needs needs;
  std::unordered_map<std::string, std::size_t> named;
  bool refers = false;
  steps.each([&](const StepRecord& record, const StepSet::Member& member) {
    needs.positions.emplace(step_id(record.recipe, record.stem), needs.members.size());
    needs.members.push_back(member);
    refers |= !record.references.empty();
  });
  if (refers) {
    std::size_t at = 0;
    steps.each([&](const StepRecord& record, const StepSet::Member&) {
      for (const OutputRecord& output : record.outputs) {
        if (target.is_referred_to(output.descriptor)) named.emplace(referred_name(record, output), at);
      }
      ++at;
    });
  }
  needs.of.resize(needs.members.size());
  needs.lacks.resize(needs.members.size());
  std::size_t at = 0;
  steps.each([&](const StepRecord& record, const StepSet::Member&) {
    const auto need = [&](const auto& known, const auto& key) {
      const auto found = known.find(key);
      if (found == known.end()) {
        needs.lacks[at] = true;
      } else {
        needs.of[at].push_back(found->second);
      }
    };
    for (const ChildRecord& child : record.children) need(needs.positions, step_id(child.recipe, child.stem));
    for (const std::string_view name : record.references) need(named, ascii_lower(name));
    ++at;
  });
  return needs;
}

// Marks the positions that can be reached from those in `open`, which are marked.
void spread(const std::vector<std::vector<std::size_t>>& edges, std::vector<std::size_t> open,
            std::vector<bool>& marked) {
  while (!open.empty()) {
    const std::size_t from = open.back();
    open.pop_back();
    for (const std::size_t to : edges[from]) {
      if (marked[to]) continue;
      marked[to] = true;
      open.push_back(to);
    }
  }
}

StepSet chosen(const Needs& needs, const std::vector<bool>& marked, bool which) {
  std::vector<StepSet::Member> members;
  for (std::size_t i = 0; i < needs.members.size(); ++i) {
    if (marked[i] == which) members.push_back(needs.members[i]);
  }
  StepSet set;
  set.add(std::move(members));
  return set;
}

}  // namespace

StepSet sound_steps(const StepSet& live, const Target& target) {
  Needs needs = needs_of(live, target);
  std::vector<std::vector<std::size_t>> users(needs.members.size());
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < needs.members.size(); ++i) {
    for (const std::size_t need : needs.of[i]) users[need].push_back(i);
    if (needs.lacks[i]) open.push_back(i);
  }
  spread(users, std::move(open), needs.lacks);
  return chosen(needs, needs.lacks, false);
}

StepSet needed_steps(const StepSet& sound, std::span<const StepId> roots, const Target& target) {
  const Needs needs = needs_of(sound, target);
  std::vector<bool> needed(needs.members.size());
  std::vector<std::size_t> open;
  for (const StepId& root : roots) {
    const auto found = needs.positions.find(root);
    if (found == needs.positions.end() || needed[found->second]) continue;
    needed[found->second] = true;
    open.push_back(found->second);
  }
  spread(needs.of, std::move(open), needed);
  return chosen(needs, needed, true);
}

}  // namespace assetc::engine
