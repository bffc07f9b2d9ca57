#include "assetc/base/result.hpp"

namespace assetc {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidData:
      return "invalid_data";
    case ErrorCode::kTruncated:
      return "truncated";
    case ErrorCode::kVersion:
      return "version";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kLimit:
      return "limit";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kIo:
      return "io";
    case ErrorCode::kConflict:
      return "conflict";
    case ErrorCode::kUsage:
      return "usage";
    case ErrorCode::kCanceled:
      return "canceled";
  }
  return "unknown";
}

std::string Error::to_string() const {
  std::string text;
  for (const std::string* part : {&file, &place}) {
    if (!part->empty()) text += *part + ": ";
  }
  text += what;
  if (!hint.empty()) text += "; " + hint;
  return text;
}

Error Error::in(std::string_view file_name) && {
  if (file.empty()) file = file_name;
  return std::move(*this);
}

Error Error::at(std::string_view place_name) && {
  if (place.empty()) place = place_name;
  return std::move(*this);
}

std::unexpected<Error> fail(ErrorCode code, std::string what, std::string_view hint) {
  return fail_at(code, {}, std::move(what), hint);
}

std::unexpected<Error> fail_at(ErrorCode code, std::string place, std::string what, std::string_view hint) {
  return std::unexpected(Error{code, {}, std::move(place), std::move(what), std::string(hint)});
}

std::string byte_place(std::uint64_t offset) { return "byte " + std::to_string(offset); }

}  // namespace assetc
