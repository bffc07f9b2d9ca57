#include "content.hpp"

#include <array>
#include <assetc/base/hash.hpp>
#include <assetc/formats/aas1_texture.hpp>
#include <assetc/formats/registry.hpp>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace example {

using namespace assetc;

namespace {

constexpr std::uint32_t kSideTexels = 64;

// Ends the program if the formats refuse what this file writes.
ByteVector take(Result<ByteVector> bytes) {
  if (bytes) return std::move(*bytes);
  std::fprintf(stderr, "engine: %s\n", bytes.error().to_string().c_str());
  std::exit(1);
}

Uuid uuid_of(const std::string& folder, const std::string& virtual_path) {
  const ContentHash hash = content_hash(as_bytes(folder + ":" + virtual_path));
  return Uuid::from_random(std::bit_cast<std::array<std::uint8_t, 16>>(hash));
}

ByteVector blob_of(const Picture& picture) {
  std::vector<ByteVector> levels;
  for (std::uint32_t side = kSideTexels; side > 0; side /= 2) {
    ByteVector& level = levels.emplace_back();
    for (std::uint32_t i = 0; i < side * side; ++i) {
      for (const std::uint32_t channel : {picture.rgb >> 16 & 0xff, picture.rgb >> 8 & 0xff, picture.rgb & 0xff, 0xffu})
        level.push_back(static_cast<std::byte>(channel));
    }
  }
  aas1::Texture texture;
  texture.srgb = true;
  texture.width_texels = texture.height_texels = kSideTexels;
  texture.levels.assign(levels.begin(), levels.end());
  return take(aas1::write(texture));
}

}  // namespace

void Server::put(const std::string& path, ByteVector file) {
  const std::lock_guard lock(mutex_);
  files_[path] = Bytes(std::move(file));
}

std::shared_ptr<runtime::Source> Server::source() {
  using std::chrono::milliseconds;
  const runtime::RetryPolicy retry{.retries = 3, .first_delay = milliseconds(1), .longest_delay = milliseconds(4)};
  return runtime::make_source(
      [this](const runtime::ReadRequest& request, const std::atomic<bool>&) { return read(request); }, 1, retry);
}

Result<runtime::ReadAnswer> Server::read(const runtime::ReadRequest& request) {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(request.path);
  if (found == files_.end()) return fail(ErrorCode::kNotFound, "no such file");
  const bool is_asset = request.path.find("/Assets/") != std::string::npos;
  if (is_asset && failed_.insert(request.path).second) return fail(ErrorCode::kIo, "the server is busy");
  return runtime::read_range(request, found->second);
}

std::size_t Server::failed_read_count() const {
  const std::lock_guard lock(mutex_);
  return failed_.size();
}

void put_picture(Server& server, const std::string& folder, const Picture& picture) {
  server.put(folder + "/" + file_of(folder, picture.virtual_path), blob_of(picture));
}

void put_cooked(Server& server, const std::string& folder, std::span<const Picture> pictures) {
  std::vector<registry::Asset> assets;
  for (const Picture& picture : pictures) {
    registry::Asset& asset = assets.emplace_back();
    asset.uuid = uuid_of(folder, picture.virtual_path);
    asset.type = static_cast<registry::TypeNumber>(aas1::Type::kTexture2D);
    asset.virtual_path = picture.virtual_path;
    asset.tags = picture.tags;
    put_picture(server, folder, picture);
  }
  server.put(folder + "/" + std::string(registry::kBinaryPath), take(registry::write(std::move(assets), {})));
}

std::string file_of(const std::string& folder, const std::string& virtual_path) {
  return "Assets/" + uuid_of(folder, virtual_path).to_string() + ".bin";
}

}  // namespace example
