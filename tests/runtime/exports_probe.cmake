# cmake -DNM=nm -DFILE=libX.so -P exports_probe.cmake: fails if the library exports symbols of assetc.
execute_process(COMMAND ${NM} --dynamic --defined-only --demangle ${FILE} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
if(NOT symbols MATCHES "exports_probe")
  message(FATAL_ERROR "${FILE} does not export its own function:\n${symbols}")
endif()
# Ignores functions of the standard library that are instantiated with our types, such as the start of a thread.
string(REGEX MATCHALL "[^\n]* [A-Za-z] (typeinfo for |typeinfo name for |vtable for |guard variable for )?assetc[^\n]*" ours
  "${symbols}")
if(ours)
  list(LENGTH ours count)
  list(GET ours 0 first)
  message(FATAL_ERROR "${FILE} exports ${count} symbols of assetc, expected none; the first one: ${first}")
endif()
