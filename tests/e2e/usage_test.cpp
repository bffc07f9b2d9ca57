// Exit codes and messages for new users and scripts.
#include <gmock/gmock.h>

#include "e2e/project.hpp"
#include "places.hpp"

namespace assetc::e2e {
namespace {

using Usage = Project;

TEST_F(Usage, help_and_version_succeed_anywhere) {
  EXPECT_EQ(run("--help").exit_code, 0);
  EXPECT_EQ(run("check --help").exit_code, 0);
  const Finished version = run("--version");
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_TRUE(version.out.starts_with("assetc 0."));
}

TEST_F(Usage, a_wrong_command_line_leaves_with_2) {
  for (const char* words : {"--nope", "buidl", "-j 0", "-j", "--memory big", "pack", "info a b", "info a -o b",
                            "completion", "completion tcsh", "-v -q"}) {
    const Finished done = run(words);
    EXPECT_EQ(done.exit_code, 2) << words;
    EXPECT_EQ(done.out, "") << words;
    EXPECT_TRUE(done.err.starts_with("assetc: ")) << words << "\n" << done.err;
  }
}

TEST_F(Usage, without_an_input_folder_the_message_says_what_to_do) {
  const Finished done = run();
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_EQ(done.err, "error: assets: the input directory does not exist; create it, or set input: in assetc.yml\n");
}

TEST_F(Usage, an_unknown_preset_lists_the_known_ones) {
  write("assetc.yml", "presets:\n  desktop: {}\n  mobile: {}\n");
  write("assets/a.png", png(4, 4, 1));
  const Finished done = run("--preset phone");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_EQ(done.err, "error: assetc.yml: no preset is named \"phone\"; the presets are: desktop, mobile\n");
}

TEST_F(Usage, an_unknown_key_is_a_warning_with_its_line_and_a_guess) {
  write("assetc.yml", "default:\n  texture:\n    compres: false\n");
  write("assets/a.png", png(4, 4, 1));
  const Finished done = run();
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.err, testing::HasSubstr("assetc.yml: line 3"));
  EXPECT_THAT(done.err, testing::HasSubstr("compress"));
}

TEST_F(Usage, a_wrong_type_is_an_error_with_its_line) {
  write("assetc.yml", "default:\n  texture:\n    compress: maybe\n");
  write("assets/a.png", png(4, 4, 1));
  const Finished done = run();
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_EQ(done.err, "error: assetc.yml: line 3: texture.compress: found \"maybe\", expected auto, true or false\n");
  EXPECT_FALSE(exists("runtime"));
}

TEST_F(Usage, init_writes_a_file_that_builds_and_never_overwrites) {
  write("assets/a.png", png(4, 4, 1));
  EXPECT_EQ(run("init").exit_code, 0);
  const std::string text = read("assetc.yml");
  EXPECT_THAT(text, testing::HasSubstr("texture:"));
  const Finished done = build();
  EXPECT_EQ(done.err, "");
  write("assetc.yml", text + "# mine\n");
  EXPECT_EQ(run("init").exit_code, 2);
  EXPECT_EQ(read("assetc.yml"), text + "# mine\n");
}

TEST_F(Usage, the_preset_that_init_writes_can_be_asked_for) {
  write("assets/a.png", png(4, 4, 1));
  build("init");
  EXPECT_EQ(build("--preset mobile").err, "");
  EXPECT_TRUE(exists("runtime/mobile/a.ktx2"));
}

TEST_F(Usage, a_file_that_is_nearly_the_configuration_gets_a_hint) {
  write("assets/a.png", png(4, 4, 1));
  for (const char* name : {"assetc.yaml", ".assetc.yml", ".assetc.yaml"}) {
    write(name, "output: elsewhere\n");
    const std::string hint = "warning: " + std::string(name) +
                             ": is not read; the configuration's name is assetc.yml [configuration-name]\n";
    EXPECT_EQ(build().err, hint);
    write("assetc.yml", "");
    EXPECT_EQ(build().err, hint) << "also if assetc.yml exists";
    remove("assetc.yml");
    remove(name);
  }
  EXPECT_FALSE(exists("elsewhere"));
}

TEST_F(Usage, info_and_check_take_a_file_or_a_folder) {
  write("assets/a.png", png(4, 4, 1));
  write("assets/sub/b.png", png(4, 4, 2));
  build("--pack");
  fs::copy_file(root_ / "runtime/a.ktx2", root_ / "A.KTX2");
  EXPECT_THAT(build("info runtime/a.ktx2").out, testing::MatchesRegex("runtime/a.ktx2 .*4x4, .*3 levels.*\n"));
  EXPECT_THAT(build("info A.KTX2").out, testing::HasSubstr("4x4, uastc"));
  EXPECT_THAT(build("info runtime/sub").out, testing::HasSubstr("b.ktx2"));
  EXPECT_EQ(build("check runtime/a.ktx2").out, "runtime/a.ktx2: no problems\n");
  EXPECT_EQ(build("check runtime.hpack").out, "runtime.hpack: no problems\n");
  write("bad.ktx2", "bad");
  EXPECT_EQ(run("check bad.ktx2").exit_code, 1);
  EXPECT_EQ(run("info bad.ktx2").exit_code, 1);
  EXPECT_EQ(run("info none.ktx2").err, "error: none.ktx2: cannot stat: No such file or directory\n");
  EXPECT_EQ(run("info runtime.hpack").err, "error: runtime.hpack: is a pack; use `assetc pack info`\n");
  EXPECT_THAT(run("check assets/a.png").err,
              testing::StartsWith("error: assets/a.png: is not a compiled file; compiled files end in "));
}

TEST_F(Usage, counts_are_in_the_right_number) {
  write("assets/a.png", png(4, 4, 1));
  EXPECT_THAT(build("-n").out, testing::HasSubstr("\n1 source: 1 step to run, 0 up to date"));
  EXPECT_THAT(build().out, testing::StartsWith("1 source: 1 built"));
  for (const char* command : {"info", "check", "pack info"}) {
    build("--pack");
    for (const std::string text = build(command).out;
         const char* wrong :
         {"1 files", "1 entries", "1 textures", "1 levels", "1 vertices", "1 triangles", "1 materials", "1 clips"}) {
      EXPECT_THAT(" " + text, testing::Not(testing::HasSubstr(std::string(" ") + wrong))) << command;
    }
  }
}

TEST_F(Usage, the_configuration_is_found_above_the_working_folder) {
  write("game/assetc.yml", "output: out\n");
  write("game/assets/textures/a.png", png(4, 4, 1));
  const Finished done = run("", "", "game/assets/textures");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_TRUE(exists("game/out/textures/a.ktx2"));
}

TEST_F(Usage, presets_are_listed) {
  write("assetc.yml", "preset: desktop\npresets:\n  mobile: {}\n  desktop: {}\n");
  EXPECT_EQ(build("--list-presets").out, "mobile\ndesktop (default)\n");
  EXPECT_EQ(build("--list-presets --json").out,
            "{\"event\":\"preset\",\"name\":\"mobile\",\"default\":false}\n"
            "{\"event\":\"preset\",\"name\":\"desktop\",\"default\":true}\n");
}

TEST_F(Usage, the_summary_is_one_line_and_quiet_leaves_it_out) {
  write("assets/a.png", png(4, 4, 1));
  const Finished done = build();
  EXPECT_THAT(done.out,
              testing::MatchesRegex("1 source: 1 built, 0 up to date; [0-9.]+ [KMi]*B in runtime \\([0-9.]+ s\\)\n"));
  EXPECT_EQ(done.err, "");
  const Finished quiet = build("-q");
  EXPECT_EQ(quiet.out + quiet.err, "");
}

TEST_F(Usage, a_rule_that_matches_nothing_warns_with_its_line) {
  write("assets/wall.png", png(4, 4, 1));
  write("assetc.yml",
        "default:\n  rules:\n    - match: \"*.png\"\n      texture: {format: bc7}\n    - match: walls/*\n      "
        "texture: {mips: false}\n");
  for (const char* when : {"at first", "when nothing changed"}) {
    EXPECT_EQ(build("-q --warnings").err,
              "warning: assetc.yml: line 5: the rule for \"walls/*\" matches no source; match: is a glob over paths "
              "below assets, and letter case matters [unmatched-rule]\n")
        << when;
  }
  write("assets/walls/a.png", png(4, 4, 1));
  EXPECT_EQ(build("-q").err, "");
}

TEST_F(Usage, the_summary_counts_what_no_asset_kind_takes) {
  write("assets/a.png", png(4, 4, 1));
  write("assets/b.xcf", "gimp");
  EXPECT_THAT(build().out,
              testing::StartsWith("1 source: 1 built, 0 up to date, 1 file ignored, no importer: .xcf 1; "));
  EXPECT_THAT(build().out,
              testing::StartsWith("1 source: 0 built, 1 up to date, 1 file ignored, no importer: .xcf 1; "))
      << "nothing changed";
  EXPECT_THAT(build("-v").err, testing::HasSubstr("1 file not compiled: b.xcf\n"));
}

TEST_F(Usage, quiet_keeps_warnings) {
  write("assetc.yml", "defaults: {}\n");
  write("assets/a.png", png(4, 4, 1));
  const Finished quiet = build("-q");
  EXPECT_EQ(quiet.out, "");
  EXPECT_THAT(quiet.err, testing::HasSubstr("unknown key \"defaults\""));
}

TEST_F(Usage, color_only_where_it_is_asked_for) {
  write("assets/a.png", "no picture");
  EXPECT_EQ(run().err.find('\x1b'), std::string::npos);
  EXPECT_NE(run("--color always").err.find('\x1b'), std::string::npos);
  EXPECT_NE(run("--color always", "NO_COLOR=1").err.find('\x1b'), std::string::npos);
  EXPECT_EQ(run("--color never").err.find('\x1b'), std::string::npos);
}

TEST_F(Usage, a_terminal_gets_a_bar_and_no_color_is_respected) {
  if (std::system("command -v script >/dev/null") != 0) GTEST_SKIP() << "needs script(1) for a terminal";
  write("assets/a.png", "no picture");
  const auto on_terminal = [&](const std::string& environment) {
    const std::string command = "cd '" + root_.string() + "' && " + environment + " TERM=xterm script -qec '" +
                                std::string(places::kProgram) + "' typescript >/dev/null";
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1);
    return read("typescript");
  };
  EXPECT_NE(on_terminal("").find("\x1b[1;31merror"), std::string::npos);
  EXPECT_EQ(on_terminal("NO_COLOR=1").find("\x1b[1;31m"), std::string::npos);
}

