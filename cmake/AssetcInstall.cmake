# Installs the libraries that engines link, their headers and a CMake package.
#   find_package(assetc REQUIRED)   assetc::formats, assetc::transcode and, where they were built, assetc::runtime,
#                                   assetc::http and assetc::c, the shared library of assetc/runtime.h, which is also pkg-config's assetc
include_guard(GLOBAL)
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/assetc)
set(installed assetc_base assetc_os assetc_formats assetc_transcode)
set(assetc_has_runtime OFF)
if(TARGET assetc_runtime)
  list(APPEND installed assetc_compression assetc_runtime)
  set(assetc_has_runtime ON)
endif()
set(assetc_has_http OFF)
if(TARGET assetc_http)
  list(APPEND installed assetc_curl assetc_http)
  set(assetc_has_http ON)
endif()
set(assetc_has_c OFF)
if(TARGET assetc_c)
  list(APPEND installed assetc_c)
  set(assetc_has_c ON)
  # Relative to the installed .pc file, so that the installed tree can be moved.
  file(RELATIVE_PATH pc_to_include /${CMAKE_INSTALL_LIBDIR}/pkgconfig /${CMAKE_INSTALL_INCLUDEDIR})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/assetc.pc.in ${PROJECT_BINARY_DIR}/assetc.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/assetc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
install(TARGETS ${installed} EXPORT assetc_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(EXPORT assetc_targets NAMESPACE assetc:: DESTINATION ${package_dir} FILE assetc-targets.cmake)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/assetc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/assetc-config.cmake.in ${PROJECT_BINARY_DIR}/assetc-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/assetc-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/assetc-config.cmake ${PROJECT_BINARY_DIR}/assetc-config-version.cmake
  ${PROJECT_SOURCE_DIR}/cmake/AssetcZstd.cmake ${PROJECT_SOURCE_DIR}/cmake/AssetcSodium.cmake
  DESTINATION ${package_dir})
if(EXISTS ${PROJECT_SOURCE_DIR}/docs/man/assetc.1)
  install(FILES ${PROJECT_SOURCE_DIR}/docs/man/assetc.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
