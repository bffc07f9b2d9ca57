// Builds and runs the code of README.md and docs/guide/engine.md: this file must contain every block of it, except for
// white space. integration_guide_test.cpp does the same for integration.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <variant>

#include "assetc/runtime/all_loaders.hpp"
#include "assetc/runtime/animation.hpp"
#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/audio_stream.hpp"
#include "assetc/runtime/await.hpp"
#include "assetc/runtime/catalog.hpp"
#include "assetc/runtime/cluster_streamer.hpp"
#include "assetc/runtime/clusters.hpp"
#include "assetc/runtime/gpu.hpp"
#include "assetc/runtime/manager.hpp"
#include "assetc/runtime/mesh_layout.hpp"
#include "assetc/runtime/scene.hpp"
#include "assetc/runtime/source.hpp"
#include "assetc/runtime/watch_client.hpp"
#include "places.hpp"
#include "runtime/cluster_strip.hpp"
#include "runtime/cooked.hpp"

namespace assetc {
namespace {

void log(const std::string&) {}
void reserve(std::uint32_t) {}
void note(const runtime::AssetHandle&) {}
Result<runtime::ReadAnswer> read_from_somewhere(const runtime::ReadRequest& request, const std::atomic<bool>&) {
  return std::unexpected(Error{ErrorCode::kNotFound, request.path, {}, "no such file", {}});
}

TEST(EngineGuide, mount_and_find) {
  runtime::Catalog catalog;
  if (auto mounted = catalog.mount("game/Cooked/Linux"); !mounted) log(mounted.error().to_string());
  if (auto mounted = catalog.mount("game/dlc.pak", {.priority = 1, .patches = {"game/dlc-2.patch"}}); !mounted)
    log(mounted.error().to_string());

  std::shared_ptr<runtime::Source> place = runtime::make_source(read_from_somewhere, 2);
  if (auto mounted = catalog.mount(place, runtime::Layout::kPack, "levels/forest.hpack"); !mounted)
    log(mounted.error().to_string());

  runtime::Files files;
  runtime::Cooked cooked;
  cooked.add(runtime::uuid(1), {aas1::Type::kTexture2D, "Engine/Textures/Wood", runtime::texture_blob(), {}, {}});
  cooked.put(files);
  ASSERT_TRUE(catalog.mount(files.source(), runtime::Layout::kCooked, "cooked"));

  const std::optional<runtime::AssetHandle> wood = catalog.find_by_path("Engine/Textures/Wood");
  if (wood) {
    const auto desc = catalog.desc(*wood);
    if (const auto* texture = std::get_if<registry::TextureDesc>(&desc->fields)) reserve(texture->width_texels);
    const runtime::Dependencies needs = catalog.dependencies(*wood);
    for (std::size_t i = 0; i < needs.hard_count(); ++i) note(needs[i]);
  }
  EXPECT_TRUE(wood);
}

TEST(EngineGuide, enumerate_and_variants) {
  runtime::Files files;
  runtime::Cooked cooked;
  cooked.add(runtime::uuid(1), {aas1::Type::kTexture2D, "Engine/UI/Logo", runtime::texture_blob(), {}, {}});
  cooked.add(runtime::uuid(2),
             {aas1::Type::kTexture2D, "Engine/UI/Logo+low", runtime::texture_blob(), {}, {}, {"Wood"}});
  cooked.add(runtime::uuid(3), {aas1::Type::kModel, "Engine/Props/Chair", runtime::raw_blob(""), {}, {}});
  cooked.put(files);
  runtime::Catalog catalog;
  ASSERT_TRUE(catalog.mount(files.source(), runtime::Layout::kCooked, "cooked"));
  std::vector<std::string> shown;
  const auto show = [&](std::string_view path) { shown.emplace_back(path); };

  for (const runtime::AssetHandle& asset :
       catalog.list({.folder = "Engine/UI", .type = runtime::AssetType::kTexture2D}))
    show(catalog.desc(asset)->virtual_path);
  const std::vector<runtime::AssetHandle> wooden = catalog.list({.tag = "Wood"});
  if (const auto chair = catalog.find_by_path("Engine/Props/Chair")) {
    for (const runtime::AssetHandle& clip : catalog.list({.type = runtime::AssetType::kAnimation, .container = *chair}))
      note(clip);
  }
  EXPECT_EQ(shown, (std::vector<std::string>{"Engine/UI/Logo", "Engine/UI/Logo+low"}));
  EXPECT_EQ(wooden.size(), 1u);

  runtime::Manager manager(catalog);
  catalog.set_variants({"de", "low"});  // before the manager is created
  manager.set_variants({"fr", "low"});  // later, while assets are loaded
  EXPECT_EQ(catalog.find_by_path("Engine/UI/Logo"), runtime::AssetHandle{.uuid = runtime::uuid(2)});
  EXPECT_EQ(manager.catalog().find_by_path("Engine/UI/Logo"), runtime::AssetHandle{.uuid = runtime::uuid(2)});
}

constexpr runtime::AssetType kFontType = runtime::kFirstEngineType;

struct Device {
  std::uint64_t upload(const runtime::TextureData& texture) { return texture.levels.empty() ? 0 : ++last; }
  std::uint64_t size_of(std::uint64_t) const { return 64; }
  void destroy(std::uint64_t) { ++destroyed; }
  std::uint64_t finished_frame() const { return 0; }
  std::uint64_t last = 0;
  int destroyed = 0;
};

void draw(std::uint64_t) {}
void ask_for_download(const runtime::AssetHandle&) {}

// A coroutine that nothing awaits.
struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};

void draw(const runtime::MeshLayout& layout) { EXPECT_FALSE(layout.levels.empty()); }

TEST(EngineGuide, readme) {
  int frames = 0;
  const auto running = [&] { return frames++ < 2; };
  const auto log = [](const std::string& what) { EXPECT_EQ(what, "missing: game.hpack: no such file"); };
  runtime::Catalog catalog;
  if (auto mounted = catalog.mount("game.hpack"); !mounted)
    log(mounted.error().to_string());  // or a folder, or a bundle

  runtime::ThreadPool pool(4);  // or your own job system
  runtime::Manager manager(catalog, {.jobs = pool.jobs(), .gpu_bytes = 1 << 30});
  runtime::add_loaders(manager);

  // With its materials and their textures.
  const auto chair = manager.load_async<runtime::MeshData>("models/chair.hmesh");
  while (running()) {
    manager.pump({.time = std::chrono::microseconds(2000)});  // once a frame
    draw(runtime::layout_of(*chair.get_or_fallback()));       // a cube until the chair is loaded
  }
}

const Uuid kErrorMesh = runtime::uuid(7);

runtime::SceneData error_scene(runtime::AssetType) {
  const aas1::ModelNode node{-1, -1, kErrorMesh, {}, {0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
  return *runtime::open_scene(Bytes(*aas1::write_model({&node, 1}, {})));
}

TEST(EngineGuide, load) {
  runtime::Files files;
  runtime::Cooked cooked;
  cooked.add(runtime::uuid(1), {aas1::Type::kTexture2D, "Engine/Textures/Wood", runtime::texture_blob(), {}, {}});
  cooked.add(runtime::uuid(2), {aas1::Type::kRaw, "Engine/Fonts/Text", runtime::raw_blob("FONT"), {}, {}});
  cooked.add(runtime::uuid(3), {aas1::Type::kRaw, "Engine/Fonts/Bad", runtime::raw_blob("PNG"), {}, {}});
  cooked.put(files);
  runtime::Catalog catalog;
  ASSERT_TRUE(catalog.mount(files.source(), runtime::Layout::kCooked, "cooked"));
  Device device;
  int frames = 0;
  {
    runtime::ThreadPool pool(4);  // or your own job system: three functions in a runtime::JobSystem
    runtime::Manager manager(catalog, {.jobs = pool.jobs(), .cpu_bytes = 256 << 20, .gpu_bytes = 1 << 30});

    runtime::Loaders loaders{.texture = runtime::texture_loader({.bc = true})};  // the formats that this device samples
    loaders.texture.finalize = [&](runtime::TextureData& texture,
                                   const runtime::AssetDesc&) -> Result<runtime::GpuObject> {
      const std::uint64_t object = device.upload(texture);
      texture.levels.clear();  // the device has them
      return runtime::GpuObject{.object = object, .size_bytes = device.size_of(object)};
    };
    loaders.texture.release = [&](const runtime::GpuObject& gpu) { device.destroy(gpu.object); };
    runtime::add_loaders(manager, loaders);

    struct Font {
      Bytes bytes;
    };
    manager.add<Font>(kFontType, {.decode = [](runtime::LoadInput& in) -> Result<Font> {
                        const Result<runtime::RawData> file = runtime::load_raw(in);  // a cook stores it in a blob
                        if (!file) return std::unexpected(file.error());
                        if (as_text(file->bytes).starts_with("FONT")) return Font{file->bytes};
                        return fail(ErrorCode::kInvalidData, "found another magic than that of a font");
                      }});
    runtime::AssetRef<Font> text = manager.load_async<Font>(*catalog.find_by_path("Engine/Fonts/Text"));

    const auto running = [&] {
      ++frames;
      return manager.stats().loading > 0;
    };
    runtime::Loaders other{.scene = loaders.scene};
    other.scene.fallback = error_scene;
    other.texture.fallback = {};
    EXPECT_EQ(other.scene.fallback(runtime::AssetType::kModel).view.meshes()[0].file.uuid(), kErrorMesh);
    const runtime::AssetRef<runtime::TextureData> wood =
        manager.load_async<runtime::TextureData>("Engine/Textures/Wood");
    while (running()) {
      manager.pump({.time = std::chrono::microseconds(2000)});  // once a frame, on the render thread
      draw(wood.gpu().object);                                  // the checkerboard until it is loaded
    }
    EXPECT_TRUE(wood.is_ready());
    EXPECT_TRUE(wood.get()->levels.empty());
    EXPECT_EQ(manager.stats().gpu_bytes, 64u);
    if (const runtime::Failure* failure = wood.failure()) {
      if (failure->fault == runtime::Fault::kMissing) ask_for_download(failure->asset);
      log(failure->to_string());
    }
    ASSERT_TRUE(text.is_ready());
    EXPECT_EQ(as_text(text.get()->bytes), "FONT");
    const auto bad = manager.load<Font>(*catalog.find_by_path("Engine/Fonts/Bad"));
    EXPECT_EQ(bad.failure()->error.what, "found another magic than that of a font");
  }
  EXPECT_EQ(static_cast<std::uint64_t>(device.destroyed), device.last);
}

void forget_bindings_of(const runtime::AssetHandle&) {}

struct Staging {
  explicit Staging(std::uint64_t size) : memory(static_cast<std::size_t>(size)), bytes(memory) {}
  ByteVector memory;
  std::span<std::byte> bytes;
};

// Completes each upload one frame later.
struct SlowDevice {
  std::uint64_t begin_upload(const runtime::TextureData&) { return ++last; }
  bool is_uploaded(std::uint64_t object) { return !pending.insert(object).second; }
  std::shared_ptr<Staging> stage(std::uint64_t size) {
    staged += size;
    return std::make_shared<Staging>(size);
  }
  std::uint64_t last = 0;
  std::atomic<std::uint64_t> staged = 0;
  std::set<std::uint64_t> pending;
};

runtime::TextureData make_noise() { return runtime::texture_loader().fallback(runtime::AssetType::kTexture2D); }
Result<runtime::ReadAnswer> download(const runtime::ReadRequest& request, const std::atomic<bool>&) {
  return std::unexpected(Error{ErrorCode::kIo, request.path, {}, "503", {}});
}

TEST(EngineGuide, requests_and_uploads) {
  runtime::Files files;
  runtime::Cooked cooked;
  cooked.add(runtime::uuid(1), {aas1::Type::kTexture2D, "Engine/UI/Logo", runtime::texture_blob(), {}, {}});
  cooked.put(files);
  runtime::Catalog catalog;
  ASSERT_TRUE(catalog.mount(files.source(), runtime::Layout::kCooked, "cooked"));
  SlowDevice device;
  std::vector<std::function<void()>> queue;
  struct {
    std::vector<std::function<void()>>& jobs;
    void push(std::function<void()> job) { jobs.push_back(std::move(job)); }
  } upload_thread{queue};
  runtime::ThreadPool pool(2);
  runtime::Manager manager(catalog, {.jobs = pool.jobs()});
  runtime::Loaders loaders;

  runtime::TextureOptions options{.bc = true};
  options.allocate = [&](const runtime::LevelRequest& level) -> Result<runtime::LevelMemory> {
    const std::uint64_t row_pitch = (level.row_bytes + 255) / 256 * 256;  // as Direct3D 12 requires
    const std::shared_ptr<Staging> staging = device.stage(row_pitch * level.row_count * level.image_count);
    return runtime::LevelMemory{.bytes = staging->bytes, .row_pitch_bytes = row_pitch, .owner = staging};
  };
  loaders.texture = runtime::texture_loader(options);

  loaders.texture.finalize = [&](runtime::TextureData& texture,
                                 const runtime::AssetDesc&) -> Result<runtime::GpuObject> {
    return runtime::GpuObject{.object = device.begin_upload(texture), .size_bytes = 64, .is_pending = true};
  };
  loaders.texture.poll = [&](const runtime::GpuObject& pending) -> Result<runtime::GpuObject> {
    if (!device.is_uploaded(pending.object)) return pending;
    return runtime::GpuObject{.object = pending.object, .size_bytes = pending.size_bytes};
  };
  loaders.mesh.finalize_async = [&](runtime::MeshData& mesh, const runtime::AssetDesc&,
                                    const runtime::FinalizeToken& token) {
    upload_thread.push(
        [&mesh, token] { token.complete(runtime::GpuObject{.object = 7, .size_bytes = mesh.bytes.size()}); });
  };
  runtime::add_loaders(manager, loaders);

  const runtime::Handle<runtime::TextureData> logo = manager.find<runtime::TextureData>("Engine/UI/Logo");
  const auto shown = manager.load_async(logo, {.priority = 5});
  // A second value of the same texture, as RGBA8, which finalize does not clear.
  const auto readable = manager.load_async(logo, {.settings = {.keep_data = true, .format = TexelFormat::kRgba8}});
  const auto noise = manager.insert(make_noise());  // a TextureData that the engine made
  const std::shared_ptr<runtime::Source> web = runtime::make_source(download, 4, {.retries = 5});
  EXPECT_EQ(web->retry_policy().retries, 5u);
  std::string label;
  const auto draw_label = [&](const std::string& text) { label = text; };
  const runtime::Waiting why = manager.why_waiting(shown);
  if (why.what != runtime::Waits::kNothing) draw_label("waits for " + std::string(to_string(why.what)));
  EXPECT_TRUE(label.starts_with("waits for "));

  while (manager.stats().loading > 0) {
    manager.pump();
    for (const auto& job : std::exchange(queue, {})) job();  // the fallback of meshes
  }
  EXPECT_TRUE(shown.is_ready());
  EXPECT_TRUE(noise.is_ready());
  EXPECT_NE(shown.get(), readable.get());
  EXPECT_EQ(shown.get()->levels[0].row_pitch_bytes, 256u);
  EXPECT_EQ(device.staged, 2 * 4 * 256u);
  EXPECT_FALSE(shown.gpu().is_pending);
}

TEST(EngineGuide, hot_reload) {
  runtime::Catalog catalog;
  runtime::ThreadPool pool(1);
  Device device;
  runtime::ManagerOptions options{.jobs = pool.jobs()};
  options.on_failure = [](const runtime::Failure& failure) { log(failure.to_string()); };
  options.on_reloaded = [&](const runtime::AnyRef& asset, const runtime::AnyRef&) {
    forget_bindings_of(asset.handle());
  };
  options.is_over = [&](std::uint64_t frame) { return frame <= device.finished_frame(); };  // PumpReport::frame
  runtime::Manager manager(catalog, std::move(options));
  runtime::WatchClient watch("game/runtime", [&](const runtime::Changes& changes) { manager.changed(changes); });

  manager.changed({.written = {"textures/wood.ktx2"}});  // paths below a mount; or .assets, or .everything
  manager.pump();
  EXPECT_FALSE(watch.is_connected());
}

TEST(EngineGuide, mods) {
  runtime::Manager manager(runtime::Catalog(), {.io_thread = false});
  if (auto mounted = manager.mount("mods/winter/Cooked/Linux", {.priority = 10}); !mounted)
    log(mounted.error().to_string());
  if (auto unmounted = manager.unmount("mods/winter/Cooked/Linux"); !unmounted) log(unmounted.error().to_string());
  EXPECT_TRUE(manager.catalog().mounts().empty());
}

TEST(EngineGuide, other_ways_to_wait) {
  runtime::Files files;
  runtime::Cooked cooked;
  cooked.add(runtime::uuid(1), {aas1::Type::kRaw, "Demo/Data", runtime::raw_blob("data"), {}, {}});
  cooked.put(files);
  runtime::Catalog catalog;
  ASSERT_TRUE(catalog.mount(files.source(), runtime::Layout::kCooked, "cooked"));
  runtime::Manager manager(catalog, {.io_thread = false});
  runtime::add_loaders(manager);
  const runtime::AssetHandle data = *catalog.find_by_path("Demo/Data");
  auto future = runtime::load_future<runtime::RawData>(manager, data);
  std::string awaited;
  [](runtime::Manager& from, runtime::AssetHandle asset, std::string& out) -> Detached {
    const auto ref = co_await runtime::load_awaited<runtime::RawData>(from, asset);
    out = as_text(ref.get()->bytes);
  }(manager, data, awaited);
  EXPECT_EQ(awaited, "");
  manager.pump({.time = std::chrono::seconds(60)});  // all of it in one, on any machine
  EXPECT_EQ(awaited, "data");
  EXPECT_EQ(as_text(future.get().get()->bytes), "data");
}

TEST(EngineGuide, to_the_device) {
  std::uint32_t image = 0, attributes = 0;
  const auto create_image = [&](std::uint32_t vulkan) { image = vulkan; };
  const auto add_attribute = [&](std::uint32_t, std::uint32_t) { ++attributes; };
  runtime::TextureData texture;
  texture.is_srgb = true;

  const gpu::TextureFormat& format = gpu::texture_format(texture.format, texture.is_srgb);
  create_image(format.vulkan);  // or format.dxgi, format.metal, format.gl.internal_format, format.webgpu
  for (const gpu::VertexAttribute& a : gpu::kHmeshVertices) add_attribute(gpu::info(a.format).vulkan, a.offset_bytes);
  EXPECT_EQ(image, 43u);
  EXPECT_EQ(attributes, 4u);

  hmat::GpuMaterial row;
  row.set_sampler(hmat::Slot::kBaseColor, {.wrap_u = sampling::Wrap::kClamp, .mag = sampling::Filter::kNearest});
  const sampling::Sampler sampler = row.sampler(hmat::Slot::kBaseColor);
  const std::uint32_t address_u = gpu::address_mode(sampler.wrap_u).vulkan;
  const std::uint32_t magnify = gpu::filter_mode(sampler.mag).vulkan;  // linear if the source does not say
  const std::uint32_t between_levels = gpu::mipmap_mode(sampler.mip).vulkan;
  EXPECT_EQ(address_u, 2u);
  EXPECT_EQ(magnify, 0u);
  EXPECT_EQ(between_levels, 1u);

  std::uint32_t indices = 0;
  const auto draw_triangles = [&](std::uint32_t, std::uint32_t count) { indices += count; };
  const auto mesh = std::make_unique<runtime::MeshData>(runtime::mesh_loader().fallback(runtime::AssetType::kMesh));
  const runtime::MeshLayout layout = runtime::layout_of(*mesh);
  for (const runtime::VertexStream& stream : layout.vertices[0].streams)
    add_attribute(gpu::info(stream.format).vulkan, stream.offset_bytes);
  for (const runtime::MeshDraw& draw : layout.levels[0].draws) draw_triangles(draw.first_index, draw.index_count);
  EXPECT_EQ(attributes, 7u);
  EXPECT_EQ(indices, 36u);
}

TEST(EngineGuide, animate) {
  hmesh::GpuJoint joint{};
  joint.parent = hmesh::kNoParent;
  joint.rotation[3] = 1;
  const struct {
    std::array<hmesh::GpuJoint, 1> all;
    std::span<const hmesh::GpuJoint> joints() const { return all; }
  } mesh{{joint}};
  const hanim::Channel up{0, hanim::Path::kTranslation, hanim::Interpolation::kLinear, {0, 2}, {0, 0, 0, 0, 4, 0}};
  const ByteVector file = hanim::write(std::vector<hanim::Clip>{{"walk", 2, {up}}, {"wave", 1, {}}}).value();
  const auto clips = hanim::View::open(file);
  ASSERT_TRUE(clips);
  const hanim::ClipView& walk = clips->clips()[0];
  const hanim::ClipView& wave = clips->clips()[1];
  const float seconds = 2.5f;
  const std::array upper_body{0.5f};

  const runtime::Hierarchy skeleton(mesh.joints());
  std::vector<runtime::Transform> pose(skeleton.size()), second(skeleton.size());
  std::vector<runtime::Matrix> model(skeleton.size()), skin(skeleton.size());
  std::vector<std::uint32_t> walk_cursors(walk.channels.size()), wave_cursors(wave.channels.size());

  std::ranges::copy(skeleton.rest(), pose.begin());  // joints that no clip moves keep the rest pose
  std::ranges::copy(skeleton.rest(), second.begin());
  const float now = runtime::time_in_clip(seconds, walk.duration_seconds, runtime::Playback::kLoop);
  runtime::sample(walk, now, walk_cursors, pose);
  runtime::sample(wave, wave.duration_seconds, wave_cursors, second);
  runtime::blend(pose, second, 0.5f, pose, upper_body);  // one weight for each joint
  skeleton.model_matrices(pose, model);
  runtime::skinning_matrices(mesh.joints(), {}, model, skin);
  EXPECT_EQ(model[0][13], 0.75f);
}

TEST(EngineGuide, compressed_clips) {
  // Two constant weights of node 5 and a constant intensity of light 1.
  ByteVector bytes;
  append(bytes, 2.0f);
  for (const std::uint32_t v : {0u, 0u, 1u, 2u, 0u, 0u, 0u}) append(bytes, v);
  for (const std::uint32_t v : {5u, 0u}) append(bytes, v);  // the node and the first target of the weights
  append(bytes, std::uint32_t{3 | 1 << 4 | 0 << 6});
  for (const float v : {0.25f, 0.75f, 0.0f}) append(bytes, v);
  append(bytes, std::uint32_t{12 | 0 << 4 | 1 << 6});
  for (const float v : {80.0f, 0.0f, 0.0f}) append(bytes, v);
  const ByteVector file =
      hanim::write_compressed(std::vector<hanim::CompressedBytes>{{"glow", bytes}}, {}, 0.1f, 0.1f).value();
  const auto clips = hanim::CompressedView::open(file);
  ASSERT_TRUE(clips);
  const hanim::CompressedClip& clip = clips->clips()[0];
  const float seconds = 2.5f;
  std::vector<runtime::Transform> pose(1);
  std::map<std::uint32_t, float> weights;
  float intensity = 0;
  const auto set_weights = [&](std::uint32_t node, std::uint32_t first, std::span<const float> some) {
    for (std::size_t i = 0; i < some.size(); ++i) weights[100 * node + first + static_cast<std::uint32_t>(i)] = some[i];
  };
  const auto set_intensity = [&](std::uint32_t light, float value) { intensity = value + static_cast<float>(light); };

  runtime::sample(clip, runtime::time_in_clip(seconds, clip.duration_seconds(), runtime::Playback::kLoop), pose);

  std::vector<float> values(clip.property_float_count());
  runtime::sample_properties(clip, seconds, values);
  const float* next = values.data();
  for (const hanim::Target& target : clip.properties()) {
    const std::span<const float> value(next, target.components);
    if (target.property == hanim::Property::kWeights) set_weights(target.object, target.first, value);
    if (target.property == hanim::Property::kLightIntensity) set_intensity(target.object, value[0]);
    next += target.components;
  }
  EXPECT_EQ(weights, (std::map<std::uint32_t, float>{{500, 0.25f}, {501, 0.75f}}));
  EXPECT_EQ(intensity, 81);
}

Result<void> decode_vorbis(const aas1::AudioDesc&, ByteSpan, std::span<float>) { return {}; }

std::uint32_t level_for(std::uint32_t texels, std::uint32_t pixels) {
  std::uint32_t level = 0;
  while (texels > 1 && texels / 2 >= pixels) texels /= 2, ++level;
  return level;
}

TEST(EngineGuide, stream) {
  EXPECT_EQ(level_for(4096, 900), 2u);
  runtime::Files files;
  runtime::Cooked cooked;
  const std::int16_t frame = 16384;
  aas1::Audio audio;
  audio.frame_count = audio.frames_per_chunk = 1;
  audio.chunks = {object_bytes(frame)};
  cooked.add(runtime::uuid(1), {aas1::Type::kTexture2D, "Engine/Textures/Wall", runtime::texture_blob(), {}, {}});
  cooked.add(runtime::uuid(2), {aas1::Type::kMesh, "Engine/Meshes/Chair", ByteVector(4), {}, {}});
  cooked.add(runtime::uuid(3), {aas1::Type::kAudio, "Engine/Music", aas1::write(audio).value(), {}, {}});
  cooked.put(files);
  runtime::Catalog catalog;
  ASSERT_TRUE(catalog.mount(files.source(), runtime::Layout::kCooked, "cooked"));
  runtime::ThreadPool pool(2);
  const auto handle = catalog.find_by_path("Engine/Textures/Wall"), model = catalog.find_by_path("Engine/Meshes/Chair"),
             song = catalog.find_by_path("Engine/Music");
  ASSERT_TRUE(handle && model && song);
  bool is_seen = false;
  const auto running = [&] { return !is_seen; };
  const auto draw = [&](const runtime::TextureData& texture) { is_seen = texture.first_level == 0; };

  const runtime::PartOptions parts{.first_read_bytes = 64 << 10};
  runtime::Loaders loaders{.texture = runtime::texture_loader({.bc = true}, parts),
                           .mesh = runtime::mesh_loader(parts),
                           .audio = runtime::audio_loader(parts)};
  runtime::ManagerOptions options{.jobs = pool.jobs(), .gpu_bytes = 1 << 30};
  options.on_detail = [&](const runtime::AnyRef& asset) { forget_bindings_of(asset.handle()); };
  runtime::Manager manager(catalog, std::move(options));
  runtime::add_loaders(manager, loaders);
  const auto far_wall = manager.load_async<runtime::TextureData>(*handle);
  const auto chair = manager.load_async<runtime::MeshData>(*model, 10);
  far_wall.want(level_for(4096, 900));  // 4096 texels on 900 pixels: leave out the two finest levels
  manager.set_priority(far_wall, 900);
  while (running()) {
    manager.pump();
    if (far_wall.is_ready()) draw(*far_wall.get());  // the levels from get()->first_level to the smallest
    far_wall.want(0);                                // it comes near: load all levels
  }

  std::vector<float> audio_buffer(1);
  runtime::AudioStream music(manager, *song, {.loop = true, .decode = decode_vorbis});
  music.fill();              // several times a second, on another thread: decodes ahead, never waits
  music.pull(audio_buffer);  // on the audio thread: no lock, no allocation; silence if no samples are ready
  while (audio_buffer[0] == 0) {
    manager.pump();
    music.fill();
    music.pull(audio_buffer);
  }
  EXPECT_EQ(audio_buffer[0], 0.5f);
}

TEST(EngineGuide, clusters) {
  runtime::Files files;
  files.put("rocks/cliff.hcluster", runtime::strip_file());
  runtime::Catalog catalog;
  ASSERT_TRUE(
      catalog.mount(files.source(), runtime::Layout::kTree, "", {.files = {std::string("rocks/cliff.hcluster")}}));
  runtime::Manager manager(catalog, {.io_thread = false});
  runtime::add_loaders(manager);
  std::size_t page_count = 0, drawn = 0;
  int frames = 0;
  const float y_fov = 1;
  const auto running = [&] { return ++frames < 100; };
  const auto eye_in_mesh_space = [&] {
    drawn = 0;
    return std::array<float, 3>{128, 1, 9};
  };
  const std::vector<std::array<float, 4>> planes{{1, 0, 0, 0}};
  const auto frustum_in_mesh_space = [&] { return std::span(planes); };
  const auto free_all_pages = [&](runtime::ClusterMesh) { page_count = 0; };
  const auto free_page = [&](const runtime::ClusterPage&) { --page_count; };
  const auto decode_and_upload = [&](const runtime::ClusterPage&, ByteSpan) { ++page_count; };
  const auto draw_cluster = [&](std::uint32_t, std::uint32_t) { ++drawn; };

  runtime::ClusterStreamer streamer(manager, {.budget_bytes = 256 << 20});
  const runtime::ClusterMesh rock = streamer.add(manager.load_async<runtime::ClusterData>("rocks/cliff.hcluster"));
  runtime::ClusterSelection selection;
  while (running()) {
    manager.pump();
    runtime::ClusterView view{.eye = eye_in_mesh_space(), .limit = runtime::error_limit(y_fov, 1080)};
    const runtime::ClusterUse instances[] = {{rock, view}};
    streamer.update(instances);
    for (const runtime::ClusterMesh mesh : streamer.changes().begun) free_all_pages(mesh);
    for (const runtime::ClusterPage& page : streamer.changes().dropped) free_page(page);
    for (const runtime::ClusterPage& page : streamer.changes().loaded)
      decode_and_upload(page, streamer.pages(page.mesh)->bytes(page.page));
    const runtime::ClusterPages* pages = streamer.pages(rock);
    if (pages == nullptr) continue;  // the tables are not loaded yet
    view.planes = frustum_in_mesh_space();
    runtime::select_clusters(*pages, view, selection);
    for (const runtime::SelectedCluster& cluster : selection.clusters) draw_cluster(cluster.page, cluster.cluster);
  }
  EXPECT_EQ(page_count, streamer.stats().pages);
  EXPECT_GT(drawn, 10u);
}

// The text with each run of white space replaced by one blank, so that lines may be broken elsewhere.
std::string squeezed(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n';
    if (!is_blank || (!out.empty() && out.back() != ' ')) out += is_blank ? ' ' : c;
  }
  return out;
}

std::string file_text(const std::string& path) {
  std::ifstream file(std::string(places::kSource) + "/" + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(EngineGuide, every_block_is_built) {
  const std::pair<std::string, std::string> pages[] = {
      {"README.md", "tests/runtime/engine_guide_test.cpp"},
      {"docs/guide/engine.md", "tests/runtime/engine_guide_test.cpp"},
      {"docs/guide/http.md", "tests/http/guide_test.cpp"},
      {"docs/guide/fonts.md", "tests/runtime/text_test.cpp"},
      {"docs/guide/integration.md", "tests/runtime/integration_guide_test.cpp"}};
  for (const auto& [page, test] : pages) {
    const std::string guide = file_text(page);
    const std::string built = squeezed(file_text(test));
    std::size_t blocks = 0;
    for (std::size_t at = guide.find("```cpp\n"); at != std::string::npos; at = guide.find("```cpp\n", at + 1)) {
      const std::size_t start = at + 7;
      const std::string block = guide.substr(start, guide.find("```", start) - start);
      EXPECT_TRUE(built.find(squeezed(block)) != std::string::npos) << block;
      ++blocks;
    }
    EXPECT_GT(blocks, 0u) << page;
  }
}

}  // namespace
}  // namespace assetc
