#include "engine/meta/absent_parts.hpp"

#include "base/plural.hpp"
#include "formats/message.hpp"

namespace assetc::engine {

recipes::Diagnostic note_of_absent(const identity::Meta& meta) {
  constexpr std::size_t kNamed = 3;
  std::string names;
  std::size_t count = 0;
  for (const identity::SubAsset& part : meta.sub_assets) {
    if (!part.is_absent || ++count > kNamed) continue;
    names += (names.empty() ? "" : ", ") + part.type + " " + formats::quote(part.name);
  }
  if (count > kNamed) names += " and " + std::to_string(count - kNamed) + " more";
  return {recipes::Severity::kNote, Error{ErrorCode::kNotFound,
                                          meta.source_path,
                                          {},
                                          "lacks " + plural(count, "part") + " that its .meta lists: " + names +
                                              (count == 1 ? "; it keeps its UUID" : "; they keep their UUIDs"),
                                          "`assetc import --prune` removes what is meant to be gone"}};
}

}  // namespace assetc::engine
