// Calls of Windows take UTF-16 and backslashes; assetc has UTF-8 and slashes.
#pragma once

#define WIN32_LEAN_AND_MEAN
#ifndef NOMINMAX
#define NOMINMAX
#endif
// clang-format off: in the order that they need
#include <winsock2.h>
#include <windows.h>
#include <iphlpapi.h>
#include <psapi.h>
#include <shellapi.h>
// clang-format on

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "os/file.hpp"

namespace assetc::os {

// A File has the handle as its descriptor: Windows keeps handles in 32 bits.
inline HANDLE handle_of(int descriptor) { return reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(descriptor)); }
inline int descriptor_of(HANDLE handle) { return static_cast<int>(reinterpret_cast<std::intptr_t>(handle)); }

struct CloseHandleOf {
  void operator()(HANDLE handle) const { CloseHandle(handle); }
};
using UniqueHandle = std::unique_ptr<void, CloseHandleOf>;

inline std::uint64_t joined(DWORD high, DWORD low) { return std::uint64_t{high} << 32 | low; }
// A time of Windows counts 100 ns since 1601.
inline std::int64_t ns_of(std::int64_t ticks) { return (ticks - 116'444'736'000'000'000) * 100; }

// GetFullPathNameW.
std::wstring full_path(const std::wstring& path);
std::wstring utf16(std::string_view utf8);
std::string utf8(std::wstring_view utf16);
// The path for calls of Windows. Beyond 247 characters it begins with "\\?\", which lifts the limit of 260.
// ERROR_INVALID_NAME if a part of the path is no name of a file in Windows: "aux.png", "a:b", "a.".
OsResult<std::wstring> system_path(const std::string& path);
// The path of a name in a folder that system_path() returned.
OsResult<std::wstring> system_path_in(const std::wstring& folder, std::string_view name);

OsResult<Status> status_of(HANDLE file);
// Opens for CreateFileW's access; other programs may read, write, rename and delete the file meanwhile.
OsResult<File> open_path(const std::wstring& path, DWORD access, DWORD disposition, DWORD flags);
OsResult<void> remove_path(const std::wstring& path);

}  // namespace assetc::os
