// A clip as samples at a fixed rate, for programs that compress such clips.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "assetc/formats/hanim_view.hpp"

namespace assetc::bench {

struct SampledClip {
  std::vector<std::int32_t> parents;  // of each joint; -1: none. Parents come first.
  std::uint32_t frame_count = 0;
  float frames_per_second = 30;
  std::vector<hanim::Transform> transforms;  // frame_count x joints, by frame
  std::vector<hanim::Transform> rest;        // of each joint
};

class Peer {
 public:
  virtual ~Peer() = default;
  virtual std::size_t size_bytes() const = 0;
  virtual void sample(float time_seconds, std::span<hanim::Transform> pose) = 0;
};

// Compresses with ACL at its highest level that is not exhaustive. Null if it fails. acl_peer.cpp.
std::unique_ptr<Peer> compress_with_acl(const SampledClip& clip, float error, float radius);

}  // namespace assetc::bench
