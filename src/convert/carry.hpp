// Copies a compiled mesh into another container: same vertices, same order, same levels of detail and meshlets.
#pragma once

#include <optional>

#include "convert/convert.hpp"
#include "recipes/container/containers.hpp"

namespace assetc::convert {

// The mesh in another container, with its companion files unchanged, if the input has everything that the output needs:
//   .hmesh 2  into .hmesh 2, .hmesh 1 and .gali
//   .hmesh 1  into .hmesh 1
//   .gali     into .gali
// Empty for every other pair: .hmesh 2 needs submeshes, meshlets and levels of detail that the other formats lack, so
// the mesh has to be built. compress: how the chunks of a .hmesh 2 are stored; unset: as in the input. Everything that
// the output cannot hold is reported in a diagnostic. Companion files are not written if the output is next to the
// input with the same stem: they are already there. Errors: those of the format's view and writer, with the file.
Result<std::optional<Converted>> carry_over(const std::string& input, const std::string& output,
                                            const recipes::MeshContainer& container,
                                            std::optional<recipes::MeshCompression> compress, bool beside_input,
                                            const importer::FileReader& read);

}  // namespace assetc::convert
