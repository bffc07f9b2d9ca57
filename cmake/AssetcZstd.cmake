# The target assetc::zstd: libzstd, shared if there is a choice and ASSETC_STATIC_ZSTD is off. The build uses this file;
# it is also installed beside assetc-config.cmake for users of the runtime.
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
