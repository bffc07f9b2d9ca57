// Standard streams and signals of this program.
#pragma once

#include <vector>

#include "os/file.hpp"

namespace assetc::os {

bool is_output_terminal();
bool is_error_terminal();
// Returns the width of the terminal that standard error writes to; 80 if there is none.
int terminal_columns();
// The same for standard output.
int output_columns();

// Returns the status of standard output and standard error, if they write to files.
std::vector<Status> output_files();

// Replaces a closed standard stream with a descriptor that refuses all use, so that a file opened later does not get
// its number.
void hold_standard_streams();
// After this call, a write to a pipe without a reader fails instead of ending the program. Started programs keep the
// default.
void survive_closed_pipes();

}  // namespace assetc::os
