#include "formats/reader.hpp"

#include "assetc/formats/fourcc.hpp"
#include "base/plural.hpp"

namespace assetc::formats {

std::unexpected<Error> invalid(std::uint64_t offset, std::string what, std::string_view hint) {
  return fail_at(ErrorCode::kInvalidData, byte_place(offset), std::move(what), hint);
}

Result<void> expect_end(std::uint64_t end, std::uint64_t size) {
  if (size == end) return {};
  if (size < end) {
    return fail_at(ErrorCode::kTruncated, byte_place(size),
                   message("found ", counted(size, "byte"), ", expected ", end), kDamagedHint);
  }
  return invalid(end, message("found ", counted(size - end, "extra byte"), ", expected the end of the file"));
}

Result<void> check_magic(ByteSpan file, std::uint32_t magic, std::uint32_t version, std::string_view format_name) {
  if (file.size() < 8) {
    return fail_at(ErrorCode::kTruncated, byte_place(0),
                   message("found ", counted(file.size(), "byte"), ", expected the header of a ", format_name, " file"),
                   kDamagedHint);
  }
  const auto found_magic = load<std::uint32_t>(file, 0);
  if (found_magic != magic) {
    return invalid(0, message("found magic ", fourcc_text(found_magic), ", expected ", fourcc_text(magic)),
                   message("check that this is a ", format_name, " file"));
  }
  const auto found_version = load<std::uint32_t>(file, 4);
  if (found_version != version) {
    return fail_at(ErrorCode::kVersion, byte_place(4),
                   message("found ", format_name, " version ", found_version, ", expected ", version),
                   found_version > version ? "read it with a newer assetc, or compile its source again with this one"
                                           : "compile its source again");
  }
  return {};
}

Result<void> check_alignment(ByteSpan file, std::size_t alignment) {
  const auto address = reinterpret_cast<std::uintptr_t>(file.data());
  if (address % alignment == 0) return {};
  return fail(ErrorCode::kUsage,
              message("the bytes lie at an address that is not a multiple of ", counted(alignment, "byte"),
                      ", which in-place reading needs"),
              "map the file, or copy it into a buffer from operator new");
}

}  // namespace assetc::formats
