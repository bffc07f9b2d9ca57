#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <tuple>

#include "assetc/base/hash.hpp"
#include "formats/hcluster/table.hpp"
#include "formats/hmesh/rules.hpp"

namespace assetc::hcluster {

using namespace formats;

// Opens one file. Each step relies on the checks of the steps before it. The table has the rules of single records.
class Opener {
 public:
  Opener(ByteSpan file, std::uint64_t file_bytes) : file_(file), file_bytes_(file_bytes), place_(file) {}

  Result<View> open() {
    ASSETC_TRY(table_, chunks::open_table_of_head(file_, file_bytes_, kVersion, kFormat));
    ASSETC_CHECK(find_data());
    const std::span rows = std::span(table::kChunks).first(table::kDataChunk);
    ASSETC_TRY(chunks_, open_chunks(rows, file_, table_, context_.counts));
    fill_view();
    for (const table::Chunk chunk : {table::kChannelChunk, table::kGroupChunk, table::kNodeChunk, table::kPageChunk}) {
      if (!chunks_.payloads[chunk].empty()) continue;
      return invalid(chunks_.place(chunk), message("found no elements of ", fourcc_text(table::kChunks[chunk].id),
                                                   ", expected at least one"));
    }
    if (view_.materials_.size() >= kNoMaterial)
      return invalid(place_(view_.materials_[0]), message("found ", counted(view_.materials_.size(), "material"),
                                                          ", expected fewer than ", kNoMaterial));
    ASSETC_CHECK(check_counts());
    ASSETC_CHECK(check_chunks(rows, chunks_, context_));
    ASSETC_CHECK(check_channels());
    ASSETC_CHECK(check_skin());
    if (const ByteSpan names = chunks_.payloads[table::kNameChunk]; !names.empty()) {
      ASSETC_TRY(view_.names_, hmesh::NamesView::open(names, chunks_.place(table::kNameChunk),
                                                      {0, 0, static_cast<std::uint32_t>(view_.joints_.size())}));
    }
    ASSETC_CHECK(open_morphs());
    ASSETC_CHECK(check_pages());
    ASSETC_CHECK(check_groups());
    ASSETC_CHECK(check_nodes());
    ASSETC_CHECK(check_dependencies());
    return view_;
  }

 private:
  Result<void> find_data() {
    ASSETC_TRY(const chunks::ChunkEntry* entry,
               chunks::find_chunk(file_, table_, table::kChunks[table::kDataChunk].id));
    if (entry == nullptr) return {};
    data_bytes_ = entry->size_bytes;
    view_.data_offset_bytes_ = entry->offset_bytes;
    if (file_.size() < file_bytes_) {
      for (const chunks::ChunkEntry& other : table_) {
        if (other.offset_bytes > entry->offset_bytes)
          return fail_at(ErrorCode::kUnsupported, byte_place(other.offset_bytes),
                         message("found chunk ", fourcc_text(other.id), " after DATA, expected DATA to be the last"),
                         "write it again with assetc, or load the whole file");
      }
      return {};
    }
    view_.data_ =
        file_.subspan(static_cast<std::size_t>(entry->offset_bytes), static_cast<std::size_t>(entry->size_bytes));
    return {};
  }

  void fill_view() {
    view_.file_bytes_ = file_bytes_;
    view_.desc_ = chunks_.rows<Desc>(table::kDescChunk).data();
    view_.bounds_ = chunks_.rows<hmesh::MeshBounds>(table::kBoundsChunk).data();
    view_.channels_ = chunks_.rows<Channel>(table::kChannelChunk);
    view_.groups_ = chunks_.rows<Group>(table::kGroupChunk);
    view_.nodes_ = chunks_.rows<Node>(table::kNodeChunk);
    view_.pages_ = chunks_.rows<Page>(table::kPageChunk);
    view_.dependencies_ = chunks_.rows<std::uint32_t>(table::kDependencyChunk);
    view_.materials_ = chunks_.rows<std::uint64_t>(table::kMaterialChunk);
    view_.joints_ = chunks_.rows<hmesh::GpuJoint>(table::kJointChunk);
    view_.pose_bounds_ = chunks_.rows<hmesh::MeshBounds>(table::kPoseChunk);
    view_.morph_radii_ = chunks_.rows<float>(table::kRadiusChunk);
  }

