// Loads libcurl when it is first used. Programs that do not use it do not load its thirty libraries.
// TLS and its certificates are those of the system.
#pragma once

#if defined(_WIN32) && !defined(NOMINMAX)
#define NOMINMAX
#endif
#include <curl/curl.h>
#if defined(_WIN32)  // it includes windows.h, which defines common names as macros
#undef near
#undef far
#endif

#include "assetc/base/result.hpp"

namespace assetc::http {

struct Curl {
  decltype(&curl_easy_init) easy_init;
  decltype(&curl_easy_cleanup) easy_cleanup;
  decltype(&curl_easy_reset) easy_reset;
  decltype(&curl_easy_setopt) easy_setopt;
  decltype(&curl_easy_getinfo) easy_getinfo;
  decltype(&curl_easy_strerror) easy_strerror;
  decltype(&curl_easy_header) easy_header;
  decltype(&curl_multi_init) multi_init;
  decltype(&curl_multi_cleanup) multi_cleanup;
  decltype(&curl_multi_setopt) multi_setopt;
  decltype(&curl_multi_add_handle) multi_add_handle;
  decltype(&curl_multi_remove_handle) multi_remove_handle;
  decltype(&curl_multi_perform) multi_perform;
  decltype(&curl_multi_poll) multi_poll;
  decltype(&curl_multi_wakeup) multi_wakeup;
  decltype(&curl_multi_info_read) multi_info_read;
  decltype(&curl_slist_append) slist_append;
  decltype(&curl_slist_free_all) slist_free_all;
  unsigned version;  // 0x075801: 7.88.1

  // Loaded once and never unloaded. Thread-safe. Errors: kUnsupported if the machine has no libcurl, or one older than
  // 7.85.
  static Result<const Curl*> load();
};

}  // namespace assetc::http
