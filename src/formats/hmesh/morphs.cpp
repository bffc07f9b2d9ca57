#include <algorithm>
#include <limits>
#include <tuple>

#include "assetc/formats/mesh_morphs.hpp"
#include "formats/hmesh/rules.hpp"
#include "formats/hmesh/table.hpp"

namespace assetc::hmesh {
namespace {

using namespace formats;

constexpr std::uint32_t kHasNormals = 1, kHasTangents = 2;
constexpr std::size_t kMovesAlignment = 16;

struct MorphsHeader {
  std::uint32_t version;
  std::uint32_t flags;
  std::uint32_t vertex_count;
  std::uint32_t target_count;
  std::uint32_t group_count;
  std::uint32_t move_count;
  std::uint32_t move_stride_bytes;
  std::uint32_t moves_offset_bytes;
  std::uint32_t channel_count;
  std::uint32_t channel_move_count;
  std::uint32_t text_bytes;
  std::uint32_t pad;
};
static_assert(sizeof(MorphsHeader) == table::kMorphsHeader.size_bytes);

// With tangents, two bytes are padding; without normals and tangents, two bytes as well.
std::uint32_t stride_of(std::uint32_t flags) {
  if ((flags & kHasTangents) != 0) return 24;
  return (flags & kHasNormals) != 0 ? 16 : 12;
}

// Rules about the order of targets, groups, channels and moves. The table has those of single records.
class MorphsOrder {
 public:
  MorphsOrder(const MorphsView& view, const MorphsHeader& header, Places place)
      : view_(view), header_(header), place_of(place) {}

  Result<void> check() const {
    ASSETC_CHECK(check_groups());
    ASSETC_CHECK(check_channels());
    return check_moves();
  }

 private:
  Result<void> check_groups() const {
    for (std::size_t g = 0; g < view_.groups().size(); ++g) {
      const GpuMorphGroup& group = view_.groups()[g];
      for (std::uint32_t t = 0; t < group.target_count; ++t) {
        const GpuMorphTarget& target = view_.targets()[group.first_target + t];
        if (target.group != g)
          return invalid(place_of(target.group), message("found group ", target.group, " of a target, expected ", g));
      }
    }
    return {};
  }

  Result<void> check_channels() const {
    for (std::size_t c = 0; c < view_.channels().size(); ++c) {
      const GpuMorphChannel& channel = view_.channels()[c];
      const auto key = [](const GpuMorphChannel& row) { return std::tuple(row.target, row.semantic, row.set); };
      if (c > 0 && !(key(view_.channels()[c - 1]) < key(channel)))
        return invalid(place_of(channel), message("channel ", c, " is not in order of target, semantic and set"));
      for (std::uint32_t m = 1; m < channel.move_count; ++m) {
        const GpuChannelMove& move = view_.channel_moves()[channel.first_move + m];
        if (view_.channel_moves()[channel.first_move + m - 1].vertex < move.vertex) continue;
        return invalid(place_of(move), message("move ", m, " of a channel is of vertex ", move.vertex,
                                               ", expected an ascending number below ", header_.vertex_count));
      }
    }
    return {};
  }

  Result<void> check_moves() const {
    for (const GpuMorphTarget& t : view_.targets()) {
      std::uint64_t least = 0;
      for (std::uint32_t m = 0; m < t.move_count; ++m) {
        const std::size_t at = std::size_t{t.first_move + m} * header_.move_stride_bytes;
        const auto vertex = load<std::uint32_t>(view_.moves(), at);
        if (vertex < least || vertex >= header_.vertex_count) {
          return invalid(place_of(view_.moves()[at]),
                         message("move ", t.first_move + m, " is of vertex ", vertex,
                                 ", expected an ascending number below ", header_.vertex_count));
        }
        least = std::uint64_t{vertex} + 1;
      }
    }
    return {};
  }