  Result<void> check_counts() {
    const Desc& d = view_.desc();
    if (d.level_count == 0 || d.level_count > d.cluster_count)
      return invalid(place_(d.level_count), message("found ", counted(d.level_count, "level"), " of ",
                                                    counted(d.cluster_count, "cluster"), ", expected 1 to as many"));
    if (d.source_triangle_count > d.triangle_count ||
        d.triangle_count > std::uint64_t{d.cluster_count} * kMaxClusterTriangles) {
      return invalid(place_(d.triangle_count),
                     message("found ", counted(d.source_triangle_count, "triangle"), " of the source and ",
                             d.triangle_count, " of ", counted(d.cluster_count, "cluster"),
                             ", expected no more of the source than of clusters, and up to 128 of each cluster"));
    }
    return {};
  }

  Result<void> check_channels() {
    if (view_.channels_.size() > kMaxChannels)
      return invalid(place_(view_.channels_[0]),
                     message("found ", counted(view_.channels_.size(), "channel"), ", expected 1 to ", kMaxChannels));
    std::uint32_t components = 0;
    for (const Channel& c : view_.channels_) {
      components += c.components;
      if (components > kMaxComponents)
        return invalid(place_(c), message("found ", components, " components of the channels up to this one, expected ",
                                          "at most ", kMaxComponents, " in all"));
      if (c.predictor == Predictor::kNormal && c.components != 2)
        return invalid(place_(c), message("found predictor 1 of ", counted(c.components, "component"),
                                          ", expected 0, or 1 of two"));
      for (std::size_t k = 0; k < c.components; ++k) {
        if (!std::isfinite(c.value(k, (1u << c.bits) - 1)))
          return invalid(place_(c), "the largest value of a channel is not a finite number");
      }
      ASSETC_CHECK(check_semantic(c));
    }
    const Channel& position = view_.channels_[0];
    if (position.semantic != Semantic::kPosition) return invalid(place_(position), "channel 0 is not the position");
    if (position.bits > kBoxBits + view_.desc().box_shift)
      return invalid(place_(position), message("found positions of ", position.bits, " bits and a box shift of ",
                                               view_.desc().box_shift, ", expected at most 16 bits more"));
    return {};
  }

  // Readers rely on the shape of a channel that they know, and on there being one.
  Result<void> check_semantic(const Channel& c) {
    constexpr std::array<std::uint8_t, 7> kComponents = {3, 2, 1, 2, 4, 4, 4};  // by semantic
    const auto number = static_cast<std::size_t>(c.semantic);
    if (number >= kComponents.size()) return {};
    if (c.components != kComponents[number])
      return invalid(place_(c), message("found a channel of semantic ", number, " with ",
                                        counted(c.components, "component"), ", expected ", kComponents[number]));
    const bool is_skin = c.semantic == Semantic::kJoints || c.semantic == Semantic::kWeights;
    if (c.set > (is_skin ? 1 : 0) && c.semantic != Semantic::kTexcoord && c.semantic != Semantic::kColor)
      return invalid(place_(c),
                     message("found set ", c.set, " of semantic ", number, ", expected ", is_skin ? "0 or 1" : "0"));
    if (view_.find(c.semantic, c.set) != &c)
      return invalid(place_(c), message("found a second channel of semantic ", number, " and set ", c.set));
    return {};
  }

