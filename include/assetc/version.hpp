// The version of these headers and of the libraries installed with them. CMake reads the version from this file.
#pragma once

#define ASSETC_VERSION_MAJOR 0
#define ASSETC_VERSION_MINOR 1
#define ASSETC_VERSION_PATCH 0

// The version as one number, to compare in #if: 1.2.3 is 10203.
#define ASSETC_VERSION (ASSETC_VERSION_MAJOR * 10000 + ASSETC_VERSION_MINOR * 100 + ASSETC_VERSION_PATCH)