  const MorphsView& view_;
  const MorphsHeader& header_;
  Places place_of;  // called like a function
};

Result<void> check_counts(const Morphs& morphs) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (morphs.targets.size() > kMaxMorphTargets) {
    return fail(ErrorCode::kLimit,
                message("the mesh has ", counted(morphs.targets.size(), "morph target"), ", expected at most ",
                        kMaxMorphTargets),
                "set mesh.merge: false, or split the model");
  }
  const std::uint64_t bytes = morphs.moves.size() * sizeof(MorphMove) + morphs.channel_moves.size() * 12;
  if (bytes > kMost / 2) {
    return fail(ErrorCode::kLimit,
                message("the morph targets take ", counted(bytes, "byte"), ", expected at most ", kMost / 2),
                "split the model");
  }
  std::uint64_t moves = 0, targets = 0, channel_moves = 0;
  for (const Morphs::Target& t : morphs.targets) moves += t.move_count;
  for (const Morphs::Group& g : morphs.groups) targets += g.target_count;
  for (const GpuMorphChannel& c : morphs.channels) channel_moves += c.move_count;
  if (moves != morphs.moves.size() || targets != morphs.targets.size() || channel_moves != morphs.channel_moves.size())
    return fail(ErrorCode::kUsage, "the counts of moves, targets or channels of the morph targets disagree");
  return {};
}

}  // namespace

Result<MorphsView> MorphsView::open(ByteSpan payload, std::uint64_t place_bytes, std::uint32_t vertex_count,
                                    std::uint32_t node_count) {
  Context context;
  context.counts[table::kVertices] = vertex_count;
  context.counts[table::kNodes] = node_count;
  ASSETC_TRY(const OpenPart part, open_part(table::kMorphsPart, payload, place_bytes, context));
  const auto header = part.head<MorphsHeader>();
  if (header.move_stride_bytes != stride_of(header.flags)) {
    return invalid(place_bytes + 24, message("found moves of ", counted(header.move_stride_bytes, "byte"),
                                             " and flags ", header.flags, ", expected ", stride_of(header.flags)));
  }
  const std::size_t end = payload.size() - part.more.size();
  const std::size_t moves = (end + kMovesAlignment - 1) / kMovesAlignment * kMovesAlignment;
  if (header.moves_offset_bytes != moves) {
    return invalid(place_bytes + 28, message("the moves begin at ", header.moves_offset_bytes, ", expected ", moves));
  }
  const std::uint64_t bytes = std::uint64_t{header.move_count} * header.move_stride_bytes;
  if (moves > payload.size() || payload.size() - moves != bytes) {
    return invalid(place_bytes + 20,
                   message("found ", payload.size() - std::min(moves, payload.size()), " bytes of moves, expected ",
                           bytes, " for ", counted(header.move_count, "move")));
  }
  MorphsView view;
  view.targets_ = part.rows<GpuMorphTarget>(0);
  view.groups_ = part.rows<GpuMorphGroup>(1);
  view.channels_ = part.rows<GpuMorphChannel>(2);
  view.channel_moves_ = part.rows<GpuChannelMove>(3);
  view.text_ = part.texts;
  view.moves_ = payload.subspan(moves);
  view.move_stride_bytes_ = header.move_stride_bytes;
  view.move_count_ = header.move_count;
  view.has_normals_ = (header.flags & kHasNormals) != 0;
  view.has_tangents_ = (header.flags & kHasTangents) != 0;
  ASSETC_CHECK(MorphsOrder(view, header, Places(payload, place_bytes)).check());
  return view;
}

std::string_view MorphsView::name(std::size_t target) const {
  const std::uint32_t begin = target == 0 ? 0 : targets_[target - 1].name_end;
  return text_.substr(begin, targets_[target].name_end - begin);
}

