# Settings of CPack for scripts/package: a Debian package, and an archive of the same tree.
include_guard(GLOBAL)

# Completions for the shells that Debian's packages support.
if(TARGET assetc AND NOT CMAKE_CROSSCOMPILING)
  set(completions)
  foreach(item IN ITEMS bash:assetc zsh:_assetc fish:assetc.fish)
    string(REPLACE ":" ";" pair ${item})
    list(GET pair 0 shell)
    list(GET pair 1 file)
    set(output ${PROJECT_BINARY_DIR}/completions/${shell}/${file})
    add_custom_command(OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/completions/${shell}
      COMMAND assetc completion ${shell} > ${output}
      DEPENDS assetc VERBATIM)
    list(APPEND completions ${output})
  endforeach()
  add_custom_target(completions ALL DEPENDS ${completions})
  install(FILES ${PROJECT_BINARY_DIR}/completions/bash/assetc DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${PROJECT_BINARY_DIR}/completions/zsh/_assetc DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES ${PROJECT_BINARY_DIR}/completions/fish/assetc.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
# The page of `assetc view`, if scripts/build-web has built it.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/build/web/page DESTINATION ${CMAKE_INSTALL_DATADIR}/assetc OPTIONAL)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/assetc RENAME copyright)
install(FILES ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/assetc)

set(CPACK_PACKAGE_NAME assetc)
set(CPACK_PACKAGE_VENDOR "the assetc authors")
set(CPACK_PACKAGE_CONTACT "the assetc authors <assetc@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "asset compiler for games, and the library that loads what it makes")
set(CPACK_PACKAGE_DESCRIPTION "Compiles pictures, models, materials, shaders and sounds to files that
engines map and use as they are, incrementally and the same on every
machine. With the static libraries, the shared one and the headers that
load them.")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
# libcurl is for shared caches. The others are the public dependencies of the runtime, which users of the libraries
# link.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libcurl4, libzstd-dev, libsodium-dev")
include(CPack)
