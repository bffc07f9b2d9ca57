// Any bytes: a file is refused, or its pages are decoded or refused, even if their hashes are right; so are single
// clusters of any channels.
#include <algorithm>
#include <memory>
#include <vector>

#include "assetc/base/hash.hpp"
#include "assetc/formats/hcluster_view.hpp"
#include "fuzz.hpp"

namespace {

using namespace assetc;
using namespace assetc::hcluster;

// Corners and integers are in range.
void require_valid(std::span<const ChannelBits> channels, std::uint32_t vertex_count, std::uint32_t triangle_count,
                   const ClusterVertices& vertices, const ClusterTriangles& triangles) {
  for (std::uint32_t t = 0; t < triangle_count; ++t) {
    for (const std::uint8_t corner : triangles[t]) fuzz::require(corner < vertex_count);
  }
  std::uint32_t component = 0;
  for (const ChannelBits& channel : channels) {
    for (std::uint32_t k = 0; k < channel.components; ++k, ++component) {
      for (std::uint32_t v = 0; v < vertex_count; ++v) fuzz::require(vertices.at(component, v) < 1u << channel.bits);
    }
  }
}

// Joints of vertices exist.
void require_joints(const View& view, const DecodedCluster& cluster) {
  std::uint32_t component = 0;
  for (const Channel& channel : view.channels()) {
    for (std::uint32_t k = 0; k < channel.components && channel.semantic == Semantic::kJoints; ++k) {
      for (std::uint32_t v = 0; v < cluster.vertex_count; ++v)
        fuzz::require(cluster.vertices.at(component + k, v) < view.joints().size());
    }
    component += channel.components;
  }
}

// Offsets are in order, of vertices that exist, and within their limit.
void require_offsets(const ClusterOffsets& offsets, std::uint32_t vertex_count) {
  std::uint32_t next = 0;
  for (const OffsetTrack& track : offsets.tracks) {
    fuzz::require(track.first == next && track.count > 0 && track.count <= offsets.offsets.size() - next);
    fuzz::require(track.attribute <= OffsetAttribute::kColor && track.set <= kMaxTrackSet);
    next += track.count;
    for (std::uint32_t i = track.first; i < next; ++i) {
      const VertexOffset& offset = offsets.offsets[i];
      fuzz::require(offset.vertex < vertex_count &&
                    (i == track.first || offsets.offsets[i - 1].vertex < offset.vertex));
      for (const std::int16_t value : offset.value) fuzz::require(value >= -kOffsetLimit && value <= kOffsetLimit);
    }
  }
  fuzz::require(next == offsets.offsets.size());
}

// A mutated page has another hash than its table says. This corrects the table.
void correct_hashes(ByteVector& file, const View& view) {
  for (std::size_t p = 0; p < view.pages().size(); ++p) {
    const std::uint64_t hash = xxh3_64(view.page(p));
    const auto at = reinterpret_cast<const std::byte*>(&view.pages()[p].hash) - file.data();
    std::memcpy(file.data() + at, &hash, sizeof hash);
  }
}

// Tables can be read without the pages: the dependencies of every page are pages before it.
void open_head(ByteSpan bytes) {
  for (const std::size_t size : {bytes.size(), bytes.size() - bytes.size() / 4}) {
    const ByteVector head(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    const auto view = View::open_head(head, bytes.size());
    if (!view) continue;
    for (std::uint32_t p = 0; p < view->pages().size(); ++p) {
      for (const std::uint32_t d : view->dependencies(p)) fuzz::require(d < p);
      fuzz::require(view->page_offset_bytes(p) + view->pages()[p].size_bytes <= bytes.size());
    }
  }
}

void decode_file(ByteSpan bytes) {
  open_head(bytes);
  ByteVector file(bytes.begin(), bytes.end());
  const auto view = View::open(file);
  if (!view) return;
  correct_hashes(file, *view);
  std::vector<ChannelBits> channels;
  for (const Channel& c : view->channels()) channels.push_back({c.components, c.bits, c.predictor});
  PageDecoder decoder(*view);
  const auto cluster = std::make_unique<DecodedCluster>();
  ClusterOffsets offsets;
  for (std::uint32_t p = 0; p < view->pages().size(); ++p) {
    if (!decoder.open(p, view->page(p))) continue;
    while (true) {
      const auto more = decoder.next(*cluster);
      if (!more || !*more) break;
      require_valid(channels, cluster->vertex_count, cluster->triangle_count, cluster->vertices, cluster->triangles);
      require_joints(*view, *cluster);
      if (decoder.offsets(offsets)) {
        require_offsets(offsets, cluster->vertex_count);
        for (const OffsetTrack& track : offsets.tracks) {
          fuzz::require(track.target < view->morphs()->targets().size() && view->offset_step(track) > 0);
        }
      }
      fuzz::require(cluster->group < view->groups().size());
      fuzz::require(cluster->refined == kNone ||
                    (cluster->refined > cluster->group && cluster->refined < view->groups().size()));
      std::uint32_t end = 0;
      for (std::uint32_t r = 0; r < cluster->material_count; ++r) {
        const MaterialRange range = cluster->materials[r];
        fuzz::require(range.end > end && (range.material == kNone || range.material < view->materials().size()));
        end = range.end;
      }
      fuzz::require(end == cluster->triangle_count);
    }
  }
}

// A count of channels and their shapes, then clusters of a group: vertex count, triangle count, size, data.
void decode_clusters(ByteSpan bytes) {
  const auto take = [&]() -> std::uint32_t {
    if (bytes.empty()) return 0;
    const auto value = static_cast<std::uint32_t>(bytes.front());
    bytes = bytes.subspan(1);
    return value;
  };
  std::vector<ChannelBits> channels{{3, static_cast<std::uint8_t>(1 + take() % kMaxComponentBits)}};
  std::uint32_t left = kMaxComponents - 3;
  for (std::uint32_t count = take() % kMaxChannels; count > 0 && left > 0; --count) {
    const std::uint32_t shape = take();
    const auto components = static_cast<std::uint8_t>(1 + std::min(shape % 4, left - 1));
    left -= components;
    channels.push_back({components, static_cast<std::uint8_t>(1 + take() % kMaxComponentBits),
                        components == 2 && shape >= 128 ? Predictor::kNormal : Predictor::kNeighbors});
  }
  GroupDecoder decoder(channels);
  const auto vertices = std::make_unique<ClusterVertices>();
  ClusterTriangles triangles;
  ClusterOffsets offsets;
  while (!bytes.empty()) {
    const std::uint32_t vertex_count = 1 + take() % kMaxClusterVertices;
    const std::uint32_t triangle_count = 1 + take() % kMaxClusterTriangles;
    const std::size_t size = std::min<std::size_t>(take() | take() << 8, bytes.size());
    // In a buffer of exactly the bytes that a decoder may read.
    ByteVector data(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    data.resize(size + kReadAhead, std::byte{0x5A});
    data.shrink_to_fit();
    const ByteVector alone(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    if (decode_offsets(alone, vertex_count, offsets)) require_offsets(offsets, vertex_count);
    bytes = bytes.subspan(size);
    if (decoder.decode(ByteSpan(data).first(size), vertex_count, triangle_count, *vertices, triangles))
      require_valid(channels, vertex_count, triangle_count, *vertices, triangles);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan bytes = fuzz::bytes(data, size);
  if (size >= sizeof kMagic && load<std::uint32_t>(bytes) == kMagic) {
    decode_file(bytes);
  } else {
    decode_clusters(bytes);
  }
  return 0;
}
