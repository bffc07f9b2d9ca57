#include "os/local_socket.hpp"

#include <fcntl.h>
#ifdef __linux__
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#endif
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string_view>

#include "os/posix/status.hpp"

namespace assetc::os {
namespace {

constexpr std::size_t kMostAddressBytes = sizeof sockaddr_un{}.sun_path - 1;

// Not inherited by started programs, and non-blocking.
void tame(int descriptor) {
  ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  ::fcntl(descriptor, F_SETFL, O_NONBLOCK);
}

void close_socket(int descriptor) {
  if (descriptor >= 0) ::close(descriptor);
}

// An address of /proc/net/tcp or tcp6: the words of the address, each as a number of this machine in hexadecimal.
std::optional<std::array<std::uint8_t, 16>> address_of(std::string_view digits) {
  constexpr std::size_t kDigits = 8;
  if (digits.size() != kDigits && digits.size() != 4 * kDigits) return std::nullopt;
  std::array<std::uint8_t, 16> address = Endpoint::ipv4({}, 0).address;
  std::size_t at = address.size() - digits.size() / 2;
  for (std::size_t i = 0; i < digits.size(); i += kDigits, at += sizeof(std::uint32_t)) {
    std::uint32_t word = 0;
    const char* const end = digits.data() + i + kDigits;
    if (std::from_chars(digits.data() + i, end, word, 16).ptr != end) return std::nullopt;
    std::memcpy(address.data() + at, &word, sizeof word);
  }
  return address;
}

struct Row {
  Endpoint local, remote;
  unsigned user;
};

// proc(5): each line of /proc/net/tcp and tcp6 has a number, the local and the remote address as hexadecimal IP:port,
// the state, three more fields and the user. A socket that was closed by its program has no owner and is listed as
// root's, so only established ones count. A program with a dual-stack socket is only in tcp6.
std::optional<Row> established(const std::string& line) {
  constexpr unsigned kEstablished = 1;
  char local[33], remote[33];
  unsigned local_port = 0, remote_port = 0, state = 0, user = 0;
  if (std::sscanf(line.c_str(), " %*d: %32[0-9A-F]:%4x %32[0-9A-F]:%4x %2x %*8x:%*8x %*2x:%*8x %*8x %u", local,
                  &local_port, remote, &remote_port, &state, &user) != 6 ||
      state != kEstablished)
    return std::nullopt;
  const auto from = address_of(local), to = address_of(remote);
  if (!from || !to) return std::nullopt;
  return Row{{*from, static_cast<std::uint16_t>(local_port)}, {*to, static_cast<std::uint16_t>(remote_port)}, user};
}

// What the system says about the socket at the other end.
struct Found {
  bool is_answered = false;  // false: it cannot be asked in this way
  std::optional<unsigned> user;
};

// The user of the socket at the other end, if one row alone of the tables has it. Takes time for every socket of the
// machine, of which another user can have tens of thousands.
Found find_in_tables(const Endpoint& ours, const Endpoint& theirs) {
  Found found;
  for (const char* const table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream sockets(table);
    found.is_answered = found.is_answered || sockets.is_open();
    std::string line;
    std::getline(sockets, line);  // the names of the columns
    while (std::getline(sockets, line)) {
      const auto row = established(line);
      if (!row || row->local != theirs || row->remote != ours) continue;
      if (found.user) return {true, std::nullopt};
      found.user = row->user;
    }
  }
  return found;
}

#ifdef __linux__
// The same by sock_diag(7): the system looks up one socket. Its answer for a socket that does not exist is that of a
// kernel without this service, so is_answered is false until it has found one.
Found look_up(const Endpoint& ours, const Endpoint& theirs) {
  struct {
    nlmsghdr head;
    inet_diag_req_v2 asked;
  } request{};
  request.head = {sizeof request, SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST, 0, 0};
  const Endpoint any_ipv4 = Endpoint::ipv4({}, 0);
  constexpr std::size_t kPrefix = 12;  // of an IPv4 address
  const auto is_ipv4 = [&](const Endpoint& end) {
    return std::equal(end.address.begin(), end.address.begin() + kPrefix, any_ipv4.address.begin());
  };
  const bool ipv4 = is_ipv4(ours) && is_ipv4(theirs);
  inet_diag_req_v2& asked = request.asked;
  asked.sdiag_family = ipv4 ? AF_INET : AF_INET6;
  asked.sdiag_protocol = IPPROTO_TCP;
  asked.idiag_states = ~0u;
  asked.id.idiag_sport = htons(theirs.port), asked.id.idiag_dport = htons(ours.port);
  asked.id.idiag_cookie[0] = asked.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  const std::size_t from = ipv4 ? kPrefix : 0;
  std::memcpy(asked.id.idiag_src, theirs.address.data() + from, theirs.address.size() - from);
  std::memcpy(asked.id.idiag_dst, ours.address.data() + from, ours.address.size() - from);

  static std::atomic<bool> has_found = false;
  const int diagnoses = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (diagnoses < 0) return {};
  alignas(nlmsghdr) std::array<char, 4096> answer{};
  ssize_t size = ::send(diagnoses, &request, sizeof request, 0);
  if (size == sizeof request) size = ::recv(diagnoses, answer.data(), answer.size(), MSG_DONTWAIT);
  close_socket(diagnoses);
  nlmsghdr head{};
  inet_diag_msg found{};
  if (size >= static_cast<ssize_t>(sizeof head)) std::memcpy(&head, answer.data(), sizeof head);
  if (size < static_cast<ssize_t>(NLMSG_LENGTH(sizeof found)) || head.nlmsg_type != SOCK_DIAG_BY_FAMILY)
    return {has_found && head.nlmsg_type == NLMSG_ERROR, std::nullopt};
  std::memcpy(&found, answer.data() + NLMSG_HDRLEN, sizeof found);
  has_found = true;
  // It also finds a socket that listens, and one that its program has closed, which has no owner.
  const bool is_it = found.idiag_state == TCP_ESTABLISHED && found.id.idiag_sport == asked.id.idiag_sport &&
                     found.id.idiag_dport == asked.id.idiag_dport;
  return {true, is_it ? std::optional<unsigned>(found.idiag_uid) : std::nullopt};
}
#else
Found look_up(const Endpoint&, const Endpoint&) { return {}; }
#endif

std::optional<unsigned> user_of_peer(const Endpoint& ours, const Endpoint& theirs) {
  const Found found = look_up(ours, theirs);
  return found.is_answered ? found.user : find_in_tables(ours, theirs).user;
}

}  // namespace

std::optional<bool> is_peer_ours(const Endpoint& ours, const Endpoint& theirs) {
  if (ours == theirs) return std::nullopt;
  // While other connections come and go, the system may leave out a row of its tables.
  constexpr int kAttempts = 3;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto user = user_of_peer(ours, theirs);
    // The system reads the state of a socket before its owner. A socket that is closed in between looks established and
    // owned by root. The second time it is not established any more.
    if (user && user_of_peer(ours, theirs) == user) return *user == ::getuid() || *user == 0;
  }
  return std::nullopt;
}

