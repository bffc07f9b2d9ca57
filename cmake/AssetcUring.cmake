# The target assetc::uring, for the build and, installed beside assetc-config.cmake, for those who link a runtime that reads
# through io_uring: liburing.
if(TARGET assetc::uring)
  return()
endif()
find_path(ASSETC_URING_INCLUDE liburing.h REQUIRED)
find_library(ASSETC_URING_LIBRARY uring REQUIRED)
mark_as_advanced(ASSETC_URING_INCLUDE ASSETC_URING_LIBRARY)
add_library(assetc::uring INTERFACE IMPORTED GLOBAL)
target_include_directories(assetc::uring INTERFACE ${ASSETC_URING_INCLUDE})
target_link_libraries(assetc::uring INTERFACE ${ASSETC_URING_LIBRARY})
