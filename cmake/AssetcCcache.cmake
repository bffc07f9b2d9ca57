# Compiles through ccache, if it is installed.
#
# CCACHE_DEPEND: ccache takes the list of included files from the compiler and runs no preprocessor. This saves a tenth of
# a first build.
# CCACHE_BASEDIR and CCACHE_NOHASHDIR: paths below this project count as relative, so that build folders and clones with
# the same flags share their objects. So no source and no definition may have an absolute path of this project.
# The build without optional libraries takes a fifth of the time because of this.
include_guard()

option(ASSETC_CCACHE "Compile through ccache where it is installed" ON)
if(ASSETC_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(ASSETC_CCACHE_PROGRAM ccache)
  mark_as_advanced(ASSETC_CCACHE_PROGRAM)
  if(ASSETC_CCACHE_PROGRAM)
    set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1 CCACHE_NOHASHDIR=1
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} ${ASSETC_CCACHE_PROGRAM})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})
  endif()
endif()
