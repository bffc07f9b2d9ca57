#include "device.hpp"

#include <algorithm>
#include <assetc/runtime/mesh_layout.hpp>

namespace example {

using namespace assetc;

namespace {

constexpr std::size_t kStagingBytes = 4u << 20;

std::uint64_t blocks(std::uint32_t texels, std::uint32_t block) { return (texels + block - 1) / block; }

// Calls a function for each row of blocks of a texture: in memory of the loader, where rows may have gaps.
template <class F>
void for_each_row(const runtime::TextureData& texture, const F& f) {
  const BlockShape block = block_shape(texture.format);
  for (const runtime::TextureData::Level& level : texture.levels) {
    const std::uint64_t row_bytes = blocks(level.width_texels, block.width_texels) * block.size_bytes;
    const std::uint64_t row_count = blocks(level.height_texels, block.height_texels);
    const std::uint64_t image_count =
        std::uint64_t{std::max(texture.layer_count, 1u)} * texture.face_count * level.depth_texels;
    const std::uint64_t row_pitch = std::max(level.row_pitch_bytes, row_bytes);
    const std::uint64_t image_pitch = std::max(level.image_pitch_bytes, row_count * row_pitch);
    for (std::uint64_t image = 0; image < image_count; ++image) {
      for (std::uint64_t row = 0; row < row_count; ++row)
        f(level.bytes, static_cast<std::size_t>(image * image_pitch + row * row_pitch),
          static_cast<std::size_t>(row_bytes));
    }
  }
}

std::size_t size_on_device(const runtime::TextureData& texture) {
  std::size_t size_bytes = 0;
  for_each_row(texture, [&](const Bytes&, std::size_t, std::size_t row_bytes) { size_bytes += row_bytes; });
  return size_bytes;
}

// The vertices and indices of a mesh.
template <class F>
void for_each_buffer(const runtime::MeshLayout& layout, const F& f) {
  for (const runtime::VertexLayout& vertices : layout.vertices) {
    for (const runtime::VertexBuffer& buffer : vertices.buffers) f(buffer.bytes);
  }
  for (const runtime::IndexBuffer& indices : layout.indices) f(indices.bytes);
}

std::size_t size_on_device(const runtime::MeshData& mesh) {
  std::size_t size_bytes = 0;
  for_each_buffer(runtime::layout_of(mesh), [&](ByteSpan bytes) { size_bytes += bytes.size(); });
  return size_bytes;
}

// A fallback that nobody takes for a texture of the game: one magenta texel for each layer and face.
runtime::TextureData magenta(runtime::AssetType type) {
  runtime::TextureData out;
  out.is_3d = type == runtime::AssetType::kTexture3D;
  out.face_count = type == runtime::AssetType::kTextureCube || type == runtime::AssetType::kTextureCubeArray ? 6 : 1;
  out.layer_count = type == runtime::AssetType::kTexture2DArray || type == runtime::AssetType::kTextureCubeArray;
  ByteVector texels;
  for (std::uint32_t i = 0; i < out.face_count; ++i) append(texels, 0xffff00ffu);
  out.levels.push_back({Bytes(std::move(texels)), 1, 1, 1});
  return out;
}

}  // namespace

Device::Device() : staging_(kStagingBytes), thread_([this] { run(); }) {}

Device::~Device() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

runtime::Loader<runtime::TextureData> Device::texture_loader() {
  const runtime::PartOptions parts{.first_read_bytes = 4u << 10};
  runtime::Loader<runtime::TextureData> loader = runtime::texture_loader(
      {.bc = true, .allocate = [this](const runtime::LevelRequest& level) { return staging_.allocate(level); }}, parts);
  loader.gpu_bytes = [](const runtime::TextureData& texture) -> std::uint64_t { return size_on_device(texture); };
  loader.finalize_async = [this](runtime::TextureData& texture, const runtime::AssetDesc& desc,
                                 runtime::FinalizeToken token) {
    // The value stays valid until the token is complete.
    submit([this, &texture, keeps = desc.settings.keep_data, token = std::move(token)] {
      std::vector<std::byte> copy;
      copy.reserve(size_on_device(texture));
      for_each_row(texture, [&](const Bytes& level, std::size_t begin, std::size_t size_bytes) {
        append_bytes(copy, level.span().subspan(begin, size_bytes));
      });
      const std::uint64_t object = create(copy.size());
      fill(object, copy);
      if (!keeps) texture.levels.clear();  // gives the staging memory back
      const runtime::GpuObject made{.object = object, .size_bytes = copy.size()};
      if (!token.complete(made)) destroy(object);  // nobody needs the texture any more
    });
  };
  loader.release = [this](const runtime::GpuObject& gpu) { destroy(gpu.object); };
  loader.fallback = magenta;
  return loader;
}

runtime::Loader<runtime::MeshData> Device::mesh_loader() {
  runtime::Loader<runtime::MeshData> loader = runtime::mesh_loader(runtime::PartOptions{.first_read_bytes = 4u << 10});
  loader.gpu_bytes = [](const runtime::MeshData& mesh) -> std::uint64_t { return size_on_device(mesh); };
  loader.finalize = [this](runtime::MeshData& mesh, const runtime::AssetDesc&) -> Result<runtime::GpuObject> {
    const std::size_t size_bytes = size_on_device(mesh);
    const std::uint64_t object = create(size_bytes);
    // If the load is canceled, the value is destroyed before the copy: the copy of `bytes` keeps its memory.
    submit([this, object, layout = runtime::layout_of(mesh), bytes = mesh.bytes] {
      std::vector<std::byte> copy;
      for_each_buffer(layout, [&](ByteSpan buffer) { append_bytes(copy, buffer); });
      fill(object, copy);
    });
    return runtime::GpuObject{.object = object, .size_bytes = size_bytes, .is_pending = true};
  };
  loader.poll = [this](const runtime::GpuObject& pending) -> Result<runtime::GpuObject> {
    const std::lock_guard lock(mutex_);
    runtime::GpuObject now = pending;
    now.is_pending = !objects_.at(pending.object).is_complete;
    return now;
  };
  loader.release = [this](const runtime::GpuObject& gpu) { destroy(gpu.object); };
  return loader;
}

void Device::end_frame(std::uint64_t frame) {
  submit([this, frame] {
    const std::lock_guard lock(mutex_);
    finished_frame_ = frame;
  });
}

bool Device::is_over(std::uint64_t frame) const {
  const std::lock_guard lock(mutex_);
  return frame <= finished_frame_;
}

void Device::submit(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
  }
  changed_.notify_all();
}

void Device::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || !queue_.empty(); });
    if (queue_.empty()) return;
    std::function<void()> work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    work();
    work = nullptr;  // without the mutex: it may hold the last token of an upload
    lock.lock();
  }
}

std::uint64_t Device::create(std::size_t size_bytes) {
  const std::lock_guard lock(mutex_);
  objects_[++last_object_].memory.resize(size_bytes);
  used_bytes_ += size_bytes;
  return last_object_;
}

void Device::fill(std::uint64_t object, const std::vector<std::byte>& bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = objects_.find(object);
  if (found == objects_.end()) return;
  std::ranges::copy(bytes, found->second.memory.begin());
  found->second.is_complete = true;
}

void Device::destroy(std::uint64_t object) {
  const std::lock_guard lock(mutex_);
  const auto found = objects_.find(object);
  used_bytes_ -= found->second.memory.size();
  objects_.erase(found);
}

Device::Counts Device::counts() const {
  const std::lock_guard lock(mutex_);
  return {objects_.size(), used_bytes_};
}

}  // namespace example
