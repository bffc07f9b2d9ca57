#include "engine/state/toolchain.hpp"

#include <algorithm>

namespace assetc::engine {
namespace {

std::string cache_name(std::string_view program) { return "program " + std::string(program); }

void add_line(std::string& text, std::string_view name, std::string_view version) {
  text.append(name).append("=").append(version).append("\n");
}

bool names(std::string_view toolchain, std::string_view program) {
  while (!toolchain.empty()) {
    const std::string_view line = toolchain.substr(0, toolchain.find('\n'));
    if (line.substr(0, line.find('=')) == program) return true;
    toolchain.remove_prefix(std::min(toolchain.size(), line.size() + 1));
  }
  return false;
}

}  // namespace

Toolchain::Toolchain(std::span<const recipes::Recipe* const> recipes, const Target& target, Cache* cache)
    : recipes_(recipes), target_(target.name), libraries_(recipes.size()) {
  for (const recipes::Recipe* recipe : recipes) {
    for (const recipes::Program* program : recipe->programs) {
      Known& known = programs_[program->name];
      const auto value = cache != nullptr ? cache->get(cache_name(program->name)) : std::nullopt;
      if (!value) continue;
      const std::string_view text = as_text(*value);
      const std::size_t end = std::min(text.find('\0'), text.size());
      known.signature = text.substr(0, end);
      known.version = text.substr(std::min(end + 1, text.size()));
    }
  }
}

std::string_view Toolchain::libraries(std::size_t recipe) {
  const std::lock_guard lock(mutex_);
  std::optional<std::string>& known = libraries_[recipe];
  if (!known) {
    known = recipes_[recipe]->libraries != nullptr ? recipes_[recipe]->libraries() : std::string();
    if (recipes_[recipe]->stem_matters) add_line(*known, "target", target_);
  }
  return *known;
}

const std::string& Toolchain::version(const recipes::Program& program) {
  const std::lock_guard lock(mutex_);
  Known& known = programs_.at(program.name);
  if (known.current) return known.version;
  std::string signature = program.signature();
  if (known.version.empty() || known.signature != signature) {
    known.signature = std::move(signature);
    known.version = program.version();
    known.learned = true;
  }
  known.current = true;
  return known.version;
}

std::string Toolchain::with_programs(std::size_t recipe, std::span<const recipes::Program* const> programs) {
  std::string text(libraries(recipe));
  for (const recipes::Program* program : recipes_[recipe]->programs) {
    if (std::ranges::find(programs, program) != programs.end()) add_line(text, program->name, version(*program));
  }
  return text;
}

std::string Toolchain::now(std::size_t recipe, std::string_view recorded) {
  std::string text(libraries(recipe));
  for (const recipes::Program* program : recipes_[recipe]->programs) {
    if (names(recorded, program->name)) add_line(text, program->name, version(*program));
  }
  return text;
}

Result<void> Toolchain::remember(Cache& cache) const {
  for (const auto& [name, known] : programs_) {
    if (known.learned) ASSETC_CHECK(cache.set(cache_name(name), as_bytes(known.signature + '\0' + known.version)));
  }
  return {};
}

}  // namespace assetc::engine
