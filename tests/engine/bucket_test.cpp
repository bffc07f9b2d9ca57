// Buckets: their URLs, the keys for them, and what their errors say.
#include <gmock/gmock.h>

#include "engine/remote/answers.hpp"
#include "engine/remote/aws.hpp"
#include "engine/remote/xml.hpp"

namespace assetc::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string url_of(std::string_view url, BucketPlace place = {.endpoint = {}, .region = "eu-west-1"}) {
  const auto found = bucket_url(url, place);
  return found ? *found + " " + place.region : found.error().to_string();
}

TEST(Bucket, is_a_host_of_aws_or_a_folder_of_another_server) {
  EXPECT_EQ(url_of("s3://game-cache"), "https://game-cache.s3.eu-west-1.amazonaws.com eu-west-1");
  EXPECT_EQ(url_of("s3://game-cache/a/b c/"), "https://game-cache.s3.eu-west-1.amazonaws.com/a/b%20c eu-west-1");
  EXPECT_EQ(url_of("s3://game.cache/a"), "https://s3.eu-west-1.amazonaws.com/game.cache/a eu-west-1")
      << "the certificate of AWS covers one label";
  EXPECT_EQ(url_of("s3://game-cache/%", {"http://nas:9000/", ""}), "http://nas:9000/game-cache/%25 us-east-1");
  EXPECT_EQ(url_of("s3://game-cache", {"http://nas:9000", "garage"}), "http://nas:9000/game-cache garage");
}

TEST(Bucket, of_another_form_is_refused) {
  for (const char* url : {"s3://", "s3://ab", "s3://Game-Cache", "s3:///game", "s3://game_cache", "s3://a..b",
                          "s3://-ab", "s3://game-cache//x", "s3://game-cache/../x", "s3://game-cache/./x",
                          "s3://game-cache/a?b", "s3://game@cache/x", "s3://game-cache/a\\b"})
    EXPECT_THAT(url_of(url), HasSubstr("found '" + std::string(url) + "', expected s3://bucket/prefix")) << url;
  EXPECT_THAT(url_of("s3://game-cache", {}), HasSubstr("s3://game-cache has no region; set cache.remote.region"));
  EXPECT_THAT(url_of("s3://game-cache", {"", "eu-west-1.evil.example/"}),
              HasSubstr("expected a name such as eu-west-1"));
  EXPECT_THAT(url_of("s3://game-cache", {"http://nas:9000/?x", ""}), HasSubstr("expected the URL of a server"));
}

TEST(AwsKeys, are_those_of_the_profile) {
  constexpr std::string_view kFile =
      "\xEF\xBB\xBF; keys\r\n[default]\r\naws_access_key_id = A\r\naws_secret_access_key = B=+/\r\n\r\n[ ci ]\n"
      "aws_access_key_id=C\naws_secret_access_key=D\naws_session_token=E\nregion = x";
  const auto usual = parse_aws_keys(kFile, "default");
  ASSERT_TRUE(usual) << usual.error().to_string();
  EXPECT_EQ(usual->access_key + " " + usual->secret_key + " " + usual->session_token, "A B=+/ ");
  const auto other = parse_aws_keys(kFile, "ci");
  ASSERT_TRUE(other) << other.error().to_string();
  EXPECT_EQ(other->access_key + " " + other->secret_key + " " + other->session_token, "C D E");
  EXPECT_EQ(parse_aws_keys(kFile, "none").error().what, "has no profile 'none'");
  EXPECT_EQ(parse_aws_keys("", "default").error().what, "has no profile 'default'");
  EXPECT_THAT(parse_aws_keys("[default]\naws_secret_access_key = SECRET\n[x]\naws_access_key_id=A", "default")
                  .error()
                  .to_string(),
              testing::AllOf(HasSubstr("has no aws_access_key_id and"), Not(HasSubstr("SECRET"))));
}

std::vector<std::string> elements(std::string_view xml) {
  std::vector<std::string> found;
  const auto read = read_xml(
      xml, [&](std::string_view path, const std::string& text) { found.push_back(std::string(path) + "=" + text); });
  if (!read) found = {read.error().what};
  return found;
}

TEST(StoreXml, is_elements_and_text) {
  EXPECT_THAT(elements("\xEF\xBB\xBF<?xml version='1.0'?>\n<!-- > --><a x=\"1>\" y = "
                       "'z'>b<c/>d<n:e>&lt;&#65;&#x1F600;&amp;</n:e ></a>\n"),
              ElementsAre("a/c=", "a/e=<A\xF0\x9F\x98\x80&", "a=bd"));
}

