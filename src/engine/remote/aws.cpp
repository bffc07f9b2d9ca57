#include "engine/remote/aws.hpp"

#include <algorithm>
#include <charconv>

#include "base/ascii.hpp"
#include "base/percent.hpp"
#include "base/text_file.hpp"

namespace assetc::engine {
namespace {

constexpr std::size_t kMinBucketBytes = 3, kMaxBucketBytes = 63, kMaxRegionBytes = 32;
// What servers other than AWS expect if they are not told a region of their own.
constexpr std::string_view kUsualRegion = "us-east-1";

bool is_small_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool is_region(std::string_view text) {
  return !text.empty() && text.size() <= kMaxRegionBytes &&
         std::ranges::all_of(text, [](char c) { return is_small_or_digit(c) || c == '-'; });
}

bool is_bucket_name(std::string_view name) {
  return name.size() >= kMinBucketBytes && name.size() <= kMaxBucketBytes && is_small_or_digit(name.front()) &&
         is_small_or_digit(name.back()) && name.find("..") == name.npos &&
         std::ranges::all_of(name, [](char c) { return is_small_or_digit(c) || c == '-' || c == '.'; });
}

}  // namespace

Result<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned byte = 0;
    const char* const begin = text.data() + i + 1;
    if (i + 2 >= text.size() || std::from_chars(begin, begin + 2, byte, 16).ptr != begin + 2)
      return fail(ErrorCode::kUsage, "found '%' without two hexadecimal digits in a URL", "write '%' itself as %25");
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

Result<std::string> bucket_url(std::string_view url, BucketPlace& place) {
  std::string_view rest = url.substr(kBucketScheme.size());
  while (rest.ends_with('/')) rest.remove_suffix(1);
  const std::string_view bucket = rest.substr(0, rest.find('/'));
  const std::string_view prefix = rest.substr(bucket.size());
  if (!is_bucket_name(bucket) || prefix.find_first_of("?#\\") != prefix.npos || prefix.find("//") != prefix.npos ||
      prefix.find("/.") != prefix.npos) {
    return fail(ErrorCode::kUsage, "cache.remote: found '" + std::string(url) + "', expected s3://bucket/prefix",
                "write the name of a bucket, and folders without '.', '?' or '#' in front");
  }
  if (!place.region.empty() && !is_region(place.region)) {
    return fail(ErrorCode::kUsage,
                "cache.remote.region or AWS_REGION: found '" + place.region + "', expected a name such as eu-west-1",
                "correct the region of the bucket");
  }
  if (place.endpoint.empty()) {
    if (place.region.empty()) {
      return fail(ErrorCode::kUsage, "cache.remote: " + std::string(url) + " has no region",
                  "set cache.remote.region or AWS_REGION to the region of the bucket, or cache.remote.endpoint to the "
                  "URL of another server than AWS");
    }
    // The certificate of AWS covers one label in front of its domain.
    const bool has_dots = bucket.find('.') != bucket.npos;
    const std::string root = "https://" + (has_dots ? "" : std::string(bucket) + ".") + "s3." + place.region +
                             ".amazonaws.com" + (has_dots ? "/" + std::string(bucket) : "");
    place.bucket_bytes = root.size();
    return root + percent_encoded(prefix, kUnreservedAndSlash);
  }
  std::string_view endpoint = place.endpoint;
  if (endpoint.find_first_of("?#") != endpoint.npos) {
    return fail(ErrorCode::kUsage,
                "cache.remote.endpoint or AWS_ENDPOINT_URL: found a URL with '?' or '#', expected the URL of a server",
                "write it as https://storage.example");
  }
  while (endpoint.ends_with('/')) endpoint.remove_suffix(1);
  if (place.region.empty()) place.region = kUsualRegion;
  const std::string root = std::string(endpoint) + "/" + std::string(bucket);
  place.bucket_bytes = root.size();
  return root + percent_encoded(prefix, kUnreservedAndSlash);
}

Result<AwsKeys> parse_aws_keys(std::string_view text, std::string_view profile) {
  text = without_mark(text);
  AwsKeys keys;
  bool is_there = false, is_inside = false;
  while (!text.empty()) {
    const std::string_view line = trimmed(text.substr(0, text.find('\n')), " \t\r");
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    if (line.empty() || line.starts_with('#') || line.starts_with(';')) continue;
    if (line.starts_with('[')) {
      is_inside = line.ends_with(']') && trimmed(line.substr(1, line.size() - 2)) == profile;
      is_there = is_there || is_inside;
      continue;
    }
    const std::size_t equals = line.find('=');
    if (!is_inside || equals == line.npos) continue;
    const std::string_view key = trimmed(line.substr(0, equals)), value = trimmed(line.substr(equals + 1));
    if (key == "aws_access_key_id") keys.access_key = value;
    if (key == "aws_secret_access_key") keys.secret_key = value;
    if (key == "aws_session_token") keys.session_token = value;
  }
  if (!is_there) {
    return fail(ErrorCode::kUsage, "has no profile '" + std::string(profile) + "'",
                "set AWS_PROFILE to the name of a profile in this file");
  }
  if (keys.access_key.empty() || keys.secret_key.empty()) {
    return fail(ErrorCode::kUsage,
                "profile '" + std::string(profile) + "' has no aws_access_key_id and aws_secret_access_key",
                "if it gets its keys from a login or a program, run eval \"$(aws configure export-credentials --format "
                "env)\" first");
  }
  return keys;
}

}  // namespace assetc::engine
