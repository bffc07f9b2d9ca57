// What the build knows of the program. CMake writes the source, so that nothing else is compiled again for another
// version or another set of libraries.
#pragma once

namespace assetc::cli {

// Such as "0.1.0", or "0.1.0 without fbx, exr" if the build left libraries out.
extern const char* const kVersion;

// The features that the build left out: "fbx, exr", or empty.
extern const char* const kLeftOut;

// The libraries that are loaded at their first call, as "webp=libwebp.so.7;spng=libspng.so.0". Others are linked.
extern const char* const kDelayedLibraries;

// Whether shaders are compiled by the program assetc-shaders.
extern const bool kHasShaderProgram;

// The URI of the published documentation, or of the manual page.
extern const char* const kDocumentation;

}  // namespace assetc::cli
