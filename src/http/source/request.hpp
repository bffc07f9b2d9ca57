// What all requests of this library share: checked options, the address, credentials and timeouts.
#pragma once

#include <memory>
#include <string>

#include "assetc/http/source.hpp"
#include "http/curl/curl.hpp"

namespace assetc::http {

// Options that can work, and what follows from them. Immutable, so that threads may share it.
class Server {
 public:
  // Errors: kUsage; kUnsupported if there is no libcurl.
  static Result<std::shared_ptr<const Server>> open(SourceOptions options);
  Server(const Curl& curl, SourceOptions options, std::string origin)
      : curl_(curl), options_(std::move(options)), origin_(std::move(origin)) {}

  const Curl& curl() const { return curl_; }
  const SourceOptions& options() const { return options_; }
  std::string url_of(const std::string& path) const;
  // Whether a redirect to this URL may be followed.
  bool allows(const std::string& url) const;
  // Sets up a GET request. Redirects are not followed, and the token goes only to the server itself.
  void prepare(CURL* easy, const std::string& url) const;
  // The headers for a request: none for another server. The caller frees the list.
  curl_slist* headers_for(const std::string& url) const;

  template <class Value>
  void set(CURL* easy, CURLoption option, Value value) const {
    curl_.easy_setopt(easy, option, value);
  }

 private:
  const Curl& curl_;
  const SourceOptions options_;
  const std::string origin_;
};

}  // namespace assetc::http