  // Joints are whole numbers, and weights are at most 1. Each set has both, and the second set needs the first.
  Result<void> check_skin() {
    for (const Channel& c : view_.channels_) {
      const bool is_of_joints = c.semantic == Semantic::kJoints;
      if (!is_of_joints && c.semantic != Semantic::kWeights) continue;
      if (view_.find(is_of_joints ? Semantic::kWeights : Semantic::kJoints, c.set) == nullptr ||
          view_.find(c.semantic, 0) == nullptr || view_.joints_.empty())
        return invalid(place_(c), message("found ", is_of_joints ? "joints" : "weights", " of set ", c.set,
                                          ", expected joints and weights, set 0, and joints in SKEL with them"));
      const bool starts_at_0 = std::ranges::all_of(c.minimum, [](float least) { return least == 0; });
      if (is_of_joints && (!starts_at_0 || c.step != 1 || c.bits > kMaxJointBits))
        return invalid(place_(c), message("found joints in steps of ", c.step, " with ", counted(c.bits, "bit"),
                                          ", expected steps of 1 from 0, with at most ", kMaxJointBits));
      if (!is_of_joints && (!starts_at_0 || !(c.value(0, (1u << c.bits) - 1) <= 1 + hmesh::kWeightSumTolerance)))
        return invalid(place_(c), message("found weights from ", c.minimum[0], " to ", c.value(0, (1u << c.bits) - 1),
                                          ", expected 0 to at most 1"));
    }
    if (!view_.joints_.empty() && view_.find(Semantic::kJoints) == nullptr)
      return invalid(place_(view_.joints_[0]), "found joints in SKEL, but no channel of joints, expected both");
    ASSETC_CHECK(check_joint_loops(place_, view_.joints_));
    if (!view_.pose_bounds_.empty() && view_.joints_.empty())
      return invalid(place_(view_.pose_bounds_[0]), "found PBND in a mesh without a skeleton");
    return {};
  }

  // Targets without moves, which are in the pages.
  Result<void> open_morphs() {
    const ByteSpan payload = chunks_.payloads[table::kMorphChunk];
    const std::span<const float> radii = view_.morph_radii_;
    if (payload.empty()) {
      if (radii.empty()) return {};
      return invalid(place_(radii[0]), "found MRAD in a mesh without morph targets");
    }
    const std::uint64_t place = chunks_.place(table::kMorphChunk);
    ASSETC_TRY(const auto morphs, hmesh::MorphsView::open(payload, place, 0, 0));
    if (radii.size() != morphs.targets().size())
      return invalid(place, message("found ", counted(morphs.targets().size(), "morph target"), " and ",
                                    counted(radii.size(), "radius"), " in MRAD, expected as many"));
    view_.morphs_ = morphs;
    return {};
  }

  Result<void> check_pages() {
    for (const Page& p : view_.pages_) {
      const std::uint32_t most = view_.morphs_ && p.group_count == 1 ? kMaxMorphPageBytes : kMaxPageBytes;
      if (p.size_bytes > most || p.size_bytes < sizeof(std::uint32_t) + kReadAhead ||
          !range_fits(p.offset_bytes, p.size_bytes, data_bytes_)) {
        return invalid(place_(p), message("found ", counted(p.size_bytes, "byte"), " at ", p.offset_bytes, " of ",
                                          data_bytes_, ", expected a page of up to ", most, " inside of DATA"));
      }
    }
    return {};
  }

  Result<void> check_groups() {
    std::uint64_t clusters = 0;
    std::uint32_t cluster = 0, page = 0;
    for (std::uint32_t g = 0; g < view_.groups_.size(); ++g) {
      const Group& group = view_.groups_[g];
      if (g == view_.pages_[page].first_group + view_.pages_[page].group_count) ++page, cluster = 0;
      if (group.page != page || group.first_cluster != cluster) {
        return invalid(place_(group), message("group ", g, " has clusters from ", group.first_cluster, " of page ",
                                              group.page, ", expected them from ", cluster, " of page ", page));
      }
      cluster += group.cluster_count;
      clusters += group.cluster_count;
    }
    if (clusters != view_.desc().cluster_count)
      return invalid(place_(view_.desc().cluster_count), message("found groups of ", counted(clusters, "cluster"),
                                                                 ", expected ", view_.desc().cluster_count));
    return {};
  }

