#include "engine/run/resident.hpp"

#include <iterator>
#include <utility>

#include "base/ascii.hpp"
#include "engine/publish/prune.hpp"
#include "engine/run/step_records.hpp"

namespace assetc::engine {
namespace {

// Only the records of the cache are needed.
Workspace space_of(LastBuild& last, std::unique_ptr<Cache> cache) {
  Workspace space;
  space.cache = std::move(cache);
  space.input = std::move(last.input);
  space.output = std::move(last.output);
  return space;
}

}  // namespace

Resident::Resident(const BuildRequest& request, LastBuild last_build, Disk& disk, std::unique_ptr<Cache> cache)
    : last(std::move(last_build)),
      space(space_of(last, std::move(cache))),
      skip(input_skip(last.profile, *request.target, disk)),
      file_claims(request.recipes, false),
      folder_claims(request.recipes, true),
      plan(request, last.profile, disk, space, false, std::nullopt) {}

bool Resident::read(const BuildRequest& request) {
  if (!space.cache->load(plan.state) || !space.cache->dropped().empty()) return false;
  space.cache.reset();
  LogWriter log;
  if (!find_orphans(plan.state, plan.publisher, *request.target, log) || !plan.state.orphans.empty()) return false;
  const Sources sources = discover(space.input, request.recipes, request.target->covers == nullptr);
  for (const Source& source : sources.claimed) {
    const StepId id = claim_id(source);
    if (claims.insert(id).second) continue;
    if (last.profile.prefer.empty()) return false;
    shared_claims.insert(id);
  }
  for (const std::uint32_t entry : sources.unclaimed) unclaimed.emplace_back(space.input.path(entry));
  StepRecord scratch;
  for (std::size_t i = 0; i < plan.state.steps.size(); ++i) {
    const StepRecord& record = plan.state.steps[i].read(scratch);
    relations.add(plan.state.steps.id(i), record, *request.target);
    say(record);
  }
  std::size_t count = 0;
  for (const auto& [step, diagnostics] : said) count += diagnostics.size();
  if (count > last.diagnostics.size()) return false;
  std::move(last.diagnostics.begin() + static_cast<std::ptrdiff_t>(count), last.diagnostics.end(),
            std::back_inserter(others));
  return true;
}

void Resident::say(const StepRecord& record) {
  if (!record.diagnostics.empty())
    said[{std::string(record.source), std::string(record.stem)}] = diagnostics_of(record);
}

void Resident::unsay(const StepRecord& record) {
  if (!record.diagnostics.empty()) said.erase({std::string(record.source), std::string(record.stem)});
}

std::optional<Source> Resident::source_at(std::size_t entry) const {
  Source source{static_cast<std::uint32_t>(entry), 0, 0};
  const bool is_folder = space.input[entry].type == FileType::kDirectory;
  const bool taken = (is_folder ? folder_claims : file_claims).match(space.input.path(entry), source);
  return taken ? std::optional(source) : std::nullopt;
}

StepId Resident::claim_id(const Source& source) {
  const recipes::Recipe& recipe = *plan.assets.recipes[source.recipe];
  return step_id(recipe.name,
                 ascii_lower(plan.assets.stem_of(space.input.path(source.entry), recipe.claims[source.claim])));
}

}  // namespace assetc::engine
