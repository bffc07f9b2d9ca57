// Where the programs are that belong to this one.
#pragma once

#include <array>
#include <string>

namespace assetc::process {

// The paths at which a program of this installation may be, in the order of the search: beside this program, and in
// lib/assetc of its installation.
std::array<std::string, 2> places_of_part(const std::string& name);

}  // namespace assetc::process
