// .hanim version 1: the animation clips of a skinned mesh. Specification: docs/formats/hanim.md.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/fourcc.hpp"

namespace assetc::hanim {

inline constexpr std::uint32_t kMagic = fourcc("HANM");
inline constexpr std::uint32_t kVersion = 1;

enum class Path : std::uint8_t { kTranslation = 0, kRotation = 1, kScale = 2 };
enum class Interpolation : std::uint8_t { kStep = 0, kLinear = 1 };

// 3 floats of translation or scale, 4 of a rotation x y z w.
constexpr std::uint8_t component_count(Path path) { return path == Path::kRotation ? 4 : 3; }

// The channels of a file have no alignment, so keys are loaded one by one and never cast.
class ChannelView {
 public:
  std::uint32_t joint() const { return joint_; }  // an index into the joints of the sibling .hmesh
  Path path() const { return path_; }
  Interpolation interpolation() const { return interpolation_; }
  std::uint8_t components() const { return component_count(path_); }
  std::uint32_t key_count() const { return key_count_; }  // at least 1
  // Seconds, not negative and never less than the key before. Requires i < key_count().
  float time(std::size_t i) const { return load<float>(keys_, i * stride()); }
  // The fourth is 0 unless the path is a rotation. Requires i < key_count().
  std::array<float, 4> value(std::size_t i) const;
  // Where key i lies in the file: a time, then components() values.
  ByteSpan key_bytes() const { return keys_; }

 private:
  friend class View;
  std::size_t stride() const { return sizeof(float) * (1u + components()); }

  std::uint32_t joint_ = 0;
  Path path_ = Path::kTranslation;
  Interpolation interpolation_ = Interpolation::kLinear;
  std::uint32_t key_count_ = 0;
  ByteSpan keys_;
};

struct ClipView {
  std::string_view name;
  float duration_seconds = 0;
  std::vector<ChannelView> channels;
};

struct Channel {
  std::uint32_t joint = 0;
  Path path = Path::kTranslation;
  Interpolation interpolation = Interpolation::kLinear;
  std::vector<float> times;   // seconds
  std::vector<float> values;  // component_count(path) a key
  bool operator==(const Channel&) const = default;
};

struct Clip {
  std::string name;
  float duration_seconds = 0;  // no key is later
  std::vector<Channel> channels;
  bool operator==(const Clip&) const = default;
};

// A valid .hanim. The keys stay where they are; names and keys point into the caller's bytes, at any alignment.
// Errors: kTruncated, kInvalidData, kVersion. Whether joints exist is for check_joints().
// Thread safety: const.
class View {
 public:
  static Result<View> open(ByteSpan file);

  std::span<const ClipView> clips() const { return clips_; }
  // An error that names the clip and channel whose joint is not below joint_count, that of the sibling .hmesh.
  Result<void> check_joints(std::size_t joint_count) const;
  std::vector<Clip> to_clips() const;

 private:
  std::vector<ClipView> clips_;
};

// The bytes of a file that View::open accepts, or its error about a clip. Clips and channels keep their order.
Result<ByteVector> write(std::span<const Clip> clips);

}  // namespace assetc::hanim
