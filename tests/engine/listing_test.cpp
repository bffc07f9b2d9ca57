// What object stores list, and what is removed of it.
#include "engine/remote/listing.hpp"

#include <gmock/gmock.h>

namespace assetc::engine {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kTime = 1795975445;  // 2026-11-29 18:04:05, UTC

std::string told(std::string_view xml) {
  const auto listing = parse_listing(xml);
  if (!listing) return listing.error().what;
  std::string text;
  for (const ListedObject& object : listing->objects)
    text += object.name + " " + std::to_string(object.size_bytes) + " " + std::to_string(object.modified_s) + "\n";
  return text + listing->next;
}

TEST(Listing, of_a_bucket) {
  EXPECT_EQ(told("<ListBucketResult xmlns='http://s3'><IsTruncated>true</IsTruncated><Contents><Key>a&amp;b</Key>"
                 "<LastModified>2026-11-29T18:04:05.000Z</LastModified><ETag>\"x\"</ETag><Size>12</Size></Contents>"
                 "<Contents><Key>c</Key><LastModified>1970-01-02T00:00:00Z</LastModified><Size>0</Size></Contents>"
                 "<NextContinuationToken>d=</NextContinuationToken></ListBucketResult>"),
            "a&b 12 " + std::to_string(kTime) + "\nc 0 86400\nd=");
  EXPECT_EQ(told("<ListBucketResult/>"), "");
}

TEST(Listing, of_a_container) {
  EXPECT_EQ(
      told("<EnumerationResults><Blobs><Blob><Name>a</Name><Properties><Last-Modified>Sun, 29 Nov 2026 18:04:05 GMT"
           "</Last-Modified><Content-Length>7</Content-Length></Properties></Blob></Blobs><NextMarker/>"
           "</EnumerationResults>"),
      "a 7 " + std::to_string(kTime) + "\n");
}

TEST(Listing, that_lacks_something_is_refused) {
  EXPECT_THAT(told("<html/>"), HasSubstr("found no list of objects"));
  EXPECT_THAT(told("<ListBucketResult>"), HasSubstr("XML at byte 18"));
  for (const char* object :
       {"<Size>1</Size><LastModified>2026-11-29T18:04:05Z</LastModified>",
        "<Key>a</Key><LastModified>2026-11-29T18:04:05Z</LastModified>", "<Key>a</Key><Size>1</Size>",
        "<Key>a</Key><Size>-1</Size><LastModified>2026-11-29T18:04:05Z</LastModified>",
        "<Key>a</Key><Size>99999999999999999999</Size><LastModified>2026-11-29T18:04:05Z</LastModified>",
        "<Key>a</Key><Size>1</Size><LastModified>2026-02-30T18:04:05Z</LastModified>"})
    EXPECT_THAT(told("<ListBucketResult><Contents>" + std::string(object) + "</Contents></ListBucketResult>"),
                HasSubstr("listed object 1 has no name, size or time"))
        << object;
}

TEST(StoreTime, of_another_form_is_none) {
  EXPECT_EQ(parse_store_time("2026-11-29T18:04:05Z"), kTime);
  for (const char* text :
       {"", "2026-11-29", "2026-11-29T18:04:05+01:00", "2026-13-29T18:04:05Z", "2026-11-29T24:04:05Z",
        "2026-11-29T18-04-05Z", "Sun, 29 Nov 2026 18:04:05 CET", "Sun, 29 Xxx 2026 18:04:05 GMT",
        "Sun, 29 Nov 2026 18:04:-5 GMT", "2026-11-29T18:04:Z         "})
    EXPECT_FALSE(parse_store_time(text)) << text;
}

std::string page_of(const Endpoint& endpoint, std::string_view next = {}) {
  const auto store = ListedStore::find(endpoint);
  return store ? store->page_url(next) : store.error().to_string();
}

TEST(ListedStore, is_asked_for_what_is_below_the_prefix) {
  const Endpoint bucket{
      .url = "https://cache.s3.eu-west-1.amazonaws.com/a%20b/c", .is_bucket = true, .bucket_bytes = 40};
  EXPECT_EQ(page_of(bucket), "https://cache.s3.eu-west-1.amazonaws.com/?list-type=2&prefix=a%20b%2Fc%2F");
  EXPECT_EQ(page_of(bucket, "x+/="),
            "https://cache.s3.eu-west-1.amazonaws.com/?continuation-token=x%2B%2F%3D&list-type=2&prefix=a%20b%2Fc%2F");
  EXPECT_EQ(ListedStore::find(bucket)->path_of("a b/c/ac/1"), "ac/1");
  EXPECT_EQ(ListedStore::find(bucket)->path_of("a b/cc/ac/1"), "");
  const Request copy = ListedStore::find(bucket)->refresh("ac/1");
  EXPECT_EQ(copy.headers.at(0), "x-amz-copy-source: /cache/a%20b/c/ac/1");
  EXPECT_EQ(page_of({.url = "http://nas:9000/cache", .is_bucket = true, .bucket_bytes = 21}),
            "http://nas:9000/cache/?list-type=2&prefix=");
  const Endpoint container{.url = "https://game.blob.core.windows.net/cache/main", .query = "?sv=1&sig=x"};
  EXPECT_EQ(page_of(container, "m"),
            "https://game.blob.core.windows.net/cache?sv=1&sig=x&comp=list&marker=m&prefix=main%2F&restype=container");
  EXPECT_EQ(ListedStore::find(container)->refresh("ac/1").url,
            "https://game.blob.core.windows.net/cache/main/ac/1?sv=1&sig=x&comp=metadata");
  EXPECT_EQ(page_of({.url = "http://127.0.0.1:10000/account/cache", .query = "?sig=x"}),
            "http://127.0.0.1:10000/account/cache?sig=x&comp=list&prefix=&restype=container");
  for (const char* url : {"https://cache.example/game", "https://cache.example"})
    EXPECT_THAT(page_of({.url = url}), HasSubstr("is neither a bucket of S3 nor a container of Azure"));
  EXPECT_THAT(page_of({.url = "https://cache.example", .query = "?sig=x"}), HasSubstr("is neither a bucket"));
  EXPECT_THAT(page_of({.url = "https://a.example/b/%zz", .query = "?sig=x"}), HasSubstr("'%' without two"));
}

}  // namespace
}  // namespace assetc::engine