  Result<void> check_nodes() {
    // Children of nodes follow each other, so each node and group is below one node, and a walk takes as many steps.
    std::uint32_t next_node = 1, next_group = 0;
    for (std::uint32_t n = 0; n < view_.nodes_.size(); ++n) {
      const Node& node = view_.nodes_[n];
      const std::size_t most = node.has_groups != 0 ? view_.groups_.size() : view_.nodes_.size();
      // Larger numbers, so that walking down ends.
      if (!range_fits(node.first_child, node.child_count, most) || (node.has_groups == 0 && node.first_child <= n)) {
        return invalid(place_(node), message("node ", n, " has children ", node.first_child, " and ", node.child_count,
                                             " from it of ", most, ", expected them after the node itself"));
      }
      std::uint32_t& next = node.has_groups != 0 ? next_group : next_node;
      if (node.first_child != next)
        return invalid(place_(node), message("node ", n, " has a first child of ", node.first_child, ", expected ",
                                             next, ", after the children of the nodes before"));
      next += node.child_count;
    }
    if (next_node != view_.nodes_.size() || next_group != view_.groups_.size())
      return invalid(place_(view_.nodes_.back()),
                     message("found ", counted(next_node, "node"), " and ", counted(next_group, "group"),
                             " below nodes, expected ", view_.nodes_.size(), " and ", view_.groups_.size()));
    return {};
  }

  Result<void> check_dependencies() {
    const std::span<const std::uint32_t> all = view_.dependencies_;
    std::uint32_t begin = 0;
    for (std::uint32_t p = 0; p < view_.pages_.size(); ++p) {
      const Page& page = view_.pages_[p];
      const std::uint32_t end = page.dependency_end;
      if (end < begin || (p + 1 == view_.pages_.size() && end != all.size()))
        return invalid(place_(page.dependency_end),
                       message("page ", p, " has dependencies ", begin, " to ", end, " of ", all.size(),
                               ", expected ascending ends, and all of them at the last page"));
      for (std::uint32_t d = begin; d < end; ++d) {
        if (all[d] >= p || (d > begin && all[d] <= all[d - 1]))
          return invalid(place_(all[d]), message("page ", p, " depends on page ", all[d],
                                                 ", expected ascending numbers of pages before it"));
      }
      begin = end;
    }
    return {};
  }