TEST_F(Usage, completion_scripts_are_valid_shell) {
  write("bash.sh", run("completion bash").out);
  EXPECT_EQ(std::system(("bash -n '" + (root_ / "bash.sh").string() + "'").c_str()), 0);
  const std::string complete = "source '" + (root_ / "bash.sh").string() +
                               "'; COMP_WORDS=(assetc pack i); COMP_CWORD=2; _assetc; echo ${COMPREPLY[*]} >'" +
                               (root_ / "reply").string() + "'";
  write("reply.sh", complete);
  EXPECT_EQ(std::system(("bash '" + (root_ / "reply.sh").string() + "'").c_str()), 0);
  EXPECT_EQ(read("reply"), "info\n");
  EXPECT_TRUE(run("completion zsh").out.starts_with("#compdef assetc\n"));
  EXPECT_THAT(run("completion fish").out, testing::HasSubstr("complete -c assetc"));
}

TEST_F(Usage, the_manual_page_is_valid_mdoc) {
  if (std::system("command -v mandoc >/dev/null") != 0) GTEST_SKIP() << "needs mandoc";
  write("assetc.1", run("manual").out);
  EXPECT_EQ(std::system(("mandoc -T lint -W warning '" + (root_ / "assetc.1").string() + "'").c_str()), 0);
}

}  // namespace
}  // namespace assetc::e2e
