// A JSON value that is read, built, changed and written.
//
// json.cpp is the only file that includes the JSON library, because compiling that library takes seconds for each file
// that includes it. Members of an object keep the order in which they were written or added.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace assetc {

struct JsonInit;
struct JsonMember;

// Why a text is not JSON.
struct JsonFault {
  std::size_t offset = 0;        // of the byte at which reading stopped
  std::string reason;            // the library's words
  bool is_out_of_range = false;  // a number is too large; offset is 0
};

enum class JsonOrder : std::uint8_t {
  kAsWritten,
  kByName,  // in byte order of the names, which makes find() fast in objects of many members
};

struct JsonStyle {
  int indent = -1;         // spaces for each level; negative: the whole text is one line without spaces
  bool is_ascii = false;   // other characters are written as \u and four digits
  bool is_sorted = false;  // members in byte order of their names
};

class Json {
 public:
  // kInteger: below 0, or written with a minus sign. kUnsigned: any other integer. Integers that neither 64-bit type
  // holds are kDouble.
  enum class Kind : std::uint8_t { kNull, kBool, kInteger, kUnsigned, kDouble, kString, kArray, kObject };

  Json() = default;
  Json(std::nullptr_t) {}
  template <std::same_as<bool> T>
  Json(T value) : kind_(Kind::kBool) {
    value_.boolean = value;
  }
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Json(T value) : kind_(std::cmp_less(value, 0) ? Kind::kInteger : Kind::kUnsigned) {
    value_.unsigned_integer = static_cast<std::uint64_t>(value);
  }
  Json(double value) : kind_(Kind::kDouble) { value_.number = value; }
  Json(std::string value);
  Json(std::string_view value);
  Json(const char* value) : Json(std::string_view(value)) {}
  // An object: {{"name", "wall"}, {"width", 16}}. The names must differ. An array is Json::array({1, 2}).
  Json(std::initializer_list<JsonInit> members);
  // An array of the items of a container.
  template <class Items>
    requires requires(const Items& items) {
      typename Items::value_type;
      items.begin();
      items.size();
    } && (!std::convertible_to<const Items&, std::string_view>)
  Json(const Items& items) : Json(array()) {
    reserve(items.size());
    for (const auto& item : items) push_back(Json(item));
  }
  Json(const Json& other) : kind_(other.kind_), is_sorted_(other.is_sorted_), value_(other.value_) {
    if (kind_ >= Kind::kString) copy(other);
  }
  Json(Json&& other) noexcept : kind_(other.kind_), is_sorted_(other.is_sorted_), value_(other.value_) {
    other.kind_ = Kind::kNull;
  }
  Json& operator=(const Json& other) { return *this = Json(other); }
  Json& operator=(Json&& other) noexcept {
    Json taken(std::move(other));  // which may be a part of this value
    std::swap(kind_, taken.kind_);
    std::swap(is_sorted_, taken.is_sorted_);
    std::swap(value_, taken.value_);
    return *this;
  }
  ~Json() {
    if (kind_ >= Kind::kString) destroy();
  }

  static Json array();
  static Json array(std::initializer_list<Json> items);
  static Json object();

  // Of equal names in an object, the last value counts. A byte order mark before the text is skipped. Nesting is not
  // limited here.
  static std::expected<Json, JsonFault> parse(std::string_view text, JsonOrder order = JsonOrder::kAsWritten);
  // Bytes of strings that are not UTF-8 become U+FFFD, numbers that are not finite become null. Recursive: requires
  // that the value is not nested deeply.
  std::string text(const JsonStyle& style = {}) const;

  Kind kind() const { return kind_; }
  std::string_view kind_name() const;  // "null", "boolean", "number", "string", "array", "object"
  bool is_null() const { return kind_ == Kind::kNull; }
  bool is_bool() const { return kind_ == Kind::kBool; }
  bool is_integer() const { return kind_ == Kind::kInteger || kind_ == Kind::kUnsigned; }
  bool is_unsigned() const { return kind_ == Kind::kUnsigned; }
  bool is_double() const { return kind_ == Kind::kDouble; }
  bool is_number() const { return is_integer() || is_double(); }
  bool is_string() const { return kind_ == Kind::kString; }
  bool is_array() const { return kind_ == Kind::kArray; }
  bool is_object() const { return kind_ == Kind::kObject; }
  bool is_structured() const { return is_array() || is_object(); }

  // Each requires the kind in its name; as_number() and as_uint() require any number, and as_uint() one that fits.
  bool as_bool() const { return value_.boolean; }
  double as_number() const;
  std::uint64_t as_uint() const;
  const std::string& as_string() const { return *value_.string; }

  // Of items or members; 0 for other kinds.
  std::size_t size() const;
  bool empty() const { return size() == 0; }
  // Empty for other kinds. Adding to the value invalidates them, as it does pointers and references to its parts.
  std::span<const Json> items() const;
  std::span<Json> items();
  std::span<const JsonMember> members() const;
  std::span<JsonMember> members();

  // The member of that name; null if this is no object or has none.
  const Json* find(std::string_view name) const;
  Json* find(std::string_view name) { return const_cast<Json*>(std::as_const(*this).find(name)); }
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  // The member of that name. Without const, it is added if it is missing, and null becomes an object.
  const Json& operator[](std::string_view name) const;
  Json& operator[](std::string_view name);
  // An item of an array; null if there is none. Without const, null becomes an array, and nulls are added up to the
  // item.
  const Json& operator[](std::size_t i) const;
  Json& operator[](std::size_t i);
  Json& back() { return value_.array->back(); }

  void reserve(std::size_t size);
  // Null becomes an array.
  void push_back(Json item);
  // Adds a member whose name no member has. Null becomes an object.
  void add(std::string name, Json value);
  // Sets every member of another object.
  void update(const Json& other);
  // Returns whether there was such a member.
  bool erase(std::string_view name);

  // Numbers are equal if their values are. Objects are equal if they have equal members in the same order.
  friend bool operator==(const Json& a, const Json& b) { return a.equals(b); }

 private:
  friend class JsonReader;  // json.cpp
  using Array = std::vector<Json>;
  using Object = std::vector<JsonMember>;
  union Value {
    bool boolean;
    std::int64_t integer;
    std::uint64_t unsigned_integer = 0;
    double number;
    std::string* string;
    Array* array;
    Object* object;
  };

  void copy(const Json& other);
  void destroy() noexcept;
  bool equals(const Json& other) const;
  void append(std::string& out, const JsonStyle& style, std::size_t depth) const;

  Kind kind_ = Kind::kNull;
  bool is_sorted_ = false;  // the members are in byte order of their names
  Value value_;
};

struct JsonMember {
  std::string name;
  Json value;
};

// A member in the list that an object is made of. Making the object moves the value out of it.
struct JsonInit {
  std::string_view name;
  mutable Json value;
};

}  // namespace assetc
