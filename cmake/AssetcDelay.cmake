# Delayed libraries: a program loads them when it first calls one of their functions, instead of when it starts. The
# reasons are in docs/decisions/0009-rarely-used-libraries-load-at-their-first-call.md.
include_guard()
set(delay_works OFF)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|aarch64)$")
  set(delay_works ON)
endif()
option(ASSETC_DELAY "Load rarely used libraries when they are first called; x86-64 and ARM64 Linux" ${delay_works})
if(ASSETC_DELAY)
  enable_language(ASM)
endif()
file(WRITE ${PROJECT_BINARY_DIR}/delayed/libraries "")

# assetc_shared_file(<out> <target>): the file of a shared library: the one that an imported target is, else the first
# one that it links, as targets of pkg-config do. Empty if there is none.
function(assetc_shared_file out target)
  set(files)
  foreach(property IN ITEMS IMPORTED_LOCATION IMPORTED_LOCATION_RELEASE IMPORTED_LOCATION_RELWITHDEBINFO IMPORTED_LOCATION_NONE
      INTERFACE_LINK_LIBRARIES)
    get_target_property(found ${target} ${property})
    list(APPEND files ${found})
  endforeach()
  list(FILTER files INCLUDE REGEX "\\.so[0-9.]*$")
  set(file "")
  if(files)
    list(GET files 0 file)
  endif()
  set(${out} "${file}" PARENT_SCOPE)
endfunction()

# assetc_delayed(<target> <expression>): makes assetc_delayed_<name>, with the same headers as <target>, a shared library
# with the name <namespace>::<name>. The expression selects the functions, which must be functions of C, or of C++ that
# throw nothing. Without ASSETC_DELAY, or if <target> is no shared library, links <target> as it is.
function(assetc_delayed target expression)
  string(REGEX REPLACE ".*::" "" name ${target})
  if(TARGET assetc_delayed_${name})
    return()
  endif()
  assetc_shared_file(file ${target})
  if(NOT ASSETC_DELAY OR NOT file)
    add_library(assetc_delayed_${name} INTERFACE)
    target_link_libraries(assetc_delayed_${name} INTERFACE ${target})
    return()
  endif()
  execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${file} OUTPUT_VARIABLE headers COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "SONAME +([^\n ]+)" found "${headers}")
  set_property(GLOBAL APPEND PROPERTY ASSETC_DELAYED_LIBRARIES "${name}=${CMAKE_MATCH_1}")  # for assetc doctor
  set(lines "#include \"os/delay/function.inc\"\nlibrary \"${CMAKE_MATCH_1}\"\n")
  execute_process(COMMAND ${CMAKE_NM} -D --defined-only ${file} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL " [TWi] [^\n@]+" symbols "${symbols}")
  list(TRANSFORM symbols REPLACE " [TWi] " "")
  list(REMOVE_DUPLICATES symbols)
  list(FILTER symbols INCLUDE REGEX ${expression})
  foreach(symbol IN LISTS symbols)
    string(APPEND lines "function ${symbol}\n")
  endforeach()
  set(source ${PROJECT_BINARY_DIR}/delayed/${name}.S)
  file(CONFIGURE OUTPUT ${source} CONTENT "${lines}" @ONLY)  # writes only what changes
  add_library(assetc_delayed_${name} STATIC ${source})
  target_include_directories(assetc_delayed_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  # Its headers, and those of the targets that it links.
  get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
  foreach(linked IN ITEMS ${target} LISTS links)
    if(TARGET ${linked})
      target_include_directories(assetc_delayed_${name} SYSTEM INTERFACE $<TARGET_PROPERTY:${linked},INTERFACE_INCLUDE_DIRECTORIES>)
      target_compile_definitions(assetc_delayed_${name} INTERFACE $<TARGET_PROPERTY:${linked},INTERFACE_COMPILE_DEFINITIONS>)
    endif()
  endforeach()
  target_link_options(assetc_delayed_${name} INTERFACE -Wl,--gc-sections)
  target_link_libraries(assetc_delayed_${name} PRIVATE assetc_os)
  file(APPEND ${PROJECT_BINARY_DIR}/delayed/libraries "${file}\n")  # for scripts/package
endfunction()
