// Bundles in memory, with generated contents.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>

#include "assetc/base/hash.hpp"
#include "bundle/patch.hpp"
#include "bundle/reader.hpp"
#include "bundle/write.hpp"
#include "formats/support.hpp"

namespace assetc::bundle {

using formats_test::error_of;
using Assets = std::map<Uuid, std::string>;

inline bool same(const Bytes& a, const Bytes& b) { return std::ranges::equal(a.span(), b.span()); }

// The same number gives the same UUID.
inline Uuid uuid(std::uint32_t number) {
  return Uuid::from_random(std::bit_cast<std::array<std::uint8_t, 16>>(content_hash(object_bytes(number))));
}

// Compressible text that differs with the seed everywhere.
inline std::string words(std::size_t size, std::uint32_t seed) {
  static constexpr std::string_view kWords[] = {"vertex ", "normal ", "texel ", "oak ", "brick ", "0.25 ", "1.0 "};
  std::mt19937 random(seed);
  std::string text;
  while (text.size() < size) text += kWords[random() % std::size(kWords)];
  text.resize(size);
  return text;
}
// Bytes that do not compress.
inline std::string noise(std::size_t size, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

// Small, large, empty and duplicate contents.
inline Assets sample() {
  Assets assets;
  assets[uuid(1)] = words(300'000, 1);
  assets[uuid(2)] = words(700, 2);
  assets[uuid(3)] = noise(3000, 3);
  assets[uuid(4)] = words(50'000, 4);
  assets[uuid(5)] = assets[uuid(4)];
  assets[uuid(6)] = "";
  return assets;
}
// Enough small contents for a dictionary.
inline Assets many_small() {
  Assets assets = sample();
  for (std::uint32_t i = 100; i < 400; ++i)
    assets[uuid(i)] = "{\"shading\": \"metallic-roughness\", \"base_color\": [1, 1, 1, 1], \"texture\": \"" +
                      uuid(i + 1000).to_string() + "\", \"roughness\": " + std::to_string(i) + "}";
  return assets;
}

inline WriteOptions options(std::uint64_t version = 1) {
  return {.platform = "Win64", .name = "base", .version = version};
}

struct Written {
  Bytes file;
  WriteReport report;
};
inline Result<Written> write(const Assets& assets, const WriteOptions& how) {
  std::vector<Input> inputs;
  std::vector<const std::string*> contents;
  for (const auto& [id, content] : assets) {
    inputs.push_back({id, content.size()});
    contents.push_back(&content);
  }
  ByteVector out;
  const ReadInput read = [&](std::size_t i) -> Result<Bytes> {
    const ByteSpan content = as_bytes(*contents[i]);
    return Bytes(ByteVector(content.begin(), content.end()));
  };
  const Sink sink = [&](ByteSpan bytes) -> Result<void> {
    append_bytes(out, bytes);
    return {};
  };
  ASSETC_TRY(WriteReport report, write_bundle(how, inputs, read, sink));
  return Written{Bytes(std::move(out)), std::move(report)};
}
inline Bytes bundle_of(const Assets& assets, const WriteOptions& how = options()) {
  auto written = write(assets, how);
  EXPECT_TRUE(written) << error_of(written);
  return written ? written->file : Bytes();
}
inline Reader open(const Bytes& file, std::shared_ptr<const ContentKey> key = nullptr) {
  auto reader = Reader::open(file, std::move(key));
  EXPECT_TRUE(reader) << error_of(reader);
  return reader ? std::move(*reader) : Reader();
}

// Reads every entry.
inline Assets contents(const Reader& reader) {
  Assets assets;
  for (const pak::Entry& entry : reader.entries()) {
    const auto content = reader.read(entry, ~std::uint64_t{0});
    EXPECT_TRUE(content) << error_of(content);
    if (content) assets[entry.uuid] = as_text(*content);
  }
  return assets;
}

template <class Write>
Bytes bytes_of(const Write& write_to) {
  ByteVector out;
  const auto done = write_to([&](ByteSpan bytes) -> Result<void> {
    append_bytes(out, bytes);
    return {};
  });
  EXPECT_TRUE(done) << error_of(done);
  return Bytes(std::move(out));
}
inline Bytes patch_of(const Reader& old, const Reader& next) {
  return bytes_of([&](const Sink& sink) { return write_patch(old, next, sink); });
}
inline Bytes patched(const Reader& mounted) {
  return bytes_of([&](const Sink& sink) { return write_patched(mounted, sink); });
}

inline Bytes changed(const Bytes& file, std::size_t at, int bit = 0) {
  ByteVector copy(file.span().begin(), file.span().end());
  copy[at] ^= static_cast<std::byte>(1 << bit);
  return Bytes(std::move(copy));
}

}  // namespace assetc::bundle
