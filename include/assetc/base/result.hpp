// Errors are values: Result<T> is a T or an Error. An Error says where, what was found and expected, and what to do.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace assetc {

enum class ErrorCode : std::uint8_t {
  kInvalidData,  // the bytes break a rule of their format
  kTruncated,    // the bytes end too early for their format
  kVersion,      // a version that this program does not read
  kUnsupported,  // valid, but uses a feature that this program does not support
  kLimit,        // larger than a named limit
  kNotFound,     // a file, entry or reference does not exist
  kIo,           // the operating system reported an error
  kConflict,     // two things that cannot both exist, such as two sources for one output
  kUsage,        // wrong command line, configuration or argument
  kCanceled,
};

// Returns a stable name for JSON output and tests, such as "invalid_data".
std::string_view to_string(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::kInvalidData;
  std::string file;   // the name that the user knows; empty until a caller adds it
  std::string place;  // inside the file: "line 12", "byte 48", "/meshes/3/primitives/0"; may be empty
  std::string what;   // what was found and what was expected
  std::string hint;   // what to do; may be empty

  // Returns one line: "chair.gltf: /accessors/3: found X, expected Y; do Z".
  std::string to_string() const;

  // Return this error with a file or a place added. An existing file or place is kept: it is the more exact one.
  Error in(std::string_view file_name) &&;
  Error at(std::string_view place_name) &&;
};

template <class T>
using Result = std::expected<T, Error>;

// Return an error without a place, and with one. Not inline, because a thousand functions call them.
std::unexpected<Error> fail(ErrorCode code, std::string what, std::string_view hint = {});
std::unexpected<Error> fail_at(ErrorCode code, std::string place, std::string what, std::string_view hint = {});
// Returns the place of an error in a binary file: "byte 48".
std::string byte_place(std::uint64_t offset);

}  // namespace assetc

#define ASSETC_CONCAT_(a, b) a##b
#define ASSETC_CONCAT(a, b) ASSETC_CONCAT_(a, b)
#define ASSETC_TRY_(tmp, decl, expr)                        \
  auto tmp = (expr);                                        \
  if (!tmp) return std::unexpected(std::move(tmp).error()); \
  decl = std::move(*tmp)
// ASSETC_TRY(auto x, f()): sets x to the value of f(), or returns the error of f() from the enclosing function.
#define ASSETC_TRY(decl, expr) ASSETC_TRY_(ASSETC_CONCAT(assetc_try_, __LINE__), decl, expr)
// ASSETC_CHECK(f()): returns the error of f() from the enclosing function, if f() has one.
#define ASSETC_CHECK(expr)                                                                                     \
  do {                                                                                                         \
    if (auto assetc_check_ = (expr); !assetc_check_) return std::unexpected(std::move(assetc_check_).error()); \
  } while (false)
