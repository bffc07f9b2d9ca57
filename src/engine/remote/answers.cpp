#include "engine/remote/answers.hpp"

#include <algorithm>
#include <iterator>

#include "engine/remote/xml.hpp"

namespace assetc::engine {
namespace {

constexpr std::size_t kMaxErrorNameBytes = 64;

constexpr std::string_view kSetRegion = "set cache.remote.region";
constexpr std::string_view kLacksKeys =
    "requests are not signed: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and name the bucket in "
    "ASSETC_CACHE_REMOTE or the user's configuration, because keys go only to a server that one of these names";

struct StoreError {
  std::string_view code, meaning, advice;
  bool refused = true;
};

constexpr StoreError kStoreErrors[] = {
    // S3: "Error responses" of its API reference.
    {"InvalidAccessKeyId", "the access key is unknown", "correct AWS_ACCESS_KEY_ID, or the profile in aws_file"},
    {"SignatureDoesNotMatch", "the secret key does not belong to the access key",
     "correct AWS_SECRET_ACCESS_KEY, or the profile in aws_file"},
    {"ExpiredToken", "the temporary keys have expired", "get new ones, and set all three AWS_ variables of them"},
    {"TokenRefreshRequired", "the temporary keys have expired",
     "get new ones, and set all three AWS_ variables of them"},
    {"InvalidToken", "the session token does not belong to the keys",
     "set AWS_SESSION_TOKEN to the token of these keys, or unset it"},
    {"RequestTimeTooSkewed", "this machine's clock is more than 15 minutes off",
     "set the clock, for example with timedatectl set-ntp true"},
    {"AccessDenied", "access is denied",
     "allow s3:GetObject and s3:ListBucket, and s3:PutObject to write; without s3:ListBucket, S3 answers 403 for what "
     "it does not have",
     false},
    {"NoSuchBucket", "the bucket does not exist", "create it, or correct cache.remote"},
    {"PermanentRedirect", "the bucket is in another region", kSetRegion},
    {"AuthorizationHeaderMalformed", "the bucket is in another region", kSetRegion},
    // Azure: "Blob Storage error codes".
    {"AuthenticationFailed", "the signature in the URL has expired or is damaged",
     "create a new shared access signature"},
    {"AuthorizationPermissionMismatch", "the signature in the URL does not allow this",
     "create a shared access signature with the permissions read, create and write"},
    {"AuthorizationFailure", "the account does not allow this",
     "create a new shared access signature if this one is damaged or has expired; otherwise check the "
     "firewall of the account"},
    {"NoAuthenticationInformation", "the URL has no signature",
     "add a shared access signature to the URL: ?sv=...&sig="},
    {"ContainerNotFound", "the container does not exist", "create it, or correct cache.remote"},
};

bool is_printable_region(std::string_view text) {
  return !text.empty() && text.size() <= kMaxErrorNameBytes &&
         std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

std::string_view meaning_of(int status) {
  switch (status) {
    case 401:
      return ": the credentials are missing or wrong";
    case 403:
      return ": access is denied";
    case 413:
      return ": the body is too large";
    case 507:
      return ": the server is full";
    default:
      return "";
  }
}

}  // namespace

bool is_store_error(std::string_view code) {
  return !code.empty() && code.size() <= kMaxErrorNameBytes && std::ranges::all_of(code, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
  });
}

std::string store_error(ByteSpan body) {
  std::string code;
  const auto read = read_xml(as_text(body), [&](std::string_view path, const std::string& text) {
    if (path == "Error/Code") code = text;
  });
  return read && is_store_error(code) ? code : std::string();
}

RequestFailure failure_of(int status, std::string_view code, std::string_view region, bool lacks_keys) {
  RequestFailure failure;
  failure.trouble = "answered " + std::to_string(status) + (code.empty() ? "" : " " + std::string(code));
  const auto known = std::ranges::find(kStoreErrors, code, &StoreError::code);
  if (known == std::end(kStoreErrors)) {
    failure.trouble += meaning_of(status);
    return failure;
  }
  failure.trouble.append(": ").append(known->meaning);
  failure.advice = known->advice;
  failure.refused = known->refused;
  if (known->advice == kSetRegion && is_printable_region(region)) failure.advice.append(" to ").append(region);
  if (lacks_keys && code == "AccessDenied") {
    failure.advice = kLacksKeys;
    failure.refused = true;
  }
  return failure;
}

bool may_pass(int status) {
  return status == 408 || status == 429 || (status >= 500 && status != 501 && status != 507);
}

bool may_pass(CURLcode code, bool is_put) {
  switch (code) {
    case CURLE_COULDNT_CONNECT:
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return true;
    case CURLE_OPERATION_TIMEDOUT:
      return !is_put;
    default:
      return false;
  }
}

std::string advice_on(CURLcode code, std::string_view trouble) {
  switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
      if (trouble.find("expired") != trouble.npos)
        return "renew the certificate of the server; if it is still valid, set the clock of this machine";
      if (trouble.find("not yet valid") != trouble.npos)
        return "set the clock of this machine, or that of the machine that made the certificate";
      return "renew the certificate, or name the file of its authority as authorities of the user's cache.remote or in "
             "SSL_CERT_FILE";
    case CURLE_COULDNT_RESOLVE_PROXY:
      return "correct the proxy in https_proxy or http_proxy";
    default:
      return "";
  }
}

}  // namespace assetc::engine
