# Libraries that the command links statically where Debian has an archive of them. The reasons are in
# docs/decisions/0009-rarely-used-libraries-load-at-their-first-call.md.
include_guard()
option(ASSETC_STATIC "Link libraries that every run of the command uses statically, where there is an archive" ON)
if(ASSETC_STATIC)
  # The runtime's libraries: AssetcSodium and AssetcUring search where these do not find an archive. Zstd stays shared:
  # Debian's archive of it has no position-independent code, which libassetc.so needs.
  find_library(ASSETC_SODIUM_LIBRARY libsodium.a)
  find_library(ASSETC_URING_LIBRARY liburing.a)
endif()

# assetc_static(<target>): makes assetc_static_<name>, with the same headers as <target>, an imported library with the
# name <namespace>::<name>. It links the archive beside the shared library, or <target> as it is if there is none.
function(assetc_static target)
  string(REGEX REPLACE ".*::" "" name ${target})
  if(TARGET assetc_static_${name})
    return()
  endif()
  add_library(assetc_static_${name} INTERFACE)
  set(archive)
  foreach(property IN ITEMS IMPORTED_LOCATION IMPORTED_LOCATION_RELEASE IMPORTED_LOCATION_NONE)
    get_target_property(file ${target} ${property})
    if(ASSETC_STATIC AND file MATCHES "^(.*)\\.so")
      set(archive ${CMAKE_MATCH_1}.a)
    endif()
  endforeach()
  if(archive AND EXISTS ${archive})
    target_include_directories(assetc_static_${name} SYSTEM INTERFACE $<TARGET_PROPERTY:${target},INTERFACE_INCLUDE_DIRECTORIES>)
    target_link_libraries(assetc_static_${name} INTERFACE ${archive})
  else()
    target_link_libraries(assetc_static_${name} INTERFACE ${target})
  endif()
endfunction()
