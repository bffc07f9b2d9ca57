# The target assetc::uring: liburing, for runtimes that read through io_uring. The build uses this file; it is also
# installed beside assetc-config.cmake for users of such a runtime.
if(TARGET assetc::uring)
  return()
endif()
find_path(ASSETC_URING_INCLUDE liburing.h REQUIRED)
find_library(ASSETC_URING_LIBRARY uring REQUIRED)
mark_as_advanced(ASSETC_URING_INCLUDE ASSETC_URING_LIBRARY)
add_library(assetc::uring INTERFACE IMPORTED GLOBAL)
target_include_directories(assetc::uring INTERFACE ${ASSETC_URING_INCLUDE})
target_link_libraries(assetc::uring INTERFACE ${ASSETC_URING_LIBRARY})
