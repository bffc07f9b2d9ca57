#include "assetc/formats/mesh_morphs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "assetc/formats/mesh_names.hpp"
#include "formats/reader.hpp"
#include "formats/text.hpp"

namespace assetc::hmesh {
namespace {

using namespace formats;

constexpr std::uint32_t kMorphsVersion = 1;
constexpr std::uint32_t kHasNormals = 1, kHasTangents = 2;
constexpr std::uint16_t kTexcoordSemantic = 3, kColorSemantic = 4;
constexpr std::uint16_t kMaxSet = 7;
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
static_assert(sizeof(MorphsHeader) == 48);

// With tangents, two bytes are padding; without normals and tangents, two bytes as well.
std::uint32_t stride_of(std::uint32_t flags) {
  if ((flags & kHasTangents) != 0) return 24;
  return (flags & kHasNormals) != 0 ? 16 : 12;
}

bool is_step(float step) { return step >= 0 && std::isfinite(step * static_cast<float>(kMorphLimit)); }

class MorphsOpener {
 public:
  MorphsOpener(ByteSpan payload, std::uint64_t place, std::uint32_t vertex_count, std::uint32_t node_count)
      : payload_(payload), place_(place), vertex_count_(vertex_count), node_count_(node_count) {}

  template <class View>
  Result<void> run(View& view) {
    if (payload_.size() < sizeof(MorphsHeader)) {
      return fail_at(
          ErrorCode::kTruncated, byte_place(place_),
          message("found ", counted(payload_.size(), "byte"), ", expected an MRPH header of ", sizeof(MorphsHeader)),
          kDamagedHint);
    }
    header_ = load<MorphsHeader>(payload_);
    ASSETC_CHECK(check_header());
    at_ = sizeof(MorphsHeader);
    ASSETC_CHECK(array(header_.target_count, view.targets));
    ASSETC_CHECK(array(header_.group_count, view.groups));
    ASSETC_CHECK(array(header_.channel_count, view.channels));
    ASSETC_CHECK(array(header_.channel_move_count, view.channel_moves));
    std::span<const char> text;
    ASSETC_CHECK(array(header_.text_bytes, text));
    view.text = {text.data(), text.size()};
    const std::uint64_t moves = (at_ + kMovesAlignment - 1) / kMovesAlignment * kMovesAlignment;
    if (header_.moves_offset_bytes != moves) {
      return invalid(place_ + 28, message("the moves begin at ", header_.moves_offset_bytes, ", expected ", moves));
    }
    const std::uint64_t bytes = std::uint64_t{header_.move_count} * header_.move_stride_bytes;
    if (moves > payload_.size() || payload_.size() - moves != bytes) {
      return invalid(place_ + 20,
                     message("found ", payload_.size() - std::min<std::uint64_t>(moves, payload_.size()),
                             " bytes of moves, expected ", bytes, " for ", counted(header_.move_count, "move")));
    }
    view.moves = payload_.subspan(static_cast<std::size_t>(moves));
    ASSETC_CHECK(check_targets(view));
    ASSETC_CHECK(check_groups(view));
    ASSETC_CHECK(check_channels(view));
    return check_moves(view);
  }

  const MorphsHeader& header() const { return header_; }

 private:
  template <class T>
  std::uint64_t place_of(const T& thing) const {
    return place_ + static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(&thing) - payload_.data());
  }

  Result<void> check_header() {
    if (header_.version != kMorphsVersion) {
      return fail_at(ErrorCode::kVersion, byte_place(place_),
                     message("found MRPH version ", header_.version, ", expected ", kMorphsVersion),
                     "compile its source again");
    }
    if (header_.vertex_count != vertex_count_) {
      return invalid(place_ + 8, message("found morph targets of ", counted(header_.vertex_count, "vertex"),
                                         ", expected ", vertex_count_));
    }
    if (header_.target_count == 0 || header_.target_count > kMaxMorphTargets) {
      return invalid(place_ + 12, message("found ", counted(header_.target_count, "morph target"), ", expected 1 to ",
                                          kMaxMorphTargets));
    }
    if (header_.flags > (kHasNormals | kHasTangents) || header_.flags == kHasTangents ||
        header_.move_stride_bytes != stride_of(header_.flags)) {
      return invalid(place_ + 4,
                     message("found flags ", header_.flags, " and moves of ",
                             counted(header_.move_stride_bytes, "byte"), ", expected 0 and 12, 1 and 16, or 3 and 24"));
    }
    return {};
  }

