#include "import/gltf_json.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/plural.hpp"
#include "base/text_place.hpp"
#include "scene/scene.hpp"

namespace assetc::importer {
namespace {

using Json = nlohmann::json;

// Embedded buffers and pictures are strings of megabytes, which the parser would read and copy a character at a time.
// So it gets a text in which long data URIs are empty strings, and the values are put in place as it comes to them.
class WithoutData {
 public:
  explicit WithoutData(std::string_view text) {
    std::size_t copied = 0;
    std::size_t tokens = 0;
    for (std::size_t open = text.find('"'); open != text.npos; ++tokens) {
      const std::size_t begin = open + 1;
      const std::size_t end = end_of_string(text, begin);
      if (end == text.npos) break;
      const std::string_view string = text.substr(begin, end - begin);
      if (string.size() >= kLong && string.starts_with("data:") && !is_name(text, end) &&
          std::ranges::all_of(string, is_plain)) {
        text_.append(text, copied, begin - copied);
        copied = end;
        cut_.push_back({tokens, text_.size(), string});
      }
      open = text.find('"', end + 1);
    }
    if (!cut_.empty()) text_.append(text, copied);
  }

  bool has_any() const { return !cut_.empty(); }
  // Throws as Json::parse does.
  Json parse() const {
    std::size_t tokens = 0;
    auto next = cut_.begin();
    return Json::parse(text_, [&](int, Json::parse_event_t event, Json& value) {
      if (event == Json::parse_event_t::key || (event == Json::parse_event_t::value && value.is_string())) {
        if (next != cut_.end() && next->token == tokens) value = (next++)->string;
        ++tokens;
      }
      return true;
    });
  }
  // The offset in the original text.
  std::size_t original_offset(std::size_t offset) const {
    std::size_t original = offset;
    for (const Cut& cut : cut_)
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

  std::string text_;
  std::vector<Cut> cut_;
};

}  // namespace

std::string pointer_token(std::string_view name) {
  std::string token;
  for (char c : name) {
    if (c == '~') {
      token += "~0";
    } else if (c == '/') {
      token += "~1";
    } else {
      token += c;
    }
  }
  return token;
}

bool Value::is_object() const { return node_->is_object(); }
bool Value::is_array() const { return node_->is_array(); }
std::size_t Value::size() const { return node_->is_structured() ? node_->size() : 0; }

Value Value::item(std::size_t i) const { return {&(*node_)[i], pointer_ + "/" + std::to_string(i)}; }

std::optional<Value> Value::find(std::string_view key) const {
  if (!node_->is_object()) return std::nullopt;
  const auto found_at = node_->find(key);
  if (found_at == node_->end()) return std::nullopt;
  return Value(&*found_at, pointer_ + "/" + pointer_token(key));
}

void Value::for_each_member(const std::function<void(std::string_view, const Value&)>& visit) const {
  if (!node_->is_object()) return;
  for (auto it = node_->begin(); it != node_->end(); ++it) {
    visit(it.key(), Value(&it.value(), pointer_ + "/" + pointer_token(it.key())));
  }
}

std::string Value::found() const {
  if (node_->is_object()) return "found an object";
  if (node_->is_array()) return "found an array";
  std::string text = node_->dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > 40) text = text.substr(0, 37) + "...";
  return "found " + text;
}

Result<std::uint64_t> Value::as_uint() const {
  if (node_->is_number_unsigned()) return node_->get<std::uint64_t>();
  if (node_->is_number_float()) {
    const double d = node_->get<double>();
    if (d >= 0 && d <= 9007199254740992.0 && d == std::floor(d)) return static_cast<std::uint64_t>(d);
  }
  return refuse(ErrorCode::kInvalidData, found() + ", expected an integer of 0 or more");
}

Result<float> Value::as_float() const {
  if (node_->is_number()) {
    const auto value = static_cast<float>(node_->get<double>());
    if (std::isfinite(value)) return value;
  }
  return refuse(ErrorCode::kInvalidData, found() + ", expected a number that a 32-bit float can hold");
}

Result<std::string> Value::as_string() const {
  if (const auto t = text()) return std::string(*t);
  return refuse(ErrorCode::kInvalidData, found() + ", expected a string");
}

std::optional<std::string_view> Value::text() const {
  if (!node_->is_string()) return std::nullopt;
  return std::string_view(node_->get_ref<const std::string&>());
}

Result<Value> Value::get(std::string_view key) const {
  if (auto value = find(key)) return *value;
  return refuse(ErrorCode::kInvalidData, "\"" + std::string(key) + "\" is missing, and it is required here");
}

Result<std::uint64_t> Value::get_uint(std::string_view key) const {
  ASSETC_TRY(const Value value, get(key));
  return value.as_uint();
}

Result<std::uint32_t> Value::as_index(std::size_t count, std::string_view of_what) const {
  ASSETC_TRY(const std::uint64_t index, as_uint());
  if (index < count && index < scene::kNone) return static_cast<std::uint32_t>(index);
  return refuse(ErrorCode::kInvalidData, "found " + std::to_string(index) + ", expected an index below " +
                                             std::to_string(count) + ", the number of " + std::string(of_what));
}

Result<std::uint32_t> Value::get_index(std::string_view key, std::size_t count, std::string_view of_what) const {
  ASSETC_TRY(const Value value, get(key));
  return value.as_index(count, of_what);
}

Result<std::uint32_t> Value::index_or_none(std::string_view key, std::size_t count, std::string_view of_what) const {
  const auto value = find(key);
  if (!value) return scene::kNone;
  return value->as_index(count, of_what);
}

Result<std::uint64_t> Value::uint_or(std::string_view key, std::uint64_t fallback) const {
  const auto value = find(key);
  if (!value) return fallback;
  return value->as_uint();
}

Result<float> Value::float_or(std::string_view key, float fallback) const {
  const auto value = find(key);
  if (!value) return fallback;
  return value->as_float();
}

Result<bool> Value::bool_or(std::string_view key, bool fallback) const {
  const auto value = find(key);
  if (!value) return fallback;
  if (value->node_->is_boolean()) return value->node_->get<bool>();
  return value->refuse(ErrorCode::kInvalidData, value->found() + ", expected true or false");
}

Result<std::string> Value::string_or(std::string_view key, std::string_view fallback) const {
  const auto value = find(key);
  if (!value) return std::string(fallback);
  return value->as_string();
}

Result<Value> Value::array_or_empty(std::string_view key) const {
  static const Json kEmpty = Json::array();
  const auto value = find(key);
  if (!value) return Value(&kEmpty, pointer_ + "/" + pointer_token(key));
  if (!value->is_array()) return value->refuse(ErrorCode::kInvalidData, value->found() + ", expected an array");
  return *value;
}

Result<bool> Value::floats(std::string_view key, std::span<float> out) const {
  const auto value = find(key);
  if (!value) return false;
  if (!value->is_array() || value->size() != out.size()) {
    return value->refuse(ErrorCode::kInvalidData,
                         (value->is_array() ? "found " + counted(value->size(), "item") : value->found()) +
                             ", expected an array of " + counted(out.size(), "number"));
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    ASSETC_TRY(out[i], value->item(i).as_float());
  }
  return true;
}

std::optional<Value> Value::extension(std::string_view name) const {
  const auto extensions = find("extensions");
  if (!extensions) return std::nullopt;
  auto value = extensions->find(name);
  if (!value || !value->is_object()) return std::nullopt;
  return value;
}

Result<JsonDocument> JsonDocument::parse(std::string_view text) {
  std::optional<WithoutData> without_data;
  try {
    without_data.emplace(text);
    // The parser has its own stack, so deep nesting only costs memory in proportion to the text.
    auto root =
        std::make_unique<Json>(without_data->has_any() ? without_data->parse() : Json::parse(text.begin(), text.end()));
    if (!root->is_object())
      return fail_at(ErrorCode::kInvalidData, "/", "the JSON root is not an object, expected a glTF document");
    return JsonDocument(std::move(root));
  } catch (const Json::parse_error& e) {
    // In "[json.exception.parse_error.101] parse error at line 1, column 2: ...", the reason follows the position.
    std::string_view what = e.what();
    if (const auto colon = what.find(": "); colon != what.npos) what.remove_prefix(colon + 2);
    const std::size_t offset = without_data->original_offset(e.byte == 0 ? 0 : e.byte - 1);
    return fail_at(ErrorCode::kInvalidData, text_place(text, offset),
                   "not valid JSON: " + std::string(what.substr(0, 200)));
  } catch (const std::exception& e) {  // a number out of range, or no memory
    return fail(ErrorCode::kInvalidData,
                "not readable as JSON: " + std::string(std::string_view(e.what()).substr(0, 200)));
  }
}

JsonDocument::JsonDocument(std::unique_ptr<nlohmann::json> root) : root_(std::move(root)) {}
JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;
JsonDocument::~JsonDocument() = default;
Value JsonDocument::root() const { return {root_.get(), {}}; }

}  // namespace assetc::importer
