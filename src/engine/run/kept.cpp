#include "engine/run/kept.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/ascii.hpp"
#include "engine/publish/prune.hpp"
#include "engine/run/resident.hpp"
#include "engine/run/step_records.hpp"

namespace assetc::engine {
namespace {

// What is read of the cache is all that it is wanted for.
Workspace space_of(LastBuild& last, std::unique_ptr<Cache> cache) {
  Workspace space;
  space.cache = std::move(cache);
  space.input = std::move(last.input);
  space.output = std::move(last.output);
  return space;
}

bool may_be_kept(const LastBuild& last) {
  return !last.profile.pack && !last.input.is_aliased() && last.cache.database != FileSignature{};
}

}  // namespace

Resident::Resident(const Options& options, LastBuild last_build, Disk& disk, std::unique_ptr<Cache> cache)
    : last(std::move(last_build)),
      space(space_of(last, std::move(cache))),
      skip(input_skip(last.profile, *options.target, disk)),
      file_claims(options.recipes, false),
      folder_claims(options.recipes, true),
      plan(options, last.profile, disk, space, false, std::nullopt) {}

bool Resident::read(const Options& options) {
  if (!space.cache->load(plan.state) || !space.cache->dropped().empty()) return false;
  space.cache.reset();
  LogWriter log;
  if (!find_orphans(plan.state, plan.publisher, *options.target, log) || !plan.state.orphans.empty()) return false;
  const Sources sources = discover(space.input, options.recipes);
  for (const Source& source : sources.claimed) {
    if (!claims.insert(claim_id(source)).second) return false;
  }
  for (const std::uint32_t entry : sources.unclaimed) unclaimed.emplace_back(space.input.path(entry));
  StepRecord scratch;
  for (std::size_t i = 0; i < plan.state.steps.size(); ++i) {
    const StepRecord& record = plan.state.steps[i].read(scratch);
    relations.add(plan.state.steps.id(i), record, *options.target);
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

Kept::Kept() = default;
Kept::~Kept() = default;

void Kept::expect(const std::optional<std::vector<std::string>>& changed) {
  was_used_ = false;
  if (!changed || !changed_) return changed_.reset();
  changed_->insert(changed_->end(), changed->begin(), changed->end());
}

void Kept::prepare(const Options& options, Disk& disk) {
  if (resident_ || !last_) return;
  LastBuild last = std::move(*std::exchange(last_, std::nullopt));
  const std::string path = cache_path(last.profile);
  const auto lock = disk.lock(path + ".lock");
  if (!lock || cache_stamp(last.profile, disk) != last.cache) return;
  auto cache = Cache::open(disk, path, true);
  if (!cache) return;
  auto resident = std::make_unique<Resident>(options, std::move(last), disk, std::move(*cache));
  if (resident->read(options)) resident_ = std::move(resident);
}

std::optional<std::vector<std::string>> Kept::folders() const {
  const Tree* const tree = resident_ ? &resident_->space.input : last_ ? &last_->input : nullptr;
  if (tree == nullptr) return std::nullopt;
  return folders_in(*tree);
}

std::vector<std::string> folders_in(const Tree& tree) {
  std::vector<std::string> folders{""};
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].type == FileType::kDirectory) folders.emplace_back(tree.path(i));
  }
  return folders;
}

std::unique_ptr<Resident> Kept::take(std::vector<std::string>& changed) {
  auto since = std::exchange(changed_, std::vector<std::string>{});
  last_.reset();
  auto resident = std::move(resident_);
  if (!since) return nullptr;
  changed = std::move(*since);
  return resident;
}

void Kept::keep(LastBuild last) {
  if (may_be_kept(last)) last_ = std::move(last);
}

void Kept::keep(std::unique_ptr<Resident> resident) {
  resident_ = std::move(resident);
  was_used_ = true;
}

}  // namespace assetc::engine
