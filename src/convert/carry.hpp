// A compiled mesh into another container as it is: same vertices, same order, same levels of detail and meshlets.
#pragma once

#include <optional>

#include "convert/convert.hpp"

namespace assetc::convert {

// The mesh in another container, with its siblings as they are, where that container has all that it needs of it:
//   .hmesh 2  into .hmesh 2, .hmesh 1 and .gali
//   .hmesh 1  into .hmesh 1
//   .gali     into .gali
// Nothing for every other pair: .hmesh 2 wants submeshes, meshlets and levels of detail that the others lack, so the
// mesh has to be built. What the container cannot hold is a diagnostic, its own.
// Siblings are left out where the output lies beside the input, under its stem: they lie there.
// Errors: those of the format's view and writer, with the file.
Result<std::optional<Converted>> carry_over(const std::string& input, const std::string& output,
                                            recipes::MeshFormat format, bool beside_input,
                                            const importer::FileReader& read);

}  // namespace assetc::convert
