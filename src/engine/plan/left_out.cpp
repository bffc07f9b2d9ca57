#include "engine/plan/left_out.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace assetc::engine {
namespace {

constexpr std::size_t kMaxNamed = 5;
constexpr std::array<std::string_view, 4> kVersionControl{".git", ".hg", ".svn", ".bzr"};

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool worth_a_word(const Tree::Note& note, std::span<const recipes::Recipe* const> recipes) {
  if (note.why != LeftOut::kTold) return true;
  const std::string_view name = name_of(note.path);
  if (note.directory) return std::ranges::find(kVersionControl, name) == kVersionControl.end();
  return !name.starts_with("._") && recipes::asset_of(recipes, note.path);
}

struct LeftOutKind {
  LeftOut why;
  bool directory;                   // only for kTold
  std::optional<WarningKind> kind;  // nullopt: a note
  ErrorCode code;
  std::string_view what, hint;
};
constexpr LeftOutKind kLeftOutKinds[] = {
    {LeftOut::kTold, false, WarningKind::kHiddenFile, ErrorCode::kUnsupported, "is hidden and ignored",
     "rename it without the dot, or list it under ignore:"},
    {LeftOut::kTold, true, std::nullopt, ErrorCode::kUnsupported, "is a hidden folder; its files are ignored",
     "rename it without the dot, or list it under ignore:"},
    {LeftOut::kNowhere, false, WarningKind::kBrokenLink, ErrorCode::kNotFound,
     "is a link whose target does not exist; it is ignored", "correct or remove it"},
    {LeftOut::kLoop, true, WarningKind::kLinkLoop, ErrorCode::kUnsupported,
     "is a link to a folder that contains it; it is not followed", "remove it, or list it under ignore:"},
    {LeftOut::kSpecial, false, WarningKind::kSpecialFile, ErrorCode::kUnsupported,
     "is a pipe, socket or device; it is ignored", "replace it with a file, or list it under ignore:"},
    {LeftOut::kOutside, false, WarningKind::kOutsideLink, ErrorCode::kUnsupported,
     "is a link to a path outside the input; it is ignored",
     "`links: follow` in assetc.yml follows it; or list it under ignore:"},
    {LeftOut::kFolder, true, WarningKind::kOtherOutput, ErrorCode::kUnsupported,
     "is the output of another build; it is ignored", "move it out of the input, or list it under ignore:"},
};

}  // namespace

std::vector<recipes::Diagnostic> left_out_of(const Tree& tree, std::span<const recipes::Recipe* const> recipes,
                                             const std::function<bool(std::string_view)>& is_ignored) {
  std::vector<recipes::Diagnostic> diagnostics;
  for (const LeftOutKind& kind : kLeftOutKinds) {
    std::vector<std::string_view> paths;
    for (const Tree::Note& note : tree.left_out()) {
      if (note.why == kind.why && (note.why != LeftOut::kTold || note.directory == kind.directory) &&
          worth_a_word(note, recipes) && !(is_ignored && is_ignored(note.path))) {
        paths.push_back(note.path);
      }
    }
    if (paths.empty()) continue;
    std::string what(kind.what);
    for (std::size_t i = 1; i < std::min(paths.size(), kMaxNamed); ++i)
      what.append(i > 1 ? ", " : paths.size() == 2 ? "; so is " : "; so are ").append(paths[i]);
    if (paths.size() > kMaxNamed) what += " and " + std::to_string(paths.size() - kMaxNamed) + " more";
    Error error{kind.code, std::string(paths.front()), {}, std::move(what), std::string(kind.hint)};
    diagnostics.push_back(kind.kind ? recipes::Diagnostic(*kind.kind, std::move(error))
                                    : recipes::Diagnostic(recipes::Severity::kNote, std::move(error)));
  }
  return diagnostics;
}

}  // namespace assetc::engine
