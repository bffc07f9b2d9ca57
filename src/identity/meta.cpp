#include "identity/meta.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <span>

#include "assetc/base/spelling.hpp"
#include "base/plural.hpp"
#include "base/text_file.hpp"
#include "base/text_place.hpp"
#include "identity/members.hpp"
#include "identity/stamp.hpp"
#include "identity/virtual_path.hpp"
#include "json/json.hpp"

namespace assetc::identity {
namespace {

constexpr std::size_t kMaxDepth = 64;

struct Reader {
  Error* error;
  bool refuse(std::string place, std::string what, std::string hint = {}) {
    *error = {ErrorCode::kInvalidData, {}, std::move(place), std::move(what), std::move(hint)};
    return false;
  }
  static std::string found(const Json& value) {
    std::string text = value.text({.is_ascii = true});
    if (text.size() > 40) text = text.substr(0, 37) + "...";
    return "found " + text;
  }
  bool text(const Json& value, const std::string& place, std::string& out) {
    if (!value.is_string()) return refuse(place, found(value) + ", expected a string");
    out = value.as_string();
    return true;
  }
  bool uuid(const Json& value, const std::string& place, Uuid& out) {
    std::string written;
    if (!text(value, place, written)) return false;
    const std::optional<Uuid> parsed = Uuid::parse(written);
    if (!parsed || parsed->is_nil()) {
      return refuse(place, found(value) + ", expected a UUID that is not all zero",
                    "restore it from version control: other files refer to the asset by this UUID");
    }
    out = *parsed;
    return true;
  }
  bool path(const Json& value, const std::string& place, std::string& out) {
    if (!text(value, place, out)) return false;
    const bool drive = out.size() >= 2 && out[1] == ':';
    const std::string bounded = "/" + out + "/";
    if (out.starts_with('/') || drive || out.find('\\') != std::string::npos ||
        bounded.find("/../") != std::string::npos) {
      return refuse(place, found(value) + ", expected a path relative to the root, with '/' and without ..",
                    "write the path from the root of the repository");
    }
    return true;
  }
  bool virtual_path(const Json& value, const std::string& place, std::string& out) {
    if (!text(value, place, out)) return false;
    if (Result<void> fine = check_virtual_path(out); !fine) return refuse(place, fine.error().what, fine.error().hint);
    return true;
  }
  template <class T, class One>
  bool list(const Json& value, const std::string& place, std::vector<T>& out, std::size_t most, One one) {
    if (!value.is_array()) return refuse(place, found(value) + ", expected an array");
    if (value.size() > most) {
      return refuse(place, "found " + counted(value.size(), "item") + ", expected at most " + std::to_string(most));
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (!one(value[i], place + "/" + std::to_string(i), out.emplace_back())) return false;
    }
    return true;
  }
  template <class One>
  bool member(const Json& object, const char* key, const std::string& place, bool required, One one) {
    const Json* at = object.find(key);
    if (at != nullptr) return one(*at, place + "/" + key);
    return !required || refuse(place.empty() ? "/" : place, std::string("found no \"") + key + "\"", "restore it");
  }
};

// A member that tools own: how to read, write and compare it.
struct Field {
  const char* key;
  bool required;
  bool (*read)(Reader&, const Json&, const std::string&, Meta&);
  Json (*write)(const Meta&);
  bool (*same)(const Meta&, const Meta&);
};

Json written(const std::vector<Redirect>& redirects) {
  Json array = Json::array();
  for (const Redirect& old : redirects) {
    Json object{{"OldUuid", old.uuid.to_string()}};
    if (!old.virtual_path.empty()) object["OldVirtualPath"] = old.virtual_path;
    array.push_back(std::move(object));
  }
  return array;
}
Json written(const SubAsset& sub) {
  Json object{
      {"Uuid", sub.uuid.to_string()}, {"Type", sub.type}, {"Name", sub.name}, {"VirtualPath", sub.virtual_path}};
  if (!sub.fingerprint.empty()) object["Fingerprint"] = sub.fingerprint;
  if (!sub.redirects.empty()) object["Redirects"] = written(sub.redirects);
  return object;
}
bool read_redirect(Reader& r, const Json& v, const std::string& p, Redirect& out) {
  if (!v.is_object()) return r.refuse(p, Reader::found(v) + ", expected an object");
  return r.member(v, "OldUuid", p, true, [&](const Json& x, const std::string& at) {
    return r.uuid(x, at, out.uuid);
  }) && r.member(v, "OldVirtualPath", p, false, [&](const Json& x, const std::string& at) {
    return r.virtual_path(x, at, out.virtual_path);
  });
}

bool read_redirects(Reader& r, const Json& v, const std::string& p, std::vector<Redirect>& out) {
  return r.list(v, p, out, kMaxSubAssets, [&](const Json& x, const std::string& at, Redirect& redirect) {
    return read_redirect(r, x, at, redirect);
  });
}
bool read_sub_asset(Reader& r, const Json& v, const std::string& p, SubAsset& out) {
  if (!v.is_object()) return r.refuse(p, Reader::found(v) + ", expected an object");
  return r.member(v, "Uuid", p, true, [&](const Json& x, const std::string& at) { return r.uuid(x, at, out.uuid); }) &&
         r.member(v, "Type", p, true, [&](const Json& x, const std::string& at) { return r.text(x, at, out.type); }) &&
         r.member(v, "Name", p, true, [&](const Json& x, const std::string& at) { return r.text(x, at, out.name); }) &&
         r.member(v, "VirtualPath", p, true,
                  [&](const Json& x, const std::string& at) { return r.virtual_path(x, at, out.virtual_path); }) &&
         r.member(v, "Fingerprint", p, false,
                  [&](const Json& x, const std::string& at) { return r.text(x, at, out.fingerprint); }) &&
         r.member(v, "Redirects", p, false,
                  [&](const Json& x, const std::string& at) { return read_redirects(r, x, at, out.redirects); });
}
template <auto kMember>
bool same(const Meta& a, const Meta& b) {
  return a.*kMember == b.*kMember;
}
template <auto kMember>
Json plain(const Meta& m) {
  return m.*kMember;
}
template <auto kMember>
bool text(Reader& r, const Json& v, const std::string& p, Meta& m) {
  return r.text(v, p, m.*kMember);
}
template <auto kMember>
bool paths(Reader& r, const Json& v, const std::string& p, Meta& m) {
  return r.list(v, p, m.*kMember, kMaxSubAssets,
                [&](const Json& x, const std::string& at, std::string& out) { return r.path(x, at, out); });
}
template <auto kMember>
bool texts(Reader& r, const Json& v, const std::string& p, Meta& m) {
  return r.list(v, p, m.*kMember, kMaxSubAssets,
                [&](const Json& x, const std::string& at, std::string& out) { return r.text(x, at, out); });
}

// In the documented order, in which a new file is written.
constexpr std::array kFields{
    Field{"Uuid", true, [](Reader& r, const Json& v, const std::string& p, Meta& m) { return r.uuid(v, p, m.uuid); },
          [](const Meta& m) { return Json(m.uuid.to_string()); }, same<&Meta::uuid>},
    Field{"Type", true, text<&Meta::type>, plain<&Meta::type>, same<&Meta::type>},
    Field{"VirtualPath", true,
          [](Reader& r, const Json& v, const std::string& p, Meta& m) { return r.virtual_path(v, p, m.virtual_path); },
          plain<&Meta::virtual_path>, same<&Meta::virtual_path>},
    Field{"SourcePath", false,
          [](Reader& r, const Json& v, const std::string& p, Meta& m) { return r.path(v, p, m.source_path); },
          plain<&Meta::source_path>, same<&Meta::source_path>},
    Field{"Importer", false, text<&Meta::importer>, plain<&Meta::importer>, same<&Meta::importer>},
    Field{"ImporterVersion", false,
          [](Reader& r, const Json& v, const std::string& p, Meta& m) {
            if (!v.is_unsigned() || v.as_uint() > 0xffffffffu) {
              return r.refuse(p, Reader::found(v) + ", expected an integer of 0 or more");
            }
            m.importer_version = static_cast<std::uint32_t>(v.as_uint());
            return true;
          },
          plain<&Meta::importer_version>, same<&Meta::importer_version>},
    Field{"SourceDependencies", false, paths<&Meta::source_dependencies>, plain<&Meta::source_dependencies>,
          same<&Meta::source_dependencies>},
    Field{"Dependencies", false, texts<&Meta::dependencies>, plain<&Meta::dependencies>, same<&Meta::dependencies>},
    Field{"SoftDependencies", false, texts<&Meta::soft_dependencies>, plain<&Meta::soft_dependencies>,
          same<&Meta::soft_dependencies>},
    Field{"SubAssets", false,
          [](Reader& r, const Json& v, const std::string& p, Meta& m) {
            return r.list(v, p, m.sub_assets, kMaxSubAssets, [&](const Json& x, const std::string& at, SubAsset& out) {
              return read_sub_asset(r, x, at, out);
            });
          },
          [](const Meta& m) {
            Json array = Json::array();
            for (const SubAsset& sub : m.sub_assets) array.push_back(written(sub));
            return array;
          },
          same<&Meta::sub_assets>},
    Field{"Redirects", false,
          [](Reader& r, const Json& v, const std::string& p, Meta& m) { return read_redirects(r, v, p, m.redirects); },
          [](const Meta& m) { return written(m.redirects); }, same<&Meta::redirects>},
    Field{"Tags", false, texts<&Meta::tags>, plain<&Meta::tags>, same<&Meta::tags>},
    Field{"License", false, text<&Meta::license>, plain<&Meta::license>, same<&Meta::license>},
};

// Reads a scalar, or an object of scalars.
bool read_import_settings(Reader& r, const Json& v, const std::string& p, const std::string& prefix,
                          std::vector<ImportSetting>& out) {
  if (!v.is_object()) return r.refuse(p, Reader::found(v) + ", expected an object");
  for (const auto& [key, value] : v.members()) {
    if (value.is_object() && prefix.empty()) {
      if (!read_import_settings(r, value, p + "/" + key, key + ".", out)) return false;
    } else if (value.is_string()) {
      out.push_back({prefix + key, value.as_string()});
    } else if (value.is_bool() || value.is_number()) {
      out.push_back({prefix + key, value.text()});
    } else {
      return r.refuse(p + "/" + key, Reader::found(value) + ", expected text, a number, true or false");
    }
  }
  return true;
}

// The reverse of reading: "texture.quality" becomes a member of a nested object.
Json settings_object(const std::vector<ImportSetting>& settings) {
  Json object = Json::object();
  for (const ImportSetting& setting : settings) {
    const std::size_t dot = setting.key.find('.');
    Json& value = dot == std::string::npos ? object[setting.key]
                                           : object[setting.key.substr(0, dot)][setting.key.substr(dot + 1)];
    value = Json::parse(setting.value).value_or(Json());
    if (!value.is_bool() && !value.is_number()) value = setting.value;
  }
  return object;
}

// Members that a new file omits while they are empty.
bool is_optional(std::string_view key) { return key == "SoftDependencies" || key == "SubAssets" || key == "Redirects"; }

constexpr int kIndent = 2;
// Formats a value of a member of the outermost object. Items of arrays are on separate lines, so that git can merge
// them.
std::string dumped(const Json& value) {
  std::string text = value.text({.indent = kIndent, .is_ascii = true});
  std::string indented;
  for (char c : text) {
    indented += c;
    if (c == '\n') indented.append(kIndent, ' ');
  }
  return indented;
}
std::string member_text(const Field& field, const Meta& meta) {
  return Json(field.key).text() + ": " + dumped(field.write(meta));
}

// Members of these kinds of objects; the fields of the outermost one are in kFields.
constexpr std::string_view kRedirectMembers[] = {"OldUuid", "OldVirtualPath"};
constexpr std::string_view kSubAssetMembers[] = {"Uuid", "Type", "Name", "VirtualPath", "Fingerprint", "Redirects"};

void find_unknown(const Json& object, std::span<const std::string_view> known, const std::string& place,
                  std::vector<UnknownMember>& out) {
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  for (const auto& [key, value] : object.members()) {
    if (std::ranges::find(known, key) == known.end())
      out.push_back({place + "/" + key, std::string(did_you_mean(key, candidates))});
  }
}

std::vector<UnknownMember> all_unknown(const Json& root) {
  std::vector<UnknownMember> unknown;
  std::vector<std::string_view> known{"ImportSettings", kCookKeyMember, kLastCookedMember};
  for (const Field& field : kFields) known.emplace_back(field.key);
  find_unknown(root, known, "", unknown);
  const auto redirects = [&](const Json& owner, const std::string& place) {
    const Json& list = owner["Redirects"];
    for (std::size_t i = 0; i < list.size(); ++i)
      find_unknown(list[i], kRedirectMembers, place + "/Redirects/" + std::to_string(i), unknown);
  };
  redirects(root, "");
  const Json& parts = root["SubAssets"];
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string place = "/SubAssets/" + std::to_string(i);
    find_unknown(parts[i], kSubAssetMembers, place, unknown);
    redirects(parts[i], place);
  }
  return unknown;
}

// Whether a value is in more arrays and objects than that.
bool is_deeper_than(const Json& root, std::size_t most) {
  std::vector<const Json*> level{&root}, next;
  for (std::size_t depth = 0; !level.empty(); ++depth) {
    if (depth > most) return true;
    next.clear();
    for (const Json* value : level) {
      for (const Json& item : value->items()) next.push_back(&item);
      for (const JsonMember& member : value->members()) next.push_back(&member.value);
    }
    std::swap(level, next);
  }
  return false;
}

}  // namespace

