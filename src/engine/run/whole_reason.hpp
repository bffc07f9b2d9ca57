// Why a build that could go on from the last one looks at everything.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace assetc::engine {

enum class WholeKind : std::uint8_t {
  kAsked,           // as --no-cache, --verify, --dry-run and shares do
  kNotKept,         // the last build failed, or left what cannot be gone on from
  kUnknownChanges,  // nobody knows what changed
  kManyChanges,
  kConfiguration,  // it is another, or the program is
  kInputMoved,     // the input folder is another one, or none
  kHeld,           // another build holds the output
  kOtherBuild,     // another program has built since
  kCacheDamaged,
  kFolder,      // subject: a folder came, went, or is something else now
  kUnreadable,  // subject: a path of which the system says nothing
  kLink,        // subject: a link, or a file with other names
  kOutput,      // subject: a file of another output, in the input
  kLeftOut,     // subject: a path that builds name as left out, or did
  kSidecar,     // subject: a .meta came or went, or what one belongs to
  kRule,        // subject: a path that came or went, and that a rule matches
  kInAsset,     // subject: a path that came or went in a folder that is one asset
  kTaken,       // subject: a path that came or went, and that steps of other sources take
  kSameName,    // subject: a source that came, whose outputs another one's may be
  kReferred,    // subject: a source that went or came, of which others say something
  kUnrecorded,  // subject: a source that went, of which no record tells
  kOtherSteps,  // subject: a step that asks for other steps now, or makes other files
};

// A stable name for JSON: "many_changes".
std::string_view to_string(WholeKind kind);

struct WholeReason {
  WholeKind kind = WholeKind::kNotKept;
  std::string subject = {};
  // "a folder came, went or is something else: walls/old"
  std::string to_string() const;
  bool operator==(const WholeReason&) const = default;
};

}  // namespace assetc::engine
