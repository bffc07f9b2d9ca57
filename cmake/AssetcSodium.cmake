# The target assetc::sodium: libsodium, for runtimes that verify and decrypt bundles. The build uses this file; it is
# also installed beside assetc-config.cmake for users of such a runtime.
if(TARGET assetc::sodium)
  return()
endif()
find_path(ASSETC_SODIUM_INCLUDE sodium.h REQUIRED)
find_library(ASSETC_SODIUM_LIBRARY sodium REQUIRED)
mark_as_advanced(ASSETC_SODIUM_INCLUDE ASSETC_SODIUM_LIBRARY)
add_library(assetc::sodium INTERFACE IMPORTED GLOBAL)
target_include_directories(assetc::sodium INTERFACE ${ASSETC_SODIUM_INCLUDE})
target_link_libraries(assetc::sodium INTERFACE ${ASSETC_SODIUM_LIBRARY})
