// A repository in memory, and imports of it.
#pragma once

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/fake_disk.hpp"
#include "engine/meta/import.hpp"
#include "identity/meta.hpp"

namespace assetc::engine {

inline constexpr const char* kTriangle = "o Seat\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
inline constexpr const char* kTwo = "o Seat\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no Back\nv 0 0 2\nf 1 2 4\n";

class Import : public testing::Test {
 protected:
  Import() {
    options.root = "repo";
    disk.put("repo/Assets/chair.obj", kTriangle);
    disk.put("repo/Source/other.obj", kTriangle);
  }
  ImportReport import() {
    auto report = import_assets(options, disk);
    EXPECT_TRUE(report) << report.error().to_string();
    return report ? std::move(*report) : ImportReport();
  }
  identity::Meta meta(const std::string& path) {
    auto file = identity::MetaFile::parse(disk.text("repo/" + path + ".meta"));
    EXPECT_TRUE(file) << path << ": " << file.error().to_string();
    return file ? file->meta() : identity::Meta();
  }
  static std::vector<std::string> errors(const ImportReport& report) {
    std::vector<std::string> lines;
    lines.reserve(report.errors.size());
    for (const Error& error : report.errors) lines.push_back(error.to_string());
    return lines;
  }

  FakeDisk disk;
  ImportOptions options;
};

}  // namespace assetc::engine
