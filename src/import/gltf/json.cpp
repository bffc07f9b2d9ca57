#include "import/gltf/json.hpp"

#include <algorithm>
#include <cmath>

#include "base/plural.hpp"
#include "base/text_place.hpp"
#include "scene/scene.hpp"

namespace assetc::importer {
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
std::size_t Value::size() const { return node_->size(); }

Value Value::item(std::size_t i) const { return {&(*node_)[i], pointer_ + "/" + std::to_string(i)}; }

std::optional<Value> Value::find(std::string_view key) const {
  const Json* member = node_->find(key);
  if (member == nullptr) return std::nullopt;
  return Value(member, pointer_ + "/" + pointer_token(key));
}

void Value::for_each_member(const std::function<void(std::string_view, const Value&)>& visit) const {
  for (const auto& [name, value] : node_->members()) visit(name, Value(&value, pointer_ + "/" + pointer_token(name)));
}

std::string Value::found() const {
  if (node_->is_object()) return "found an object";
  if (node_->is_array()) return "found an array";
  std::string text = node_->text();
  if (text.size() > 40) text = text.substr(0, 37) + "...";
  return "found " + text;
}

Result<std::uint64_t> Value::as_uint() const {
  if (node_->is_unsigned()) return node_->as_uint();
  if (node_->is_double()) {
    const double d = node_->as_number();
    if (d >= 0 && d <= 9007199254740992.0 && d == std::floor(d)) return static_cast<std::uint64_t>(d);
  }
  return refuse(ErrorCode::kInvalidData, found() + ", expected an integer of 0 or more");
}

Result<float> Value::as_float() const {
  if (node_->is_number()) {
    const auto value = static_cast<float>(node_->as_number());
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
  return node_->as_string();
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
  if (value->node_->is_bool()) return value->node_->as_bool();
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
  try {
    // The parser has its own stack, so deep nesting only costs memory in proportion to the text.
    auto root = Json::parse(text, JsonOrder::kByName);
    if (!root && root.error().is_out_of_range)
      return fail(ErrorCode::kInvalidData, "not readable as JSON: " + root.error().reason.substr(0, 200));
    if (!root) {
      return fail_at(ErrorCode::kInvalidData, text_place(text, root.error().offset),
                     "not valid JSON: " + root.error().reason.substr(0, 200));
    }
    if (!root->is_object())
      return fail_at(ErrorCode::kInvalidData, "/", "the JSON root is not an object, expected a glTF document");
    return JsonDocument(std::move(*root));
  } catch (const std::exception& e) {  // no memory
    return fail(ErrorCode::kInvalidData,
                "not readable as JSON: " + std::string(std::string_view(e.what()).substr(0, 200)));
  }
}

}  // namespace assetc::importer
