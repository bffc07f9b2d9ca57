#include "json/json.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/json_line.hpp"

namespace assetc {
namespace {

// Strings of megabytes, such as embedded buffers, take the library long, because it reads and copies a character at a
// time. So it gets a text in which long values without escapes are empty, and the reader puts them in place.
class WithoutLongStrings {
 public:
  explicit WithoutLongStrings(std::string_view text) : original_(text) {
    if (text.size() < kLong) return;
    std::size_t copied = 0;
    std::size_t tokens = 0;
    for (std::size_t open = text.find('"'); open != text.npos; ++tokens) {
      const std::size_t begin = open + 1;
      const std::size_t end = end_of_string(text, begin);
      if (end == text.npos) break;
      const std::string_view string = text.substr(begin, end - begin);
      if (string.size() >= kLong && !is_name(text, end) && std::ranges::all_of(string, is_plain)) {
        text_.append(text, copied, begin - copied);
        copied = end;
        cuts_.push_back({tokens, text_.size(), string});
      }
      open = text.find('"', end + 1);
    }
    if (!cuts_.empty()) text_.append(text, copied);
  }

  std::string_view text() const { return cuts_.empty() ? original_ : text_; }
  // The value of the next string, or nothing if it was not cut. Call it for every string and every name, in order.
  std::optional<std::string_view> next() {
    if (next_ == cuts_.size() || cuts_[next_].token != tokens_++) return std::nullopt;
    return cuts_[next_++].string;
  }
  // The offset in the original text.
  std::size_t original_offset(std::size_t offset) const {
    std::size_t original = offset;
    for (const Cut& cut : cuts_)
      if (cut.offset <= offset) original += cut.string.size();
    return original;
  }

 private:
  static constexpr std::size_t kLong = 1024;
  struct Cut {
    std::size_t token;   // how many strings are before it
    std::size_t offset;  // of the quotation mark behind it, in text_
    std::string_view string;
  };
  // Whether the string that ends there names a member.
  static bool is_name(std::string_view text, std::size_t end) {
    const std::size_t next = text.find_first_not_of(" \t\r\n", end + 1);
    return next != text.npos && text[next] == ':';
  }
  // JSON has these characters without escapes.
  static bool is_plain(char c) { return c >= ' ' && c <= '~' && c != '\\'; }
  // The offset of the quotation mark that ends a string.
  static std::size_t end_of_string(std::string_view text, std::size_t begin) {
    for (std::size_t end = begin;; ++end) {
      end = text.find('"', end);
      if (end == text.npos) return end;
      std::size_t slashes = 0;
      while (slashes < end - begin && text[end - 1 - slashes] == '\\') ++slashes;
      if (slashes % 2 == 0) return end;
    }
  }

  std::string_view original_;
  std::string text_;
  std::vector<Cut> cuts_;
  std::size_t tokens_ = 0, next_ = 0;
};

// What a missing member or item is.
const Json kNone(nullptr);

}  // namespace

// Makes a value of the library's events. The items and names of arrays and objects that are still open are on two
// stacks, so that each array and object is allocated once, with its final size.
class JsonReader {
 public:
  JsonReader(std::string_view text, JsonOrder order) : strings_(text), order_(order) {}

  std::expected<Json, JsonFault> read() {
    const std::string_view text = strings_.text();
    if (!nlohmann::json::sax_parse(text.begin(), text.end(), this)) return std::unexpected(std::move(fault_));
    return std::move(values_.back());
  }

