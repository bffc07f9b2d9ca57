#include "assetc/runtime/handle.hpp"

namespace assetc::runtime {
namespace {

// 16 lower-case hex digits.
std::string hash_text(std::uint64_t hash) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t i = 0; i < 16; ++i) text[15 - i] = kDigits[(hash >> (4 * i)) & 15];
  return text;
}

}  // namespace

std::string name_of(AssetType type) {
  const std::string_view name = aas1::type_name(type);
  return name.empty() ? "type " + std::to_string(static_cast<unsigned>(type)) : std::string(name);
}

std::string_view to_string(Fault fault) {
  switch (fault) {
    case Fault::kMissing:
      return "missing";
    case Fault::kWrongType:
      return "wrong_type";
    case Fault::kNoLoader:
      return "no_loader";
    case Fault::kCorrupt:
      return "corrupt";
    case Fault::kVersion:
      return "version";
    case Fault::kUnsupported:
      return "unsupported";
    case Fault::kUntrusted:
      return "untrusted";
    case Fault::kLocked:
      return "locked";
    case Fault::kLimit:
      return "limit";
    case Fault::kIo:
      return "io";
    case Fault::kCycle:
      return "cycle";
    case Fault::kDependency:
      return "dependency";
    case Fault::kCanceled:
      return "canceled";
    case Fault::kStale:
      return "stale";
  }
  return "";
}

Fault fault_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidData:
    case ErrorCode::kTruncated:
    case ErrorCode::kConflict:
    case ErrorCode::kUsage:
      return Fault::kCorrupt;
    case ErrorCode::kVersion:
      return Fault::kVersion;
    case ErrorCode::kUnsupported:
      return Fault::kUnsupported;
    case ErrorCode::kLimit:
      return Fault::kLimit;
    case ErrorCode::kNotFound:
      return Fault::kMissing;
    case ErrorCode::kIo:
      return Fault::kIo;
    case ErrorCode::kCanceled:
      return Fault::kCanceled;
  }
  return Fault::kCorrupt;
}

std::string Failure::to_string() const {
  const std::string name =
      asset.uuid.is_nil() ? (asset.path_hash == 0 ? "" : hash_text(asset.path_hash)) : asset.uuid.to_string();
  std::string text = virtual_path;
  if (!name.empty()) text += (text.empty() ? "(" : " (") + name + ")";
  if (!text.empty()) text += ": ";
  text += runtime::to_string(fault);
  const std::string why = error.to_string();
  return why.empty() ? text : text + ": " + why;
}

}  // namespace assetc::runtime
