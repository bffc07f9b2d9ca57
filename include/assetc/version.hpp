// The version of these headers, and of the libraries that were installed with them. CMake reads it here.
#pragma once

#define ASSETC_VERSION_MAJOR 0
#define ASSETC_VERSION_MINOR 1
#define ASSETC_VERSION_PATCH 0

// For #if: 1.2.3 is 10203.
#define ASSETC_VERSION (ASSETC_VERSION_MAJOR * 10000 + ASSETC_VERSION_MINOR * 100 + ASSETC_VERSION_PATCH)
