// What another game engine knows of a source: the settings of its importer, in a file beside the source.
//
//   auto said = importer::read_beside(OtherEngine::kUnity, "rock.png", text_of("rock.png.meta"));
//   for (const BesideSetting& setting : said->settings) ...   // texture.usage = linear, from line 7
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"
#include "assetc/base/uuid.hpp"
#include "warnings/warnings.hpp"

namespace assetc::importer {

enum class OtherEngine : std::uint8_t { kNone, kUnity, kGodot };

constexpr std::size_t kMaxBesideBytes = 4u << 20;

struct BesideSetting {
  std::string key;    // of the table of settings: "texture.max_size". A later one of the same key wins
  std::string value;  // as the other engine wrote it; not checked
  int line = 0;
};

// A material of a model in place of which the other engine uses one of its own.
struct BesideMaterial {
  std::string name;  // in the model
  Uuid guid;         // of the other material
  int line = 0;
};

struct Beside {
  std::vector<BesideSetting> settings;
  std::optional<Uuid> guid;  // of Unity
  std::vector<BesideMaterial> materials;
  std::vector<Warning> warnings;  // values that differ from ours in effect and have no setting; with lines
};

// The GUID that Unity writes as 32 hexadecimal digits; nothing for another text, and for one of zeros.
std::optional<Uuid> parse_guid(std::string_view text);

// The name of the file beside X is X and this suffix. Requires an engine.
std::string_view beside_suffix(OtherEngine engine);
// Whether the text is one that the engine writes beside a source.
bool is_beside(OtherEngine engine, std::string_view text);

// platform: the preset or platform that is built for. If it has a name such as Android, iOS, Web or Windows in any
// case, Unity's overrides for that platform hold. Errors: kLimit; kInvalidData with a line, for a line that the engine
// does not write, and for a GUID that is none.
Result<Beside> read_beside(OtherEngine engine, std::string_view source, std::string_view text,
                           std::string_view platform = {});

}  // namespace assetc::importer
