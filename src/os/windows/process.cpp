#include "os/process.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "base/ascii.hpp"
#include "os/machine.hpp"
#include "os/windows/system.hpp"

namespace assetc::os {
namespace {

constexpr DWORD kKilled = 0xc000'0a55;         // no status of Windows
constexpr DWORD kQuotaExceeded = 0xc000'0044;  // STATUS_QUOTA_EXCEEDED
constexpr DWORD kPipeBytes = 64u << 10;

HANDLE channel_handle(int channel) {
  return channel == kInheritedChannel ? GetStdHandle(STD_INPUT_HANDLE) : handle_of(channel);
}

DWORD milliseconds_until(Deadline deadline) {
  if (deadline == kNever) return INFINITE;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
  return static_cast<DWORD>(std::clamp<long long>(left, 0, INFINITE - 1));
}

// Both directions of a channel. operation(handle, bytes done, size, overlapped) starts the transfer of a part.
template <class Operation>
bool transfer(int channel, std::size_t size, Deadline deadline, const Operation& operation) {
  const HANDLE handle = channel_handle(channel);
  const UniqueHandle event(CreateEventW(nullptr, TRUE, FALSE, nullptr));
  if (!event) return false;
  for (std::size_t done = 0; done < size;) {
    OVERLAPPED place{};
    place.hEvent = event.get();
    const auto part = static_cast<DWORD>(std::min<std::size_t>(size - done, kPipeBytes));
    DWORD moved = 0;
    if (operation(handle, done, part, &place) == 0) {
      if (GetLastError() != ERROR_IO_PENDING) return false;
      const bool in_time = WaitForSingleObject(event.get(), milliseconds_until(deadline)) == WAIT_OBJECT_0;
      if (!in_time) CancelIoEx(handle, &place);
      if (GetOverlappedResult(handle, &place, &moved, TRUE) == 0 || !in_time) return false;
    } else if (GetOverlappedResult(handle, &place, &moved, TRUE) == 0) {
      return false;
    }
    if (moved == 0) return false;
    done += moved;
  }
  return true;
}

// The rules of CommandLineToArgvW.
void append_quoted(std::string& line, const std::string& word) {
  if (!line.empty()) line += ' ';
  if (!word.empty() && word.find_first_of(" \t\n\v\"") == word.npos) {
    line += word;
    return;
  }
  line += '"';
  std::size_t backslashes = 0;
  for (const char c : word) {
    if (c == '"') line.append(backslashes + 1, '\\');
    backslashes = c == '\\' ? backslashes + 1 : 0;
    line += c;
  }
  line.append(backslashes, '\\');
  line += '"';
}

std::string text_of(DWORD status) {
  switch (status) {
    case kKilled:
      return "Killed";
    case EXCEPTION_ACCESS_VIOLATION:
      return "Access violation";
    case EXCEPTION_STACK_OVERFLOW:
      return "Stack overflow";
    case EXCEPTION_ILLEGAL_INSTRUCTION:
      return "Illegal instruction";
    case EXCEPTION_INT_DIVIDE_BY_ZERO:
      return "Division by zero";
    default:
      char text[32];
      std::snprintf(text, sizeof text, "exception 0x%08lx", static_cast<unsigned long>(status));
      return text;
  }
}

Exit exit_of(DWORD status) {
  // A job ends its processes with this status at the limit of processor time.
  if (status == ERROR_NOT_ENOUGH_QUOTA || status == kQuotaExceeded)
    return {.status = std::nullopt, .took_too_long = true};
  if (status == 3) return {.status = std::nullopt, .signal = "Aborted"};  // abort() of Microsoft's C library
  if (status < 0xc000'0000) return {.status = static_cast<int>(status)};
  return {.status = std::nullopt, .signal = text_of(status)};
}

using Limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION;

void set_memory(Limits& limits, std::uint64_t bytes) {
  limits.BasicLimitInformation.LimitFlags |= JOB_OBJECT_LIMIT_PROCESS_MEMORY;
  limits.ProcessMemoryLimit = static_cast<SIZE_T>(bytes);
}
void set_processor_seconds(Limits& limits, std::uint64_t seconds) {
  limits.BasicLimitInformation.LimitFlags |= JOB_OBJECT_LIMIT_PROCESS_TIME;
  limits.BasicLimitInformation.PerProcessUserTimeLimit.QuadPart = static_cast<LONGLONG>(seconds * 10'000'000);
}
bool apply(HANDLE job, Limits& limits) {
  return SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits) != 0;
}

// The job of this process, for its own limits; null if Windows refuses one.
struct OwnJob {
  OwnJob() : job(CreateJobObjectW(nullptr, nullptr)) {
    if (job != nullptr && AssignProcessToJobObject(job, GetCurrentProcess()) == 0) {
      CloseHandle(job);
      job = nullptr;
    }
  }
  HANDLE job;
  Limits limits{};
};
OwnJob& own_job() {
  static OwnJob own;
  return own;
}

// The only handles that the process inherits.
class AttributeList {
 public:
  explicit AttributeList(std::span<HANDLE> handles) {
    SIZE_T size = 0;
    InitializeProcThreadAttributeList(nullptr, 1, 0, &size);
    bytes_.resize(size);
    list_ = reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(bytes_.data());
    if (InitializeProcThreadAttributeList(list_, 1, 0, &size) == 0 ||
        UpdateProcThreadAttribute(list_, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles.data(), handles.size_bytes(),
                                  nullptr, nullptr) == 0)
      list_ = nullptr;
  }
  ~AttributeList() {
    if (list_ != nullptr) DeleteProcThreadAttributeList(list_);
  }
  AttributeList(const AttributeList&) = delete;
  AttributeList& operator=(const AttributeList&) = delete;
  LPPROC_THREAD_ATTRIBUTE_LIST get() const { return list_; }

