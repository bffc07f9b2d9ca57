// assetc merge-meta: a merge driver for Git. Git expects the result in the file of our side, and a nonzero exit code if
// a conflict is left.
#include "base/json_line.hpp"
#include "cli/commands/commands.hpp"
#include "identity/merge.hpp"

namespace assetc::cli {

int run_merge_meta(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const MergeMetaArguments& of = arguments.merge_meta;
  const auto read = [&](const std::string& path) -> Result<std::string> {
    ASSETC_TRY(const Bytes bytes, disk.read(path));
    return std::string(as_text(bytes));
  };
  const auto base = read(of.base), ours = read(of.ours), theirs = read(of.theirs);
  for (const auto* text : {&base, &ours, &theirs}) {
    if (!*text) return stop(arguments, console, text->error());
  }
  const std::string& name = of.name.empty() ? of.ours : of.name;
  const auto merged = identity::merge_metas(*base, *ours, *theirs);
  if (!merged) return stop(arguments, console, Error(merged.error()).in(name));
  if (const auto written = disk.replace(of.ours, as_bytes(*ours), as_bytes(merged->text)); !written)
    return stop(arguments, console, written.error());
  for (const std::string& member : merged->conflicts) {
    say(arguments, console,
        {recipes::Severity::kError,
         Error{ErrorCode::kConflict, name, "/" + member, "was changed on both sides; the file contains both versions",
               member == "Uuid" ? "keep one complete side" : "keep one of the two"}});
  }
  return merged->conflicts.empty() ? kExitOk : kExitProblems;
}

}  // namespace assetc::cli