  template <class T>
  Result<void> array(std::uint64_t count, std::span<const T>& out) {
    if (count * sizeof(T) > payload_.size() - at_) {
      return fail_at(ErrorCode::kTruncated, byte_place(place_ + at_),
                     message("found ", counted(payload_.size() - at_, "byte"), ", expected ", count * sizeof(T)),
                     kDamagedHint);
    }
    out = {reinterpret_cast<const T*>(payload_.data() + at_), static_cast<std::size_t>(count)};
    at_ += count * sizeof(T);
    return {};
  }

  Result<void> check_targets(const auto& view) const {
    std::uint64_t next = 0;
    std::uint32_t name_end = 0;
    for (const GpuMorphTarget& t : view.targets) {
      if (t.first_move != next) {
        return invalid(place_of(t.first_move), message("a target begins at move ", t.first_move, ", expected ", next,
                                                       ", where the one before ends"));
      }
      next += t.move_count;
      for (const float* v : {&t.weight, &t.low, &t.high}) {
        if (!std::isfinite(*v)) return invalid(place_of(*v), "a weight is not a finite number");
      }
      if (!(t.low <= t.high)) {
        return invalid(place_of(t.low), message("found weights from ", t.low, " to ", t.high, ", expected ascending"));
      }
      for (const float* step : {&t.position_step, &t.normal_step, &t.tangent_step}) {
        if (!is_step(*step))
          return invalid(place_of(*step),
                         message("found a step of ", *step, ", expected a small number of at least 0"));
      }
      if (t.name_end < name_end || t.name_end > view.text.size()) {
        return invalid(place_of(t.name_end), message("found the end of a name at ", t.name_end, ", expected ", name_end,
                                                     " to ", view.text.size()));
      }
      if (!is_utf8(view.text.substr(name_end, t.name_end - name_end)))
        return invalid(place_of(t.name_end), "the name of a target is not UTF-8");
      name_end = t.name_end;
      if (t.group >= view.groups.size()) {
        return invalid(place_of(t.group),
                       message("found group ", t.group, " of a target, expected less than ", view.groups.size()));
      }
    }
    if (name_end != view.text.size())
      return invalid(place_, message("the names end at ", name_end, ", expected ", view.text.size()));
    if (next != header_.move_count) {
      return invalid(place_ + 20,
                     message("the targets have ", counted(next, "move"), ", expected all ", header_.move_count));
    }
    return {};
  }

  Result<void> check_groups(const auto& view) const {
    std::uint64_t next = 0;
    for (std::size_t g = 0; g < view.groups.size(); ++g) {
      const GpuMorphGroup& group = view.groups[g];
      if (group.first_target != next || group.target_count > view.targets.size() - next) {
        return invalid(place_of(group),
                       message("a group has the targets ", group.first_target, " + ", group.target_count,
                               ", expected some from ", next, " of ", view.targets.size()));
      }
      next += group.target_count;
      for (std::uint32_t t = 0; t < group.target_count; ++t) {
        const GpuMorphTarget& target = view.targets[group.first_target + t];
        if (target.group != g)
          return invalid(place_of(target.group), message("found group ", target.group, " of a target, expected ", g));
      }
      if (group.node != kNoNode && group.node >= node_count_) {
        return invalid(place_of(group.node),
                       message("found node ", group.node, " of a group, expected less than ", node_count_));
      }
    }
    if (next != view.targets.size())
      return invalid(place_ + 16, message("the groups have ", next, " targets, expected all ", view.targets.size()));
    return {};
  }

