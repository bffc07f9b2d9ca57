# Linux with glibc 2.28 or later, on x86-64 or ARM64. ASSETC_SYSROOT: the folder that scripts/linux-sysroot makes; its
# name is the architecture. Only the C library is shared.
set(CMAKE_SYSTEM_NAME Linux)
cmake_path(GET ASSETC_SYSROOT FILENAME architecture)
if(architecture STREQUAL "arm64")
  set(CMAKE_SYSTEM_PROCESSOR aarch64)
  # Debian's libraries of today run the programs here.
  set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64;-L;${CMAKE_CURRENT_LIST_DIR}/../../build/arm64-root)
else()
  set(CMAKE_SYSTEM_PROCESSOR x86_64)
endif()
set(CMAKE_LIBRARY_ARCHITECTURE ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
set(CMAKE_C_COMPILER ${CMAKE_LIBRARY_ARCHITECTURE}-gcc)
set(CMAKE_CXX_COMPILER ${CMAKE_LIBRARY_ARCHITECTURE}-g++)
set(CMAKE_SYSROOT ${ASSETC_SYSROOT})
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ASSETC_SYSROOT)
file(STRINGS ${ASSETC_SYSROOT}/flags flags)
file(STRINGS ${ASSETC_SYSROOT}/cxx-flags cxx_flags)
separate_arguments(flags)
separate_arguments(cxx_flags)
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${cxx_flags}>" "$<$<COMPILE_LANGUAGE:C,ASM>:${flags}>")
list(FILTER flags INCLUDE REGEX "^-B")
add_link_options(${flags})
set(ASSETC_PACKED_RELOCATIONS OFF CACHE BOOL "glibc before 2.36 cannot read them")
set(CMAKE_POSITION_INDEPENDENT_CODE ON)  # also for libassetc.so
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static-libstdc++ -static-libgcc")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-static-libstdc++ -static-libgcc")
# The static libstdc++ and libgcc, which come last, need it, and glibc before 2.34 has it in a library of its own.
set(CMAKE_CXX_STANDARD_LIBRARIES_INIT "-Wl,--push-state,--no-as-needed -lpthread -Wl,--pop-state")
# Do not use headers and libraries of this machine. Libraries outside of the sysroot are in CMAKE_PREFIX_PATH.
set(CMAKE_FIND_ROOT_PATH ${ASSETC_SYSROOT} ${CMAKE_PREFIX_PATH})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Nor its pkg-config files; static libraries need the libraries that they use.
set(ENV{PKG_CONFIG_LIBDIR} ${ASSETC_SYSROOT}/usr/lib/pkgconfig)
set(PKG_CONFIG_ARGN --static)
set(ZLIB_USE_STATIC_LIBS ON)
