// A JSON value with its position, so that every error about it has a JSON pointer (RFC 6901).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "json/json.hpp"

namespace assetc::importer {

// A view into a JsonDocument, which must outlive it. Cheap to copy except for the text of its pointer.
class Value {
 public:
  Value(const Json* node, std::string pointer) : node_(node), pointer_(std::move(pointer)) {}

  const std::string& pointer() const { return pointer_; }
  // For messages that must name a place: "/" for the whole document, whose pointer is "".
  std::string place() const { return pointer_.empty() ? "/" : pointer_; }
  std::unexpected<Error> refuse(ErrorCode code, std::string what, std::string_view hint = {}) const {
    return fail_at(code, place(), std::move(what), hint);
  }

  bool is_object() const;
  bool is_array() const;
  // Number of items of an array or members of an object, else 0.
  std::size_t size() const;
  // Requires an array and i < size().
  Value item(std::size_t i) const;
  // The member of that name. Nothing if this is not an object or the member is absent.
  std::optional<Value> find(std::string_view key) const;
  // Every member of an object, in byte order of their names.
  void for_each_member(const std::function<void(std::string_view, const Value&)>& visit) const;

  Result<std::uint64_t> as_uint() const;  // an integer >= 0; "3.0" is one
  Result<float> as_float() const;         // finite as float32
  Result<std::string> as_string() const;
  // The text of a string without a copy, or nothing if this is no string. Valid as long as the document.
  std::optional<std::string_view> text() const;

  // Required members.
  Result<Value> get(std::string_view key) const;
  Result<std::uint64_t> get_uint(std::string_view key) const;
  Result<std::uint32_t> get_index(std::string_view key, std::size_t count, std::string_view of_what) const;

  // Optional members. A wrong type is an error and never gives the fallback.
  Result<std::uint64_t> uint_or(std::string_view key, std::uint64_t fallback) const;
  Result<float> float_or(std::string_view key, float fallback) const;
  Result<bool> bool_or(std::string_view key, bool fallback) const;
  Result<std::string> string_or(std::string_view key, std::string_view fallback) const;
  // An index below count, or kNone (0xFFFFFFFF) if absent.
  Result<std::uint32_t> index_or_none(std::string_view key, std::size_t count, std::string_view of_what) const;
  // An array, empty if absent.
  Result<Value> array_or_empty(std::string_view key) const;
  // Reads an array of exactly out.size() numbers. If absent, returns false and leaves out unchanged.
  Result<bool> floats(std::string_view key, std::span<float> out) const;
  // extensions[name], if it is an object.
  std::optional<Value> extension(std::string_view name) const;

  const Json& node() const { return *node_; }

 private:
  Result<std::uint32_t> as_index(std::size_t count, std::string_view of_what) const;
  std::string found() const;

  const Json* node_;
  std::string pointer_;
};

class JsonDocument {
 public:
  // kInvalidData with "line N, column M" if the text is not JSON or its root is not an object.
  static Result<JsonDocument> parse(std::string_view text);
  Value root() const { return {root_.get(), {}}; }

 private:
  explicit JsonDocument(Json root) : root_(std::make_unique<Json>(std::move(root))) {}
  std::unique_ptr<Json> root_;  // stays in place when the document moves
};

// Escapes '~' and '/' in a member name, for use in a JSON pointer.
std::string pointer_token(std::string_view name);

}  // namespace assetc::importer
