#include "engine/meta/meta_notes.hpp"

#include "base/plural.hpp"
#include "engine/meta/in_root.hpp"
#include "formats/message.hpp"
#include "identity/members.hpp"

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

recipes::Diagnostic note_of(const identity::UnredirectedEdit& edit) {
  const bool is_uuid = edit.member == "Uuid";
  return {recipes::Severity::kNote,
          Error{ErrorCode::kConflict,
                edit.file,
                {},
                "the last import here saw the " + edit.member + " " + edit.from + ", now it is " + edit.to +
                    (edit.is_of_checkout ? "; version control wrote the file since, so nothing redirects the old one"
                                         : "; nothing redirects the old one yet"),
                edit.is_of_checkout ? std::string("if something still refers to it, add it to Redirects as ") +
                                          (is_uuid ? "OldUuid" : "OldVirtualPath with a new OldUuid")
                                    : "run `assetc import` by hand for a redirect"}};
}

recipes::Diagnostic note_of(const std::string& meta_path, const identity::UnknownMember& member) {
  Error error{ErrorCode::kUsage, meta_path, member.place, "is not a member that assetc reads; it stays as it is", {}};
  if (member.near.empty()) return {recipes::Severity::kNote, std::move(error)};
  error.hint = "did you mean \"" + member.near + "\"?";
  return {WarningKind::kUnknownSetting, std::move(error)};
}

Error with_line(Error error, const std::string& root, Disk& disk) {
  if (identity::owner_of_meta(error.file).empty() || !error.place.starts_with('/')) return error;
  if (const Result<Bytes> bytes = disk.read(in_root(root, error.file))) {
    const std::size_t line = identity::line_of(as_text(*bytes), error.place);
    if (line != 0) error.place = "line " + std::to_string(line) + ", " + error.place;
  }
  return error;
}

}  // namespace assetc::engine
