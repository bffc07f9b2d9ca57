// Writes text to standard output and standard error, with color if it is wanted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"
#include "base/plural.hpp"
#include "base/size_text.hpp"
#include "cli/arguments/arguments.hpp"
#include "recipes/recipe.hpp"

namespace assetc::cli {

enum class Style : std::uint8_t { kPlain, kBold, kDim, kRed, kYellow, kGreen };

class Console {
 public:
  // kAuto: color on a terminal, unless NO_COLOR is set or TERM is "dumb".
  explicit Console(ColorMode mode);

  // These escape what printable() escapes, except line ends, tabs and color codes of paint_out() and paint_err(). Names
  // and other input therefore cannot control the terminal.
  void out(std::string_view text);     // to standard output
  void err(std::string_view text);     // to standard error; standard output is flushed first
  void redraw(std::string_view line);  // replaces the current line of standard error; empty: erases it

  // "wrote PATH", a text after it, and a line end, on standard output. Line ends of the path become \n.
  void wrote(std::string_view path, std::string_view text = {});

  std::string paint_out(Style style, std::string_view text) const { return paint(color_out_, style, text); }
  std::string paint_err(Style style, std::string_view text) const { return paint(color_err_, style, text); }
  bool err_is_terminal() const { return err_is_terminal_; }
  // Columns of the terminal at standard error; 80 when unknown.
  int columns() const;

  // "warning: chair.gltf: /meshes/0: ..." with the word colored, on standard error.
  void diagnostic(recipes::Severity severity, const Error& what);
  // The same. A warning ends with its kind: "[merged-nodes]". A second line says how to leave the source of an error
  // out.
  void diagnostic(const recipes::Diagnostic& diagnostic);
  // "warning: TEXT"
  void warning(std::string_view text);

 private:
  static std::string paint(bool colored, Style style, std::string_view text);
  bool err_is_terminal_ = false;
  bool color_out_ = false;
  bool color_err_ = false;
};

// Text in aligned columns. Widths are counted in code points.
class Table {
 public:
  enum class Align : std::uint8_t { kLeft, kRight };
  explicit Table(std::vector<Align> columns) : columns_(std::move(columns)) {}
  // Requires as many cells as columns. Line ends and tabs become \n and \t.
  void add(std::vector<std::string> cells);
  // One line per row, two spaces between columns, no trailing spaces.
  std::string str() const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Escapes control characters and bytes that are not UTF-8 as \xNN, and line ends and tabs as \n and \t.
std::string printable(std::string_view text);

// "ignore: ["a.png"] in assetc.yml", which leaves out the source of an error; empty if nothing does.
std::string ignore_line(const recipes::Diagnostic& diagnostic);

std::string seconds_text(double seconds);  // "0.2 s", "1:05", "2:03:04"

}  // namespace assetc::cli
