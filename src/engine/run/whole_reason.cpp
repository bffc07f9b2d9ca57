#include "engine/run/whole_reason.hpp"

#include <array>
#include <utility>

namespace assetc::engine {
namespace {

struct Words {
  WholeKind kind;
  std::string_view name, text;
};
constexpr std::array kWords{
    Words{WholeKind::kAsked, "asked", "the command asks for it"},
    Words{WholeKind::kNotKept, "not_kept", "the last build left no state to continue from"},
    Words{WholeKind::kUnknownChanges, "unknown_changes", "the changed files are not known"},
    Words{WholeKind::kManyChanges, "many_changes", "too many files changed"},
    Words{WholeKind::kConfiguration, "configuration", "the configuration or the program changed"},
    Words{WholeKind::kInputMoved, "input_moved", "the input folder was replaced or is missing"},
    Words{WholeKind::kHeld, "held", "another build has locked the output"},
    Words{WholeKind::kOtherBuild, "other_build", "another program has built this output"},
    Words{WholeKind::kCacheDamaged, "cache_damaged", "the cache is damaged"},
    Words{WholeKind::kFolder, "folder", "a folder was added, removed or replaced"},
    Words{WholeKind::kUnreadable, "unreadable", "its status cannot be read"},
    Words{WholeKind::kLink, "link", "it is a link, or has several hard links"},
    Words{WholeKind::kOutput, "output", "it belongs to another output"},
    Words{WholeKind::kLeftOut, "left_out", "it is left out now, or was left out before"},
    Words{WholeKind::kSidecar, "sidecar", "a .meta was added or removed, or a file of the engine in from: changed"},
    Words{WholeKind::kRule, "rule", "it was added or removed, and a rule matches it"},
    Words{WholeKind::kInAsset, "in_asset", "it was added or removed in a folder that is one asset"},
    Words{WholeKind::kTaken, "taken", "it was added or removed, and other sources use it"},
    Words{WholeKind::kSameName, "same_name", "another source may have the same name"},
    Words{WholeKind::kReferred, "referred", "it was added or removed, and the index or other files may depend on it"},
    Words{WholeKind::kUnrecorded, "unrecorded", "no record lists its outputs"},
    Words{WholeKind::kFailed, "failed", "it failed, and the index is written without it"},
    Words{WholeKind::kOtherSteps, "other_steps", "it now needs other steps, or writes other files"},
};
static_assert(kWords.size() == static_cast<std::size_t>(WholeKind::kOtherSteps) + 1);

const Words& words_of(WholeKind kind) { return kWords[static_cast<std::size_t>(kind)]; }

}  // namespace

std::string_view to_string(WholeKind kind) { return words_of(kind).name; }

std::string WholeReason::to_string() const {
  std::string text(words_of(kind).text);
  return subject.empty() ? text : text + ": " + subject;
}

}  // namespace assetc::engine
