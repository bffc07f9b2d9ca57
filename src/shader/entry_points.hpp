// Finds the stages of a shader folder: files, and functions of HLSL and Slang that are marked as entry points, as in
// [shader("vertex")] V VSMain(...).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shader/shader.hpp"

namespace assetc::shader {

struct EntryPoint {
  Stage stage;
  std::string name;
};
// In the order of the text. A function in an untaken #if counts too; one in a comment does not.
// Errors: kUnsupported for an unknown stage, kLimit for a name that EntryName cannot hold; the place is the line.
Result<std::vector<EntryPoint>> entry_points_of(std::string_view text);

struct StageSource {
  Stage stage;
  Language language;
  std::string file;    // its name in the folder; empty for a source that is a file
  std::string entry;   // the name of the function
  std::string output;  // the name of the module: of the stage, or of the function if it is marked; empty for a source
                       // that is one stage
};
// The stages of a folder with these files, by stage and output. Other files of HLSL and Slang are read for marked
// functions.
// Errors: kConflict for two stages with one output; those of read and entry_points_of, with the file's name.
Result<std::vector<StageSource>> stages_of_folder(std::span<const std::string> names, const ReadFile& read);

// The stages of a source that is a file: the one that its name says, or its marked functions. Empty for a file without
// either, which others include. Errors: those of stages_of_folder, without the file's name.
Result<std::vector<StageSource>> stages_of_file(std::string_view name, const std::function<Result<Bytes>()>& read);

}  // namespace assetc::shader
