// ACL (github.com/nfrechette/acl).
#include <acl/compression/compress.h>
#include <acl/compression/track_array.h>
#include <acl/compression/transform_error_metrics.h>
#include <acl/core/ansi_allocator.h>
#include <acl/decompression/decompress.h>
#include <rtm/qvvf.h>

#include "clip_peer.hpp"

namespace assetc::bench {
namespace {

struct Settings : acl::default_transform_decompression_settings {
  static constexpr acl::compressed_tracks_version16 version_supported() {
    return acl::compressed_tracks_version16::latest;
  }
};

rtm::qvvf from(const hanim::Transform& t) {
  return rtm::qvv_set(rtm::quat_normalize(rtm::quat_set(t.rotation[0], t.rotation[1], t.rotation[2], t.rotation[3])),
                      rtm::vector_set(t.translation[0], t.translation[1], t.translation[2]),
                      rtm::vector_set(t.scale[0], t.scale[1], t.scale[2]));
}

// Writes into a pose that is at rest, as ours does.
struct Writer : acl::track_writer {
  hanim::Transform* pose;
  static constexpr acl::default_sub_track_mode get_default_rotation_mode() {
    return acl::default_sub_track_mode::skipped;
  }
  static constexpr acl::default_sub_track_mode get_default_translation_mode() {
    return acl::default_sub_track_mode::skipped;
  }
  static constexpr acl::default_sub_track_mode get_default_scale_mode() { return acl::default_sub_track_mode::skipped; }
  void RTM_SIMD_CALL write_rotation(std::uint32_t i, rtm::quatf_arg0 q) { rtm::quat_store(q, pose[i].rotation.data()); }
  void RTM_SIMD_CALL write_translation(std::uint32_t i, rtm::vector4f_arg0 v) {
    rtm::vector_store3(v, pose[i].translation.data());
  }
  void RTM_SIMD_CALL write_scale(std::uint32_t i, rtm::vector4f_arg0 v) { rtm::vector_store3(v, pose[i].scale.data()); }
};

class Acl : public Peer {
 public:
  Acl(const SampledClip& clip, float error, float radius) {
    const auto joints = static_cast<std::uint32_t>(clip.parents.size());
    acl::track_array_qvvf tracks(allocator_, joints);
    for (std::uint32_t j = 0; j < joints; ++j) {
      acl::track_desc_transformf desc;
      desc.output_index = j;
      desc.parent_index =
          clip.parents[j] < 0 ? acl::k_invalid_track_index : static_cast<std::uint32_t>(clip.parents[j]);
      desc.precision = error;
      desc.shell_distance = radius;
      desc.default_value = from(clip.rest[j]);
      auto track = acl::track_qvvf::make_reserve(desc, allocator_, clip.frame_count, clip.frames_per_second);
      for (std::uint32_t f = 0; f < clip.frame_count; ++f)
        track[f] = from(clip.transforms[std::size_t{f} * joints + j]);
      tracks[j] = std::move(track);
    }
    acl::compression_settings settings = acl::get_default_compression_settings();
    settings.level = acl::compression_level8::high;
    acl::qvvf_transform_error_metric metric;
    settings.error_metric = &metric;
    acl::output_stats stats;
    if (acl::compress_track_list(allocator_, tracks, settings, out_, stats).any()) out_ = nullptr;
    if (out_ != nullptr) context_.initialize(*out_);
  }
  ~Acl() override {
    if (out_ != nullptr) allocator_.deallocate(out_, out_->get_size());
  }
  bool is_good() const { return out_ != nullptr; }
  std::size_t size_bytes() const override { return out_->get_size(); }
  void sample(float time_seconds, std::span<hanim::Transform> pose) override {
    Writer writer;
    writer.pose = pose.data();
    context_.seek(time_seconds, acl::sample_rounding_policy::none);
    context_.decompress_tracks(writer);
  }

 private:
  acl::ansi_allocator allocator_;
  acl::compressed_tracks* out_ = nullptr;
  acl::decompression_context<Settings> context_;
};

}  // namespace

std::unique_ptr<Peer> compress_with_acl(const SampledClip& clip, float error, float radius) {
  auto acl = std::make_unique<Acl>(clip, error, radius);
  if (!acl->is_good()) return nullptr;
  return acl;
}

}  // namespace assetc::bench
