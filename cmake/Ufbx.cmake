# The target ufbx::ufbx, version 0.20: the bytes of imported FBX models depend on it.
include_guard(GLOBAL)
include(AssetcSource)

assetc_source(ufbx ufbx.c)
if(NOT ASSETC_UFBX_SOURCE)
  # forky changes, so its source may be out of reach. Everything but FBX works without it.
  message(WARNING "scripts/fetch-source ufbx failed; its message is above. This build cannot read FBX")
  set(ASSETC_FBX OFF)
  return()
endif()

add_library(ufbx STATIC ${ASSETC_UFBX_SOURCE}/ufbx.c)
add_library(ufbx::ufbx ALIAS ufbx)
target_include_directories(ufbx SYSTEM PUBLIC $<BUILD_INTERFACE:${ASSETC_UFBX_SOURCE}>)
# Optimized in every build type, as meshoptimizer is. Contraction is off: the same bytes on machines with and without
# fused multiply-add.
target_compile_options(ufbx PRIVATE -O2 -w -ffp-contract=off -fvisibility=hidden $<$<CONFIG:Release>:-DNDEBUG>)
target_compile_definitions(ufbx PRIVATE UFBX_ENABLE_ERROR_STACK)  # errors name the place in the reader
if(ASSETC_SANITIZE)
  target_compile_options(ufbx PRIVATE -fsanitize=${ASSETC_SANITIZE} -fno-sanitize-recover=all)
  target_compile_definitions(ufbx PRIVATE UFBX_UBSAN=1)  # without shifts that rely on the processor
endif()
