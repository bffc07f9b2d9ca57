// Why a build looks at everything, although it could have continued from the last one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace assetc::engine {

enum class WholeKind : std::uint8_t {
  kAsked,           // requested, as by --no-cache, --verify, --dry-run and shards
  kNotKept,         // the last build failed, or left no state to continue from
  kUnknownChanges,  // the changed paths are not known
  kManyChanges,
  kConfiguration,  // the configuration or the program changed
  kInputMoved,     // the input folder was replaced or is missing
  kHeld,           // another build holds the lock of the output
  kOtherBuild,     // another program has built since
  kCacheDamaged,
  kFolder,      // subject: a folder that was added, removed or replaced
  kUnreadable,  // subject: a path whose status cannot be read
  kLink,        // subject: a link, or a file with several hard links
  kOutput,      // subject: a file of another output, in the input
  kLeftOut,     // subject: a path that builds report as left out, or reported before
  kSidecar,     // subject: a .meta that was added or removed, the file that one belongs to, or a file of `from:`
  kRule,        // subject: a path that was added or removed and that a rule matches
  kInAsset,     // subject: a path that was added or removed in a folder that is one asset
  kTaken,       // subject: a path that was added or removed and that steps of other sources take
  kSameName,    // subject: a new source whose outputs may be those of another source
  kReferred,    // subject: a source that was added or removed, and that refers to others or is referred to
  kUnrecorded,  // subject: a removed source that has no record
  kFailed,      // subject: a source that failed; with --keep-going, a build then writes an index without it
  kOtherSteps,  // subject: a step that now asks for other steps or writes other files
};

// A stable name for JSON: "many_changes".
std::string_view to_string(WholeKind kind);

struct WholeReason {
  WholeKind kind = WholeKind::kNotKept;
  std::string subject = {};
  // "a folder was added, removed or replaced: walls/old"
  std::string to_string() const;
  bool operator==(const WholeReason&) const = default;
};

}  // namespace assetc::engine
