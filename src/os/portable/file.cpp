// For systems without files, such as WebAssembly: every file is missing.
#include "os/file.hpp"

namespace assetc::os {

FaultKind Fault::kind() const { return FaultKind::kNotFound; }
std::string Fault::text() const { return "this platform has no files"; }

File::~File() = default;
OsResult<File> File::open(const std::string&, Mode) { return std::unexpected(Fault(0)); }
OsResult<Status> File::status() const { return std::unexpected(Fault(0)); }
OsResult<std::size_t> File::read_at(std::uint64_t, std::span<std::byte>) const { return std::unexpected(Fault(0)); }

}  // namespace assetc::os
