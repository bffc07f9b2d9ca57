#include "cli/arguments/arguments.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "engine/config/parse_size.hpp"

namespace assetc::cli {
namespace {

std::variant<Arguments, Leave> parse(std::vector<const char*> words) {
  words.insert(words.begin(), "assetc");
  return parse_arguments(static_cast<int>(words.size()), words.data());
}
Arguments parsed(std::vector<const char*> words) {
  auto result = parse(std::move(words));
  if (const Leave* leave = std::get_if<Leave>(&result)) ADD_FAILURE() << leave->text;
  return std::get_if<Arguments>(&result) ? std::get<Arguments>(std::move(result)) : Arguments{};
}
std::string refused(std::vector<const char*> words) {
  const auto result = parse(std::move(words));
  const Leave* leave = std::get_if<Leave>(&result);
  if (!leave) return "accepted";
  EXPECT_EQ(leave->exit_code, 2) << leave->text;
  return leave->text;
}

TEST(Arguments, every_flag_of_the_build) {
  const Arguments a = parsed({"-o", "out", "-j", "3", "--memory", "1G", "--preset", "mobile", "--verify", "--no-cache",
                              "--pack", "-n", "--explain", "-v", "--json", "--color", "never"});
  EXPECT_EQ(a.command, Command::kBuild);
  EXPECT_EQ(a.output, "out");
  EXPECT_EQ(a.jobs, 3);
  EXPECT_EQ(a.memory_bytes, 1ull << 30);
  EXPECT_EQ(a.preset, "mobile");
  EXPECT_TRUE(a.verify && a.no_cache && a.pack && a.dry_run && a.explain && a.verbose && a.json);
  EXPECT_EQ(a.color, ColorMode::kNever);
  EXPECT_TRUE(parsed({"--list-presets"}).list_presets);
  EXPECT_TRUE(parsed({"-q"}).quiet);
}

TEST(Arguments, commands_take_their_options_on_either_side) {
  EXPECT_EQ(parsed({"info", "-o", "x"}).output, "x");
  EXPECT_EQ(parsed({"-o", "x", "info"}).output, "x");
  EXPECT_EQ(parsed({"info", "runtime/a.ktx2"}).look_at, "runtime/a.ktx2");
  EXPECT_EQ(parsed({"check", "--json"}).command, Command::kCheck);
  EXPECT_EQ(parsed({"pack", "info", "a.hpack"}).pack_file, "a.hpack");
  EXPECT_EQ(parsed({"pack", "info"}).command, Command::kPackInfo);
  EXPECT_EQ(parsed({"completion", "zsh"}).shell, "zsh");
}

TEST(Arguments, an_option_that_a_command_would_ignore_is_refused) {
  EXPECT_EQ(refused({"-j", "4", "info"}),
            "assetc: --jobs does not apply to `assetc info`\nassetc: run `assetc info --help` for its options\n");
  EXPECT_EQ(refused({"info", "-j", "4"}),
            "assetc: unknown option -j; did you mean -h?\nassetc: run `assetc info --help` for its options\n");
}

TEST(Arguments, a_misspelt_word_gets_a_guess) {
  EXPECT_EQ(refused({"--verfy"}),
            "assetc: unknown option --verfy; did you mean --verify?\nassetc: run `assetc --help` for its options\n");
  EXPECT_EQ(refused({"chekc"}),
            "assetc: unexpected argument chekc; did you mean check?\nassetc: run `assetc --help` for its options\n");
}

TEST(Arguments, values_out_of_range_are_refused) {
  for (const char* jobs : {"0", "-1", "many", "1025"})
    EXPECT_NE(refused({"-j", jobs}).find("--jobs"), std::string::npos) << jobs;
  EXPECT_NE(refused({"--memory", "lots"}).find("found \"lots\", expected a size like 512M, 1G or a number of bytes"),
            std::string::npos);
  EXPECT_NE(refused({"--color", "sometimes"}).find("--color"), std::string::npos);
  EXPECT_NE(refused({"completion", "tcsh"}).find("tcsh"), std::string::npos);
  EXPECT_NE(refused({"-q", "-v"}).find("--quiet"), std::string::npos);
  EXPECT_NE(refused({"check", "a", "-o", "b"}).find("found a and --output, expected one of them"), std::string::npos);
  EXPECT_NE(refused({"pack"}).find("subcommand"), std::string::npos);
}

TEST(Arguments, a_refusal_is_an_error_where_json_is_asked_for) {
  EXPECT_FALSE(std::get<Leave>(parse({"--nope"})).error);
  const auto result = parse({"--nope", "--json"});
  ASSERT_TRUE(std::get<Leave>(result).error);
  EXPECT_EQ(std::get<Leave>(result).error->to_string(), "unknown option --nope; run `assetc --help` for its options");
}

TEST(Arguments, help_and_version_leave_with_success) {
  for (const char* word : {"--help", "-h", "--version"}) {
    const auto result = parse({word});
    ASSERT_TRUE(std::holds_alternative<Leave>(result)) << word;
    EXPECT_EQ(std::get<Leave>(result).exit_code, 0) << word;
  }
  EXPECT_TRUE(std::get<Leave>(parse({"--version"})).text.starts_with("assetc 0."));
  EXPECT_NE(std::get<Leave>(parse({"info", "--help"})).text.find("--output"), std::string::npos);
  EXPECT_EQ(std::get<Leave>(parse({"info", "--help"})).text.find("--no-cache"), std::string::npos);
}

std::string help_of(const std::vector<std::string>& path) {
  std::vector<const char*> words;
  words.reserve(path.size() + 1);
  for (const std::string& word : path) words.push_back(word.c_str());
  words.push_back("--help");
  const auto result = parse(words);
  return std::holds_alternative<Leave>(result) ? std::get<Leave>(result).text : std::string();
}
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Help, of_assetc_fits_one_screen_and_names_every_command) {
  const std::string help = help_of({});
  EXPECT_LE(lines_of(help).size(), 45u);
  for (const std::string& line : lines_of(help)) EXPECT_LE(line.size(), 100u) << line;
  for (const command_line::CommandShape& command : parser_shape().commands)
    EXPECT_NE(help.find("  " + command.name + " "), std::string::npos) << command.name;
}

// Calls f with the path of every command that has an action.
void for_each_command(const command_line::CommandShape& shape, const std::vector<std::string>& path,
                      const std::function<void(const std::vector<std::string>&)>& f) {
  for (const command_line::CommandShape& command : shape.commands) {
    std::vector<std::string> below = path;
    below.push_back(command.name);
    if (command.commands.empty()) f(below);
    for_each_command(command, below, f);
  }
}

TEST(Help, of_every_command_ends_with_two_examples_that_it_takes) {
  for_each_command(parser_shape(), {}, [](const std::vector<std::string>& path) {
    if (path.front() == "ktx") return;  // it has a parser of its own
    const std::vector<std::string> lines = lines_of(help_of(path));
    ASSERT_GT(lines.size(), 3u) << path.back();
    EXPECT_EQ(lines[lines.size() - 3], "Examples:") << path.back();
    for (std::size_t i = lines.size() - 2; i < lines.size(); ++i) {
      const std::string example = lines[i].substr(0, std::min(lines[i].find(" > "), lines[i].find(" | ")));
      ASSERT_TRUE(example.starts_with("  assetc " + path.front())) << lines[i];
      std::vector<std::string> words;
      std::istringstream in(example.substr(0, example.find(" && ")).substr(9));
      for (std::string word; in >> word;) words.push_back(word);
      std::vector<const char*> pointers;
      pointers.reserve(words.size());
      for (const std::string& word : words) pointers.push_back(word.c_str());
      parsed(pointers);
    }
  });
}

TEST(Arguments, an_empty_path_is_refused) {
  const std::vector<std::vector<const char*>> lines = {
      {"-o", ""},
      {"--report", ""},
      {"check", "--junit", ""},
      {"check", ""},
      {"cook", "--platform", "Win64", "--root", ""},
      {"cook", "--platform", "Win64", "--base", ""},
      {"bundle", "create", "a.pak", "--cooked", ""},
      {"bundle", "create", "", "--cooked", "Cooked/Win64"},
      {"verify", "a.pak", "--key", ""},
      {"convert", "a.hmesh", ""},
      {"view", "--export", ""},
  };
  for (std::vector<const char*> words : lines) {
    words.insert(words.begin(), "assetc");
    const auto result = parse_arguments(static_cast<int>(words.size()), words.data());
    ASSERT_TRUE(std::holds_alternative<Leave>(result)) << words[1];
    EXPECT_EQ(std::get<Leave>(result).exit_code, 2) << words[1];
    EXPECT_NE(std::get<Leave>(result).text.find("expected a path, found nothing"), std::string::npos)
        << std::get<Leave>(result).text;
  }
}

TEST(Help, build_is_the_command_that_runs_without_one) {
  EXPECT_EQ(parsed({"build", "--pack", "-o", "x"}).command, Command::kBuild);
  EXPECT_EQ(parsed({"build", "--pack", "-o", "x"}).output, "x");
  EXPECT_NE(help_of({"build"}).find("--no-cache"), std::string::npos);
}

TEST(Sizes, are_powers_of_1024) {
  EXPECT_EQ(engine::parse_size("512M"), 512ull << 20);
  EXPECT_EQ(engine::parse_size("1G"), 1ull << 30);
  EXPECT_EQ(engine::parse_size("1.5GiB"), 3ull << 29);
  EXPECT_EQ(engine::parse_size("2kB"), 2048ull);
  EXPECT_EQ(engine::parse_size("800000000"), 800000000ull);
  for (const char* text : {"", "G", "-1G", "0", "1X", "1GG", "nan", "inf", "1e30G", "1 G"})
    EXPECT_FALSE(engine::parse_size(text)) << text;
}

}  // namespace
}  // namespace assetc::cli
