// Three-way merge of two .meta files that were changed independently.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"

namespace assetc::identity {

struct MergedMeta {
  std::string text;
  std::vector<std::string> conflicts;  // members that both sides changed differently; the text holds both, marked
};

// A three-way merge, member by member, into the text of `ours`.
//
// - Lists are merged by item, objects by key.
// - If one side changed a member and the other removed it, the change wins.
// - Members that every import computes again (SourcePath, SubAssets ...) never conflict.
// - If the UUIDs differ, the files describe two assets, and the whole file is one conflict.
// - Lines end as the first line of `ours` does.
//
// base: the common ancestor. It may be empty or no .meta, if there is none. Fails if `ours` or `theirs` is no .meta.
Result<MergedMeta> merge_metas(std::string_view base, const std::string& ours, const std::string& theirs);

}  // namespace assetc::identity
