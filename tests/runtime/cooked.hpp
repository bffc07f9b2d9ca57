// Cooked trees in memory, and a source that counts the reads from them.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <bit>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "assetc/base/hash.hpp"
#include "assetc/formats/aas1_material.hpp"
#include "assetc/formats/aas1_texture.hpp"
#include "assetc/formats/registry.hpp"
#include "assetc/runtime/catalog.hpp"
#include "assetc/runtime/jobs.hpp"
#include "assetc/runtime/source.hpp"

namespace assetc::runtime {

inline Uuid uuid(std::uint32_t number) {
  return Uuid::from_random(std::bit_cast<std::array<std::uint8_t, 16>>(content_hash(object_bytes(number))));
}

// Files by path. The list of reads is in the order of the answers.
class Files {
 public:
  std::map<std::string, Bytes> files;  // set before any reads
  std::function<void(const ReadRequest&)> before_read;
  std::function<bool(const ReadRequest&)> fault;  // whether a read fails
  bool copies = false;                            // answers have their own memory, as from a network
  std::function<std::uint64_t()> version;         // ReadAnswer::file_version of the next answer; unset: 0
  void put(const std::string& path, Bytes bytes) {
    const std::lock_guard lock(mutex_);
    files[path] = std::move(bytes);
  }
  void remove(const std::string& path) {
    const std::lock_guard lock(mutex_);
    files.erase(path);
  }
  std::shared_ptr<Source> source(unsigned threads = 0, const RetryPolicy& retry = {}) {
    return make_source([this](const ReadRequest& request, const std::atomic<bool>&) { return read(request); }, threads,
                       retry);
  }
  std::vector<ReadRequest> reads() const {
    const std::lock_guard lock(mutex_);
    return reads_;
  }
  std::size_t count_of(const std::string& path) const {
    const std::lock_guard lock(mutex_);
    std::size_t count = 0;
    for (const ReadRequest& read : reads_) count += read.path == path && read.size_bytes != 0;
    return count;
  }

 private:
  Result<ReadAnswer> read(const ReadRequest& request) {
    if (before_read) before_read(request);
    const std::lock_guard lock(mutex_);
    reads_.push_back(request);
    const auto found = files.find(request.path);
    if (fault && fault(request)) return std::unexpected(Error{ErrorCode::kIo, request.path, {}, "a fault", {}});
    if (found == files.end()) return std::unexpected(Error{ErrorCode::kNotFound, request.path, {}, "no such file", {}});
    auto answer = read_range(request, found->second);
    if (answer && copies) answer->bytes = Bytes(ByteVector(answer->bytes.span().begin(), answer->bytes.span().end()));
    if (answer && version) answer->file_version = version();
    if (answer && answer->bytes.empty()) reads_.back().size_bytes = 0;  // only its size was read
    return answer;
  }
  mutable std::mutex mutex_;
  std::vector<ReadRequest> reads_;
};

// A job system that runs jobs only in threads that wait.
struct HelpedJobs {
  struct Job {
    void (*run)(void*);
    void* data;
  };
  std::vector<Job> waiting;

  JobSystem system() {
    return {.context = this,
            .submit = [](void* context, void (*job)(void*),
                         void* data) { static_cast<HelpedJobs*>(context)->waiting.push_back({job, data}); },
            .concurrency = {},
            .help =
                [](void* context) {
                  std::vector<Job>& left = static_cast<HelpedJobs*>(context)->waiting;
                  if (left.empty()) return false;
                  const Job job = left.back();
                  left.pop_back();
                  job.run(job.data);
                  return true;
                }};
  }
};

inline ByteVector texture_blob(std::uint32_t width = 4) {
  const ByteVector texels(std::size_t{width} * width * 4, std::byte{0x55});
  aas1::Texture texture;
  texture.width_texels = texture.height_texels = width;
  texture.levels = {texels};
  return aas1::write(texture).value();
}
inline ByteVector material_blob(const std::vector<Uuid>& textures) {
  aas1::Material material;
  std::uint32_t name = 1;
  for (const Uuid& texture : textures)
    material.textures.push_back({name++, texture, static_cast<std::uint8_t>(aas1::Type::kTexture2D), {}, 0});
  return aas1::write(material).value();
}
inline ByteVector raw_blob(std::string_view text) {
  return aas1::write_payload(aas1::Type::kRaw, aas1::kEncodingRaw, as_bytes(text)).value();
}

// A cooked tree below "cooked/". Blobs may be arbitrary; write() makes the registry from the assets.
class Cooked {
 public:
  struct Asset {
    aas1::Type type = aas1::Type::kRaw;
    std::string virtual_path;
    ByteVector blob;
    std::vector<Uuid> hard, soft;
    std::vector<std::string> tags = {};
    Uuid container = {};
    std::vector<Uuid> outer_hard = {}, outer_soft = {};
    Uuid shared_file = {};
  };
  void add(const Uuid& id, Asset asset) { assets_[id] = std::move(asset); }
  void forget(const Uuid& id) { assets_.erase(id); }
  void redirect(const Uuid& from, const Uuid& to, std::string old_path) {
    redirectors_.push_back({from, to, std::move(old_path)});
  }
  ByteVector registry() const {
    std::vector<registry::Asset> rows;
    rows.reserve(assets_.size());
    for (const auto& [id, asset] : assets_)
      rows.push_back({id,
                      static_cast<registry::TypeNumber>(asset.type),
                      asset.virtual_path,
                      asset.hard,
                      asset.soft,
                      {},
                      asset.outer_hard,
                      asset.outer_soft,
                      asset.container,
                      asset.tags,
                      {},
                      {},
                      asset.shared_file});
    return registry::write(rows, redirectors_).value();
  }
  void put(Files& files, const std::string& folder = "cooked/") const {
    files.files[folder + "Registry/AssetRegistry.bin"] = Bytes(registry());
    for (const auto& [id, asset] : assets_) {
      const Uuid& name = asset.shared_file.is_nil() ? id : asset.shared_file;
      files.files[folder + "Assets/" + name.to_string() + ".bin"] = Bytes(asset.blob);
    }
  }

 private:
  std::map<Uuid, Asset> assets_;
  std::vector<registry::Redirector> redirectors_;
};

template <class T>
std::string fault_text(const Expected<T>& outcome) {
  return outcome ? "no failure" : outcome.error().to_string();
}

}  // namespace assetc::runtime
