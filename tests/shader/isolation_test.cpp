#include "shader/isolation.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "shader/compiler_protocol.hpp"
#include "shader/compilers.hpp"
#include "shader/shader.hpp"

namespace assetc::shader {
namespace {

constexpr Options kGlsl{.stage = Stage::kFragment, .language = Language::kGlsl};
constexpr Options kHlsl{.stage = Stage::kCompute, .language = Language::kHlsl};
constexpr std::string_view kGood = "#version 450\nlayout(location=0) out vec4 c;\nvoid main() { c = vec4(1); }\n";

Result<Bytes> no_file(std::string_view) { return fail(ErrorCode::kNotFound, "no file"); }

Result<Compiled> compile_text(std::string_view text, const Options& options, const ProcessLimits& limits = {},
                              const ReadFile& read = no_file) {
  return compile_isolated("a.shader/stage", as_bytes(text), options, read, limits);
}

std::string outcome_of(const Result<Compiled>& result) { return result ? "compiled" : result.error().to_string(); }

// A macro that expands to token 2^40 times.
std::string macro_bomb(std::string_view token) {
  constexpr int kLevels = 40;
  std::string text = "#version 450\nlayout(location=0) out vec4 c;\n#define A0 " + std::string(token) + "\n";
  for (int i = 1; i <= kLevels; ++i) {
    const std::string before = " A" + std::to_string(i - 1);
    text += "#define A" + std::to_string(i) + before + before + "\n";
  }
  return text + "void main() { c = vec4(A" + std::to_string(kLevels) + " 1.0); }\n";
}

TEST(Isolation, a_source_that_crashes_the_compiler_is_an_error_of_that_source) {
  // AddressSanitizer reports crashes in its own way.
  const std::string how = process::kLimitsMemory ? "Segmentation fault" : "exit code 1";
  const std::string nested =
      "float4 main() : SV_Target { return " + std::string(20000, '(') + "1.0" + std::string(20000, ')') + "; }\n";
  for (const std::string& text : {std::string("RWTexture2D<float4> t  t[3] ;\n[numthreads(8,8,1)] void main() { }\n"),
                                  std::string("[numthreads(SIZE,8,1)] void main() { }\n"), nested}) {
    const auto compiled = compile_text(text, kHlsl);
    EXPECT_EQ(
        outcome_of(compiled),
        "a.shader/stage: the compiler crashed on this source (" + how +
            ") and gave no line; look for a mistake in the latest change; undefined names, stray words and very deep "
            "nesting are known causes")
        << text.substr(0, 60);
    EXPECT_TRUE(compile_text(kGood, kGlsl));
  }
}

TEST(Isolation, a_source_that_needs_more_memory_than_it_is_given_says_so) {
  if (!process::kLimitsMemory) GTEST_SKIP() << "the address space is not limited under AddressSanitizer";
  const auto compiled = compile_text(macro_bomb("1.0+"), kGlsl, {.memory_bytes = 64u << 20});
  ASSERT_TRUE(compiled) << compiled.error().to_string();
  EXPECT_TRUE(compiled->needs_memory);
  const auto good = compile_text(kGood, kGlsl, {.memory_bytes = 64u << 20});
  ASSERT_TRUE(good) << good.error().to_string();
  EXPECT_FALSE(good->needs_memory);
}

TEST(Isolation, a_source_that_needs_more_memory_than_any_may_have_is_an_error_of_that_source) {
  if (!process::kLimitsMemory) GTEST_SKIP() << "the address space is not limited under AddressSanitizer";
  const std::string bomb = macro_bomb("1.0+");
  Options options = kGlsl;
  options.memory_bytes = memory_of(Language::kGlsl).usual_bytes;
  const auto usual = compile("a.shader/stage", as_bytes(bomb), options, no_file);
  ASSERT_TRUE(usual) << usual.error().to_string();
  EXPECT_TRUE(usual->needs_memory);
  // With less memory than the compiler's maximum, it ends sooner.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto compile_with_less = [&] {
    const rlimit less{256u << 20, 256u << 20};
    ::setrlimit(RLIMIT_AS, &less);
    std::fputs(outcome_of(compile("a.shader/stage", as_bytes(bomb), kGlsl, no_file)).c_str(), stderr);
    std::_Exit(0);
  };
  EXPECT_EXIT(compile_with_less(), testing::ExitedWithCode(0),
              "a.shader/stage: the compiler needs more than 1.0 GiB of memory; look for macros, includes or loops that "
              "multiply, or split the shader");
}

TEST(Isolation, a_source_that_takes_too_long_is_an_error_of_that_source) {
  EXPECT_EQ(outcome_of(compile_text(macro_bomb(""), kGlsl, {.processor_seconds = 1})),
            "a.shader/stage: the compiler took more than 1 s of processor time; look for macros, includes or loops "
            "that multiply, or split the shader");
}

TEST(Isolation, a_compiler_that_gives_no_answer_is_ended) {
  EXPECT_EQ(outcome_of(compile_text(macro_bomb(""), kGlsl, {.seconds = 0})),
            "a.shader/stage: the compiler gave no answer for 0 s; look for macros, includes or loops that multiply, or "
            "split the shader");
  EXPECT_TRUE(compile_text(kGood, kGlsl));
}

TEST(Isolation, gives_what_compiling_here_gives) {
  const std::map<std::string, std::string, std::less<>> files{{"lib/tint.glsl", "vec4 tint() { return vec4(0.5); }\n"}};
  const ReadFile read = [&](std::string_view path) -> Result<Bytes> {
    const auto found = files.find(path);
    if (found == files.end()) return fail(ErrorCode::kNotFound, "no file");
    const ByteSpan bytes = as_bytes(found->second);
    return Bytes(ByteVector(bytes.begin(), bytes.end()));
  };
  const std::string head = "#version 450\n#extension GL_not_there : warn\n";
  for (const std::string& text :
       {head + "#include <lib/tint.glsl>\nlayout(location=0) out vec4 c;\nvoid main() { c = tint(); }\n",
        head + "#include \"missing.glsl\"\nvoid main() {}\n", head + "void main() { x = 1; }\n"}) {
    const auto here = compile_here("a.shader/stage", as_bytes(text), kGlsl, read);
    const auto there = compile_text(text, kGlsl, {}, read);
    EXPECT_EQ(outcome_of(there), outcome_of(here));
    if (!here || !there) continue;
    EXPECT_EQ(there->spirv, here->spirv);
    ASSERT_EQ(there->warnings.size(), 1u);
    EXPECT_EQ(there->warnings[0].to_string(), here->warnings[0].to_string());
  }
}

TEST(Isolation, a_compiler_of_another_assetc_refuses_to_work) {
  auto child = process::Child::start(kShaderCompiler, kCompilerWords);
  ASSERT_TRUE(child && *child);
  process::MessageWriter job;
  job.number(Tag::kJob).text("assetc=1").text("what that assetc sends may differ");
  ASSERT_TRUE(process::send_message((*child)->socket(), job.bytes(), process::kNever, kMaxMessageBytes));
  ByteVector message;
  ASSERT_TRUE(process::receive_message((*child)->socket(), message, process::kNever, kMaxMessageBytes));
  process::MessageReader answer(message);
  ASSERT_EQ(answer.number<Tag>(), Tag::kCompiled);
  ASSERT_EQ(answer.number<std::uint8_t>(), 0);
  EXPECT_EQ(answer.error().to_string(),
            "the shader compiler is of another assetc; install assetc and assetc-shaders from one package");
}

TEST(Isolation, many_threads_compile_at_once) {
  const auto alone = compile_text(kGood, kGlsl);
  ASSERT_TRUE(alone) << outcome_of(alone);
  std::vector<std::thread> threads;
  std::vector<Result<Compiled>> results(8);
  threads.reserve(results.size());
  for (auto& result : results) {
    threads.emplace_back([&result] {
      for (int i = 0; i < 4; ++i) result = compile_text(kGood, kGlsl);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : results) {
    ASSERT_TRUE(result) << outcome_of(result);
    EXPECT_EQ(result->spirv, alone->spirv);
  }
}

TEST(Isolation, includes_that_double_at_every_level_are_an_error_with_a_line) {
  constexpr int kLevels = 40;  // below the limit on depth
  std::size_t reads = 0;
  const ReadFile read = [&](std::string_view path) -> Result<Bytes> {
    ++reads;
    const int level = std::stoi(std::string(path.substr(path.rfind('h') + 1)));
    const std::string next = "#include \"h" + std::to_string(level + 1) + "\"\n";
    const std::string twice = next + next;
    const ByteSpan bytes = as_bytes(twice);
    if (level == kLevels) return Bytes(ByteVector(8, std::byte{'\n'}));
    return Bytes(ByteVector(bytes.begin(), bytes.end()));
  };
  const auto compiled = compile_text("#version 450\n#include \"h0\"\nvoid main() {}\n", kGlsl, {}, read);
  ASSERT_FALSE(compiled);
  EXPECT_NE(compiled.error().what.find("more than 10000 includes in one stage; do files include one another twice?"),
            std::string::npos)
      << outcome_of(compiled);
  EXPECT_EQ(compiled.error().place, "line 1");
  EXPECT_LE(reads, 10'000u);
}

}  // namespace
}  // namespace assetc::shader

int main(int argc, char** argv) {
  const assetc::process::Role* const roles[] = {&assetc::shader::kShaderCompiler};
  if (const auto code = assetc::process::run_as(roles, argc, argv)) return *code;
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
