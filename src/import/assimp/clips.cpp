// Converts animation stacks to clips.
#include <algorithm>
#include <cmath>
#include <span>
#include <unordered_map>

#include "import/assimp/parts.hpp"
#include "scene/pose.hpp"

namespace assetc::importer::assimp {
namespace {

using scene::ChannelPath;
using scene::Mat4;
using scene::Quat;
using scene::Transform;
using scene::Vec3;

constexpr std::uint64_t kMaxKeys = 64u << 20;  // of one clip, if the parts of a node are sampled together

Quat to_quat(const aiQuaternion& q) { return {q.x, q.y, q.z, q.w}; }

float dot4(Quat a, Quat b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

Quat normalized(Quat q) {
  const float l = std::sqrt(dot4(q, q));
  return l > 0 && std::isfinite(l) ? Quat{q.x / l, q.y / l, q.z / l, q.w / l} : Quat{};
}

Vec3 mix(Vec3 a, Vec3 b, float t) { return a * (1 - t) + b * t; }
// Spherical interpolation. Engines use nearly the same between close keys, and it also fits the distant keys of a
// linear FBX curve.
Quat mix(Quat a, Quat b, float t) {
  const float sign = dot4(a, b) < 0 ? -1.0f : 1.0f;
  const float cosine = std::min(dot4(a, b) * sign, 1.0f);
  const float angle = std::acos(cosine), sine = std::sin(angle);
  const float from = sine > 1e-6f ? std::sin((1 - t) * angle) / sine : 1 - t;
  const float to = (sine > 1e-6f ? std::sin(t * angle) / sine : t) * sign;
  return normalized({a.x * from + b.x * to, a.y * from + b.y * to, a.z * from + b.z * to, a.w * from + b.w * to});
}

// The keys of one curve, read at ascending times.
template <class Key>
class Cursor {
 public:
  Cursor(const Key* keys, std::size_t count) : keys_(keys, keys == nullptr ? 0 : count) {}

  template <class Value, class Convert>
  Value at(double time, Value otherwise, const Convert& convert) {
    if (keys_.empty()) return otherwise;
    while (next_ < keys_.size() && keys_[next_].mTime <= time) ++next_;
    if (next_ == 0) return convert(keys_.front().mValue);
    const Value before = convert(keys_[next_ - 1].mValue);
    const double span = next_ < keys_.size() ? keys_[next_].mTime - keys_[next_ - 1].mTime : 0;
    if (!(span > 0)) return before;
    return mix(before, convert(keys_[next_].mValue), static_cast<float>((time - keys_[next_ - 1].mTime) / span));
  }

 private:
  std::span<const Key> keys_;
  std::size_t next_ = 0;
};

// One part of a node's chain, evaluated at ascending times.
class Part {
 public:
  Part(const Context& context, const aiNode& node, const aiNodeAnim* keys)
      : rest_(local_of(context, node)), is_moving_(keys != nullptr) {
    if (keys == nullptr) return;
    // Components without a curve keep their rest value.
    pose_ = decompose(rest_);
    positions_ = {keys->mPositionKeys, keys->mNumPositionKeys};
    rotations_ = {keys->mRotationKeys, keys->mNumRotationKeys};
    scales_ = {keys->mScalingKeys, keys->mNumScalingKeys};
  }
  Mat4 at(double time) {
    if (!is_moving_) return rest_;
    return to_matrix(pose_at(time));
  }
  Transform pose_at(double time) {
    return {positions_.at(time, pose_.translation, to_vec3), normalized(rotations_.at(time, pose_.rotation, to_quat)),
            scales_.at(time, pose_.scale, to_vec3)};
  }

 private:
  Mat4 rest_;
  Transform pose_;
  bool is_moving_;
  Cursor<aiVectorKey> positions_{nullptr, 0};
  Cursor<aiQuatKey> rotations_{nullptr, 0};
  Cursor<aiVectorKey> scales_{nullptr, 0};
};

using ChannelsByName = std::unordered_map<std::string_view, const aiNodeAnim*>;

class ClipReader {
 public:
  ClipReader(Context& context, const aiAnimation& source) : context_(context), source_(source) {
    clip_.name = view(source.mName);
    seconds_ = 1 / (source.mTicksPerSecond > 0 && std::isfinite(source.mTicksPerSecond) ? source.mTicksPerSecond : 1);
  }

  Result<scene::Clip> read() {
    for (const aiNodeAnim* channel : std::span(source_.mChannels, source_.mNumChannels))
      of_name_.try_emplace(view(channel->mNodeName), channel);
    for (const NodeChain& chain : context_.chains) {
      ASSETC_CHECK(read_node(chain));
    }
    context_.drop("animated morph weights", quoted("clip", clip_.name), source_.mNumMorphMeshChannels);
    return std::move(clip_);
  }

 private:
  Result<void> read_node(const NodeChain& chain) {
    std::vector<Part> parts;
    std::vector<double> ticks;
    for (const aiNode* node : chain.nodes) {
      const auto found = of_name_.find(view(node->mName));
      const aiNodeAnim* keys = found == of_name_.end() ? nullptr : found->second;
      parts.emplace_back(context_, *node, keys);
      if (keys != nullptr) add_ticks(*keys, ticks);
    }
    if (ticks.empty()) return {};
    std::ranges::sort(ticks);
    const auto again = std::ranges::unique(ticks);
    ticks.erase(again.begin(), again.end());
    key_count_ += ticks.size() * chain.nodes.size();
    if (key_count_ > kMaxKeys)
      return fail_at(ErrorCode::kLimit, quoted("clip", clip_.name), "it has more than 67 million keys",
                     "split the clip");

    std::vector<Transform> poses;
    poses.reserve(ticks.size());
    bool sheared = false;
    for (const double tick : ticks) {
      if (parts.size() == 1) {
        poses.push_back(parts.front().pose_at(tick));
        poses.back().translation = poses.back().translation * context_.meters;
      } else {
        Mat4 local;
        for (Part& part : parts) local = local * part.at(tick);
        local = in_meters(local, context_.meters);
        poses.push_back(decompose(local));
        sheared = sheared || is_sheared(local, poses.back());
      }
      if (poses.size() > 1 && dot4(poses.back().rotation, poses[poses.size() - 2].rotation) < 0) {
        Quat& q = poses.back().rotation;
        q = {-q.x, -q.y, -q.z, -q.w};
      }
    }
    const std::string place = quoted("node", context_.out.scene.nodes[chain.node].name);
    if (sheared) context_.drop("animated shear", place);
    return add_channels(chain.node, ticks, poses, place);
  }

  static bool is_sheared(const Mat4& local, const Transform& pose) {
    const Mat4 again = to_matrix(pose);
    for (std::size_t i = 0; i < 12; ++i) {
      if (std::fabs(local.m[i] - again.m[i]) > 1e-3f * (1 + std::fabs(local.m[i]))) return true;
    }
    return false;
  }

  static void add_ticks(const aiNodeAnim& keys, std::vector<double>& ticks) {
    for (std::size_t i = 0; i < keys.mNumPositionKeys; ++i) ticks.push_back(keys.mPositionKeys[i].mTime);
    for (std::size_t i = 0; i < keys.mNumRotationKeys; ++i) ticks.push_back(keys.mRotationKeys[i].mTime);
    for (std::size_t i = 0; i < keys.mNumScalingKeys; ++i) ticks.push_back(keys.mScalingKeys[i].mTime);
    std::erase_if(ticks, [](double tick) { return !std::isfinite(tick); });
  }

  // A component that keeps its rest value gets no channel.
  Result<void> add_channels(std::uint32_t node, const std::vector<double>& ticks, const std::vector<Transform>& poses,
                            const std::string& place) {
    const Transform& rest = context_.out.scene.nodes[node].transform;
    std::vector<float> times;
    times.reserve(ticks.size());
    for (const double tick : ticks) times.push_back(static_cast<float>(std::max(tick * seconds_, 0.0)));
    scene::separate_keys(times);
    const auto add = [&](ChannelPath path, bool moves, const auto& append) -> Result<void> {
      if (!moves) return {};
      scene::Channel channel;
      channel.node = node;
      channel.path = path;
      channel.times_seconds = times;
      for (const Transform& pose : poses) append(channel.values, pose);
      if (!std::ranges::all_of(channel.values, [](float v) { return std::isfinite(v); }))
        return fail_at(ErrorCode::kInvalidData, place, "a key of " + quoted("clip", clip_.name) + " is not finite");
      clip_.channels.push_back(std::move(channel));
      return {};
    };
    const auto append3 = [](std::vector<float>& values, Vec3 v) { values.insert(values.end(), {v.x, v.y, v.z}); };
    const auto differs3 = [](Vec3 a, Vec3 b) { return !(length(a - b) <= 1e-6f * (1 + length(a))); };
    ASSETC_CHECK(
        add(ChannelPath::kTranslation,
            std::ranges::any_of(poses, [&](const Transform& p) { return differs3(p.translation, rest.translation); }),
            [&](std::vector<float>& values, const Transform& p) { append3(values, p.translation); }));
    ASSETC_CHECK(
        add(ChannelPath::kRotation,
            std::ranges::any_of(
                poses, [&](const Transform& p) { return !(std::fabs(dot4(p.rotation, rest.rotation)) > 1 - 1e-7f); }),
            [](std::vector<float>& values, const Transform& p) {
              values.insert(values.end(), {p.rotation.x, p.rotation.y, p.rotation.z, p.rotation.w});
            }));
    return add(ChannelPath::kScale,
               std::ranges::any_of(poses, [&](const Transform& p) { return differs3(p.scale, rest.scale); }),
               [&](std::vector<float>& values, const Transform& p) { append3(values, p.scale); });
  }

  Context& context_;
  const aiAnimation& source_;
  scene::Clip clip_;
  double seconds_ = 1;  // per tick
  ChannelsByName of_name_;
  std::uint64_t key_count_ = 0;
};

}  // namespace

Result<void> read_clips(Context& context) {
  for (const aiAnimation* source : std::span(context.source.mAnimations, context.source.mNumAnimations)) {
    ASSETC_TRY(scene::Clip clip, ClipReader(context, *source).read());
    if (!clip.channels.empty()) context.out.scene.clips.push_back(std::move(clip));
  }
  return {};
}

}  // namespace assetc::importer::assimp
