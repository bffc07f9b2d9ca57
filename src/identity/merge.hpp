// Two .meta files that were changed apart, as one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"

namespace assetc::identity {

struct MergedMeta {
  std::string text;
  std::vector<std::string> conflicts;  // members that each side changed in another way; both are in the text, marked
};

// A three-way merge, member by member, into the text of `ours`. Lists are merged by item, objects by key; who changed a
// member goes before who removed it; what imports work out anew (SourcePath, SubAssets ...) is never a conflict. Two
// UUIDs are two assets: the conflict is the whole file.
// Lines end as the first line of ours does.
// base: what both were made of; empty, or no .meta, where there is none. Fails where ours or theirs is no .meta.
Result<MergedMeta> merge_metas(std::string_view base, const std::string& ours, const std::string& theirs);

}  // namespace assetc::identity
