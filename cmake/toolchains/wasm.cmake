# WebAssembly with WASI, with Debian's Clang 19, libc++ and wasi-libc; programs run in Node.js. No threads, no
# exceptions.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_CXX_FLAGS_INIT "-stdlib=libc++ -fno-exceptions -fno-rtti")
# For GoogleTest.
string(APPEND CMAKE_CXX_FLAGS_INIT " -DGTEST_HAS_PTHREAD=0 -DGTEST_HAS_DEATH_TEST=0 -DGTEST_HAS_STREAM_REDIRECTION=0"
  " -D_WASI_EMULATED_GETPID -D_WASI_EMULATED_SIGNAL")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-lwasi-emulated-getpid -lwasi-emulated-signal -Wl,-z,stack-size=1048576")
set(CMAKE_EXECUTABLE_SUFFIX .wasm)
set(CMAKE_CROSSCOMPILING_EMULATOR node;--no-warnings;${CMAKE_CURRENT_LIST_DIR}/run-wasm.cjs)
