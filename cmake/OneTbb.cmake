# The target TBB::tbb: an archive of the pinned source if assetc links libraries statically, because Debian has none and
# the shared library would bring the shared libstdc++ (docs/decisions/0009). Otherwise the system's library.
include_guard(GLOBAL)
include(AssetcSource)

option(ASSETC_TBB_SOURCE "Compile oneTBB as an archive, so that assetc starts sooner; x86-64 Linux only" ON)
set(ASSETC_STATIC_TBB OFF)
if(ASSETC_TBB_SOURCE AND ASSETC_STATIC AND CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64"
    AND NOT CMAKE_CROSSCOMPILING AND NOT ASSETC_SANITIZE AND NOT ASSETC_COVERAGE)
  assetc_source(onetbb include/tbb/version.h)
  if(ASSETC_ONETBB_SOURCE)
    set(ASSETC_STATIC_TBB ON)
  else()
    message(WARNING "scripts/fetch-source onetbb failed; its message is above. assetc links the system's oneTBB instead, "
      "and takes longer to start")
  endif()
endif()
if(NOT ASSETC_STATIC_TBB)
  find_package(TBB REQUIRED GLOBAL)
  return()
endif()

find_package(Threads REQUIRED)
# Its 28 sources compile the same headers, which takes most of their time: as one they take a fifth of it. A program
# that collects unused sections is as large.
file(GLOB sources ${ASSETC_ONETBB_SOURCE}/src/tbb/*.cpp)
add_library(tbb STATIC ${sources})
set_target_properties(tbb PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
set_source_files_properties(${ASSETC_ONETBB_SOURCE}/src/tbb/parallel_pipeline.cpp PROPERTIES
  SKIP_UNITY_BUILD_INCLUSION ON)  # its names collide with those of others
add_library(TBB::tbb ALIAS tbb)
target_include_directories(tbb SYSTEM PUBLIC ${ASSETC_ONETBB_SOURCE}/include)
target_link_libraries(tbb PUBLIC Threads::Threads)
# As its own build does for a static library; it chooses at run time whether to use these instructions.
target_compile_definitions(tbb PRIVATE __TBB_BUILD __TBB_DYNAMIC_LOAD_ENABLED=0 __TBB_SOURCE_DIRECTLY_INCLUDED=1)
target_compile_options(tbb PRIVATE -O2 -w -flifetime-dse=1 -mrtm -mwaitpkg -ffunction-sections -fdata-sections)
