#include "http/curl/curl.hpp"

#include <string>

#include "os/library.hpp"

namespace assetc::http {
namespace {

// Library names of the same ABI: the system default (often OpenSSL), GnuTLS, macOS, and builds for Windows.
constexpr const char* kNames[] = {"libcurl.so.4",    "libcurl-gnutls.so.4", "libcurl.4.dylib",
                                  "libcurl-x64.dll", "libcurl-4.dll",       "libcurl.dll"};
constexpr unsigned kOldest = 0x075500;  // the first version with CURLOPT_PROTOCOLS_STR

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(os::find_symbol(library, name));
  return function != nullptr;
}

Result<Curl> open() {
  void* const library = os::open_library(kNames);
  if (library == nullptr)
    return fail(ErrorCode::kUnsupported, "libcurl is not installed", "install libcurl4 (libcurl on most systems)");
  Curl curl{};
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_version_info) version_info = nullptr;
  const bool whole =
      find(library, "curl_global_init", global_init) && find(library, "curl_version_info", version_info) &&
      find(library, "curl_easy_init", curl.easy_init) && find(library, "curl_easy_cleanup", curl.easy_cleanup) &&
      find(library, "curl_easy_reset", curl.easy_reset) && find(library, "curl_easy_setopt", curl.easy_setopt) &&
      find(library, "curl_easy_getinfo", curl.easy_getinfo) &&
      find(library, "curl_easy_strerror", curl.easy_strerror) && find(library, "curl_easy_header", curl.easy_header) &&
      find(library, "curl_multi_init", curl.multi_init) && find(library, "curl_multi_cleanup", curl.multi_cleanup) &&
      find(library, "curl_multi_setopt", curl.multi_setopt) &&
      find(library, "curl_multi_add_handle", curl.multi_add_handle) &&
      find(library, "curl_multi_remove_handle", curl.multi_remove_handle) &&
      find(library, "curl_multi_perform", curl.multi_perform) && find(library, "curl_multi_poll", curl.multi_poll) &&
      find(library, "curl_multi_wakeup", curl.multi_wakeup) &&
      find(library, "curl_multi_info_read", curl.multi_info_read) &&
      find(library, "curl_slist_append", curl.slist_append) &&
      find(library, "curl_slist_free_all", curl.slist_free_all);
  if (whole) curl.version = version_info(CURLVERSION_NOW)->version_num;
  if (!whole || curl.version < kOldest)
    return fail(ErrorCode::kUnsupported, "the installed libcurl is older than 7.85", "install a newer one");
  if (global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
    return fail(ErrorCode::kUnsupported, "libcurl did not start", "install it again");
  return curl;
}

}  // namespace

Result<const Curl*> Curl::load() {
  static const Result<Curl> loaded = open();
  if (!loaded) return std::unexpected(loaded.error());
  return &*loaded;
}

}  // namespace assetc::http
