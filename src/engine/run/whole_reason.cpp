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
    Words{WholeKind::kAsked, "asked", "the command says so"},
    Words{WholeKind::kNotKept, "not_kept", "the last build left nothing to go on from"},
    Words{WholeKind::kUnknownChanges, "unknown_changes", "it is not known what changed"},
    Words{WholeKind::kManyChanges, "many_changes", "too many files changed"},
    Words{WholeKind::kConfiguration, "configuration", "the configuration or the program is another"},
    Words{WholeKind::kInputMoved, "input_moved", "the input folder is another"},
    Words{WholeKind::kHeld, "held", "another build holds the output"},
    Words{WholeKind::kOtherBuild, "other_build", "another program has built"},
    Words{WholeKind::kCacheDamaged, "cache_damaged", "the cache is damaged"},
    Words{WholeKind::kFolder, "folder", "a folder came, went or is something else"},
    Words{WholeKind::kUnreadable, "unreadable", "it cannot be looked at"},
    Words{WholeKind::kLink, "link", "it is a link, or has other names"},
    Words{WholeKind::kOutput, "output", "it belongs to another output"},
    Words{WholeKind::kLeftOut, "left_out", "it is left out now, or was"},
    Words{WholeKind::kSidecar, "sidecar", "a .meta came or went"},
    Words{WholeKind::kRule, "rule", "a rule is for it, and it came or went"},
    Words{WholeKind::kInAsset, "in_asset", "it came or went in a folder that is one asset"},
    Words{WholeKind::kTaken, "taken", "other sources take it, and it came or went"},
    Words{WholeKind::kSameName, "same_name", "another source may have its name"},
    Words{WholeKind::kReferred, "referred", "other files say something of it, and it came or went"},
    Words{WholeKind::kUnrecorded, "unrecorded", "no record tells what it made"},
    Words{WholeKind::kOtherSteps, "other_steps", "it needs other steps now, or makes other files"},
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