 private:
  std::vector<std::byte> bytes_;
  LPPROC_THREAD_ATTRIBUTE_LIST list_ = nullptr;
};

UniqueHandle open_inherited(const std::wstring& path, DWORD access, DWORD disposition) {
  SECURITY_ATTRIBUTES inherited{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
  const HANDLE file = CreateFileW(path.c_str(), access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                                  &inherited, disposition, FILE_ATTRIBUTE_NORMAL, nullptr);
  return UniqueHandle(file == INVALID_HANDLE_VALUE ? nullptr : file);
}

UniqueHandle inherited_copy(HANDLE of) {
  HANDLE copy = nullptr;
  DuplicateHandle(GetCurrentProcess(), of, GetCurrentProcess(), &copy, 0, TRUE, DUPLICATE_SAME_ACCESS);
  return UniqueHandle(copy);
}

}  // namespace

Channel::~Channel() {
  if (descriptor_ > 0) CloseHandle(handle_of(descriptor_));
}

// A pipe with a name that no other program knows, and with one instance.
OsResult<std::pair<Channel, Channel>> Channel::make_pair() {
  static std::atomic<unsigned> counter = 0;
  LARGE_INTEGER ticks;
  QueryPerformanceCounter(&ticks);
  const std::wstring name = utf16("\\\\.\\pipe\\assetc-" + std::to_string(GetCurrentProcessId()) + "-" +
                                  std::to_string(counter++) + "-" + std::to_string(ticks.QuadPart));
  const HANDLE mine =
      CreateNamedPipeW(name.c_str(), PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
                       PIPE_TYPE_BYTE | PIPE_READMODE_BYTE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS, 1, kPipeBytes,
                       kPipeBytes, 0, nullptr);
  if (mine == INVALID_HANDLE_VALUE) return std::unexpected(Fault::last());
  Channel first(descriptor_of(mine));
  const HANDLE its =
      CreateFileW(name.c_str(), GENERIC_READ | GENERIC_WRITE, 0, nullptr, OPEN_EXISTING, FILE_FLAG_OVERLAPPED, nullptr);
  if (its == INVALID_HANDLE_VALUE) return std::unexpected(Fault::last());
  return std::pair(std::move(first), Channel(descriptor_of(its)));
}

bool send_all(int channel, ByteSpan bytes, Deadline deadline) {
  return transfer(channel, bytes.size(), deadline, [&](HANDLE handle, std::size_t done, DWORD size, OVERLAPPED* place) {
    return WriteFile(handle, bytes.data() + done, size, nullptr, place);
  });
}

bool receive_all(int channel, std::span<std::byte> bytes, Deadline deadline) {
  return transfer(channel, bytes.size(), deadline, [&](HANDLE handle, std::size_t done, DWORD size, OVERLAPPED* place) {
    return ReadFile(handle, bytes.data() + done, size, nullptr, place);
  });
}

OsResult<Process> Process::start(const StartOptions& options) {
  const bool is_path = options.program.find('/') != options.program.npos;
  const std::string found = is_path ? options.program : find_program(options.program);
  if (found.empty()) return std::unexpected(Fault(ERROR_FILE_NOT_FOUND));
  const auto program = system_path(found);
  if (!program) return std::unexpected(program.error());
  std::string line;
  for (const std::string& word : options.arguments) append_quoted(line, word);
  std::wstring command = utf16(line);

  const bool drops_output = options.output_path.empty();
  const auto output_path = drops_output ? OsResult<std::wstring>(L"NUL") : system_path(options.output_path);
  if (!output_path) return std::unexpected(output_path.error());
  const UniqueHandle output = open_inherited(*output_path, GENERIC_WRITE, drops_output ? OPEN_EXISTING : CREATE_ALWAYS);
  if (!output) return std::unexpected(Fault::last());
  const UniqueHandle input = options.standard_input != nullptr
                                 ? inherited_copy(handle_of(options.standard_input->descriptor()))
                                 : open_inherited(L"NUL", GENERIC_READ, OPEN_EXISTING);
  if (!input) return std::unexpected(Fault::last());
  std::wstring folder;
  if (!options.working_directory.empty()) {
    auto wide = system_path(options.working_directory);
    if (!wide) return std::unexpected(wide.error());
    folder = std::move(*wide);
  }

  std::array<HANDLE, 2> handles{input.get(), output.get()};
  const AttributeList attributes(handles);
  if (attributes.get() == nullptr) return std::unexpected(Fault::last());
  STARTUPINFOEXW start{};
  start.StartupInfo.cb = sizeof start;
  start.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  start.StartupInfo.hStdInput = input.get();
  start.StartupInfo.hStdOutput = output.get();
  start.StartupInfo.hStdError = output.get();
  start.lpAttributeList = attributes.get();
  UniqueHandle job(CreateJobObjectW(nullptr, nullptr));
  if (!job) return std::unexpected(Fault::last());
  PROCESS_INFORMATION made{};
  if (CreateProcessW(program->c_str(), command.data(), nullptr, nullptr, TRUE,
                     CREATE_SUSPENDED | CREATE_NO_WINDOW | EXTENDED_STARTUPINFO_PRESENT, nullptr,
                     folder.empty() ? nullptr : folder.c_str(), &start.StartupInfo, &made) == 0)
    return std::unexpected(Fault::last());
  const UniqueHandle thread(made.hThread);
  // If this process ends, Windows closes the job and ends the child.
  Limits limits{};
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  if (!options.writes_core) limits.BasicLimitInformation.LimitFlags |= JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
  if (kLimitsMemory && options.memory_bytes != 0) set_memory(limits, options.memory_bytes);
  if (options.processor_seconds != 0) set_processor_seconds(limits, options.processor_seconds);
  // A process without its limits must not read an unsafe file.
  if (!apply(job.get(), limits) || AssignProcessToJobObject(job.get(), made.hProcess) == 0) {
    const Fault fault = Fault::last();
    TerminateProcess(made.hProcess, kKilled);
    CloseHandle(made.hProcess);
    return std::unexpected(fault);
  }
  ResumeThread(thread.get());
  return Process(descriptor_of(made.hProcess), descriptor_of(job.release()));
}

OsResult<Process> Process::start_self(StartOptions options) {
  options.program = program_path();
  return start(options);
}

Process::~Process() {
  if (pid_ != 0) kill();
}

std::optional<Exit> Process::wait(Deadline deadline) {
  if (WaitForSingleObject(handle_of(pid_), milliseconds_until(deadline)) != WAIT_OBJECT_0) return std::nullopt;
  return kill();
}

Exit Process::kill() {
  const UniqueHandle process(handle_of(std::exchange(pid_, 0))), job(handle_of(std::exchange(job_, 0)));
  TerminateProcess(process.get(), kKilled);  // a process that has ended keeps its status
  WaitForSingleObject(process.get(), INFINITE);
  DWORD status = 0;
  GetExitCodeProcess(process.get(), &status);
  return exit_of(status);
}

std::string find_program(std::string_view name) {
  const std::string file = std::string(name) + (ascii_lower(name).ends_with(".exe") ? "" : ".exe");
  const std::string folders = environment_variable("PATH").value_or("");
  std::string_view rest = folders;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    std::string path(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    std::erase(path, '"');
    std::ranges::replace(path, '\\', '/');
    if (path.empty()) continue;
    path += path.ends_with('/') ? file : "/" + file;
    if (is_executable(path)) return path;
  }
  return {};
}

void open_in_desktop(const std::string& address) {
  ShellExecuteW(nullptr, L"open", utf16(address).c_str(), nullptr, nullptr, SW_SHOWNORMAL);
}

void exit_now(int status) { std::_Exit(status); }
void end_with_peer(int /*channel*/) {}
void forbid_core_files() { SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX); }

void limit_memory(std::uint64_t address_space_bytes) {
  OwnJob& own = own_job();
  if (!kLimitsMemory || own.job == nullptr) return;
  set_memory(own.limits, address_space_bytes);
  apply(own.job, own.limits);
}

void limit_processor_seconds(std::uint64_t seconds) {
  OwnJob& own = own_job();
  FILETIME created, ended, kernel, user;
  if (own.job == nullptr || GetProcessTimes(GetCurrentProcess(), &created, &ended, &kernel, &user) == 0) return;
  set_processor_seconds(own.limits, joined(user.dwHighDateTime, user.dwLowDateTime) / 10'000'000 + 1 + seconds);
  apply(own.job, own.limits);
}

int process_id() { return static_cast<int>(GetCurrentProcessId()); }

}  // namespace assetc::os
