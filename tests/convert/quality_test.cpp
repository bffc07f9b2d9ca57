// Compares the quality of the encoders on the corpus' pictures with tests/data/quality.csv.
//
// Our encoders write the same bytes everywhere, so a row changes only if the code changes. The steps leave room for
// another version of libastcenc. A better row fails as well: scripts/quality-table records it, so that a later loss is
// found.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "convert/compare_files.hpp"
#include "convert/convert.hpp"
#include "corpus.hpp"
#include "import/image/image.hpp"
#include "places.hpp"
#include "recipes/texture/picture.hpp"

namespace assetc::convert {
namespace {

// Pictures with the same meaning of texels use the same formats. The name that the recipe sees selects the meaning.
struct Subject {
  const char* name;
  std::vector<const char*> pictures;
  std::vector<const char*> formats;
  bool is_own = true;  // in tests/data/corpus, which every checkout has
};
const std::vector<Subject> kSubjects{
    {"wall.png", {"hills.png", "market.png"}, {"uastc", "bc7", "bc1", "astc4x4", "astc6x6", "astc8x8", "etc2"}},
    {"wall.png", {"drawing.png"}, {"uastc", "bc7", "bc1", "etc2"}},
    {"wall.png", {"leaf.png"}, {"uastc", "bc7", "bc3", "astc4x4", "etc2"}},
    {"wall.n.png", {"rock.n.png"}, {"uastc", "bc7", "bc5", "astc4x4", "etc2"}},
    {"wall.png", {"rock.orm.png"}, {"uastc", "bc7", "bc1", "etc2"}},
    {"wall.h.png", {"rock.h.png"}, {"bc4", "etc2"}},
    {"wall.hdr", {"sky.hdr"}, {"bc6h"}},
    // Pictures of the larger corpus.
    {"wall.png", {"kodim01.png"}, {"uastc", "bc7", "bc1"}, false},
    {"wall.n.png", {"water_normals.png"}, {"uastc", "bc5"}, false},
};

// A measure, and the step that counts as a difference.
struct Measure {
  const char* name;
  double step;
};
constexpr std::array<Measure, 4> kMeasures{
    {{"rgb dB", 0.02}, {"alpha dB", 0.02}, {"degrees", 0.002}, {"log2 RMSE", 0.0002}}};
using Values = std::array<std::optional<double>, kMeasures.size()>;

// Root mean square of the ratio of two float pictures, in octaves. The added constant keeps black finite.
double log2_rmse(const scene::Image& a, const scene::Image& b) {
  constexpr double kLeastLight = 1e-4;
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.pixels.size() / 4; ++i) {
    if (i % 4 == 3) continue;
    const double ratio =
        std::log2((load<float>(b.pixels, i * 4) + kLeastLight) / (load<float>(a.pixels, i * 4) + kLeastLight));
    sum += ratio * ratio;
    ++count;
  }
  return std::sqrt(sum / static_cast<double>(count));
}

// Measures level 0 of the picture in that format and quality.
Values measure(const std::string& name, const Bytes& picture, const char* format, const char* quality) {
  ConvertOptions options;
  for (const auto& [key, value] :
       {std::pair("texture.format", format), std::pair("texture.quality", quality), std::pair("texture.mips", "false")})
    EXPECT_TRUE(recipes::find_setting(key)->set(options.settings, value));
  const auto converted =
      convert_file(name, "made.ktx2", [&](std::string_view) -> Result<Bytes> { return picture; }, options);
  EXPECT_TRUE(converted) << converted.error().to_string();
  if (!converted) return {};
  CompareOptions compare;
  compare.kind = recipes::data_kind(name);
  const auto pair = read_pair(picture, converted->files[0].bytes, importer::decode_image, {}, compare);
  EXPECT_TRUE(pair) << pair.error().to_string();
  if (!pair) return {};
  const auto difference = texture::compare_images(pair->reference, pair->other);
  EXPECT_TRUE(difference) << difference.error().to_string();
  if (!difference) return {};
  Values values;
  if (pair->reference.type == scene::PixelType::kF32)
    values[3] = log2_rmse(pair->reference, pair->other);
  else if (pair->kind == texture::TexelKind::kNormal)
    values[2] = difference->mean_angle_degrees;
  else
    values[0] = difference->psnr_rgb;
  // Left out if equal, as for the alpha of an opaque picture: no finite number expresses it.
  if (!values[2] && !values[3] && std::isfinite(difference->psnr_channel[3])) values[1] = difference->psnr_channel[3];
  return values;
}

using Table = std::map<std::string, Values>;  // by "picture,format,quality"

Table measure_all() {
  Table table;
  for (const Subject& subject : kSubjects) {
    for (const char* picture : subject.pictures) {
      bool is_there = false;
      for (const auto& folder : corpus::folders("images")) {
        const auto bytes = corpus::read_file(folder / picture);
        if (!bytes) continue;
        is_there = true;
        for (const char* format : subject.formats) {
          for (const char* quality : {"fast", "normal", "best"})
            table[std::string(picture) + "," + format + "," + quality] = measure(subject.name, *bytes, format, quality);
        }
      }
      EXPECT_TRUE(is_there || !subject.is_own) << picture << " is in no corpus";
    }
  }
  return table;
}

const std::filesystem::path kPath = std::filesystem::path(places::kSource) / "tests/data/quality.csv";

Table read_table() {
  Table table;
  std::ifstream file(kPath);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::istringstream cell_text(line);
    for (std::string cell; std::getline(cell_text, cell, ',');) cells.push_back(cell);
    cells.resize(3 + kMeasures.size());
    Values& values = table[cells[0] + "," + cells[1] + "," + cells[2]];
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!cells[3 + i].empty()) values[i] = std::strtod(cells[3 + i].c_str(), nullptr);
  }
  return table;
}

