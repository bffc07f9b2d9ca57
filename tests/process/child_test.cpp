#include "process/child.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>

namespace assetc::process {
namespace {

constexpr std::uint32_t kMaxBytes = 64u << 20;
constexpr Words kWords{.who = "the reader", .crash_hint = "mend it", .growing_hint = "make it smaller"};

// The first byte of a message selects the fault of the process.
enum class Fault : std::uint8_t { kNone, kCrash, kMemory, kSpin, kSleep, kExit, kHugeAnswer };

void spin() {
  std::atomic<unsigned> rounds = 0;
  for (;;) ++rounds;
}

void take_memory() {
  for (;;) {
    auto* const block = new std::byte[16u << 20];
    for (std::size_t at = 0; at < 16u << 20; at += 4096) *static_cast<volatile std::byte*>(block + at) = std::byte{1};
  }
}

int serve(int socket) {
  const std::uint64_t started_bytes = prepare_to_serve();
  ByteVector message;
  while (receive_message(socket, message, kNever, kMaxBytes)) {
    MessageReader reader(message);
    const auto fault = reader.number<Fault>();
    limit_source(reader.number<Limits>(), started_bytes);
    switch (fault) {
      case Fault::kCrash:
        std::raise(SIGSEGV);
        break;
      case Fault::kMemory:
        take_memory();
        break;
      case Fault::kSpin:
        spin();
        break;
      case Fault::kSleep:
        ::pause();
        break;
      case Fault::kExit:
        return 3;
      case Fault::kHugeAnswer: {
        const std::uint32_t size = kMaxBytes + 1;
        (void)!::write(socket, &size, sizeof(size));
        break;
      }
      case Fault::kNone:
        send_message(socket, reader.blob(), kNever, kMaxBytes);
        break;
    }
  }
  return 0;
}

constexpr Role kEcho{.argument = "--echo", .serve = serve};

std::string outcome(Fault fault, const Limits& limits = {}, std::string_view text = "hello") {
  auto child = Child::start(kEcho, kWords);
  if (!child || !*child) return "not started";
  const Deadline deadline = std::chrono::steady_clock::now() + std::chrono::seconds(limits.seconds);
  MessageWriter message;
  message.number(fault).number(limits).text(text);
  ByteVector answer;
  if (send_message((*child)->socket(), message.bytes(), deadline, kMaxBytes) &&
      receive_message((*child)->socket(), answer, deadline, kMaxBytes)) {
    return std::string(as_text(answer));
  }
  return (*child)->end(limits, deadline, kWords).to_string();
}

TEST(Child, answers) {
  EXPECT_EQ(outcome(Fault::kNone), "hello");
  const std::string large(40u << 20, 'x');
  EXPECT_EQ(outcome(Fault::kNone, {}, large), large);
}

TEST(Child, its_end_is_an_error_that_says_how) {
  // A sanitizer reports the fault itself and exits.
  EXPECT_THAT(outcome(Fault::kCrash),
              testing::AnyOf("the reader crashed on this source (Segmentation fault) and gave no line; mend it",
                             "the reader crashed on this source (exit code 1) and gave no line; mend it"));
  EXPECT_EQ(outcome(Fault::kExit), "the reader crashed on this source (exit code 3) and gave no line; mend it");
  if (kLimitsMemory) {
    EXPECT_EQ(outcome(Fault::kMemory, {.memory_bytes = 64u << 20}),
              "the reader needs more than 64.0 MiB of memory; make it smaller");
  }
  EXPECT_EQ(outcome(Fault::kSpin, {.processor_seconds = 1}),
            "the reader took more than 1 s of processor time; make it smaller");
  EXPECT_EQ(outcome(Fault::kSleep, {.seconds = 1}), "the reader gave no answer for 1 s; make it smaller");
}

TEST(Child, a_message_larger_than_may_be_is_none) {
  EXPECT_EQ(outcome(Fault::kHugeAnswer), "the reader crashed on this source (Killed) and gave no line; mend it");
}

TEST(Message, reading_past_the_end_gives_nothing) {
  MessageWriter writer;
  writer.number(std::uint32_t{7}).text("seven").error({ErrorCode::kIo, "f", "p", "w", "h"});
  const ByteSpan all = writer.bytes();
  for (std::size_t size = 0; size <= all.size(); ++size) {
    const ByteVector prefix(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size));
    MessageReader reader(prefix);
    reader.number<std::uint32_t>();
    reader.text();
    const Error error = reader.error();
    EXPECT_EQ(reader.ok(), size == all.size());
    EXPECT_EQ(error.to_string() == "f: p: w; h", size == all.size());
  }
}

}  // namespace
}  // namespace assetc::process

int main(int argc, char** argv) {
  const assetc::process::Role* const roles[] = {&assetc::process::kEcho};
  if (const auto code = assetc::process::run_as(roles, argc, argv)) return *code;
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