  ByteSpan file_;
  std::uint64_t file_bytes_, data_bytes_ = 0;
  Places place_;
  std::span<const chunks::ChunkEntry> table_;
  OpenChunks chunks_;
  Context context_;
  View view_;
};

Result<View> View::open(ByteSpan file) { return Opener(file, file.size()).open(); }
Result<View> View::open_head(ByteSpan head, std::uint64_t file_bytes) { return Opener(head, file_bytes).open(); }

const Channel* View::find(Semantic semantic, std::uint16_t set) const {
  const auto found =
      std::ranges::find_if(channels_, [&](const Channel& c) { return c.semantic == semantic && c.set == set; });
  return found == channels_.end() ? nullptr : &*found;
}

float View::offset_step(const OffsetTrack& track) const {
  const hmesh::GpuMorphTarget& target = morphs_->targets()[track.target];
  switch (track.attribute) {
    case OffsetAttribute::kPosition:
      return target.position_step;
    case OffsetAttribute::kNormal:
      return target.normal_step;
    case OffsetAttribute::kTangent:
      return target.tangent_step;
    default:
      break;
  }
  const auto key =
      std::tuple(std::uint32_t{track.target}, static_cast<std::uint16_t>(track.attribute), std::uint16_t{track.set});
  const auto key_of = [](const hmesh::GpuMorphChannel& c) { return std::tuple(c.target, c.semantic, c.set); };
  const auto found = std::ranges::lower_bound(morphs_->channels(), key, {}, key_of);
  return found != morphs_->channels().end() && key_of(*found) == key ? found->step : 0;
}

std::vector<ChannelBits> bits_of(std::span<const Channel> channels) {
  std::vector<ChannelBits> result;
  result.reserve(channels.size());
  for (const Channel& c : channels) result.push_back({c.components, c.bits, c.predictor});
  return result;
}

PageDecoder::PageDecoder(const View& view) : view_(&view), channels_(bits_of(view.channels())), decoder_(channels_) {
  const auto first_of = [&](const Channel* channel) {
    std::uint32_t first = 0;
    for (const Channel* c = view.channels().data(); c != channel; ++c) first += c->components;
    return first;
  };
  for (const std::uint16_t set : {std::uint16_t{0}, std::uint16_t{1}}) {
    const Channel* const joints = view.find(Semantic::kJoints, set);
    if (joints == nullptr) continue;
    influences_.push_back({first_of(joints), first_of(view.find(Semantic::kWeights, set)), set == 0});
  }
}

// Whether every vertex has joints that exist and, in the first set, weights whose sum is 1.
bool PageDecoder::has_skin(const DecodedCluster& cluster, const Influences& set) const {
  const float step = view_->find(Semantic::kWeights, set.sums_to_one ? 0 : 1)->step;
  for (std::uint32_t v = 0; v < cluster.vertex_count; ++v) {
    std::uint32_t sum = 0;
    for (std::uint32_t k = 0; k < 4; ++k) {
      if (cluster.vertices.at(set.joints + k, v) >= view_->joints().size()) return false;
      sum += cluster.vertices.at(set.weights + k, v);
    }
    if (set.sums_to_one && !(std::fabs(step * static_cast<float>(sum) - 1) <= hmesh::kWeightSumTolerance)) return false;
  }
  return true;
}

Result<std::span<const ClusterRecord>> open_page(const View& view, std::uint32_t page, ByteSpan bytes) {
  const Page& entry = view.pages()[page];
  if (bytes.size() != entry.size_bytes || xxh3_64(bytes) != entry.hash)
    return invalid(0, message("page ", page, " has other bytes than the table of pages says"));
  const Group& last = view.groups()[entry.first_group + entry.group_count - 1];
  const auto count = load<std::uint32_t>(bytes);
  const std::uint32_t expected = std::uint32_t{last.first_cluster} + last.cluster_count;
  if (count != expected || sizeof(count) + std::uint64_t{count} * sizeof(ClusterRecord) + kReadAhead > bytes.size())
    return invalid(0, message("page ", page, " has ", counted(count, "cluster"), ", expected ", expected));
  const std::span records(reinterpret_cast<const ClusterRecord*>(bytes.data() + sizeof(count)), count);
  for (std::uint32_t g = entry.first_group; g < entry.first_group + entry.group_count; ++g) {
    const Group& group = view.groups()[g];
    for (std::uint32_t c = group.first_cluster; c < std::uint32_t{group.first_cluster} + group.cluster_count; ++c) {
      const std::uint32_t refined = records[c].refined();
      if (refined != kNone && (refined <= g || refined >= view.groups().size()))
        return invalid(sizeof(count) + std::uint64_t{c} * sizeof(ClusterRecord),
                       message("cluster ", c, " of a page replaces a group that does not come after its own"));
    }
  }
  return records;
}

Result<void> PageDecoder::open(std::uint32_t page, ByteSpan bytes) {
  ASSETC_TRY(records_, open_page(*view_, page, bytes));
  bytes_ = bytes;
  at_ = sizeof(std::uint32_t) + records_.size_bytes();
  cluster_ = 0;
  group_ = view_->pages()[page].first_group;
  return view_->morphs() ? open_offsets() : Result<void>();
}

Result<void> PageDecoder::open_offsets() {
  std::size_t begin = at_;
  for (const ClusterRecord& record : records_) begin += record.data_bytes;
  const std::size_t table_bytes = records_.size() * sizeof(std::uint32_t), end = bytes_.size() - kReadAhead;
  if (!range_fits(begin, table_bytes, end)) return invalid(begin, "a page ends before the offsets of its clusters");
  offset_ends_ = bytes_.subspan(begin, table_bytes);
  offset_data_ = bytes_.subspan(begin + table_bytes, end - begin - table_bytes);
  std::uint32_t last = 0;
  for (std::size_t c = 0; c < records_.size(); ++c) {
    const auto next = load<std::uint32_t>(offset_ends_, c * sizeof(std::uint32_t));
    if (next < last || next > offset_data_.size() || (c + 1 == records_.size() && next != offset_data_.size()))
      return invalid(begin + c * sizeof(std::uint32_t),
                     message("the offsets of cluster ", c, " of a page end at ", next, " of ", offset_data_.size(),
                             ", expected ascending ends, the last at the end of the page"));
    last = next;
  }
  return {};
}

Result<void> PageDecoder::offsets(ClusterOffsets& out) const {
  out.clear();
  if (!view_->morphs()) return {};
  assert(cluster_ > 0);
  const std::size_t c = cluster_ - 1;
  const std::uint32_t begin = c == 0 ? 0 : load<std::uint32_t>(offset_ends_, (c - 1) * sizeof(std::uint32_t));
  const auto end = load<std::uint32_t>(offset_ends_, c * sizeof(std::uint32_t));
  ASSETC_CHECK(decode_offsets(offset_data_.subspan(begin, end - begin), records_[c].vertex_count(), out));
  for (const OffsetTrack& track : out.tracks) {
    if (track.target >= view_->morphs()->targets().size() || !(view_->offset_step(track) > 0))
      return invalid(begin, message("cluster ", c, " of a page has offsets of target ", track.target, " and attribute ",
                                    static_cast<unsigned>(track.attribute), ", which MRPH does not have"));
  }
  return {};
}

Result<bool> PageDecoder::next(DecodedCluster& out) {
  if (cluster_ == records_.size()) return false;
  const Group* group = &view_->groups()[group_];
  if (cluster_ == std::uint32_t{group->first_cluster} + group->cluster_count) group = &view_->groups()[++group_];
  if (cluster_ == group->first_cluster) decoder_.reset();
  const ClusterRecord& record = records_[cluster_];
  const auto refuse = [&](const char* what) {
    return invalid(at_, message("cluster ", cluster_, " of a page ", what));
  };
  if (!range_fits(at_, record.data_bytes, bytes_.size() - kReadAhead)) return refuse("ends after the page");
  if (record.vertex_count() > kMaxClusterVertices || record.triangle_count() > kMaxClusterTriangles)
    return refuse("has more than 128 vertices or triangles");
  out.group = group_;
  out.refined = record.refined();
  out.vertex_count = record.vertex_count();
  out.triangle_count = record.triangle_count();

  Reader reader(bytes_.subspan(at_, record.data_bytes));
  const auto take_range = [&](std::uint16_t material, std::uint32_t end) {
    if (material != kNoMaterial && material >= view_->materials().size()) return false;
    out.materials[out.material_count++] = {material == kNoMaterial ? kNone : material, end};
    return true;
  };
  out.material_count = 0;
  if (record.material != kSeveralMaterials) {
    if (!take_range(record.material, out.triangle_count)) return refuse("has a material that does not exist");
  } else {
    ASSETC_TRY(const auto last_range, reader.read<std::uint8_t>("the materials of a cluster"));
    std::uint32_t end = 0;
    for (std::uint32_t i = 0; i <= last_range; ++i) {
      ASSETC_TRY(const auto material, reader.read<std::uint16_t>("a material of a cluster"));
      ASSETC_TRY(const auto last_triangle, reader.read<std::uint8_t>("the triangles of a material"));
      end += last_triangle + 1u;
      if (end > out.triangle_count || !take_range(material, end)) return refuse("has a material that does not exist");
    }
    if (end != out.triangle_count) return refuse("has triangles without a material");
  }
  ASSETC_CHECK(decoder_.decode(bytes_.subspan(at_ + reader.position(), reader.remaining()), out.vertex_count,
                               out.triangle_count, out.vertices, out.triangles));
  for (const Influences& set : influences_) {
    if (!has_skin(out, set)) return refuse("has a joint that does not exist, or weights that do not sum to 1");
  }
  at_ += record.data_bytes;
  ++cluster_;
  return true;
}

}  // namespace assetc::hcluster
