// One tree of compiled files in two forms: a folder, and a pack of it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "assetc/base/hash.hpp"
#include "assetc/formats/hman.hpp"
#include "assetc/formats/hmat.hpp"
#include "assetc/formats/hpack.hpp"
#include "assetc/formats/ktx2.hpp"

namespace assetc::runtime {

inline ByteVector one_texel_ktx2() {
  const std::uint32_t texel = 0xff8040ff;
  ktx2::Texture texture;
  texture.format = TexelFormat::kRgba8;
  texture.width_texels = texture.height_texels = 1;
  texture.levels = {{object_bytes(texel), 4}};
  return ktx2::write(texture).value();
}

class Tree : public testing::Test {
 protected:
  void SetUp() override {
    std::random_device random;
    folder_ = std::filesystem::temp_directory_path() / ("assetc-runtime-" + std::to_string(random()));
    ASSERT_TRUE(std::filesystem::create_directory(folder_)) << folder_;
    hmat::GpuMaterial material;
    material.base_color_texture = hash_asset_ref("models/chair/tex_0");
    files_ = {
        {"assets.hman",
         Bytes(hman::write({hman::texture_entry("models/chair/tex_0.ktx2", hman::Colorspace::kSrgb)}).value())},
        {"models/chair.hmat", Bytes(hmat::write({&material, 1}).value())},
        {"models/chair/tex_0.ktx2", Bytes(one_texel_ktx2())},
        {"empty.bin", Bytes{}},
    };
    for (const hpack::File& file : files_) write("tree/" + file.path, file.bytes);
    write("tree.hpack", hpack::write(files_).value());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& path, ByteSpan bytes) {
    const std::filesystem::path file = folder_ / std::u8string(path.begin(), path.end());
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  std::vector<std::string> roots() const { return {(folder_ / "tree").string(), (folder_ / "tree.hpack").string()}; }

  std::filesystem::path folder_;
  std::vector<hpack::File> files_;
};

}  // namespace assetc::runtime
