// Delayed libraries (src/os/delay), with the library of tests/os/delayed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "os/delayed/library.hpp"

namespace {

TEST(ADelayedFunction, gets_its_arguments_at_the_first_and_at_later_calls) {
  for (int call = 0; call < 2; ++call) {
    EXPECT_EQ(delayed_sum(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16), 1496);
    EXPECT_EQ(delayed_sum_of(9, 1., 2., 3., 4., 5., 6., 7., 8., 9.), 45);
    EXPECT_THAT(delayed_large(1.5).values, testing::ElementsAre(1.5, 3, 4.5, 6));
  }
}

TEST(ADelayedFunction, is_the_librarys_own) {
  const auto address = &delayed_calls;
  EXPECT_EQ(address(), 1);
  EXPECT_EQ(delayed_calls(), 2);
}

TEST(ADelayedFunction, may_be_called_first_by_several_threads) {
  std::array<std::jthread, 8> threads;
  for (std::jthread& one : threads) {
    one = std::jthread([] { EXPECT_EQ(delayed_sum_of(2, 20., 22.), 42); });
  }
}

TEST(ADelayedFunction, ends_the_program_without_its_library) {
  EXPECT_DEATH(delayed_absent(), "libassetc_absent.so.1 is not installed; install the package that has it");
  EXPECT_DEATH(delayed_missing(),
               "libassetc_delayed.so has no function delayed_missing; install the version that assetc was built with");
}

}  // namespace
