#include "cli/report/junit.hpp"

#include <gtest/gtest.h>

namespace assetc::cli {
namespace {

TEST(Junit, has_a_case_a_file_and_one_for_the_rest) {
  const std::vector<Error> errors{
      {ErrorCode::kInvalidData, "runtime/a.ktx2", "byte 12", "found <3> & \"4\"", "build again"},
      {ErrorCode::kNotFound, "runtime/a.ktx2", {}, "gone\x01\xff", {}},
      {ErrorCode::kLimit, {}, {}, "too much", {}},
  };
  EXPECT_EQ(
      junit_report("check", 5, errors),
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites tests=\"3\" failures=\"2\">\n"
      "  <testsuite name=\"assetc check\" tests=\"3\" failures=\"2\">\n"
      "    <testcase classname=\"assetc check\" name=\"3 files without problems\"/>\n"
      "    <testcase classname=\"assetc check\" name=\"all files together\">\n"
      "      <failure type=\"limit\" message=\"too much\">too much</failure>\n"
      "    </testcase>\n"
      "    <testcase classname=\"assetc check\" name=\"runtime/a.ktx2\">\n"
      "      <failure type=\"invalid_data\" message=\"found &lt;3&gt; &amp; &quot;4&quot;\">runtime/a.ktx2: byte 12: "
      "found &lt;3&gt; &amp; &quot;4&quot;; build again</failure>\n"
      "      <failure type=\"not_found\" message=\"gone\xEF\xBF\xBD\xEF\xBF\xBD\">runtime/a.ktx2: "
      "gone\xEF\xBF\xBD\xEF\xBF\xBD</failure>\n"
      "    </testcase>\n"
      "  </testsuite>\n"
      "</testsuites>\n");
}

TEST(Junit, nothing_wrong_is_one_good_case) {
  EXPECT_NE(junit_report("validate", 1, {}).find("<testsuites tests=\"1\" failures=\"0\">"), std::string::npos);
}

}  // namespace
}  // namespace assetc::cli
