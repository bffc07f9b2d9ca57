// Where the tests find their files and the built command. CMake writes places.cpp: if these paths were definitions of
// every test, a compiler cache would compile all tests again in another clone.
#pragma once

namespace assetc::places {

extern const char* const kSource;   // the root of this project
extern const char* const kBinary;   // the root of its build
extern const char* const kCorpus;   // a folder with more test files, laid out as tests/data/corpus; may be missing
extern const char* const kProgram;  // the command; empty in builds without it

}  // namespace assetc::places
