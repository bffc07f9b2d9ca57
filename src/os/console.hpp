// Standard streams and signals of this program.
#pragma once

#include <vector>

#include "os/file.hpp"

namespace assetc::os {

bool is_output_terminal();
bool is_error_terminal();
// Of the terminal that standard error writes to; 80 if there is none.
int terminal_columns();

// Standard output and standard error, where they go to files.
std::vector<Status> output_files();

// A closed standard stream gets a descriptor that refuses its use: no file that is opened later may take its number.
void hold_standard_streams();
// A write to a pipe whose reader is gone fails instead of ending the program. Programs that are started keep the
// default.
void survive_closed_pipes();

}  // namespace assetc::os
