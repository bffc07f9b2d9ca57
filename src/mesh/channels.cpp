#include "mesh/channels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "mesh/parallel.hpp"
#include "mesh/weld.hpp"

namespace assetc::mesh {
namespace {

using scene::Vec2;
using scene::Vec3;
using scene::Vec4;

constexpr std::size_t kChannelBlock = 1u << 14;
constexpr Vec4 kWhite{1, 1, 1, 1};
// A vertex without weights in a skinned mesh moves with the first joint.
constexpr hmesh::GpuSkinVertex kRigid{{0, 0, 0, 0}, {1, 0, 0, 0}};
constexpr hmesh::GpuSkinVertex kNoInfluence{};

template <class T>
bool any_set(const std::vector<Stream<T>>& sets) {
  return std::ranges::any_of(sets, [](const auto& set) { return !set.empty(); });
}

template <class T>
auto words_of(const T& value) {
  return std::bit_cast<std::array<std::uint64_t, sizeof(T) / sizeof(std::uint64_t)>>(value);
}

template <class T>
bool sets_equal(const std::vector<Stream<T>>& sets, std::uint32_t a, std::uint32_t b) {
  return std::ranges::all_of(sets,
                             [&](const auto& set) { return set.empty() || words_of(set[a]) == words_of(set[b]); });
}

template <class T>
std::uint64_t hash_words(const T& value, std::uint64_t hash) {
  for (const std::uint64_t word : words_of(value)) hash = hash_mix(hash, word);
  return hash;
}

// Extends a stream to capacity and fills in the submesh's values.
// from: values of the input's vertices; if it is empty, the submesh gets absent.
template <class T>
void extend(std::vector<T>& stream, const T& absent, std::size_t first, std::size_t capacity, std::span<const T> from,
            std::span<const std::uint32_t> sources) {
  if (stream.empty() && from.empty()) return;
  stream.reserve(std::max(capacity, first + sources.size()));
  stream.resize(first, absent);
  stream.resize(first + sources.size(), absent);
  if (from.empty()) return;
  for_blocks(sources.size(), kChannelBlock, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t v = begin; v < end; ++v) stream[first + v] = from[sources[v]];
  });
}

ByteSpan value_of(const scene::CustomAttribute& a, std::uint32_t vertex) {
  const std::size_t size = value_bytes(a);
  return ByteSpan(a.values).subspan(vertex * size, size);
}

void add_custom(const ChannelSource& source, std::size_t first, Mesh& mesh) {
  const std::size_t count = first + source.sources.size();
  for (const scene::CustomAttribute* from : source.input.custom) {
    auto to = std::ranges::lower_bound(mesh.custom, from->name, {}, &scene::CustomAttribute::name);
    if (to == mesh.custom.end() || to->name != from->name)
      to = mesh.custom.insert(to, {from->name, from->type, from->normalized, from->rows, from->columns, {}});
    const std::size_t size = value_bytes(*to);
    to->values.resize(count * size);
    std::byte* out = to->values.data() + first * size;
    for (const std::uint32_t vertex : source.sources) {
      std::memcpy(out, from->values.data() + vertex * size, size);
      out += size;
    }
  }
  for (scene::CustomAttribute& a : mesh.custom) a.values.resize(count * value_bytes(a));
}

void add_morphs(const ChannelSource& source, std::size_t first, Mesh& mesh) {
  const std::size_t end = source.input.first_morph + source.input.morphs.size();
  if (mesh.targets.size() < end) mesh.targets.resize(end);
  if (source.morphs.empty()) return;
  for (std::size_t v = 0; v < source.sources.size(); ++v) {
    for (const MorphIndex::Row& row : source.morphs.rows_of(source.sources[v])) {
      append_row(source.input.morphs[row.target], row.row, static_cast<std::uint32_t>(first + v),
                 mesh.targets[source.input.first_morph + row.target].offsets);
    }
  }
}

