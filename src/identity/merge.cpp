#include "identity/merge.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text_file.hpp"
#include "identity/members.hpp"
#include "identity/meta.hpp"
#include "identity/stamp.hpp"
#include "json/json.hpp"

namespace assetc::identity {
namespace {

// Members that the next import, or the next cook that stamps, computes again from the current state.
constexpr std::array kWorkedOut = std::to_array<std::string_view>(
    {"Type", "SourcePath", "Importer", "ImporterVersion", "SubAssets", "Redirects", kCookKeyMember, kLastCookedMember});

std::optional<Json> member(const Json& object, const std::string& key) {
  const Json* at = object.find(key);
  return at == nullptr ? std::nullopt : std::optional<Json>(*at);
}

class ValueMerge {
 public:
  // The merged value. If both sides changed a scalar differently, it is `ours` and has_conflict() is true.
  std::optional<Json> merge(const std::optional<Json>& base, const std::optional<Json>& ours,
                            const std::optional<Json>& theirs) {
    if (ours == theirs || theirs == base) return ours;
    if (ours == base) return theirs;
    if (!ours || !theirs) return ours ? ours : theirs;
    if (ours->is_array() && theirs->is_array())
      return list(base && base->is_array() ? *base : Json::array(), *ours, *theirs);
    if (ours->is_object() && theirs->is_object())
      return object(base && base->is_object() ? *base : Json::object(), *ours, *theirs);
    has_conflict_ = true;
    return ours;
  }
  bool has_conflict() const { return has_conflict_; }

 private:
  // Identifies an item of a list across changes: its UUID if it has one, else the whole item.
  static Json identity(const Json& item) {
    for (const char* key : {"Uuid", "OldUuid"}) {
      if (const Json* id = item.find(key)) return *id;
    }
    return item;
  }
  static std::optional<Json> find(const Json& list, const Json& id) {
    for (const Json& item : list.items()) {
      if (identity(item) == id) return item;
    }
    return std::nullopt;
  }

  // Keeps the order of `ours`. Items that only `theirs` added come last.
  Json list(const Json& base, const Json& ours, const Json& theirs) {
    Json merged = Json::array();
    for (const Json& item : ours.items()) {
      const Json id = identity(item);
      const std::optional<Json> old = find(base, id), other = find(theirs, id);
      if (old && !other) continue;
      merged.push_back(other ? *merge(old, item, other) : item);
    }
    for (const Json& item : theirs.items()) {
      const Json id = identity(item);
      if (!find(base, id) && !find(ours, id)) merged.push_back(item);
    }
    return merged;
  }

  Json object(const Json& base, const Json& ours, const Json& theirs) {
    Json merged = Json::object();
    const auto take = [&](const std::string& key) {
      if (merged.contains(key)) return;
      if (auto value = merge(member(base, key), member(ours, key), member(theirs, key)))
        merged.add(key, std::move(*value));
    };
    for (const auto& [key, value] : ours.members()) take(key);
    for (const auto& [key, value] : theirs.members()) take(key);
    return merged;
  }

  bool has_conflict_ = false;
};

class FileMerge {
 public:
  FileMerge(const std::string& ours, const std::string& theirs) : theirs_text_(theirs) { merged_.text = ours; }

  MergedMeta run(const Json& base, const Json& ours, const Json& theirs) {
    // Edits run from the end to the start, so that earlier positions stay valid.
    const std::vector<Member> members = members_of(merged_.text);
    std::vector<std::string> added;
    for (const auto& [key, value] : theirs.members()) {
      if (!ours.contains(key) && member(base, key) != member(theirs, key)) added.push_back(key);
    }
    std::string tail;
    for (const std::string& key : added) tail += ",\n  " + Json(key).text() + ": " + theirs_value(key);
    merged_.text.insert(members.back().value_end, tail);
    for (auto at = members.rbegin(); at != members.rend(); ++at) merge_member(*at, base, ours, theirs);
    std::ranges::reverse(merged_.conflicts);
    return std::move(merged_);
  }

 private:
  void merge_member(const Member& at, const Json& base, const Json& ours, const Json& theirs) {
    ValueMerge values;
    const std::optional<Json> mine = member(ours, at.key), yours = member(theirs, at.key);
    const std::optional<Json> next = values.merge(member(base, at.key), mine, yours);
    if (values.has_conflict() && std::ranges::find(kWorkedOut, at.key) == kWorkedOut.end()) return mark(at);
    if (!next) return remove(at);
    if (next == mine) return;
    const std::string text =
        next == yours ? theirs_value(at.key) : indented(next->text({.indent = 2, .is_ascii = true}));
    merged_.text.replace(at.value_begin, at.value_end - at.value_begin, text);
  }

