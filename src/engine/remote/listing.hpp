// What a bucket of S3 or a container of Azure has below a prefix, and how to ask for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"
#include "engine/remote/transfers.hpp"

namespace assetc::engine {

struct ListedObject {
  std::string name;
  std::uint64_t size_bytes = 0;
  std::int64_t modified_s = 0;  // since 1970, UTC
};

struct Listing {
  std::vector<ListedObject> objects;
  std::string next;  // where the next page begins; empty: there is none
};

// Reads a ListBucketResult (S3, ListObjectsV2) or EnumerationResults (Azure, List Blobs). Errors: kInvalidData.
Result<Listing> parse_listing(std::string_view xml);

// Seconds since 1970 of "2026-11-29T18:04:05.000Z" (S3) or "Sun, 29 Nov 2026 18:04:05 GMT" (Azure, HTTP).
std::optional<std::int64_t> parse_store_time(std::string_view text);

// Where a store lists what it has.
class ListedStore {
 public:
  // Errors: kUnsupported if the server is neither a bucket nor a container.
  static Result<ListedStore> find(const Endpoint& endpoint);

  // Sets the time of the last change of a file to now. It need not be sent again for that.
  Request refresh(const std::string& path) const;
  // Below the prefix of the endpoint. `next`: of the page before; empty: the first page.
  std::string page_url(std::string_view next) const;
  // The part of a name behind the prefix, which is the path of a request; empty: it is not below the prefix.
  std::string_view path_of(std::string_view name) const;

 private:
  std::string url_;     // of the endpoint
  std::string root_;    // URL of the bucket or the container
  std::string prefix_;  // with a trailing slash, or empty
  std::string query_;   // of Azure; empty: a bucket
};

}  // namespace assetc::engine
