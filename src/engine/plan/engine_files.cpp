#include "engine/plan/engine_files.hpp"

#include <algorithm>

#include "engine/state/inputs.hpp"
#include "identity/meta.hpp"
#include "parallel/parallel.hpp"

namespace assetc::engine {

using importer::OtherEngine;

std::string_view EngineFiles::settings(std::string_view source) {
  if (profile_.from.engine == OtherEngine::kNone || source.empty()) return {};
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = by_source_.find(source); known != by_source_.end()) return known->second.lines;
  }
  One one;
  one.lines = read(std::string(source), one.diagnostics);
  const std::lock_guard lock(mutex_);
  return by_source_.try_emplace(std::string(source), std::move(one)).first->second.lines;
}

std::string EngineFiles::read(const std::string& source, std::vector<recipes::Diagnostic>& diagnostics) const {
  const std::string path = source + std::string(importer::beside_suffix(profile_.from.engine));
  if (!is_there_(path)) return {};
  const auto warn = [&](Error error) {
    diagnostics.push_back({WarningKind::kEngineSetting, std::move(error).in(path)});
  };
  const Result<Bytes> bytes = disk_.read(profile_.input + "/" + path);
  if (!bytes) {
    warn(Error(bytes.error()));
    return {};
  }
  if (!importer::is_beside(profile_.from.engine, as_text(*bytes))) return {};
  auto said = importer::read_beside(profile_.from.engine, source, as_text(*bytes), profile_.preset);
  if (!said) {
    warn(std::move(said).error());
    return {};
  }
  for (Warning& warning : said->warnings) warn(std::move(warning));
  std::string lines;
  for (const importer::BesideSetting& setting : said->settings) {
    const recipes::SettingField* const field = recipes::find_setting(setting.key);
    recipes::Settings trial;
    if (const Result<void> taken = field->set(trial, setting.value); !taken) {
      warn(Error(taken.error()).at("line " + std::to_string(setting.line)));
      continue;
    }
    lines.append(setting.key).append("=").append(setting.value).append("\n");
  }
  return lines;
}

std::function<std::optional<std::string>(const Uuid& guid)> EngineFiles::source_finder(const Tree& tree) {
  if (profile_.from.engine != OtherEngine::kUnity) return {};
  return [this, &tree](const Uuid& guid) { return source_of(guid, tree); };
}

std::optional<std::string> EngineFiles::source_of(const Uuid& guid, const Tree& tree) {
  if (profile_.from.engine != OtherEngine::kUnity) return std::nullopt;
  std::call_once(knows_guids_, [&] {
    std::vector<std::string> sources;
    for (std::size_t i = 0; i < tree.size(); ++i) {
      const std::string_view path = tree.path(i);
      if (tree[i].type == FileType::kFile && path.ends_with(identity::kMetaSuffix))
        sources.emplace_back(identity::owner_of_meta(path));
    }
    std::ranges::sort(sources);  // of two with one GUID, the first
    std::vector<std::optional<Uuid>> guids(sources.size());
    parallel_for(sources.size(), [&](std::size_t i) {
      const auto bytes = disk_.read(profile_.input + "/" + sources[i] + std::string(identity::kMetaSuffix));
      if (!bytes || !importer::is_beside(OtherEngine::kUnity, as_text(*bytes))) return;
      if (const auto said = importer::read_beside(OtherEngine::kUnity, sources[i], as_text(*bytes)))
        guids[i] = said->guid;
    });
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (guids[i]) by_guid_.emplace(*guids[i], sources[i]);
    }
  });
  const auto at = by_guid_.find(guid);
  return at == by_guid_.end() ? std::nullopt : std::optional(at->second);
}

std::vector<recipes::Diagnostic> EngineFiles::diagnostics() const {
  const std::lock_guard lock(mutex_);
  std::vector<recipes::Diagnostic> all;
  for (const auto& [source, one] : by_source_) std::ranges::copy(one.diagnostics, std::back_inserter(all));
  return all;
}

std::optional<recipes::Diagnostic> unread_engine_files(const Profile& profile, const Tree& tree, const Sources& sources,
                                                       const FileTable& files) {
  constexpr std::size_t kMaxLooks = 8;
  constexpr std::size_t kHeadBytes = 256;
  if (profile.from.engine != OtherEngine::kNone) return std::nullopt;
  std::size_t looks = 0;
  for (const Source& source : sources.claimed) {
    const std::string path(tree.path(source.entry));
    for (const OtherEngine engine : {OtherEngine::kUnity, OtherEngine::kGodot}) {
      const std::string beside = path + std::string(importer::beside_suffix(engine));
      if (!files.find(beside)) continue;
      if (++looks > kMaxLooks) return std::nullopt;
      const Result<Bytes> head = files.disk().head(profile.input + "/" + beside, kHeadBytes);
      if (!head || !importer::is_beside(engine, as_text(*head).substr(0, kHeadBytes))) continue;
      const bool is_unity = engine == OtherEngine::kUnity;
      return recipes::Diagnostic{
          WarningKind::kEngineSetting,
          Error{ErrorCode::kUsage,
                beside,
                {},
                std::string("is a file of ") + (is_unity ? "Unity" : "Godot") +
                    " with settings of its source, which are not used",
                std::string("`from: ") + (is_unity ? "unity" : "godot") + "` in assetc.yml takes them"}};
    }
  }
  return std::nullopt;
}

bool is_engine_file(const Profile& profile, std::string_view path) {
  if (profile.from.engine == OtherEngine::kNone) return false;
  return path.ends_with(importer::beside_suffix(profile.from.engine)) ||
         (profile.from.engine == OtherEngine::kGodot && path.ends_with("/.gdignore"));
}

}  // namespace assetc::engine
