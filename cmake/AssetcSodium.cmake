# The target assetc::sodium, for the build and, installed beside assetc-config.cmake, for those who link a runtime that
# verifies and decrypts bundles: libsodium.
if(TARGET assetc::sodium)
  return()
endif()
find_path(ASSETC_SODIUM_INCLUDE sodium.h REQUIRED)
find_library(ASSETC_SODIUM_LIBRARY sodium REQUIRED)
mark_as_advanced(ASSETC_SODIUM_INCLUDE ASSETC_SODIUM_LIBRARY)
add_library(assetc::sodium INTERFACE IMPORTED GLOBAL)
target_include_directories(assetc::sodium INTERFACE ${ASSETC_SODIUM_INCLUDE})
target_link_libraries(assetc::sodium INTERFACE ${ASSETC_SODIUM_LIBRARY})