std::string_view owner_of_meta(std::string_view path) {
  for (const std::string_view suffix : {kMetaBesideSuffix, kMetaSuffix}) {
    if (path.ends_with(suffix)) return path.substr(0, path.size() - suffix.size());
  }
  return {};
}

bool is_unity_meta(std::string_view text) {
  if (text.starts_with(kUtf8Mark)) text.remove_prefix(kUtf8Mark.size());
  if (text.starts_with('{')) return false;
  bool has_version = false, has_guid = false;
  while (!text.empty() && !(has_version && has_guid)) {
    has_version |= text.starts_with("fileFormatVersion:");
    has_guid |= text.starts_with("guid:");
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  return has_version && has_guid;
}

Result<MetaFile> MetaFile::parse(std::string text) {
  if (text.size() > kMaxMetaBytes) {
    return fail(ErrorCode::kLimit,
                "has " + counted(text.size(), "byte") + ", expected at most " + std::to_string(kMaxMetaBytes),
                "it is not a .meta file, or holds data that belongs elsewhere");
  }
  if (is_unity_meta(text)) {
    return fail(ErrorCode::kUnsupported, "is a .meta of Unity, expected one of assetc",
                "name the file that ends in " + std::string(kMetaBesideSuffix) + " instead");
  }
  for (std::size_t at = 0; (at = text.find("<<<<<<<", at)) != std::string::npos; ++at) {
    if (at == 0 || text[at - 1] == '\n') {
      return fail_at(ErrorCode::kInvalidData, text_place(text, at), "found git's conflict markers",
                     "keep all of one side: the one whose UUID other files refer to");
    }
  }
  const auto parsed = Json::parse(text);
  if (!parsed && parsed.error().is_out_of_range)
    return fail(ErrorCode::kInvalidData, "holds a number that is out of range", "correct it; it was not changed");
  if (!parsed) {
    return fail_at(ErrorCode::kInvalidData, text_place(text, parsed.error().offset), "is not JSON here",
                   "correct it, or restore it from version control; it was not changed");
  }
  const Json& root = *parsed;
  if (is_deeper_than(root, kMaxDepth)) {
    return fail(ErrorCode::kLimit, "nests deeper than " + std::to_string(kMaxDepth) + " levels", "flatten it");
  }
  if (!root.is_object()) return fail_at(ErrorCode::kInvalidData, "line 1", "found no object, expected {", "restore it");

  std::vector<Member> members = members_of(text);
  std::sort(members.begin(), members.end(),
            [](const Member& a, const Member& b) { return a.key != b.key ? a.key < b.key : a.begin < b.begin; });
  const auto twice =
      std::adjacent_find(members.begin(), members.end(), [](auto& a, auto& b) { return a.key == b.key; });
  if (twice != members.end()) {
    return fail_at(ErrorCode::kInvalidData, text_place(text, std::next(twice)->begin),
                   "found \"" + twice->key + "\" a second time", "keep one of them");
  }

  MetaFile file;
  Error error;
  Reader reader{&error};
  for (const Field& field : kFields) {
    const bool fine = reader.member(
        root, field.key, "", field.required,
        [&](const Json& value, const std::string& place) { return field.read(reader, value, place, file.meta_); });
    if (!fine) return std::unexpected(std::move(error));
  }
  const bool settings =
      reader.member(root, "ImportSettings", "", false, [&](const Json& value, const std::string& place) {
        return read_import_settings(reader, value, place, {}, file.meta_.import_settings);
      });
  if (!settings) return std::unexpected(std::move(error));
  file.unknown_members_ = all_unknown(root);
  file.text_ = std::move(text);
  return file;
}

MetaFile MetaFile::create(const Meta& meta) {
  MetaFile file;
  file.meta_ = meta;
  file.text_ = "{";
  for (const Field& field : kFields) {
    if (is_optional(field.key) && field.same(meta, Meta{})) continue;
    file.text_ += file.text_.size() == 1 ? "\n  " : ",\n  ";
    file.text_ += member_text(field, meta);
    if (std::string_view(field.key) == "Dependencies")
      file.text_ += ",\n  \"ImportSettings\": " + dumped(settings_object(meta.import_settings));
  }
  file.text_ += "\n}\n";
  return file;
}

MetaFile MetaFile::with(const Meta& next) const {
  MetaFile file;
  file.meta_ = next;
  file.text_ = text_;
  // Edits run from the end to the start, so that earlier positions stay valid.
  for (std::size_t i = kFields.size(); i-- > 0;) {
    const Field& field = kFields[i];
    if (field.same(meta_, next)) continue;
    const std::vector<Member> members = members_of(file.text_);
    const auto find = [&](const char* key) {
      return std::find_if(members.begin(), members.end(), [&](const Member& m) { return m.key == key; });
    };
    if (const auto at = find(field.key); at != members.end()) {
      file.text_.replace(at->value_begin, at->value_end - at->value_begin,
                         with_line_ends_of(text_, dumped(field.write(next))));
      continue;
    }
    // There is always an earlier member, because "Uuid" is required.
    auto before = members.end();
    for (std::size_t k = i; k-- > 0 && before == members.end();) before = find(kFields[k].key);
    file.text_.insert(before->value_end, with_line_ends_of(text_, ",\n  " + member_text(field, next)));
  }
  return file;
}

}  // namespace assetc::identity
