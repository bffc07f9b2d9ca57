// Errors are values: Result<T> is T or an Error that says where, what was found, what was expected
// and what to do about it.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace assetc {

enum class ErrorCode : std::uint8_t {
  kInvalidData,  // the bytes break a rule of their format
  kTruncated,    // the bytes end before the format says they may
  kVersion,      // a version this program does not read
  kUnsupported,  // well-formed, but asks for something we do not do
  kLimit,        // larger than a named limit
  kNotFound,     // a file, entry or reference that is not there
  kIo,           // the operating system refused
  kConflict,     // two things that cannot both hold (two sources, one output)
  kUsage,        // command line or configuration
  kCanceled,
};

// A stable name for JSON output and tests, e.g. "invalid_data".
std::string_view to_string(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::kInvalidData;
  std::string file;   // as the user knows it; empty until the caller that knows it adds it
  std::string place;  // inside the file: "line 12", "byte 48", "/meshes/3/primitives/0"; may be empty
  std::string what;   // what was found, and what was expected
  std::string hint;   // what to do; may be empty

  // "chair.gltf: /accessors/3: found X, expected Y; do Z"
  std::string to_string() const;

  // The same error, in a file. A file already named is kept: the innermost place is the truest.
  Error in(std::string_view file_name) &&;
  Error at(std::string_view place_name) &&;
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(ErrorCode code, std::string what, std::string hint = {}) {
  return std::unexpected(Error{code, {}, {}, std::move(what), std::move(hint)});
}
inline std::unexpected<Error> fail_at(ErrorCode code, std::string place, std::string what, std::string hint = {}) {
  return std::unexpected(Error{code, {}, std::move(place), std::move(what), std::move(hint)});
}
// "byte 48": the place of a fault in a binary file.
std::string byte_place(std::uint64_t offset);

}  // namespace assetc

#define ASSETC_CONCAT_(a, b) a##b
#define ASSETC_CONCAT(a, b) ASSETC_CONCAT_(a, b)
#define ASSETC_TRY_(tmp, decl, expr)                        \
  auto tmp = (expr);                                        \
  if (!tmp) return std::unexpected(std::move(tmp).error()); \
  decl = std::move(*tmp)
// ASSETC_TRY(auto x, f()): x is f()'s value, or the enclosing function returns its error.
#define ASSETC_TRY(decl, expr) ASSETC_TRY_(ASSETC_CONCAT(assetc_try_, __LINE__), decl, expr)
// ASSETC_CHECK(f()): returns f()'s error if it has one.
#define ASSETC_CHECK(expr)                                                                                     \
  do {                                                                                                         \
    if (auto assetc_check_ = (expr); !assetc_check_) return std::unexpected(std::move(assetc_check_).error()); \
  } while (false)
