// What failed requests to a shared cache mean, and what to do about them.
#pragma once

#include <string>
#include <string_view>

#include "assetc/base/bytes.hpp"
#include "http/curl/curl.hpp"

namespace assetc::engine {

struct RequestFailure {
  std::string trouble;   // "answered 403 AccessDenied: access is denied"
  std::string advice;    // empty: nothing in particular
  bool refused = false;  // no request with these settings can succeed
};

// The name of an error of S3 or Azure in the body of an answer, such as "SignatureDoesNotMatch"; empty: none.
std::string store_error(ByteSpan body);
// Whether a server may send it: the characters of names only, so that it can be printed.
bool is_store_error(std::string_view code);

// status: an HTTP status other than success. code: store_error(), or empty. region: of the bucket, as the server says;
// may be empty. lacks_keys: whether requests to a bucket are not signed.
RequestFailure failure_of(int status, std::string_view code, std::string_view region, bool lacks_keys);
// Whether the same request may succeed soon. A PUT that timed out is not sent again.
bool may_pass(int status);
bool may_pass(CURLcode code, bool is_put);
// trouble: curl's description.
std::string advice_on(CURLcode code, std::string_view trouble);

}  // namespace assetc::engine
