// Checks for every reader of a format.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "os/process.hpp"
#include "places.hpp"

namespace assetc::formats_test {

// Bytes in a heap buffer of exactly their size, so that a sanitizer reports a read past the end.
class Exact {
 public:
  explicit Exact(ByteSpan bytes) : size_(bytes.size()), data_(new std::byte[bytes.size()]) {
    std::copy(bytes.begin(), bytes.end(), data_.get());
  }
  operator ByteSpan() const { return {data_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<std::byte[]> data_;
};

// Only the whole file opens and no prefix of it; every error has a message.
template <class Open>
void expect_every_prefix_refused(ByteSpan file, Open open) {
  for (std::size_t size = 0; size < file.size(); ++size) {
    const Exact prefix(file.first(size));
    const auto result = open(prefix);
    ASSERT_FALSE(result.has_value()) << "a prefix of " << size << " bytes of " << file.size() << " opened";
    ASSERT_FALSE(result.error().what.empty());
    // A difference of sizes that went below 0.
    ASSERT_EQ(result.error().what.find("184467440737"), std::string::npos) << result.error().what;
  }
  EXPECT_TRUE(open(Exact(file)).has_value());
}

// Sets each byte of file to each of a few values: open may refuse the result, but must not crash. Under a sanitizer,
// which makes it ten times as slow, each byte after the first 2,000 is set to one of them.
template <class Open>
void expect_survives_changed_bytes(ByteSpan file, Open open) {
  ByteVector copy(file.begin(), file.end());
  for (std::size_t i = 0; i < copy.size(); ++i) {
    constexpr std::array kValues{0x00, 0x01, 0x7f, 0x80, 0xff};
    const bool all = os::kLimitsMemory || i < 2000;
    for (std::size_t k = 0; k < kValues.size(); ++k) {
      if (!all && k != i % kValues.size()) continue;
      const std::byte before = copy[i];
      copy[i] = static_cast<std::byte>(kValues[k]);
      (void)open(Exact(copy));
      copy[i] = before;
    }
  }
}

inline ByteVector with_extra(ByteSpan file, std::size_t count, std::uint8_t value = 0) {
  ByteVector out(file.begin(), file.end());
  out.insert(out.end(), count, std::byte{value});
  return out;
}

template <class T>
ByteVector with(ByteSpan file, std::size_t offset, T value) {
  ByteVector out(file.begin(), file.end());
  std::memcpy(out.data() + offset, &value, sizeof value);
  return out;
}

template <class R>
std::string error_of(const R& result) {
  return result.has_value() ? "no error" : result.error().to_string();
}

// tests/formats/golden/<name>: the committed bytes of this version of a format. After a deliberate change of a format,
// set ASSETC_UPDATE_GOLDEN=1 to write them again.
inline void expect_golden(const std::string& name, ByteSpan bytes) {
  const std::string path = std::string(places::kSource) + "/tests/formats/golden/" + name;
  if (std::getenv("ASSETC_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  std::ifstream in(path, std::ios::binary);
  ASSERT_TRUE(in) << path;
  const std::string golden{std::istreambuf_iterator<char>(in), {}};
  EXPECT_TRUE(as_text(bytes) == golden) << name << " differs from its golden bytes (" << bytes.size() << " and "
                                        << golden.size() << " bytes)";
}

}  // namespace assetc::formats_test