  Result<void> check_channels(const auto& view) const {
    std::uint64_t next = 0;
    for (std::size_t c = 0; c < view.channels.size(); ++c) {
      const GpuMorphChannel& channel = view.channels[c];
      if (channel.target >= view.targets.size()) {
        return invalid(place_of(channel),
                       message("found target ", channel.target, ", expected less than ", view.targets.size()));
      }
      if ((channel.semantic != kTexcoordSemantic && channel.semantic != kColorSemantic) || channel.set > kMaxSet) {
        return invalid(place_of(channel.semantic), message("found semantic ", channel.semantic, " and set ",
                                                           channel.set, ", expected 3 or 4, and at most ", kMaxSet));
      }
      const auto key = [](const GpuMorphChannel& row) { return std::tuple(row.target, row.semantic, row.set); };
      if (c > 0 && !(key(view.channels[c - 1]) < key(channel)))
        return invalid(place_of(channel), message("channel ", c, " is not in order of target, semantic and set"));
      if (channel.first_move != next || channel.move_count > view.channel_moves.size() - next) {
        return invalid(place_of(channel.first_move),
                       message("a channel has the moves ", channel.first_move, " + ", channel.move_count,
                               ", expected some from ", next, " of ", view.channel_moves.size()));
      }
      if (!is_step(channel.step)) {
        return invalid(place_of(channel.step),
                       message("found a step of ", channel.step, ", expected a small number of at least 0"));
      }
      for (std::uint32_t m = 0; m < channel.move_count; ++m) {
        const GpuChannelMove& move = view.channel_moves[channel.first_move + m];
        const bool ascends = m == 0 || view.channel_moves[channel.first_move + m - 1].vertex < move.vertex;
        if (!ascends || move.vertex >= vertex_count_) {
          return invalid(place_of(move), message("move ", m, " of a channel is of vertex ", move.vertex,
                                                 ", expected an ascending number below ", vertex_count_));
        }
      }
      next += channel.move_count;
    }
    if (next != view.channel_moves.size()) {
      return invalid(place_ + 36, message("the channels have ", counted(next, "move"), ", expected all ",
                                          view.channel_moves.size()));
    }
    return {};
  }

  Result<void> check_moves(const auto& view) const {
    for (const GpuMorphTarget& t : view.targets) {
      std::uint64_t least = 0;
      for (std::uint32_t m = 0; m < t.move_count; ++m) {
        const std::size_t at = std::size_t{t.first_move + m} * header_.move_stride_bytes;
        const auto vertex = load<std::uint32_t>(view.moves, at);
        if (vertex < least || vertex >= vertex_count_) {
          return invalid(place_ + header_.moves_offset_bytes + at,
                         message("move ", t.first_move + m, " is of vertex ", vertex,
                                 ", expected an ascending number below ", vertex_count_));
        }
        least = std::uint64_t{vertex} + 1;
      }
    }
    return {};
  }

  ByteSpan payload_;
  std::uint64_t place_;
  std::uint32_t vertex_count_, node_count_;
  MorphsHeader header_{};
  std::uint64_t at_ = 0;
};

// The arrays of a payload.
struct Arrays {
  std::span<const GpuMorphTarget> targets;
  std::span<const GpuMorphGroup> groups;
  std::span<const GpuMorphChannel> channels;
  std::span<const GpuChannelMove> channel_moves;
  std::string_view text;
  ByteSpan moves;
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
  MorphsOpener opener(payload, place_bytes, vertex_count, node_count);
  Arrays arrays;
  ASSETC_CHECK(opener.run(arrays));
  MorphsView view;
  view.targets_ = arrays.targets;
  view.groups_ = arrays.groups;
  view.channels_ = arrays.channels;
  view.channel_moves_ = arrays.channel_moves;
  view.text_ = arrays.text;
  view.moves_ = arrays.moves;
  view.move_stride_bytes_ = opener.header().move_stride_bytes;
  view.move_count_ = opener.header().move_count;
  view.has_normals_ = (opener.header().flags & kHasNormals) != 0;
  view.has_tangents_ = (opener.header().flags & kHasTangents) != 0;
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
  header.version = kMorphsVersion;
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
