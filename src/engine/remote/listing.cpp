#include "engine/remote/listing.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <iterator>
#include <optional>
#include <utility>

#include "base/percent.hpp"
#include "engine/remote/aws.hpp"
#include "engine/remote/xml.hpp"

namespace assetc::engine {
namespace {

constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.starts_with('-')) return std::nullopt;
  return number;
}

// Two or four digits at a place of a date.
std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count) {
  return at + count <= text.size() ? whole_number<int>(text.substr(at, count)) : std::nullopt;
}

std::optional<std::int64_t> seconds_of(std::optional<int> year, std::optional<int> month, std::optional<int> day,
                                       std::string_view clock) {
  const auto hour = digits(clock, 0, 2), minute = digits(clock, 3, 2), second = digits(clock, 6, 2);
  if (!year || !month || !day || !hour || !minute || !second || clock[2] != ':' || clock[5] != ':') return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return days * 86400 + *hour * 3600 + *minute * 60 + *second;
}

// The host of an emulator or a private endpoint is an address or a name without a domain. Then the path begins with
// the name of the account.
bool has_account_in_path(std::string_view host) {
  host = host.substr(0, host.rfind(':') == host.npos ? host.size() : host.rfind(':'));
  return host.find_first_not_of("0123456789.") == host.npos || host.starts_with('[') || host.find('.') == host.npos;
}

}  // namespace

std::optional<std::int64_t> parse_store_time(std::string_view text) {
  if (text.size() >= 20 && text[4] == '-' && text[7] == '-' && text[10] == 'T' && text.ends_with('Z'))
    return seconds_of(digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2), text.substr(11));
  if (text.size() != 29 || !text.ends_with(" GMT")) return std::nullopt;
  const auto month = std::ranges::find(kMonths, text.substr(8, 3));
  if (month == std::end(kMonths)) return std::nullopt;
  return seconds_of(digits(text, 12, 4), static_cast<int>(month - kMonths) + 1, digits(text, 5, 2), text.substr(17));
}

Result<Listing> parse_listing(std::string_view xml) {
  Listing listing;
  ListedObject object;
  bool is_listing = false, has_size = false, has_time = false;
  std::size_t damaged = 0;  // number of the first object that lacks something
  const auto read = read_xml(xml, [&](std::string_view path, const std::string& text) {
    const bool is_s3 = path.starts_with("ListBucketResult"), is_azure = path.starts_with("EnumerationResults");
    if (!is_s3 && !is_azure) return;
    is_listing = true;
    const auto is = [&](std::string_view of_s3, std::string_view of_azure) {
      const std::string_view name = path.substr(std::min(path.find('/'), path.size() - 1) + 1);
      return is_s3 ? name == of_s3 : name == of_azure;
    };
    if (is("Contents/Key", "Blobs/Blob/Name")) {
      object.name = text;
    } else if (is("Contents/Size", "Blobs/Blob/Properties/Content-Length")) {
      const auto size = whole_number<std::uint64_t>(text);
      has_size = size.has_value();
      object.size_bytes = size.value_or(0);
    } else if (is("Contents/LastModified", "Blobs/Blob/Properties/Last-Modified")) {
      const auto time = parse_store_time(text);
      has_time = time.has_value();
      object.modified_s = time.value_or(0);
    } else if (is("Contents", "Blobs/Blob")) {
      const bool is_whole = !object.name.empty() && has_size && has_time;
      listing.objects.push_back(std::exchange(object, {}));
      if (!is_whole && damaged == 0) damaged = listing.objects.size();
      has_size = has_time = false;
    } else if (is("NextContinuationToken", "NextMarker")) {
      listing.next = text;
    }
  });
  if (!read) return std::unexpected(read.error());
  if (!is_listing)
    return fail(ErrorCode::kInvalidData, "found no list of objects, expected ListBucketResult or EnumerationResults");
  if (damaged != 0) {
    return fail(ErrorCode::kInvalidData, "listed object " + std::to_string(damaged) +
                                             " has no name, size or time of its last change, expected all three");
  }
  return listing;
}

Result<ListedStore> ListedStore::find(const Endpoint& endpoint) {
  ListedStore store;
  std::size_t root_bytes = endpoint.bucket_bytes;
  if (!endpoint.is_bucket) {
    const std::string_view url = endpoint.url;
    const std::size_t host = url.find("//") + 2;
    std::size_t slash = std::min(url.find('/', host), url.size());
    if (has_account_in_path(url.substr(host, slash - host))) slash = std::min(url.find('/', slash + 1), url.size());
    root_bytes = slash == url.size() ? slash : std::min(url.find('/', slash + 1), url.size());
    store.query_ = endpoint.query;
    if (!endpoint.is_container() || slash == url.size()) {
      return fail(ErrorCode::kUnsupported,
                  "is neither a bucket of S3 nor a container of Azure with a shared access signature, so it cannot be "
                  "listed",
                  "remove old files on the server itself, for example with find and -atime");
    }
  }
  store.url_ = endpoint.url;
  store.root_ = endpoint.url.substr(0, root_bytes);
  ASSETC_TRY(store.prefix_, percent_decoded(std::string_view(endpoint.url).substr(root_bytes)));
  if (!store.prefix_.empty()) store.prefix_ = store.prefix_.substr(1) + "/";
  return store;
}

Request ListedStore::refresh(const std::string& path) const {
  if (!query_.empty()) return {.method = Method::kPut, .url = url_ + "/" + path + query_ + "&comp=metadata"};
  // A copy to itself. Its metadata must be given anew, or S3 refuses it.
  const std::string_view root = std::string_view(root_).substr(root_.find("//") + 2);
  const std::size_t slash = root.rfind('/');
  const std::string_view bucket = slash == root.npos ? root.substr(0, root.find(".s3.")) : root.substr(slash + 1);
  return {.method = Method::kPut,
          .path = path,
          .headers = {"x-amz-copy-source: /" + std::string(bucket) + url_.substr(root_.size()) + "/" + path,
                      "x-amz-metadata-directive: REPLACE"}};
}

std::string ListedStore::page_url(std::string_view next) const {
  // The names are in order, which signatures require.
  if (query_.empty()) {
    return root_ + "/?" + (next.empty() ? "" : "continuation-token=" + percent_encoded(next) + "&") +
           "list-type=2&prefix=" + percent_encoded(prefix_);
  }
  return root_ + query_ + "&comp=list" + (next.empty() ? "" : "&marker=" + percent_encoded(next)) +
         "&prefix=" + percent_encoded(prefix_) + "&restype=container";
}

std::string_view ListedStore::path_of(std::string_view name) const {
  return name.starts_with(prefix_) ? name.substr(prefix_.size()) : std::string_view();
}

}  // namespace assetc::engine