// The texture coordinate sets of the input that the mesh keeps.
std::vector<Stream<Vec2>> kept_texcoords(const SubmeshInput& input) {
  if (!input.texcoord_sets.empty() || input.texcoords.empty()) return input.texcoord_sets;
  return {input.texcoords};
}

}  // namespace

std::size_t value_bytes(const scene::CustomAttribute& a) {
  constexpr std::array<std::uint8_t, 6> kBytes{1, 1, 2, 2, 4, 4};
  return std::size_t{a.rows} * a.columns * kBytes[static_cast<std::size_t>(a.type)];
}

bool same_form(const scene::CustomAttribute& a, const scene::CustomAttribute& b) {
  return a.type == b.type && a.normalized == b.normalized && a.rows == b.rows && a.columns == b.columns;
}

bool has_channels(const SubmeshInput& input) {
  return !input.skin.empty() || any_set(input.texcoord_sets) || any_set(input.color_sets) || !input.custom.empty() ||
         !input.morphs.empty();
}

bool channels_equal(const SubmeshInput& input, const MorphIndex& morphs, std::uint32_t a, std::uint32_t b) {
  return (input.skin.empty() || input.skin[a] == input.skin[b]) &&
         (input.further_skin.empty() || input.further_skin[a] == input.further_skin[b]) &&
         sets_equal(input.texcoord_sets, a, b) && sets_equal(input.color_sets, a, b) &&
         std::ranges::all_of(
             input.custom,
             [&](const auto* custom) { return std::ranges::equal(value_of(*custom, a), value_of(*custom, b)); }) &&
         morphs.equal(a, b);
}

std::uint64_t hash_channels(const SubmeshInput& input, const MorphIndex& morphs, std::uint32_t vertex,
                            std::uint64_t seed) {
  std::uint64_t hash = seed;
  if (!input.skin.empty()) hash = hash_words(input.skin[vertex], hash);
  for (const auto& set : input.texcoord_sets) hash = set.empty() ? hash : hash_words(set[vertex], hash);
  for (const auto& set : input.color_sets) hash = set.empty() ? hash : hash_words(set[vertex], hash);
  if (!input.further_skin.empty()) hash = hash_words(input.further_skin[vertex], hash);
  for (const scene::CustomAttribute* custom : input.custom) {
    for (const std::byte b : value_of(*custom, vertex)) hash = hash_mix(hash, static_cast<std::uint64_t>(b));
  }
  return morphs.hash(vertex, hash);
}

void add_channels(const ChannelSource& source, std::size_t capacity, Mesh& mesh) {
  const SubmeshInput& in = source.input;
  const std::size_t first = mesh.positions.size();
  const auto add = [&]<class T>(std::vector<T>& stream, const T& absent, std::span<const T> from) {
    extend(stream, absent, first, capacity, from, source.sources);
  };
  add(mesh.positions, Vec3{}, in.positions);
  const auto texcoords = kept_texcoords(in);
  mesh.texcoords.resize(std::max(mesh.texcoords.size(), texcoords.size()));
  for (std::size_t k = 0; k < mesh.texcoords.size(); ++k) {
    add(mesh.texcoords[k], Vec2{}, k < texcoords.size() ? texcoords[k] : Stream<Vec2>());
  }
  mesh.colors.resize(std::max(mesh.colors.size(), in.color_sets.size()));
  for (std::size_t k = 0; k < mesh.colors.size(); ++k)
    add(mesh.colors[k], kWhite, k < in.color_sets.size() ? in.color_sets[k] : Stream<Vec4>());
  add(mesh.skin, kRigid, in.skin);
  add(mesh.further_skin, kNoInfluence, in.further_skin);
  add_custom(source, first, mesh);
  add_morphs(source, first, mesh);
}

void describe_channels(const SubmeshInput& input, DrawVertices& vertices) {
  for (const auto& set : kept_texcoords(input)) vertices.texcoord_sets.push_back(!set.empty());
  for (const auto& set : input.color_sets) vertices.color_sets.push_back(!set.empty());
}

}  // namespace assetc::mesh
