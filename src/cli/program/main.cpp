#include "cli/commands.hpp"

int main(int argc, char** argv) { return assetc::cli::run(argc, argv); }
