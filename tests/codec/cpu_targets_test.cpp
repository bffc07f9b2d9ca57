// The instruction sets that encode/common/cpu_targets.cpp finds, beside those that the library of Highway finds.
#if defined(__x86_64__) && defined(__linux__)

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>
#include <memory>

namespace assetc::codec {
namespace {

TEST(CpuTargets, are_those_that_highway_finds) {
  const std::unique_ptr<void, int (*)(void*)> library(dlopen("libhwy.so.1", RTLD_NOW | RTLD_LOCAL), dlclose);
  if (library == nullptr) GTEST_SKIP() << "the library of Highway is not installed";
  const auto find = reinterpret_cast<std::int64_t (*)()>(dlsym(library.get(), "_ZN3hwy16SupportedTargetsEv"));
  ASSERT_NE(find, nullptr);
  ASSERT_NE(find, &hwy::SupportedTargets) << "this program loads the library";
  EXPECT_EQ(hwy::SupportedTargets() & HWY_TARGETS, find() & HWY_TARGETS);
}

}  // namespace
}  // namespace assetc::codec

#endif
