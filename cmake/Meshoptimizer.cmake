# The target meshoptimizer::meshoptimizer, version 0.22 wherever it comes from: mesh bytes depend on it.
include_guard(GLOBAL)
include(AssetcSource)

option(ASSETC_SYSTEM_MESHOPTIMIZER "Link the system's meshoptimizer instead of the pinned source" OFF)

if(ASSETC_SYSTEM_MESHOPTIMIZER)
  find_package(meshoptimizer 0.22 REQUIRED CONFIG)
  if(NOT TARGET meshoptimizer::meshoptimizer)
    add_library(meshoptimizer::meshoptimizer ALIAS meshoptimizer)
  endif()
  return()
endif()

assetc_source(meshoptimizer src/meshoptimizer.h)
if(NOT ASSETC_MESHOPTIMIZER_SOURCE)
  message(FATAL_ERROR "scripts/fetch-source meshoptimizer failed; its message is above")
endif()

file(GLOB sources ${ASSETC_MESHOPTIMIZER_SOURCE}/src/*.cpp)
add_library(meshoptimizer STATIC ${sources})
add_library(meshoptimizer::meshoptimizer ALIAS meshoptimizer)
target_include_directories(meshoptimizer SYSTEM PUBLIC $<BUILD_INTERFACE:${ASSETC_MESHOPTIMIZER_SOURCE}/src>)
# Optimized in every build type, including developer builds, because meshes spend most of their time here. Contraction
# is off: the same bytes on machines with and without fused multiply-add.
target_compile_options(meshoptimizer PRIVATE -O3 -w -ffp-contract=off -fvisibility=hidden
  $<$<CONFIG:Release>:-DNDEBUG>)
if(ASSETC_SANITIZE)
  target_compile_options(meshoptimizer PRIVATE -fsanitize=${ASSETC_SANITIZE} -fno-sanitize-recover=all)
endif()