Waker::Waker() {
  int ends[2];
  if (::pipe(ends) != 0) return;
  waits_ = ends[0];
  wakes_ = ends[1];
  tame(waits_);
  tame(wakes_);
}

Waker::~Waker() {
  close_socket(waits_);
  close_socket(wakes_);
}

// Writes a byte. Closing the end is not enough, because a process forked meanwhile may also have it open.
void Waker::wake() { static_cast<void>(::write(wakes_, "", 1) == 1); }

bool Waker::wait_for(std::chrono::milliseconds time) const {
  pollfd wait{waits_, POLLIN, 0};
  return ::poll(&wait, 1, static_cast<int>(time.count())) > 0;
}

LocalSocket::~LocalSocket() { close_socket(descriptor_); }

bool SocketAddress::has(const std::string& path) {
  constexpr std::size_t kLongestNumber = 10;
  if (path.size() <= kMostAddressBytes) return true;
  const std::size_t name_bytes = path.size() - std::min(path.size(), path.rfind('/') + 1);
  return kOpenFiles.size() + kLongestNumber + 1 + name_bytes <= kMostAddressBytes &&
         ::access(std::string(kOpenFiles).c_str(), X_OK) == 0;
}

SocketAddress::SocketAddress(const std::string& path) {
  if (!has(path)) return;
  if (path.size() <= kMostAddressBytes) {
    name_ = path;
    return;
  }
  const std::size_t slash = path.rfind('/');
  folder_ = ::open(path.substr(0, slash).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_ >= 0) name_ = std::string(kOpenFiles) + std::to_string(folder_) + path.substr(slash);
}

SocketAddress::~SocketAddress() { close_socket(folder_); }

LocalSocket LocalSocket::connect(const std::string& path) {
  const SocketAddress named(path);
  if (named.name().empty()) return {};
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, named.name().c_str(), named.name().size());
  LocalSocket socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  if (!socket) return {};
  tame(socket.descriptor_);
  // A local socket connects immediately or not at all.
  if (::connect(socket.descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return {};
  return socket;
}

LocalSocket::Event LocalSocket::wait(const Waker& waker) const {
  for (;;) {
    pollfd waits[] = {{descriptor_, POLLIN, 0}, {waker.waits_, POLLIN, 0}};
    if (::poll(waits, 2, -1) < 0 && errno != EINTR) return Event::kWoken;
    if (waits[1].revents != 0) return Event::kWoken;
    if (waits[0].revents != 0) return Event::kReadable;
  }
}

std::optional<std::size_t> LocalSocket::receive(std::span<std::byte> buffer) const {
  const ssize_t size = ::recv(descriptor_, buffer.data(), buffer.size(), 0);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  return size < 0 ? 0 : static_cast<std::size_t>(size);
}

}  // namespace assetc::os
