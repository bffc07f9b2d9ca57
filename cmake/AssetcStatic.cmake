# Libraries that the command links statically where Debian has an archive of them. The reasons are in
# docs/decisions/0009-rarely-used-libraries-load-at-their-first-call.md.
include_guard()
include(AssetcDelay)
option(ASSETC_STATIC "Link libraries that every run of the command uses statically, where there is an archive" ON)
if(ASSETC_STATIC)
  # Of the runtime. AssetcSodium searches only if this variable is not set; its own result stays in CMake's cache for
  # builds with ASSETC_STATIC=OFF. Zstd stays shared: Debian's archive of it has no position-independent code, which
  # libassetc.so needs.
  find_library(ASSETC_SODIUM_ARCHIVE libsodium.a)
  mark_as_advanced(ASSETC_SODIUM_ARCHIVE)
  if(ASSETC_SODIUM_ARCHIVE)
    set(ASSETC_SODIUM_LIBRARY ${ASSETC_SODIUM_ARCHIVE})
  endif()
endif()

# assetc_static(<target>): makes assetc_static_<name>, with the same headers as <target>, an imported library with the
# name <namespace>::<name>. It links the archive beside the shared library, or <target> as it is if there is none.
function(assetc_static target)
  string(REGEX REPLACE ".*::" "" name ${target})
  if(TARGET assetc_static_${name})
    return()
  endif()
  add_library(assetc_static_${name} INTERFACE)
  assetc_shared_file(file ${target})
  string(REGEX REPLACE "\\.so[0-9.]*$" ".a" archive "${file}")
  if(ASSETC_STATIC AND file AND EXISTS ${archive})
    target_include_directories(assetc_static_${name} SYSTEM INTERFACE $<TARGET_PROPERTY:${target},INTERFACE_INCLUDE_DIRECTORIES>)
    target_link_libraries(assetc_static_${name} INTERFACE ${archive})
  else()
    target_link_libraries(assetc_static_${name} INTERFACE ${target})
  endif()
endfunction()
