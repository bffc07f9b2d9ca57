// runtime.wasm: the catalog and the manager of the runtime, in one thread. JavaScript reads the bytes: it takes
// requests with next_request(), and gives answers with answer() and fail_read().
#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/gpu.hpp"
#include "assetc/runtime/manager.hpp"
#include "assetc/runtime/mesh_layout.hpp"
#include "assetc/runtime/source.hpp"
#include "base/json_line.hpp"
#include "module.hpp"

namespace assetc::web {
namespace {

using runtime::AssetType;
using runtime::Completions;
using runtime::kToEnd;
using runtime::MeshData;
using runtime::RawData;
using runtime::ReadAnswer;
using runtime::ReadRequest;
using runtime::TextureData;
using runtime::Ticket;

// What JavaScript finds at the result of next_request().
struct Wanted {
  std::uint32_t ticket = 0;
  Range path;
  std::uint32_t is_canceled = 0;            // no longer wanted; it needs no answer
  double offset_bytes = 0, size_bytes = 0;  // size -1: up to the end
};

// Reads that JavaScript answers. A catalog is mounted by reads that must be answered at once: while `is_mounting`, a
// read is answered from what arrived before, or fails and is requested. The mount is then tried again.
class FetchSource final : public runtime::Source {
 public:
  ~FetchSource() override {
    for (auto& [ticket, read] : reads_)
      if (read.completions != nullptr) post(read, fail(ErrorCode::kCanceled, "canceled"));
  }
  Ticket submit(ReadRequest request, Completions& completions) override {
    Read read{std::move(request), &completions};
    if (is_mounting) {
      const auto known = index_.find({read.request.path, read.request.offset_bytes});
      if (known != index_.end() && !known->second) {
        post(read, std::unexpected(known->second.error()));
        return Ticket{0};
      }
      if (known != index_.end()) {
        ReadAnswer part = *known->second;
        const std::uint64_t size = part.bytes.size(), wanted = read.request.size_bytes;
        if (size >= wanted || read.request.offset_bytes + size == part.file_size_bytes) {
          part.bytes = part.bytes.slice(0, static_cast<std::size_t>(std::min(wanted, size)));
          post(read, std::move(part));
          return Ticket{0};
        }
      }
      post(read, fail(ErrorCode::kIo, "not here yet"));
      read.completions = nullptr;
    }
    const std::uint32_t ticket = ++last_ticket_;
    wanted_.push_back(ticket);
    reads_.emplace(ticket, std::move(read));
    return Ticket{ticket};
  }
  void cancel(Ticket ticket) override {
    const auto at = reads_.find(static_cast<std::uint32_t>(ticket));
    if (at == reads_.end()) return;
    post(at->second, fail(ErrorCode::kCanceled, "canceled"));
    reads_.erase(at);
    canceled_.push_back(static_cast<std::uint32_t>(ticket));
  }
  // The page has timeouts of its own.
  runtime::RetryPolicy retry_policy() const override { return {.retries = 4, .timeout = {}}; }

  const Wanted* next() {
    if (!canceled_.empty()) {
      now_ = {.ticket = canceled_.front(), .path = {}, .is_canceled = 1};
      canceled_.pop_front();
      return &now_;
    }
    while (!wanted_.empty()) {
      const auto at = reads_.find(wanted_.front());
      wanted_.pop_front();
      if (at == reads_.end()) continue;
      const ReadRequest& request = at->second.request;
      now_ = {.ticket = at->first,
              .path = range_of(as_bytes(request.path)),
              .is_canceled = 0,
              .offset_bytes = static_cast<double>(request.offset_bytes),
              .size_bytes = request.size_bytes == kToEnd ? -1.0 : static_cast<double>(request.size_bytes)};
      return &now_;
    }
    return nullptr;
  }
  void answer(std::uint32_t ticket, Result<ReadAnswer> result) {
    const auto at = reads_.find(ticket);
    if (at == reads_.end()) return;
    Read read = std::move(at->second);
    reads_.erase(at);
    if (result && read.request.size_bytes != kToEnd && result->bytes.size() > read.request.size_bytes)
      result->bytes = result->bytes.slice(0, static_cast<std::size_t>(read.request.size_bytes));
    if (read.completions != nullptr) return post(read, std::move(result));
    index_.insert_or_assign({read.request.path, read.request.offset_bytes}, std::move(result));
  }
  void forget_index() { index_.clear(); }

  bool is_mounting = false;

 private:
  struct Read {
    ReadRequest request;
    Completions* completions = nullptr;
  };
  static void post(const Read& read, Result<ReadAnswer> result) {
    if (!result && result.error().file.empty()) result.error().file = read.request.path;
    read.completions->post({read.request.user, std::move(result)});
  }

