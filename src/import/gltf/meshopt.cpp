#include "import/gltf/meshopt.hpp"

#include <meshoptimizer.h>

#include "base/plural.hpp"
#include "import/gltf/meshopt_v1.hpp"

namespace assetc::importer {
namespace {

std::unexpected<Error> refuse(std::string what) {
  return fail(ErrorCode::kInvalidData, "meshopt compression: " + std::move(what));
}

constexpr std::byte kAttributesV0{0xA0};
// Version 0 of the attribute codec uses at least two bits per 16 values of one byte column, so one byte encodes at most
// 64. The index codecs use at least one byte per triangle or index.
constexpr std::uint64_t kMaxV0Expansion = 64;

bool starts_with(const MeshoptStream& s, std::byte version) { return !s.data.empty() && s.data[0] == version; }
bool is_v1(const MeshoptStream& s) { return s.mode == "ATTRIBUTES" && starts_with(s, kMeshoptAttributesV1); }

}  // namespace

Result<void> check_meshopt(const MeshoptStream& s) {
  if (s.count >= 0xFFFFFFFFull)
    return refuse("found a count of " + std::to_string(s.count) + ", expected less than 4294967295");
  std::uint64_t most = 0;
  if (s.mode == "ATTRIBUTES") {
    if (s.stride_bytes == 0 || s.stride_bytes > 256 || s.stride_bytes % 4 != 0) {
      return refuse("found a byteStride of " + std::to_string(s.stride_bytes) + ", expected a multiple of 4 up to 256");
    }
    if (!s.data.empty() && !starts_with(s, kAttributesV0) && !is_v1(s)) {
      return refuse("found a stream that starts with the byte " + std::to_string(static_cast<unsigned>(s.data[0])) +
                    ", expected 160 or 161 (version 0 or 1 of the attribute codec)");
    }
    most = s.data.size() * (is_v1(s) ? kMeshoptV1Expansion : kMaxV0Expansion) / s.stride_bytes;
  } else if (s.mode == "TRIANGLES" || s.mode == "INDICES") {
    if (s.stride_bytes != 2 && s.stride_bytes != 4) {
      return refuse("found a byteStride of " + std::to_string(s.stride_bytes) + ", expected 2 or 4 for indices");
    }
    if (s.mode == "TRIANGLES" && s.count % 3 != 0)
      return refuse("found " + counted(s.count, "index") + ", expected a multiple of 3");
    most = s.mode == "TRIANGLES" ? s.data.size() * 3 : s.data.size();
  } else {
    return refuse("found the mode \"" + s.mode + "\", expected ATTRIBUTES, TRIANGLES or INDICES");
  }
  if (s.count > most) {
    return refuse("the compressed data is cut short: " + counted(s.data.size(), "byte") + " cannot hold " +
                  counted(s.count, "element"));
  }
  const bool four_components = s.stride_bytes == 4 || s.stride_bytes == 8;
  const bool fits_attributes = ((s.filter == "OCTAHEDRAL" || s.filter == "COLOR") && four_components) ||
                               (s.filter == "QUATERNION" && s.stride_bytes == 8) || s.filter == "EXPONENTIAL";
  const bool fits = s.filter == "NONE" || (s.mode == "ATTRIBUTES" && fits_attributes);
  if (!fits) {
    return refuse("the filter \"" + s.filter + "\" does not fit mode " + s.mode + " with a byteStride of " +
                  std::to_string(s.stride_bytes));
  }
  return {};
}

Result<ByteVector> decode_meshopt(const MeshoptStream& s) {
  const auto count = static_cast<std::size_t>(s.count);
  const auto stride = static_cast<std::size_t>(s.stride_bytes);
  ByteVector out(count * stride);
  const auto* data = reinterpret_cast<const unsigned char*>(s.data.data());
  int failed = 0;
  if (is_v1(s)) {
    ASSETC_CHECK(decode_meshopt_v1(s.data, count, stride, out));
  } else if (s.mode == "ATTRIBUTES") {
    failed = meshopt_decodeVertexBuffer(out.data(), count, stride, data, s.data.size());
  } else if (s.mode == "TRIANGLES") {
    failed = meshopt_decodeIndexBuffer(out.data(), count, stride, data, s.data.size());
  } else {
    failed = meshopt_decodeIndexSequence(out.data(), count, stride, data, s.data.size());
  }
  if (failed != 0)
    return refuse("the compressed " + s.mode + " stream is damaged (decoder code " + std::to_string(failed) + ")");
  if (s.filter == "OCTAHEDRAL") meshopt_decodeFilterOct(out.data(), count, stride);
  if (s.filter == "QUATERNION") meshopt_decodeFilterQuat(out.data(), count, stride);
  if (s.filter == "EXPONENTIAL") meshopt_decodeFilterExp(out.data(), count, stride);
  if (s.filter == "COLOR") ASSETC_CHECK(unfilter_meshopt_colors(out, stride));
  return out;
}

}  // namespace assetc::importer