  bool null() { return add(Json()); }
  bool boolean(bool value) { return add(Json(value)); }
  bool number_integer(std::int64_t value) {
    Json json(value);
    json.kind_ = Json::Kind::kInteger;
    return add(std::move(json));
  }
  bool number_unsigned(std::uint64_t value) { return add(Json(value)); }
  bool number_float(double value, const std::string&) { return add(Json(value)); }
  bool string(const std::string& value) {
    if (const auto cut = strings_.next()) return add(Json(*cut));
    return add(Json(std::string_view(value)));
  }
  bool binary(const std::vector<std::uint8_t>&) { return false; }  // JSON has none
  bool start_object(std::size_t) { return open(); }
  bool key(const std::string& name) {
    strings_.next();
    names_.push_back(name);
    return true;
  }
  bool end_object() {
    const std::size_t begin = close();
    const std::size_t count = values_.size() - begin, first_name = names_.size() - count;
    Json json = Json::object();
    Json::Object& members = *json.value_.object;
    members.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
      members.push_back({std::move(names_[first_name + i]), std::move(values_[begin + i])});
    names_.resize(first_name);
    values_.resize(begin);
    if (order_ == JsonOrder::kByName) {
      std::ranges::stable_sort(members, {}, &JsonMember::name);
      json.is_sorted_ = true;
    }
    keep_last(members);
    return add(std::move(json));
  }
  bool start_array(std::size_t) { return open(); }
  bool end_array() {
    const std::size_t begin = close();
    Json json = Json::array();
    json.value_.array->assign(std::make_move_iterator(values_.begin() + static_cast<std::ptrdiff_t>(begin)),
                              std::make_move_iterator(values_.end()));
    values_.resize(begin);
    return add(std::move(json));
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::parse_error& error) {
    // In "[json.exception.parse_error.101] parse error at line 1, column 2: ...", the reason follows the position.
    std::string_view reason = error.what();
    if (const auto colon = reason.find(": "); colon != reason.npos) reason.remove_prefix(colon + 2);
    fault_ = {strings_.original_offset(error.byte == 0 ? 0 : error.byte - 1), std::string(reason), false};
    return false;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) {
    fault_ = {0, error.what(), true};
    return false;
  }

 private:
  bool add(Json value) {
    values_.push_back(std::move(value));
    return true;
  }
  bool open() {
    open_.push_back(values_.size());
    return true;
  }
  // Where the items of the innermost array or object begin.
  std::size_t close() {
    const std::size_t begin = open_.back();
    open_.pop_back();
    return begin;
  }
  // Of members with equal names, the first gets the value of the last, and the others are removed.
  static void keep_last(Json::Object& members) {
    std::vector<const JsonMember*> by_name;
    by_name.reserve(members.size());
    for (const JsonMember& member : members) by_name.push_back(&member);
    const auto same = [](const JsonMember* a, const JsonMember* b) { return a->name == b->name; };
    std::ranges::sort(by_name, [](const JsonMember* a, const JsonMember* b) {
      return a->name != b->name ? a->name < b->name : a < b;
    });
    if (std::ranges::adjacent_find(by_name, same) == by_name.end()) return;
    std::vector<bool> is_removed(members.size());
    for (std::size_t i = 0; i < by_name.size();) {
      const auto first = static_cast<std::size_t>(by_name[i] - members.data());
      std::size_t last = first;
      for (++i; i < by_name.size() && by_name[i]->name == members[first].name; ++i) {
        last = static_cast<std::size_t>(by_name[i] - members.data());
        is_removed[last] = true;
      }
      if (last != first) members[first].value = std::move(members[last].value);
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (is_removed[i]) continue;
      if (kept != i) members[kept] = std::move(members[i]);
      ++kept;
    }
    members.resize(kept);
  }