  std::map<std::uint32_t, Read> reads_;
  std::map<std::pair<std::string, std::uint64_t>, Result<ReadAnswer>> index_;  // by path and offset
  std::deque<std::uint32_t> wanted_, canceled_;
  Wanted now_;
  std::uint32_t last_ticket_ = 0;
};

constexpr AssetType kTextureTypes[] = {AssetType::kTexture2D, AssetType::kTextureCube, AssetType::kTexture2DArray,
                                       AssetType::kTextureCubeArray, AssetType::kTexture3D};

using AnyAsset = std::variant<runtime::AssetRef<TextureData>, runtime::AssetRef<MeshData>, runtime::AssetRef<RawData>>;

struct Session {
  std::shared_ptr<FetchSource> source = std::make_shared<FetchSource>();
  runtime::TextureOptions textures;
  std::uint64_t first_read_bytes = 64u << 10;
  std::unique_ptr<runtime::Manager> manager;
  std::string text;  // the last description
};
struct Asset {
  Session* session;
  AnyAsset ref;
};

Session& session_of(std::uint32_t at) { return *reinterpret_cast<Session*>(std::uintptr_t{at}); }
Asset& asset_of(std::uint32_t at) { return *reinterpret_cast<Asset*>(std::uintptr_t{at}); }
std::string text_of(std::uint32_t at, std::uint32_t size_bytes) {
  return {reinterpret_cast<const char*>(std::uintptr_t{at}), size_bytes};
}
// Bytes that JavaScript copied into memory of allocate(); it is freed with them.
Bytes owned(std::uint32_t at, std::uint32_t size_bytes) {
  auto* const bytes = reinterpret_cast<std::byte*>(std::uintptr_t{at});
  return {std::shared_ptr<const void>(bytes, [](std::byte* gone) { std::free(gone); }), {bytes, size_bytes}};
}

template <class Items, class Describe>
std::string list_of(const Items& items, const Describe& describe) {
  std::string out = "[";
  for (const auto& item : items) {
    if (out.size() > 1) out += ',';
    out += describe(item);
  }
  return out + "]";
}
JsonObject where(JsonObject object, ByteSpan bytes) {
  return object.add("at", address(bytes.data())).add("bytes", bytes.size());
}

std::string describe(const TextureData& texture) {
  const std::string levels = list_of(texture.levels, [](const TextureData::Level& level) {
    JsonObject object;
    object.add("width", level.width_texels).add("height", level.height_texels).add("depth", level.depth_texels);
    return where(object, level.bytes).str();
  });
  const std::string_view format = gpu::texture_format(texture.format, texture.is_srgb).webgpu;
  return JsonObject()
      .add("format", format)
      .add("layers", texture.layer_count)
      .add("faces", texture.face_count)
      .add("is3d", texture.is_3d)
      .add("swizzle", texture.swizzle)
      .add("firstLevel", texture.first_level)
      .add("levelCount", texture.level_count)
      .raw("levels", levels)
      .str();
}

std::string describe(const MeshData& mesh) {
  static constexpr std::string_view kSemantics[] = {"position", "normal", "tangent", "texcoord",
                                                    "color",    "joints", "weights"};
  const runtime::MeshLayout layout = runtime::layout_of(mesh);
  const auto draws = [](const std::vector<runtime::MeshDraw>& all) {
    return list_of(all, [](const runtime::MeshDraw& draw) {
      return JsonObject()
          .add("vertices", draw.vertices)
          .add("indices", draw.indices)
          .add("firstIndex", draw.first_index)
          .add("indexCount", draw.index_count)
          .add("baseVertex", draw.base_vertex)
          .add("materialSlot", draw.material_slot)
          .add("topology", gpu::topology(draw.topology).webgpu)
          .str();
    });
  };
  const std::string vertices = list_of(layout.vertices, [](const runtime::VertexLayout& set) {
    const std::string buffers = list_of(set.buffers, [](const runtime::VertexBuffer& buffer) {
      return where(JsonObject().add("stride", buffer.stride_bytes), buffer.bytes).str();
    });
    const std::string streams = list_of(set.streams, [](const runtime::VertexStream& stream) {
      const auto semantic = static_cast<std::size_t>(stream.semantic);
      return JsonObject()
          .add("semantic", semantic < std::size(kSemantics) ? kSemantics[semantic] : stream.name)
          .add("index", stream.semantic_index)
          .add("format", gpu::info(stream.format).webgpu)
          .add("buffer", stream.buffer)
          .add("offset", stream.offset_bytes)
          .str();
    });
    return JsonObject().add("count", set.vertex_count).raw("buffers", buffers).raw("streams", streams).str();
  });
  const std::string indices = list_of(layout.indices, [](const runtime::IndexBuffer& buffer) {
    return where(JsonObject().add("width", buffer.width_bytes), buffer.bytes).str();
  });
  return JsonObject()
      .add("lod", mesh.lod)
      .add("lodCount", mesh.lod_count)
      .raw("vertices", vertices)
      .raw("indices", indices)
      .raw("levels", list_of(layout.levels, [&](const runtime::MeshLevel& level) { return draws(level.draws); }))
      .raw("primitives", draws(layout.primitives))
      .str();
}

std::string describe(const RawData& raw) { return where(JsonObject(), raw.bytes).str(); }

// Texts that JavaScript reads: its address and size are the first two words.
std::uint32_t give(Session& session, std::string text) {
  static Range range;
  session.text = std::move(text);
  range = range_of(as_bytes(session.text));
  return address(&range);
}

}  // namespace

// Creates a session: one mounted place. formats: bit 0 BC, bit 1 ASTC, bit 2 ETC2. max_size_texels: 0 for no limit.
ASSETC_EXPORT(open_session)
std::uint32_t open_session(std::uint32_t formats, std::uint32_t max_size_texels, std::uint32_t first_read_bytes) {
  auto session = std::make_unique<Session>();
  session->textures = {.bc = (formats & 1) != 0,
                       .astc = (formats & 2) != 0,
                       .etc2 = (formats & 4) != 0,
                       .max_size_texels = max_size_texels,
                       .allocate = {}};
  session->first_read_bytes = first_read_bytes;
  return address(session.release());
}
ASSETC_EXPORT(close_session) void close_session(std::uint32_t session) { delete &session_of(session); }

// Mounts a pack (layout 1) or a tree (layout 0). Returns 1 when it is mounted, 2 if it needs answers to the requests of
// next_request() and must then be called again, and 0 after an error.
ASSETC_EXPORT(mount)
std::uint32_t mount(std::uint32_t at, std::uint32_t layout, std::uint32_t path_at, std::uint32_t path_bytes) {
  Session& session = session_of(at);
  runtime::Catalog catalog;
  session.source->is_mounting = true;
  const auto mounted = catalog.mount(session.source, layout == 1 ? runtime::Layout::kPack : runtime::Layout::kTree,
                                     text_of(path_at, path_bytes));
  session.source->is_mounting = false;
  if (!mounted && mounted.error().error.what == "not here yet") return 2;
  if (!mounted) return refuse(mounted.error().error);
  session.source->forget_index();
  session.manager = std::make_unique<runtime::Manager>(
      catalog, runtime::ManagerOptions{.io_thread = false, .on_failure = {}, .frames_in_flight = 2});
  const runtime::PartOptions parts{.first_read_bytes = session.first_read_bytes};
  for (const AssetType type : kTextureTypes)
    session.manager->add(type, runtime::texture_loader(session.textures, parts));
  session.manager->add(AssetType::kMesh, runtime::mesh_loader(parts));
  // JavaScript reads the others.
  for (const AssetType type :
       {AssetType::kMaterial, AssetType::kAnimation, AssetType::kAudio, AssetType::kSkeleton, AssetType::kModel,
        AssetType::kClusters, AssetType::kShader, AssetType::kRaw, AssetType::kScript}) {
    runtime::Loader<RawData> loader;
    loader.decode = [](runtime::LoadInput& in) -> Result<RawData> { return RawData{in.bytes}; };
    session.manager->add(type, std::move(loader));
  }
  return 1;
}

// Returns a Wanted, or 0 if there is none now.
ASSETC_EXPORT(next_request) std::uint32_t next_request(std::uint32_t session) {
  const Wanted* const next = session_of(session).source->next();
  return next == nullptr ? 0 : address(next);
}
// Answers a request. The bytes are in memory of allocate(), which the module frees. version: of the file; 0 if unknown.
ASSETC_EXPORT(answer)
void answer(std::uint32_t session, std::uint32_t ticket, std::uint32_t at, std::uint32_t size_bytes,
            double file_size_bytes, std::uint32_t version) {
  session_of(session).source->answer(
      ticket, ReadAnswer{static_cast<std::uint64_t>(file_size_bytes), owned(at, size_bytes), version});
}
// The same for a read that failed. code: an ErrorCode. The text is in memory of allocate().
ASSETC_EXPORT(fail_read)
void fail_read(std::uint32_t session, std::uint32_t ticket, std::uint32_t code, std::uint32_t at,
               std::uint32_t size_bytes) {
  const Bytes text = owned(at, size_bytes);
  session_of(session).source->answer(
      ticket, fail(static_cast<ErrorCode>(std::min(code, static_cast<std::uint32_t>(ErrorCode::kCanceled))),
                   std::string(as_text(text))));
}

// Works on loads. Returns the number of assets that load, plus 1.
ASSETC_EXPORT(pump) std::uint32_t pump(std::uint32_t session) {
  runtime::Manager& manager = *session_of(session).manager;
  manager.pump();
  return static_cast<std::uint32_t>(manager.stats().loading) + 1;
}

// Returns the assets: a JSON array of path, type and bytes.
ASSETC_EXPORT(list) std::uint32_t list(std::uint32_t at) {
  Session& session = session_of(at);
  const runtime::Catalog& catalog = session.manager->catalog();
  return give(session, list_of(catalog.list(), [&](const runtime::AssetHandle& asset) {
                const auto desc = catalog.desc(asset);
                return JsonObject()
                    .add("path", desc->virtual_path)
                    .add("type", static_cast<std::uint32_t>(asset.type))
                    .add("bytes", desc->size_bytes)
                    .str();
              }));
}

// Requests an asset. kind: 0 texture, 1 mesh, 2 the bytes of another asset. Returns a handle.
ASSETC_EXPORT(request)
std::uint32_t request(std::uint32_t at, std::uint32_t kind, std::uint32_t path_at, std::uint32_t path_bytes) {
  Session& session = session_of(at);
  const std::string path = text_of(path_at, path_bytes);
  runtime::Manager& manager = *session.manager;
  const auto found = manager.catalog().find_by_path(path);
  if (!found) return refuse(Error{ErrorCode::kNotFound, path, {}, "no such asset: " + path, {}});
  const bool is_texture = std::ranges::find(kTextureTypes, found->type) != std::end(kTextureTypes);
  const std::uint32_t kind_of_asset = is_texture ? 0 : found->type == AssetType::kMesh ? 1 : 2;
  if (kind != kind_of_asset) {
    static constexpr const char* kKinds[] = {"texture()", "mesh()", "bytes()"};
    return refuse(
        Error{ErrorCode::kUsage, path, {}, path + " is of another type", std::string("use ") + kKinds[kind_of_asset]});
  }
  auto asset = std::make_unique<Asset>(Asset{&session, {}});
  if (kind == 0) {
    asset->ref = manager.load_async<TextureData>(*found);
  } else if (kind == 1) {
    asset->ref = manager.load_async<MeshData>(*found);
  } else {
    asset->ref = manager.load_async<RawData>(*found);
  }
  return address(asset.release());
}
ASSETC_EXPORT(release_asset) void release_asset(std::uint32_t asset) { delete &asset_of(asset); }

// Sets the finest level to load.
ASSETC_EXPORT(want) void want(std::uint32_t asset, std::uint32_t level) {
  std::visit([&](const auto& ref) { ref.want(level); }, asset_of(asset).ref);
}
// Changes when the value of the asset changes; 0 while there is none; 1 after a failure.
ASSETC_EXPORT(revision) std::uint32_t revision(std::uint32_t asset) {
  return std::visit(
      [](const auto& ref) -> std::uint32_t {
        if (ref.failure() != nullptr) return 1;
        return ref.get() == nullptr ? 0 : address(ref.get());
      },
      asset_of(asset).ref);
}
// Returns a description in JSON. Addresses in it are valid until the next pump(). After a failure, an error.
ASSETC_EXPORT(describe_asset) std::uint32_t describe_asset(std::uint32_t at) {
  const Asset& asset = asset_of(at);
  return std::visit(
      [&](const auto& ref) -> std::uint32_t {
        if (const runtime::Failure* failure = ref.failure()) return refuse(failure->error);
        if (ref.get() == nullptr) return refuse(Error{ErrorCode::kUsage, {}, {}, "the asset is not ready", {}});
        return give(*asset.session, describe(*ref.get()));
      },
      asset.ref);
}

}  // namespace assetc::web

// The clock of the standard library is that of JavaScript, in milliseconds.
__attribute__((import_module("assetc"), import_name("now"))) extern "C" double assetc_now();

extern "C" std::int32_t __imported_wasi_snapshot_preview1_clock_time_get(std::int32_t, std::int64_t, std::int32_t at) {
  const auto nanoseconds = static_cast<std::uint64_t>(assetc_now() * 1e6);
  *reinterpret_cast<std::uint64_t*>(std::uintptr_t(static_cast<std::uint32_t>(at))) = nanoseconds;
  return 0;
}