MorphMove MorphsView::move(std::size_t i) const {
  const ByteSpan from = moves_.subspan(i * move_stride_bytes_, move_stride_bytes_);
  MorphMove out;
  out.vertex = load<std::uint32_t>(from);
  out.position = load<std::array<std::int16_t, 3>>(from, 4);
  if (has_normals_) out.normal = load<std::array<std::int16_t, 3>>(from, 10);
  if (has_tangents_) out.tangent = load<std::array<std::int16_t, 3>>(from, 16);
  return out;
}

Morphs MorphsView::to_morphs() const {
  Morphs out;
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    const GpuMorphTarget& from = targets_[t];
    out.targets.push_back({std::string(name(t)), from.move_count, from.weight, from.low, from.high, from.position_step,
                           from.normal_step, from.tangent_step});
  }
  for (const GpuMorphGroup& g : groups_) out.groups.push_back({g.target_count, g.node});
  out.moves.reserve(move_count_);
  for (std::size_t i = 0; i < move_count_; ++i) out.moves.push_back(move(i));
  out.channels.assign(channels_.begin(), channels_.end());
  out.channel_moves.assign(channel_moves_.begin(), channel_moves_.end());
  return out;
}

Result<ByteVector> write_morphs(const Morphs& morphs, std::uint32_t vertex_count) {
  ASSETC_CHECK(check_counts(morphs));
  const auto any_step = [&](float Morphs::Target::* step) {
    return std::ranges::any_of(morphs.targets, [&](const Morphs::Target& t) { return t.*step != 0; });
  };
  const bool tangents = any_step(&Morphs::Target::tangent_step);
  const bool normals = tangents || any_step(&Morphs::Target::normal_step);
  MorphsHeader header{};
  header.version = 1;
  header.flags = (normals ? kHasNormals : 0) | (tangents ? kHasTangents : 0);
  header.vertex_count = vertex_count;
  header.target_count = static_cast<std::uint32_t>(morphs.targets.size());
  header.group_count = static_cast<std::uint32_t>(morphs.groups.size());
  header.move_count = static_cast<std::uint32_t>(morphs.moves.size());
  header.move_stride_bytes = stride_of(header.flags);
  header.channel_count = static_cast<std::uint32_t>(morphs.channels.size());
  header.channel_move_count = static_cast<std::uint32_t>(morphs.channel_moves.size());
  std::string text;
  ByteVector arrays;
  std::uint32_t first_move = 0, group = 0, left = morphs.groups.empty() ? 0 : morphs.groups[0].target_count;
  for (const Morphs::Target& t : morphs.targets) {
    while (left == 0 && group + 1 < morphs.groups.size()) left = morphs.groups[++group].target_count;
    --left;
    text += t.name;
    append(arrays, GpuMorphTarget{first_move, t.move_count, t.weight, t.low, t.high, t.position_step, t.normal_step,
                                  t.tangent_step, static_cast<std::uint32_t>(text.size()), group});
    first_move += t.move_count;
  }
  std::uint32_t first_target = 0;
  for (const Morphs::Group& g : morphs.groups) {
    append(arrays, GpuMorphGroup{first_target, g.target_count, g.node, 0});
    first_target += g.target_count;
  }
  append_array(arrays, std::span(morphs.channels));
  append_array(arrays, std::span(morphs.channel_moves));
  append_bytes(arrays, as_bytes(text));
  header.text_bytes = static_cast<std::uint32_t>(text.size());
  const std::size_t moves = (sizeof header + arrays.size() + kMovesAlignment - 1) / kMovesAlignment * kMovesAlignment;
  header.moves_offset_bytes = static_cast<std::uint32_t>(moves);
  ByteVector out;
  out.reserve(moves + morphs.moves.size() * header.move_stride_bytes);
  append(out, header);
  append_bytes(out, arrays);
  out.resize(moves);
  for (const MorphMove& m : morphs.moves) {
    append(out, m.vertex);
    append(out, m.position);
    if (normals) append(out, m.normal);
    if (tangents) append(out, m.tangent);
    if (!normals || tangents) append(out, std::uint16_t{0});
  }
  return out;
}

}  // namespace assetc::hmesh
