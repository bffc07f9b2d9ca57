// A JSON reader that reads a text once, front to back, into the caller's data. Source: RFC 8259.
#pragma once

#include <string>
#include <string_view>

#include "assetc/base/result.hpp"
#include "base/text_file.hpp"

namespace assetc::runtime {

// Each function reads the next value. Errors: kInvalidData with line and column, kLimit beyond kMaxDepth.
class JsonReader {
 public:
  static constexpr int kMaxDepth = 32;
  explicit JsonReader(std::string_view text) : text_(without_mark(text)) {}

  // each(key) -> Result<void> reads the value of every member; each() reads every element.
  template <class Each>
  Result<void> object(const Each& each) {
    ASSETC_CHECK(open('{'));
    for (bool first = true;; first = false) {
      ASSETC_TRY(const bool more, next('}', first));
      if (!more) return close();
      ASSETC_TRY(const std::string key, string());
      ASSETC_CHECK(expect(':'));
      ASSETC_CHECK(each(std::string_view(key)));
    }
  }
  template <class Each>
  Result<void> array(const Each& each) {
    ASSETC_CHECK(open('['));
    for (bool first = true;; first = false) {
      ASSETC_TRY(const bool more, next(']', first));
      if (!more) return close();
      ASSETC_CHECK(each());
    }
  }
  Result<std::string> string();  // UTF-8
  Result<double> number();
  Result<bool> boolean();
  Result<void> skip();
  // Returns whether the next value is a string.
  bool at_string();
  // Requires that only white space is left.
  Result<void> end();

  std::unexpected<Error> wrong(std::string what) const;

 private:
  void blanks();
  Result<void> expect(char c);
  Result<void> open(char c);
  Result<void> close() {
    --depth_;
    return {};
  }
  // Returns whether another element follows, and skips the comma before it.
  Result<bool> next(char closing, bool first);
  Result<unsigned> hex4();
  bool take(std::string_view word);

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace assetc::runtime
