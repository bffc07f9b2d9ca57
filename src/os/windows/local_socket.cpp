// A local socket is a named pipe here. Its name is made from the path, because pipes are not files.
#include "os/local_socket.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "assetc/base/hash.hpp"
#include "base/ascii.hpp"
#include "os/file.hpp"
#include "os/windows/system.hpp"

namespace assetc::os {
namespace {

// The user of a process, or empty.
std::vector<std::byte> user_of(HANDLE process) {
  HANDLE opened = nullptr;
  if (OpenProcessToken(process, TOKEN_QUERY, &opened) == 0) return {};
  const UniqueHandle token(opened);
  DWORD size = 0;
  GetTokenInformation(token.get(), TokenUser, nullptr, 0, &size);
  std::vector<std::byte> user(size);
  if (size == 0 || GetTokenInformation(token.get(), TokenUser, user.data(), size, &size) == 0) return {};
  return user;
}
PSID sid_of(std::vector<std::byte>& user) { return reinterpret_cast<TOKEN_USER*>(user.data())->User.Sid; }

Endpoint endpoint_of(DWORD address, DWORD port) {
  std::array<std::uint8_t, 4> bytes{};
  std::memcpy(bytes.data(), &address, bytes.size());
  return Endpoint::ipv4(bytes, ntohs(static_cast<u_short>(port)));
}
Endpoint endpoint_of(const UCHAR (&address)[16], DWORD port) {
  return {std::to_array(address), ntohs(static_cast<u_short>(port))};
}
Endpoint local_of(const MIB_TCPROW_OWNER_PID& row) { return endpoint_of(row.dwLocalAddr, row.dwLocalPort); }
Endpoint local_of(const MIB_TCP6ROW_OWNER_PID& row) { return endpoint_of(row.ucLocalAddr, row.dwLocalPort); }
Endpoint remote_of(const MIB_TCPROW_OWNER_PID& row) { return endpoint_of(row.dwRemoteAddr, row.dwRemotePort); }
Endpoint remote_of(const MIB_TCP6ROW_OWNER_PID& row) { return endpoint_of(row.ucRemoteAddr, row.dwRemotePort); }

// The processes with an established socket that has these ends.
template <class Table>
void add_owners(ULONG family, const Endpoint& local, const Endpoint& remote, std::vector<DWORD>& owners) {
  DWORD size = 0;
  std::vector<std::byte> bytes;
  while (GetExtendedTcpTable(bytes.data(), &size, FALSE, family, TCP_TABLE_OWNER_PID_CONNECTIONS, 0) ==
         ERROR_INSUFFICIENT_BUFFER)
    bytes.resize(size);
  if (bytes.size() < sizeof(Table)) return;
  const auto& table = *reinterpret_cast<const Table*>(bytes.data());
  for (DWORD i = 0; i < table.dwNumEntries; ++i) {
    const auto& row = table.table[i];
    if (row.dwState == MIB_TCP_STATE_ESTAB && local_of(row) == local && remote_of(row) == remote)
      owners.push_back(row.dwOwningPid);
  }
}

}  // namespace

std::optional<bool> is_peer_ours(const Endpoint& ours, const Endpoint& theirs) {
  if (ours == theirs) return std::nullopt;
  std::vector<DWORD> owners;
  add_owners<MIB_TCPTABLE_OWNER_PID>(AF_INET, theirs, ours, owners);
  add_owners<MIB_TCP6TABLE_OWNER_PID>(AF_INET6, theirs, ours, owners);
  if (owners.size() != 1) return std::nullopt;
  const UniqueHandle process(OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, owners.front()));
  std::vector<std::byte> owner = process ? user_of(process.get()) : std::vector<std::byte>();
  std::vector<std::byte> us = user_of(GetCurrentProcess());
  return !owner.empty() && !us.empty() && EqualSid(sid_of(owner), sid_of(us)) != 0;
}

// waits_ is an event; wakes_ is not used.
Waker::Waker() : waits_(descriptor_of(CreateEventW(nullptr, TRUE, FALSE, nullptr))) {}
Waker::~Waker() { CloseHandle(handle_of(waits_)); }
void Waker::wake() { SetEvent(handle_of(waits_)); }
bool Waker::wait_for(std::chrono::milliseconds time) const {
  return WaitForSingleObject(handle_of(waits_), static_cast<DWORD>(time.count())) == WAIT_OBJECT_0;
}

bool SocketAddress::has(const std::string& /*path*/) { return true; }
SocketAddress::SocketAddress(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = canonical_path(slash == path.npos ? "." : path.substr(0, slash + 1));
  if (folder.empty()) return;
  // Windows finds names in any letter case.
  const ContentHash hash = content_hash(as_bytes(ascii_lower(folder + path.substr(slash == path.npos ? 0 : slash))));
  name_ = "\\\\.\\pipe\\assetc-" + hash.hex();
}
SocketAddress::~SocketAddress() = default;

LocalSocket::~LocalSocket() {
  if (descriptor_ >= 0) CloseHandle(handle_of(descriptor_));
}

LocalSocket LocalSocket::connect(const std::string& path) {
  const SocketAddress named(path);
  if (named.name().empty()) return {};
  const HANDLE pipe = CreateFileW(utf16(named.name()).c_str(), GENERIC_READ, 0, nullptr, OPEN_EXISTING,
                                  SECURITY_SQOS_PRESENT | SECURITY_IDENTIFICATION, nullptr);
  return pipe == INVALID_HANDLE_VALUE ? LocalSocket() : LocalSocket(descriptor_of(pipe));
}

// Pipes have no event for arrived bytes, so this looks every few milliseconds.
LocalSocket::Event LocalSocket::wait(const Waker& waker) const {
  constexpr std::chrono::milliseconds kPause{5};
  for (;;) {
    if (waker.wait_for(kPause)) return Event::kWoken;
    DWORD ready = 0;
    if (PeekNamedPipe(handle_of(descriptor_), nullptr, 0, nullptr, &ready, nullptr) == 0 || ready > 0)
      return Event::kReadable;
  }
}

std::optional<std::size_t> LocalSocket::receive(std::span<std::byte> buffer) const {
  DWORD ready = 0, size = 0;
  if (PeekNamedPipe(handle_of(descriptor_), nullptr, 0, nullptr, &ready, nullptr) == 0) return 0;
  if (ready == 0) return std::nullopt;
  const auto most = static_cast<DWORD>(std::min<std::size_t>(buffer.size(), ready));
  if (ReadFile(handle_of(descriptor_), buffer.data(), most, &size, nullptr) == 0) return 0;
  return size;
}

}  // namespace assetc::os
