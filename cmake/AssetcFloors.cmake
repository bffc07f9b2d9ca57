# The floors of the house, lowest first, folders on one floor in one item: a folder includes itself and lower floors only.
# What builds src/, tests/ and checks the rule (tests/house) reads this list.
include_guard()
set(ASSETC_FLOORS
  "base"
  "os"
  "formats process compression crypto"
  "codec/block"
  "codec/transcode"
  "codec/encode/common"
  "codec/encode/uastc codec/encode/bc codec/encode/etc"
  "scene identity runtime shader"
  "filetypes"
  "import mesh texture audio export render"
  "recipes"
  "bundle"
  "engine convert"
  "cli")
