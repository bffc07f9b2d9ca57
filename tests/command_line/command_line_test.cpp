#include "command_line/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assetc::command_line {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using enum Outcome::Kind;

struct Values {
  std::string input;
  std::optional<int> level;
  std::vector<std::string> names;
  std::vector<float> weights;
  bool quiet = false;
  std::string taken;
};

// A program with a command in a command, as `assetc bundle create`.
class Program {
 public:
  Program() {
    parser.set_version("program 1");
    parser.root().add_switch("-q,--quiet", values.quiet, "Print nothing");
    const Command outer = parser.root().add_command("outer", "Has commands");
    outer.require_command();
    const Command inner = outer.add_command("inner", "Does it");
    inner.add("input", values.input, "What to read").required().type_name("FILE.txt");
    const Option level = inner.add("--level", values.level, "How much").type_name("N").between(1, 9);
    inner.add("--name", values.names, "A name").one_each();
    inner.add("--weights", values.weights, "Numbers").split_at(',').one_each().needs(level);
    inner.add_taken(
        "-t,--taken",
        [this](const std::string& text) {
          values.taken = text;
          return text == "bad" ? "found bad" : std::string();
        },
        "A word");
    inner.add("--when", word, "When").one_of({"now", "later"}).type_name("WHEN");
  }
  Outcome parse(const std::vector<std::string>& words) { return parser.parse(words); }

  Values values;
  std::string word;
  Parser parser{"program", "Does things"};
};

TEST(CommandLine, words_fill_the_variables) {
  Program program;
  const Outcome outcome = program.parse(
      {"-q", "outer", "inner", "--name", "a", "--level=3", "in.txt", "--name", "b", "--weights", "0.5,1", "-t", "x"});
  ASSERT_EQ(outcome.kind, kArguments) << outcome.text;
  EXPECT_TRUE(program.values.quiet);
  EXPECT_EQ(program.values.input, "in.txt");
  EXPECT_EQ(program.values.level, 3);
  EXPECT_THAT(program.values.names, ElementsAre("a", "b"));
  EXPECT_THAT(program.values.weights, ElementsAre(0.5f, 1.0f));
  EXPECT_EQ(program.values.taken, "x");
  ASSERT_TRUE(program.parser.chosen());
  EXPECT_EQ(program.parser.chosen()->path(), "program outer inner");
  EXPECT_THAT(program.parser.root().given(), ElementsAre("--quiet"));
  EXPECT_FALSE(program.parser.chosen()->has("--quiet"));
}

TEST(CommandLine, faults_are_texts) {
  const auto fault = [](std::vector<std::string> words) {
    Program program;
    words.insert(words.begin(), {"outer", "inner"});
    const Outcome outcome = program.parse(words);
    EXPECT_EQ(outcome.kind, kFault) << outcome.text;
    return outcome.text;
  };
  EXPECT_EQ(fault({}), "input is required");
  EXPECT_THAT(fault({"a", "--level", "10"}), HasSubstr("10 not in range"));
  EXPECT_THAT(fault({"a", "--level", "x"}), HasSubstr("--level"));
  EXPECT_THAT(fault({"a", "--when", "soon"}), HasSubstr("soon not in {now,later}"));
  EXPECT_THAT(fault({"a", "--weights", "1"}), HasSubstr("--level"));
  EXPECT_EQ(fault({"a", "--taken", "bad"}), "--taken: found bad");
  EXPECT_THAT(Program().parse({"outer"}).text, HasSubstr("A subcommand is required"));
}

TEST(CommandLine, an_unknown_word_is_named) {
  Program program;
  const Outcome outcome = program.parse({"outer", "inner", "a", "--levle", "1"});
  EXPECT_EQ(outcome.kind, kUnknownWord);
  EXPECT_EQ(outcome.word, "--levle");
}

TEST(CommandLine, help_is_of_the_command_that_was_named) {
  Program program;
  EXPECT_EQ(program.parse({"outer", "inner", "--help"}).kind, kHelp);
  EXPECT_THAT(program.parser.help(), HasSubstr("What to read"));
  const Outcome version = Program().parse({"--version"});
  EXPECT_EQ(version.kind, kVersion);
  EXPECT_EQ(version.text, "program 1\n");
}

TEST(CommandLine, the_shape_lists_what_is_accepted) {
  const CommandShape shape = Program().parser.root().shape();
  EXPECT_EQ(shape.name, "program");
  ASSERT_EQ(shape.commands.size(), 1u);
  ASSERT_EQ(shape.commands[0].commands.size(), 1u);
  const std::vector<OptionShape>& options = shape.commands[0].commands[0].options;
  const auto option = [&](const std::string& name) {
    for (const OptionShape& one : options)
      if (one.names.back() == name) return one;
    return OptionShape{};
  };
  EXPECT_TRUE(option("input").positional && option("input").required);
  EXPECT_EQ(option("input").value, "FILE.txt");
  EXPECT_EQ(option("--level").value, "N");
  EXPECT_THAT(option("--when").choices, ElementsAre("now", "later"));
  EXPECT_THAT(option("--taken").names, ElementsAre("-t", "--taken"));
}

TEST(CommandLine, values_are_checked_by_the_names_of_their_types) {
  Program program;
  constexpr std::string_view kFile[] = {"FILE"};
  program.parser.root().check_values(
      kFile, [](const std::string& text) { return std::string(text.empty() ? "found nothing" : ""); });
  EXPECT_EQ(program.parse({"outer", "inner", ""}).text, "input: found nothing");
}

TEST(CommandLine, values_change_by_the_names_of_their_types) {
  Program program;
  constexpr std::string_view kFile[] = {"FILE"};
  program.parser.root().change_values(kFile, [](std::string text) { return text + "!"; });
  ASSERT_EQ(program.parse({"outer", "inner", "a", "-t", "b"}).kind, kArguments);
  EXPECT_EQ(program.values.input, "a!");
  EXPECT_EQ(program.values.taken, "b");
}

TEST(Help, wraps_the_text_of_an_option_in_its_column) {
  EXPECT_EQ(wrapped("Options:\n"
                    "  -o,--output DIR     The folder to write the outputs to\n"
                    "  --a-name-that-is-long\n"
                    "                      What it does, which takes two lines\n"
                    "  --size OF_A_PICTURE How large the picture is\n"
                    "  -q                  Short\n",
                    45),
            "Options:\n"
            "  -o,--output DIR     The folder to write the\n"
            "                      outputs to\n"
            "  --a-name-that-is-long\n"
            "                      What it does, which\n"
            "                      takes two lines\n"
            "  --size OF_A_PICTURE How large the picture\n"
            "                      is\n"
            "  -q                  Short\n");
}

TEST(Help, wraps_paragraphs_and_leaves_examples_and_long_words_alone) {
  EXPECT_EQ(wrapped("A paragraph that is longer than forty columns.\n\nExamples:\n"
                    "  assetc build --preset mobile --explain --verbose\n\n"
                    "an_unbroken_word_of_more_than_forty_columns_here\n",
                    40),
            "A paragraph that is longer than forty\ncolumns.\n\nExamples:\n"
            "  assetc build --preset mobile --explain --verbose\n\n"
            "an_unbroken_word_of_more_than_forty_columns_here\n");
}

TEST(Help, is_not_changed_where_it_fits) {
  const std::string help = "Build       init        write a starter file\n  assetc watch   again\n";
  EXPECT_EQ(wrapped(help, 80), help);
  EXPECT_EQ(wrapped("", 80), "");
}

}  // namespace
}  // namespace assetc::command_line