  WithoutLongStrings strings_;
  JsonOrder order_;
  std::vector<Json> values_;
  std::vector<std::string> names_;
  std::vector<std::size_t> open_;
  JsonFault fault_;
};

Json::Json(std::string value) : kind_(Kind::kString) { value_.string = new std::string(std::move(value)); }
Json::Json(std::string_view value) : kind_(Kind::kString) { value_.string = new std::string(value); }
Json::Json(std::initializer_list<JsonInit> members) : Json(object()) {
  reserve(members.size());
  for (const JsonInit& member : members) add(std::string(member.name), std::move(member.value));
}

Json Json::array() {
  Json json;
  json.value_.array = new Array;
  json.kind_ = Kind::kArray;
  return json;
}
Json Json::array(std::initializer_list<Json> items) {
  Json json = array();
  json.value_.array->assign(items.begin(), items.end());
  return json;
}
Json Json::object() {
  Json json;
  json.value_.object = new Object;
  json.kind_ = Kind::kObject;
  return json;
}

void Json::copy(const Json& other) {
  if (is_string()) {
    value_.string = new std::string(*other.value_.string);
  } else if (is_array()) {
    value_.array = new Array(*other.value_.array);
  } else {
    value_.object = new Object(*other.value_.object);
  }
}

// Without recursion, because the text that a value was read from decides how deeply it is nested.
void Json::destroy() noexcept {
  if (is_string()) {
    delete value_.string;
    return;
  }
  std::vector<Json> left;
  const auto take_nested = [&](Json& json) {
    for (Json& item : json.items())
      if (item.is_structured()) left.push_back(std::move(item));
    for (JsonMember& member : json.members())
      if (member.value.is_structured()) left.push_back(std::move(member.value));
  };
  take_nested(*this);
  while (!left.empty()) {
    Json json = std::move(left.back());
    left.pop_back();
    take_nested(json);
  }
  if (is_array()) {
    delete value_.array;
  } else {
    delete value_.object;
  }
}

std::expected<Json, JsonFault> Json::parse(std::string_view text, JsonOrder order) {
  return JsonReader(text, order).read();
}

std::string_view Json::kind_name() const {
  switch (kind_) {
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return "boolean";
    case Kind::kString:
      return "string";
    case Kind::kArray:
      return "array";
    case Kind::kObject:
      return "object";
    default:
      return "number";
  }
}

double Json::as_number() const {
  if (kind_ == Kind::kInteger) return static_cast<double>(value_.integer);
  if (kind_ == Kind::kUnsigned) return static_cast<double>(value_.unsigned_integer);
  return value_.number;
}

std::uint64_t Json::as_uint() const {
  return is_double() ? static_cast<std::uint64_t>(value_.number) : value_.unsigned_integer;
}

std::size_t Json::size() const { return is_array() ? value_.array->size() : is_object() ? value_.object->size() : 0; }
std::span<const Json> Json::items() const {
  return is_array() ? std::span<const Json>(*value_.array) : std::span<const Json>();
}
std::span<Json> Json::items() { return is_array() ? std::span<Json>(*value_.array) : std::span<Json>(); }
std::span<const JsonMember> Json::members() const {
  return is_object() ? std::span<const JsonMember>(*value_.object) : std::span<const JsonMember>();
}
std::span<JsonMember> Json::members() {
  return is_object() ? std::span<JsonMember>(*value_.object) : std::span<JsonMember>();
}

const Json* Json::find(std::string_view name) const {
  constexpr std::size_t kFew = 16;
  const std::span<const JsonMember> all = members();
  if (is_sorted_ && all.size() > kFew) {
    const auto at = std::ranges::lower_bound(all, name, {}, &JsonMember::name);
    return at != all.end() && at->name == name ? &at->value : nullptr;
  }
  for (const JsonMember& member : all)
    if (member.name == name) return &member.value;
  return nullptr;
}

const Json& Json::operator[](std::string_view name) const {
  const Json* found = find(name);
  return found == nullptr ? kNone : *found;
}
const Json& Json::operator[](std::size_t i) const { return i < items().size() ? (*value_.array)[i] : kNone; }

Json& Json::operator[](std::string_view name) {
  if (Json* found = find(name)) return *found;
  add(std::string(name), Json());
  return value_.object->back().value;
}

Json& Json::operator[](std::size_t i) {
  while (items().size() <= i) push_back(Json());
  return (*value_.array)[i];
}

void Json::reserve(std::size_t size) {
  if (is_array()) value_.array->reserve(size);
  if (is_object()) value_.object->reserve(size);
}

void Json::push_back(Json item) {
  if (is_null()) *this = array();
  value_.array->push_back(std::move(item));
}

void Json::add(std::string name, Json value) {
  if (is_null()) *this = object();
  is_sorted_ = false;
  value_.object->push_back({std::move(name), std::move(value)});
}

void Json::update(const Json& other) {
  for (const JsonMember& member : other.members()) (*this)[member.name] = member.value;
}

bool Json::erase(std::string_view name) {
  return is_object() &&
         std::erase_if(*value_.object, [&](const JsonMember& member) { return member.name == name; }) != 0;
}

bool Json::equals(const Json& other) const {
  if (is_number() && other.is_number()) {
    if (is_double() || other.is_double()) return as_number() == other.as_number();
    const bool is_negative = kind_ == Kind::kInteger && value_.integer < 0;
    const bool is_other_negative = other.kind_ == Kind::kInteger && other.value_.integer < 0;
    return is_negative == is_other_negative && value_.unsigned_integer == other.value_.unsigned_integer;
  }
  if (kind_ != other.kind_) return false;
  switch (kind_) {
    case Kind::kBool:
      return value_.boolean == other.value_.boolean;
    case Kind::kString:
      return *value_.string == *other.value_.string;
    case Kind::kArray:
      return *value_.array == *other.value_.array;
    case Kind::kObject:
      return std::ranges::equal(*value_.object, *other.value_.object, [](const JsonMember& a, const JsonMember& b) {
        return a.name == b.name && a.value == b.value;
      });
    default:
      return true;
  }
}

std::string Json::text(const JsonStyle& style) const {
  std::string out;
  append(out, style, 0);
  return out;
}

void Json::append(std::string& out, const JsonStyle& style, std::size_t depth) const {
  const JsonEscape escape = style.is_ascii ? JsonEscape::kAscii : JsonEscape::kPlain;
  const auto begin_line = [&](std::size_t levels) {
    if (style.indent >= 0) out.append("\n").append(levels * static_cast<std::size_t>(style.indent), ' ');
  };
  const auto append_member = [&](const JsonMember& member, bool is_first) {
    if (!is_first) out += ',';
    begin_line(depth + 1);
    append_quoted(out, member.name, escape);
    out += style.indent >= 0 ? ": " : ":";
    member.value.append(out, style, depth + 1);
  };
  switch (kind_) {
    case Kind::kNull:
      out += "null";
      break;
    case Kind::kBool:
      out += value_.boolean ? "true" : "false";
      break;
    case Kind::kInteger:
      out += std::to_string(value_.integer);
      break;
    case Kind::kUnsigned:
      out += std::to_string(value_.unsigned_integer);
      break;
    case Kind::kDouble:
      if (std::isfinite(value_.number)) {
        char digits[64];
        out.append(digits, nlohmann::detail::to_chars(digits, digits + sizeof digits, value_.number));
      } else {
        out += "null";
      }
      break;
    case Kind::kString:
      append_quoted(out, *value_.string, escape);
      break;
    case Kind::kArray:
      out += '[';
      for (const Json& item : *value_.array) {
        if (&item != value_.array->data()) out += ',';
        begin_line(depth + 1);
        item.append(out, style, depth + 1);
      }
      if (!value_.array->empty()) begin_line(depth);
      out += ']';
      break;
    case Kind::kObject: {
      out += '{';
      const Object& all = *value_.object;
      if (!style.is_sorted || is_sorted_ || std::ranges::is_sorted(all, {}, &JsonMember::name)) {
        for (const JsonMember& member : all) append_member(member, &member == all.data());
      } else {
        std::vector<const JsonMember*> by_name;
        by_name.reserve(all.size());
        for (const JsonMember& member : all) by_name.push_back(&member);
        std::ranges::sort(by_name, {}, [](const JsonMember* member) -> const std::string& { return member->name; });
        for (const JsonMember* member : by_name) append_member(*member, member == by_name.front());
      }
      if (!all.empty()) begin_line(depth);
      out += '}';
      break;
    }
  }
}

}  // namespace assetc
