#include "engine/target/output_tree.hpp"

#include <algorithm>

#include "engine/disk/inside.hpp"
#include "engine/disk/own_files.hpp"
#include "formats/text.hpp"

namespace assetc::engine {

Disk::Skip output_skip(const Profile& profile, const Target& target, Disk& disk) {
  return [nested = paths_inside(disk, profile.output, profile.other_outputs), bundle = target.bundle_suffix](
             std::string_view path, bool directory) {
    if (marks_other_output(path)) return Visit::kLeaveOutFolder;
    const std::string_view name = path.substr(path.rfind('/') + 1);
    const bool skipped = name.starts_with('.') ? !name.starts_with(kTemporaryPrefix)
                         : directory           ? std::ranges::find(nested, path) != nested.end()
                                               : !bundle.empty() && name.ends_with(bundle);
    return skipped ? Visit::kLeaveOut : Visit::kTake;
  };
}

Result<void> check_output_path(const Target& target, std::string_view path) {
  const auto refuse = [&](std::string_view why, std::string_view hint = "rename its source") {
    return fail(ErrorCode::kInvalidData,
                "the output path \"" + std::string(path) + "\" is not allowed: " + std::string(why), std::string(hint));
  };
  if (is_index(target, path)) return refuse("the index has this path");
  // Refuse names that packs or some file systems do not support, so that a name fails on all machines or on none.
  if (const std::string_view fault = formats::path_fault(path); !fault.empty())
    return refuse(fault, "rename the source: packs and other systems do not support such names");
  for (std::string_view rest = path;;) {
    const std::size_t slash = rest.find('/');
    if (rest.starts_with('.')) return refuse("a part of it starts with a dot");
    if (slash == std::string_view::npos) return {};
    rest.remove_prefix(slash + 1);
  }
}

}  // namespace assetc::engine