void write_table(const Table& table) {
  std::ofstream file(kPath);
  file << "picture,format,quality";
  for (const Measure& m : kMeasures) file << "," << m.name;
  file << "\n";
  for (const auto& [row, values] : table) {
    file << row;
    for (std::size_t i = 0; i < values.size(); ++i) {
      char text[32] = "";
      if (values[i])
        std::snprintf(text, sizeof text, "%.*f",
                      kMeasures[i].step < 0.001  ? 5
                      : kMeasures[i].step < 0.01 ? 4
                                                 : 3,
                      *values[i]);
      file << "," << text;
    }
    file << "\n";
  }
}

TEST(Quality, is_that_of_the_table) {
  const Table measured = measure_all();
  Table expected = read_table();
  if (std::getenv("ASSETC_WRITE_QUALITY") != nullptr) {
    // Rows of missing pictures stay unchanged.
    for (const auto& [row, values] : measured) expected[row] = values;
    return write_table(expected);
  }
  for (const auto& [row, values] : measured) {
    const auto said = expected.find(row);
    if (said == expected.end()) {
      ADD_FAILURE() << row << " is not in the table; run scripts/quality-table";
      continue;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(values[i].has_value(), said->second[i].has_value()) << row << ", " << kMeasures[i].name;
      if (!values[i]) continue;
      EXPECT_NEAR(*values[i], *said->second[i], kMeasures[i].step)
          << row << ", " << kMeasures[i].name << "; if this is intended, run scripts/quality-table";
    }
  }
}

TEST(Quality, table_has_no_row_that_nothing_measures) {
  std::vector<std::string> rows;
  for (const Subject& subject : kSubjects)
    for (const char* picture : subject.pictures)
      for (const char* format : subject.formats)
        for (const char* quality : {"fast", "normal", "best"})
          rows.push_back(std::string(picture) + "," + format + "," + quality);
  for (const auto& [row, values] : read_table()) EXPECT_NE(std::ranges::find(rows, row), rows.end()) << row;
}

}  // namespace
}  // namespace assetc::convert
