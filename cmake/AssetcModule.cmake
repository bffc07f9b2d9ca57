# A folder of src/ is a static library (the codec is two); its tests are in tests/<folder>.
include_guard()

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
# A shared library that links these exports only what its own sources export, and none of our symbols.
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

add_library(assetc_options INTERFACE)
target_compile_options(assetc_options INTERFACE
  -Wall -Wextra -Wshadow
  # The same bits on every machine: no fused multiply-add unless a source requests one.
  -ffp-contract=off
  -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms of the optimizer at -O3: GCC bugs 105651 (operator+ of strings) and 105329 (copies of vectors).
  target_compile_options(assetc_options INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12's vectorizer of straight-line code replaces double(float(x)) with x: spheres came out different on ARM64.
  target_compile_options(assetc_options INTERFACE -fno-tree-slp-vectorize)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # libstdc++'s stable_sort uses a function that libstdc++ deprecates, and Clang reports it in the callers. GCC still
  # reports our own uses of deprecated functions.
  target_compile_options(assetc_options INTERFACE -Wno-deprecated-declarations)
endif()
if(ASSETC_WERROR)
  target_compile_options(assetc_options INTERFACE -Werror)
endif()
if(ASSETC_SANITIZE)
  target_compile_options(assetc_options INTERFACE -fsanitize=${ASSETC_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(ASSETC_SANITIZE MATCHES "undefined")
    # Using a null pointer ends the program anyway; a check before each use costs a fifth of the compile time.
    target_compile_options(assetc_options INTERFACE -fno-sanitize=null,vptr)
  endif()
  target_link_options(assetc_options INTERFACE -fsanitize=${ASSETC_SANITIZE})
endif()
if(ASSETC_COVERAGE)
  target_compile_options(assetc_options INTERFACE -fprofile-instr-generate -fcoverage-mapping)
  target_link_options(assetc_options INTERFACE -fprofile-instr-generate)
endif()
target_include_directories(assetc_options INTERFACE ${PROJECT_SOURCE_DIR}/src)

# assetc_unity(<target> <values>...): joins the sources of the target if ASSETC_UNITY is one of the values. Up to 40
# sources then compile their shared headers and templates once. Names in anonymous namespaces must differ within a
# folder. The properties of CMake's unity builds apply; assetc_join_sources() makes the joined sources.
function(assetc_unity target)
  if(ASSETC_UNITY IN_LIST ARGN)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 40)
    assetc_join_later(${target})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # GCC treats a source that another source includes as a header, and warns of classes with members of anonymous
      # namespaces.
      target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
      # Without collecting garbage, GCC takes an eighth less time and two fifths more memory, at most 2 GB.
      target_compile_options(${target} PRIVATE "SHELL:--param ggc-min-heapsize=4000000")
    endif()
    if(MINGW)
      target_compile_options(${target} PRIVATE -Wa,-mbig-obj)  # one section per template; COFF allows 2^15
    endif()
  endif()
endfunction()

# assetc_join_later(<target>): assetc_join_sources() joins the sources of the target, which has the property UNITY_BUILD.
function(assetc_join_later target)
  set_property(GLOBAL APPEND PROPERTY ASSETC_JOINED_TARGETS ${target})
endfunction()

# assetc_join_sources(): joins sources as CMake does, but the joined sources include the others relative to src/ or
# tests/. CMake's have absolute paths, so that a compiler cache takes the same sources in two clones for different
# ones. Call it last: functions such as assetc_hot() change the sources of targets.
function(assetc_join_sources)
  get_property(targets GLOBAL PROPERTY ASSETC_JOINED_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(joins ${target} UNITY_BUILD)
    if(joins)
      assetc_join_sources_of(${target})
    endif()
  endforeach()
endfunction()

function(assetc_join_sources_of target)
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(binary_folder ${target} BINARY_DIR)
  get_target_property(mode ${target} UNITY_BUILD_MODE)
  get_target_property(batch_size ${target} UNITY_BUILD_BATCH_SIZE)
  set(kept)
  set(groups)
  set(in_batches 0)
  foreach(source IN LISTS sources)
    set(file ${source})
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${folder} NORMALIZE)
    set(relative ${file})
    cmake_path(RELATIVE_PATH relative BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    set(alone OFF)
    if(source MATCHES "^\\$<" OR NOT relative MATCHES "^(src|tests)/.*\\.cpp$")
      set(alone ON)
    endif()
    foreach(property IN ITEMS SKIP_UNITY_BUILD_INCLUSION COMPILE_OPTIONS)
      get_source_file_property(value ${file} TARGET_DIRECTORY ${target} ${property})
      if(value)
        set(alone ON)
      endif()
    endforeach()
    set(group "")
    if(mode STREQUAL "GROUP")
      get_source_file_property(group ${file} TARGET_DIRECTORY ${target} UNITY_GROUP)
      if(NOT group)
        set(alone ON)
      endif()
    elseif(NOT alone)
      math(EXPR group "${in_batches} / ${batch_size}")
      math(EXPR in_batches "${in_batches} + 1")
    endif()
    if(alone)
      list(APPEND kept ${source})
    else()
      string(MAKE_C_IDENTIFIER "_${group}" group)
      list(APPEND groups ${group})
      string(REGEX REPLACE "^(src|tests)/" "" relative ${relative})
      string(APPEND text${group} "#include \"${relative}\"\n")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES groups)
  foreach(group IN LISTS groups)
    set(joined ${binary_folder}/joined/${target}${group}.cpp)
    file(CONFIGURE OUTPUT ${joined} CONTENT "${text${group}}" @ONLY)  # writes only what changes
    list(APPEND kept ${joined})
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${kept}" UNITY_BUILD OFF)
endfunction()

# assetc_module(<name> [ROOMS folders...] [PUBLIC targets...] [PRIVATE targets...])
# Builds the *.cpp of this folder, or of the subfolders (rooms) named, as assetc_<name>, alias assetc::<name>.
function(assetc_module name)
  cmake_parse_arguments(arg "" "" "ROOMS;PUBLIC;PRIVATE" ${ARGN})
  if(NOT arg_ROOMS)
    set(arg_ROOMS .)
  endif()
  set(sources)
  foreach(room IN LISTS arg_ROOMS)
    file(GLOB found CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${room}/*.cpp)
    list(APPEND sources ${found})
  endforeach()
  add_library(assetc_${name} STATIC ${sources})
  add_library(assetc::${name} ALIAS assetc_${name})
  assetc_unity(assetc_${name} all)
  set_target_properties(assetc_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(assetc_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_compile_features(assetc_${name} PUBLIC cxx_std_23)
  target_link_libraries(assetc_${name}
    PUBLIC ${arg_PUBLIC}
    PRIVATE $<BUILD_INTERFACE:assetc_options> ${arg_PRIVATE})
  if(ASSETC_FUZZ)
    target_compile_options(assetc_${name} PRIVATE -fsanitize=fuzzer-no-link)  # libFuzzer sees which branches are taken
  endif()
endfunction()

# assetc_sections(<modules>...): puts each function and table into a section of its own. A program that is linked with
# --gc-sections has only those that it uses.
function(assetc_sections)
  foreach(name IN LISTS ARGN)
    target_compile_options(assetc_${name} PRIVATE -ffunction-sections -fdata-sections)
  endforeach()
endfunction()

# assetc_cold(<level> <modules>...): compiles modules whose own code takes no time that a user notices with this
# optimization level in the release build. Compiling them takes up to two fifths less time.
function(assetc_cold level)
  foreach(name IN LISTS ARGN)
    target_compile_options(assetc_${name} PRIVATE $<$<CONFIG:Release>:${level}>)
  endforeach()
endfunction()

# assetc_hot(<module> <sources>...): compiles these sources of a module for speed, whatever the level of the others.
function(assetc_hot name)
  get_target_property(sources assetc_${name} SOURCES)
  set(hot)
  foreach(source IN LISTS ARGN)
    list(FILTER sources EXCLUDE REGEX "/${source}$")
    list(APPEND hot ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  endforeach()
  set_property(TARGET assetc_${name} PROPERTY SOURCES ${sources})
  assetc_part(${name} hot ${hot})
  target_compile_options(assetc_${name}_hot PRIVATE -O3 -fno-math-errno -fno-trapping-math)
endfunction()

# assetc_part(<module> <part> <sources>...): compiles these sources of a module as a target of its own,
# assetc_<module>_<part>, because a source with options of its own cannot be part of a joined source.
function(assetc_part name part)
  set(target assetc_${name}_${part})
  add_library(${target} OBJECT ${ARGN})
  target_sources(assetc_${name} PRIVATE $<TARGET_OBJECTS:${target}>)
  assetc_unity(${target} all)
  target_compile_features(${target} PRIVATE cxx_std_23)
  target_include_directories(${target} PRIVATE $<TARGET_PROPERTY:assetc_${name},INCLUDE_DIRECTORIES>)
  target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:assetc_${name},COMPILE_DEFINITIONS>)
  target_compile_options(${target} PRIVATE $<TARGET_PROPERTY:assetc_${name},COMPILE_OPTIONS>)
endfunction()

# assetc_unoptimized(<modules>...): compiles modules without optimization outside of the release build. With sanitizers
# that takes a third of the time, because they add code that the optimizer would have to process.
function(assetc_unoptimized)
  foreach(name IN LISTS ARGN)
    target_compile_options(assetc_${name} PRIVATE $<$<NOT:$<CONFIG:Release>>:-O0>)
  endforeach()
endfunction()

# assetc_optional(<module> <option> <source> [libraries...])
# If the option is off, without/<source> replaces <source>: its error message names the library that the build lacks.
# Only the part assetc_<module>_optional sees options and libraries, so that the rest of a module is the same without them.
function(assetc_optional name option source)
  get_target_property(sources assetc_${name} SOURCES)
  set(chosen ${sources})
  list(FILTER chosen INCLUDE REGEX "/${source}$")
  list(FILTER sources EXCLUDE REGEX "/${source}$")
  set_property(TARGET assetc_${name} PROPERTY SOURCES ${sources})
  if(NOT TARGET assetc_${name}_optional)
    assetc_part(${name} optional)
  endif()
  if(NOT ${option})
    set(chosen ${CMAKE_CURRENT_SOURCE_DIR}/without/${source})
  endif()
  target_sources(assetc_${name}_optional PRIVATE ${chosen})
  if(${option})
    foreach(library IN LISTS ARGN)
      target_link_libraries(assetc_${name}_optional PRIVATE ${library})
      target_link_libraries(assetc_${name} INTERFACE $<LINK_ONLY:${library}>)
    endforeach()
  endif()
endfunction()

# assetc_test(<folder> [libraries...]): builds tests/<folder>/*_test.cpp as one program, test_<folder>.
function(assetc_test name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*_test.cpp)
  if(NOT sources)
    return()
  endif()
  string(REPLACE "/" "_" target test_${name})
  add_executable(${target} ${sources})
  target_link_libraries(${target} PRIVATE assetc_options assetc_test_places ${ARGN} GTest::gmock GTest::gtest_main)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  assetc_unity(${target} tests all)
  # Tests need not be fast: compiling them at -O1 takes GCC 1.5 times as long as at -O0, and Clang with sanitizers twice
  # as long. GCC 12 for mingw-w64 defines std::type_info::operator== a second time at -O0.
  if(MINGW)
    target_compile_options(${target} PRIVATE -O1)
  else()
    target_compile_options(${target} PRIVATE -O0)
  endif()
  if(ASSETC_SANITIZE MATCHES "undefined")
    # These checks cost a third of the time; the modules keep them.
    target_compile_options(${target} PRIVATE -fno-sanitize=alignment,pointer-overflow)
  endif()
  add_test(NAME ${name} COMMAND ${target})
endfunction()

# assetc_fuzz(<name> libraries...): builds fuzz/<name>_fuzz.cpp as fuzz_<name>.
function(assetc_fuzz name)
  add_executable(fuzz_${name} ${CMAKE_CURRENT_SOURCE_DIR}/${name}_fuzz.cpp)
  target_link_libraries(fuzz_${name} PRIVATE assetc_options ${ARGN})
  target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer-no-link)
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
endfunction()
