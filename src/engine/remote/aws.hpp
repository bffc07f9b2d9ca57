// Buckets of S3, and of other servers with its protocol: their URLs, and the keys that sign requests.
#pragma once

#include <string>
#include <string_view>

#include "assetc/base/result.hpp"

namespace assetc::engine {

struct AwsKeys {
  std::string region;
  std::string access_key, secret_key;
  std::string session_token;  // of temporary keys; empty: none
  bool empty() const { return access_key.empty(); }
};

// Where a bucket is.
struct BucketPlace {
  std::string endpoint;          // "https://nas.example:9000"; empty: AWS
  std::string region;            // empty: unknown
  std::size_t bucket_bytes = 0;  // of bucket_url(), up to the end of the bucket
  // This place; what it lacks is taken from the other.
  BucketPlace or_else(const BucketPlace& other) const {
    return {endpoint.empty() ? other.endpoint : endpoint, region.empty() ? other.region : region, 0};
  }
};

inline constexpr std::string_view kBucketScheme = "s3://";

// "s3://bucket/game" -> "https://bucket.s3.eu-west-1.amazonaws.com/game", or "https://nas.example:9000/bucket/game" at
// an endpoint. place: gets the region that requests are signed for, which endpoints other than AWS need not have, and
// bucket_bytes.
// Errors: kUsage for an invalid URL, endpoint or region, and for a bucket of AWS without a region.
Result<std::string> bucket_url(std::string_view url, BucketPlace& place);

// Errors: kUsage if a '%' is not followed by two digits.
Result<std::string> percent_decoded(std::string_view text);

// The keys of a profile in a file in the format of ~/.aws/credentials. Errors: kUsage without the file's name.
Result<AwsKeys> parse_aws_keys(std::string_view text, std::string_view profile);

}  // namespace assetc::engine
