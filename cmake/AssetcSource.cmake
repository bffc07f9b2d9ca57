include_guard()

# assetc_source(<name> <file>): sets ASSETC_<NAME>_SOURCE to the folder of a library's pinned source, which has this file:
# the folder that the variable names, or what scripts/fetch-source unpacks. Empty if that fails; its message is above.
function(assetc_source name file)
  string(TOUPPER ${name} upper)
  set(variable ASSETC_${upper}_SOURCE)
  if(EXISTS "${${variable}}/${file}")
    return()
  endif()
  execute_process(
    COMMAND ${PROJECT_SOURCE_DIR}/scripts/fetch-source ${name}
    OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
  if(failed)
    set(folder "")
  endif()
  set(${variable} "${folder}" CACHE PATH "The source of ${name}, unpacked" FORCE)
endfunction()