TEST(StoreXml, of_another_form_is_refused_at_its_place) {
  EXPECT_THAT(elements(""), ElementsAre("XML at byte 0: found the end, expected an element"));
  EXPECT_THAT(elements("<a>"), ElementsAre("XML at byte 3: found the end, expected an end tag"));
  EXPECT_THAT(elements("<a></b>"),
              ElementsAre("XML at byte 6: found the end of 'b', expected the end of the open element"));
  EXPECT_THAT(elements("<a/><b/>"),
              ElementsAre("XML at byte 4: found a second element, expected one element around all others"));
  EXPECT_THAT(elements("x"), ElementsAre(HasSubstr("found text outside of an element")));
  EXPECT_THAT(elements("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"),
              ElementsAre(HasSubstr("found a document type or CDATA")));
  for (const char* text :
       {"<a>&b;</a>", "<a>&#0;</a>", "<a>&#xD800;</a>", "<a>&#x110000;</a>", "<a>& </a>", "<a>&#99999999999;</a>"})
    EXPECT_THAT(elements(text), ElementsAre(HasSubstr("found '&' without a known reference"))) << text;
  for (const char* text :
       {"<a", "<a b", "<a b=", "<a b='", "<a b=c>", "<>", "<a:/>", "<a/", "</a>", "<a></a", "<!-- ", "<?x"})
    EXPECT_THAT(elements(text), ElementsAre(HasSubstr("XML at byte "))) << text;
  std::string deep, end;
  for (int i = 0; i < 16; ++i) deep += "<a>", end = "</a>" + end;
  EXPECT_EQ(elements(deep + end).size(), 16u);
  EXPECT_THAT(elements(deep + "<a/>" + end), ElementsAre(HasSubstr("more than 16 levels")));
}

std::string said(int status, std::string_view code, std::string_view region = {}, bool lacks_keys = false) {
  const RequestFailure failure = failure_of(status, code, region, lacks_keys);
  return failure.trouble + "; " + failure.advice + (failure.refused ? " (refused)" : "");
}

TEST(StoreError, is_named_and_has_advice) {
  const auto code = [](std::string_view xml) { return store_error(as_bytes(xml)); };
  EXPECT_EQ(code("<Error><Code>AccessDenied</Code></Error>"), "AccessDenied");
  EXPECT_EQ(code("<Error><Code>Access denied</Code></Error>"), "") << "it would be printed";
  EXPECT_EQ(code("<Error><Code>" + std::string(65, 'a') + "</Code></Error>"), "");
  EXPECT_EQ(code("<html><Code>a</Code></html>"), "");
  EXPECT_EQ(code("no"), "");
  EXPECT_EQ(said(403, ""), "answered 403: access is denied; ");
  EXPECT_EQ(said(503, "SlowDown"), "answered 503 SlowDown; ");
  EXPECT_THAT(said(403, "AccessDenied"), HasSubstr("allow s3:GetObject and s3:ListBucket"));
  EXPECT_THAT(said(403, "AccessDenied", "", true), HasSubstr("requests are not signed: set AWS_ACCESS_KEY_ID"));
  EXPECT_EQ(said(301, "PermanentRedirect", "eu-north-1"),
            "answered 301 PermanentRedirect: the bucket is in another region; set cache.remote.region to eu-north-1 "
            "(refused)");
  EXPECT_EQ(said(301, "PermanentRedirect", "\x1b[31m"),
            "answered 301 PermanentRedirect: the bucket is in another region; set cache.remote.region (refused)");
}

TEST(CertificateTrouble, has_advice_that_fits) {
  const auto advice = [](const char* trouble) { return advice_on(CURLE_PEER_FAILED_VERIFICATION, trouble); };
  EXPECT_THAT(advice("SSL certificate problem: certificate has expired"),
              HasSubstr("renew the certificate of the server"));
  EXPECT_THAT(advice("SSL certificate problem: certificate is not yet valid"), HasSubstr("set the clock"));
  EXPECT_THAT(advice("SSL certificate problem: unable to get local issuer certificate"), HasSubstr("SSL_CERT_FILE"));
  EXPECT_EQ(advice_on(CURLE_COULDNT_CONNECT, "expired"), "");
}

}  // namespace
}  // namespace assetc::engine