  static std::string indented(const std::string& text) {
    std::string result;
    for (const char c : text) {
      result += c;
      if (c == '\n') result += "  ";
    }
    return result;
  }

  std::string theirs_value(const std::string& key) const {
    for (const Member& member : members_of(theirs_text_)) {
      if (member.key == key) return theirs_text_.substr(member.value_begin, member.value_end - member.value_begin);
    }
    return {};
  }

  // The position of the comma after a member, or npos.
  std::size_t comma_behind(const Member& at) const {
    const std::size_t next = merged_.text.find_first_not_of(" \t\r\n", at.value_end);
    return merged_.text[next] == ',' ? next : std::string::npos;
  }

  void mark(const Member& at) {
    const std::size_t comma = comma_behind(at);
    const std::size_t end = comma == std::string::npos ? at.value_end : comma + 1;
    const std::string tail = comma == std::string::npos ? "\n" : ",\n";
    const std::string name = "  " + Json(at.key).text() + ": ";
    const std::string mine = merged_.text.substr(at.value_begin, at.value_end - at.value_begin);
    // Git also writes conflict markers on separate lines.
    std::size_t begin = at.begin;
    while (merged_.text[begin - 1] == ' ' || merged_.text[begin - 1] == '\t') --begin;
    std::string text = merged_.text[begin - 1] == '\n' ? "" : "\n";
    text += "<<<<<<< ours\n" + name + mine + tail + "=======\n" + name + theirs_value(at.key) + tail + ">>>>>>> theirs";
    if (merged_.text[end] != '\n') text += '\n';
    merged_.text.replace(begin, end - begin, text);
    merged_.conflicts.push_back(at.key);
  }

  void remove(const Member& at) {
    const std::size_t comma = comma_behind(at);
    if (comma != std::string::npos) {
      const std::size_t next = merged_.text.find_first_not_of(" \t\r\n", comma + 1);
      merged_.text.erase(at.begin, next - at.begin);
      return;
    }
    // The last member is removed together with the comma before it.
    const std::size_t before = merged_.text.rfind(',', at.begin);
    if (before != std::string::npos) merged_.text.erase(before, at.value_end - before);
  }

  MergedMeta merged_;
  const std::string& theirs_text_;
};

// Converts line ends to "\n". This changes no value, because a JSON value never contains a line end.
std::string with_plain_line_ends(std::string_view text) {
  std::string plain(text);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (plain[i] == '\r' && i + 1 < plain.size() && plain[i + 1] == '\n') continue;
    plain[kept++] = plain[i];
  }
  plain.resize(kept);
  return plain;
}

Result<MergedMeta> merge_plain(std::string_view base, const std::string& ours, const std::string& theirs) {
  ASSETC_TRY(const MetaFile our_file, MetaFile::parse(ours));
  ASSETC_TRY(const MetaFile their_file, MetaFile::parse(theirs));
  if (our_file.meta().uuid != their_file.meta().uuid) {
    const auto whole = [](const std::string& text) { return text.ends_with('\n') ? text : text + '\n'; };
    return MergedMeta{"<<<<<<< ours\n" + whole(ours) + "=======\n" + whole(theirs) + ">>>>>>> theirs\n", {"Uuid"}};
  }
  const auto base_file = MetaFile::parse(std::string(base));
  MergedMeta merged =
      FileMerge(ours, theirs)
          .run(base_file ? *Json::parse(base) : Json::object(), *Json::parse(ours), *Json::parse(theirs));
  if (merged.conflicts.empty()) ASSETC_CHECK(MetaFile::parse(merged.text));
  return merged;
}

}  // namespace

Result<MergedMeta> merge_metas(std::string_view base, const std::string& ours, const std::string& theirs) {
  const auto plain = [](std::string_view text) { return with_plain_line_ends(without_mark(text)); };
  ASSETC_TRY(MergedMeta merged, merge_plain(plain(base), plain(ours), plain(theirs)));
  merged.text = with_line_ends_of(ours, std::move(merged.text));
  if (ours.starts_with(kUtf8Mark)) merged.text.insert(0, kUtf8Mark);
  return merged;
}

}  // namespace assetc::identity
