#include "import/gltf_meshopt.hpp"

#include <meshoptimizer.h>

namespace assetc::importer {
namespace {

std::unexpected<Error> refuse(std::string what) { return fail(ErrorCode::kInvalidData, "meshopt compression: " + std::move(what)); }

// The vertex codec spends at least two bits on every 16 values of one byte column: 64 bytes a byte.
// The index codecs spend at least one byte a triangle or index.
constexpr std::uint64_t kMaxVertexExpansion = 64;

// What KHR_meshopt_compression adds to its predecessor, and the decoder does not have.
Result<void> check_version(const MeshoptStream& s) {
  const bool newer_codec = s.mode == "ATTRIBUTES" && !s.data.empty() && s.data[0] == std::byte{0xA1};
  if (!newer_codec && s.filter != "COLOR") return {};
  return fail(ErrorCode::kUnsupported,
              "meshopt compression: found " + std::string(newer_codec ? "version 1 of the vertex codec" : "the filter COLOR") +
                  ", which assetc does not read",
              "compress as EXT_meshopt_compression does (gltfpack -c or -cc), or not at all");
}

}  // namespace

Result<void> check_meshopt(const MeshoptStream& s) {
  ASSETC_CHECK(check_version(s));
  if (s.count >= 0xFFFFFFFFull) return refuse("found a count of " + std::to_string(s.count) + ", expected less than 4294967295");
  std::uint64_t most = 0;
  if (s.mode == "ATTRIBUTES") {
    if (s.stride_bytes == 0 || s.stride_bytes > 256 || s.stride_bytes % 4 != 0) {
      return refuse("found a byteStride of " + std::to_string(s.stride_bytes) + ", expected a multiple of 4 up to 256");
    }
    most = s.data.size() * kMaxVertexExpansion / s.stride_bytes;
  } else if (s.mode == "TRIANGLES" || s.mode == "INDICES") {
    if (s.stride_bytes != 2 && s.stride_bytes != 4) {
      return refuse("found a byteStride of " + std::to_string(s.stride_bytes) + ", expected 2 or 4 for indices");
    }
    if (s.mode == "TRIANGLES" && s.count % 3 != 0) return refuse("found " + std::to_string(s.count) + " indices, expected a multiple of 3");
    most = s.mode == "TRIANGLES" ? s.data.size() * 3 : s.data.size();
  } else {
    return refuse("found the mode \"" + s.mode + "\", expected ATTRIBUTES, TRIANGLES or INDICES");
  }
  if (s.count > most) {
    return refuse("the compressed data is cut short: " + std::to_string(s.data.size()) + " bytes cannot hold " +
                  std::to_string(s.count) + " elements");
  }
  const bool fits = s.filter == "NONE" || (s.mode == "ATTRIBUTES" && ((s.filter == "OCTAHEDRAL" && (s.stride_bytes == 4 || s.stride_bytes == 8)) ||
                                                                       (s.filter == "QUATERNION" && s.stride_bytes == 8) || s.filter == "EXPONENTIAL"));
  if (!fits) {
    return refuse("the filter \"" + s.filter + "\" does not fit mode " + s.mode + " with a byteStride of " + std::to_string(s.stride_bytes));
  }
  return {};
}

Result<ByteVector> decode_meshopt(const MeshoptStream& s) {
  const auto count = static_cast<std::size_t>(s.count);
  const auto stride = static_cast<std::size_t>(s.stride_bytes);
  ByteVector out(count * stride);
  const auto* data = reinterpret_cast<const unsigned char*>(s.data.data());
  int failed = 0;
  if (s.mode == "ATTRIBUTES") {
    failed = meshopt_decodeVertexBuffer(out.data(), count, stride, data, s.data.size());
  } else if (s.mode == "TRIANGLES") {
    failed = meshopt_decodeIndexBuffer(out.data(), count, stride, data, s.data.size());
  } else {
    failed = meshopt_decodeIndexSequence(out.data(), count, stride, data, s.data.size());
  }
  if (failed != 0) return refuse("the compressed " + s.mode + " stream is damaged (decoder code " + std::to_string(failed) + ")");
  if (s.filter == "OCTAHEDRAL") meshopt_decodeFilterOct(out.data(), count, stride);
  if (s.filter == "QUATERNION") meshopt_decodeFilterQuat(out.data(), count, stride);
  if (s.filter == "EXPONENTIAL") meshopt_decodeFilterExp(out.data(), count, stride);
  return out;
}

}  // namespace assetc::importer
