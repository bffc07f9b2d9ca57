# The target assetc::zstd, for the build and, installed beside assetc-config.cmake, for those who link the runtime:
# libzstd, shared where there is a choice and ASSETC_STATIC_ZSTD is off.
if(TARGET assetc::zstd)
  return()
endif()
option(ASSETC_STATIC_ZSTD "Link libzstd statically" OFF)
add_library(assetc::zstd INTERFACE IMPORTED GLOBAL)
if(TARGET zstd::libzstd_static AND (ASSETC_STATIC_ZSTD OR NOT TARGET zstd::libzstd_shared))
  target_link_libraries(assetc::zstd INTERFACE zstd::libzstd_static)
else()
  target_link_libraries(assetc::zstd INTERFACE zstd::libzstd_shared)
endif()
