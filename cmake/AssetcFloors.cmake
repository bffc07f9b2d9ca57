# The floors of src/, lowest first: a number, then the folders on it. A folder includes only itself and lower floors.
# docs/architecture.md has the same numbers. The builds of src/ and tests/ and the test of this rule (tests/house) read
# this list.
include_guard()
set(ASSETC_FLOORS
  "0.1 base"
  "0.2 os"
  "1 formats process command_line compression crypto json parallel text warnings yaml http/curl"
  "1.1 codec/mesh/decode"
  "2.1 codec/block"
  "2.2 codec/transcode"
  "2.3 codec/encode/common"
  "2.4 codec/encode/rdo"
  "2.5 codec/encode/uastc codec/encode/bc codec/encode/etc codec/encode/etc1s"
  "3 scene identity runtime shader"
  "3.1 http"
  "4 filetypes"
  "5 animation mesh texture audio font export render"
  "5.1 import codec/mesh/encode"
  "6 recipes"
  "7 bundle convert ktx"
  "7.1 optimize"
  "8.1 engine/disk engine/http"
  "8.2 engine/config"
  "8.3 engine/target"
  "8.4 engine/state"
  "8.5 engine/store engine/publish"
  "8.6 engine/remote engine/plan"
  "8.7 engine/restore"
  "8.8 engine/run"
  "8.9 engine/look engine/meta engine/watch"
  "9 cli")
