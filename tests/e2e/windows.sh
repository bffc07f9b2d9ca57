#!/usr/bin/env bash
# What people on Windows meet, tried with the compiler for Windows under wine.
#
#   tests/e2e/windows.sh build/windows-compiler/assetc.exe build/release/assetc FOLDER
#
# FOLDER is made anew. build/release has the same libraries, so the bytes of outputs are compared.
set -euo pipefail
exe=$(realpath "$1") native=$(realpath "$2") folder=$3
root=$(cd "$(dirname "$0")/../.." && pwd)
export ASSETC_CACHE=off
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
folder=$PWD

export WINEPREFIX=$folder/wine WINEDEBUG=-all
/usr/lib/wine/wine64 cmd /c exit 2>/dev/null  # the first start says much
windows() { /usr/lib/wine/wine64 "$exe" "$@"; }
fail() {
  printf 'windows.sh: %s\n' "$@" >&2
  exit 1
}
# Files of a folder with their bytes, except the records of builds.
listed() { (cd "$1" && find . -type f ! -path '*/.assetc*' -print0 | sort -z | xargs -0 sha256sum); }
same() { diff <(listed "$1") <(listed "$2") || fail "$1 and $2 have different bytes"; }
says() { grep -qF -- "$2" "$1" || { cat "$1" >&2; fail "expected \"$2\""; }; }

# The demo with its own settings, and the corpus of the tests in the formats of every encoder.
cp -r "$root"/examples/demo .
mkdir -p corpus/assets
cp -r "$root"/tests/data/corpus/{fonts,images,ktx2,models} corpus/assets
rm corpus/assets/fonts/blocks.otf  # it would have the outputs of blocks.ttf
# The build for Windows has no libastcenc, so the corpus has no outputs of it.
for format in demo auto uastc bc7 bc6h bc3 etc2 rgba16f; do
  if [ $format = demo ]; then cd "$folder"/demo; else cd "$folder"/corpus; fi
  if [ $format != demo ]; then echo "default: {texture: {format: $format}}" >assetc.yml; fi
  rm -rf linux windows
  "$native" -q --no-cache -o linux 2>linux.log || { cat linux.log >&2; fail "the build on Linux failed"; }
  windows -q --no-cache -o windows 2>windows.log || { cat windows.log >&2; fail "the build failed"; }
  same linux windows
  diff linux.log <(tr -d '\r' <windows.log) || fail "the messages differ"
done
echo "the demo and the corpus compile to the same bytes"

# A second build does nothing, a changed source builds its output again, and only that.
cd "$folder"/demo
windows -q -o out
windows -o out >again.log 2>&1
says again.log "0 built"
before=$(listed out)
cp assets/ui/*.png other.png 2>/dev/null || true
source=$(cd assets && echo ui/*.png | cut -d' ' -f1)
cp assets/decals/leaf.png assets/"$source"
windows -o out >changed.log 2>&1
says changed.log "1 built"
[ "$(diff <(echo "$before") <(listed out) | grep -c '^>')" = 1 ] || fail "expected one changed output"

# A broken source is an error, and its last good output stays.
good=$(listed out)
head -c 100 assets/decals/leaf.png >assets/"$source"
if windows -o out >broken.log 2>&1; then fail "a broken source was no error"; fi
says broken.log "$source"
[ "$good" = "$(listed out)" ] || fail "a broken source changed outputs"
cp assets/decals/leaf.png assets/"$source"

# A build that is killed leaves no half outputs; the next build has the right bytes.
"$native" -q --no-cache -o linux
for seconds in 0.3 0.6 0.9; do
  rm -rf killed
  (timeout -s KILL "$seconds" /usr/lib/wine/wine64 "$exe" -q -o killed || true) 2>/dev/null
  windows -q -o killed
  same linux killed
  [ -z "$(find killed -name '.assetc-tmp.*')" ] || fail "temporary files are left"
done

# Paths as they are written on Windows.
drive() { printf 'Z:%s' "${1//\//\\}"; }
windows -q -o '..\backslash' >paths.log 2>&1
same linux ../backslash
windows -q -o "$(drive "$folder")\\drive" >>paths.log 2>&1
same linux ../drive
windows info "$(drive "$folder")\\drive\\ui" >info.log
says info.log "$(basename "$source" .png).ktx2"
mkdir 'Zeichen äöü 東'
cp assets/decals/leaf.png 'Zeichen äöü 東/Blatt ß.png'
windows convert 'Zeichen äöü 東\Blatt ß.png' 'Zeichen äöü 東\neu ü.ktx2' >>paths.log
[ -f 'Zeichen äöü 東/neu ü.ktx2' ] || fail "an output with letters beyond ASCII is missing"

# Names that differ for identities only in letters are spelled as on Linux.
leaf=$root/examples/demo/assets/decals/leaf.png
cd "$folder"
mkdir -p names/assets
for name in 'Straße.png' 'Ünïcode.png' '東京.png' 'สวัสดี.png' 'Ελλάδα.png' 'Привет.png'; do
  cp "$leaf" names/assets/"$name"
done
cd names
"$native" -q --no-cache -o linux
windows -q --no-cache -o windows
same linux windows
[ "$(find windows -name '*.ktx2' | wc -l)" = 6 ] || fail "expected six outputs"

# A cook: the same UUIDs, registry and files.
for system in linux windows; do
  mkdir -p "$folder"/cook-$system
  cp -r "$root"/examples/demo/assets "$folder"/cook-$system/Assets
  cd "$folder"/cook-$system
  if [ $system = linux ]; then "$native" cook -q --platform Win64; else windows cook -q --platform Win64; fi
done
same ../cook-linux/Assets ../cook-windows/Assets
same ../cook-linux/build/Cooked ../cook-windows/build/Cooked

# Line ends and a byte order mark of editors for Windows.
cp -r "$folder"/demo/assets "$folder"/crlf-assets
mkdir "$folder"/crlf
mv "$folder"/crlf-assets "$folder"/crlf/assets
cd "$folder"/crlf
find assets -name '*.meta' -exec sed -i 's/$/\r/' {} +
find assets -name '*.mat' -exec sed -i 's/$/\r/' {} +
{ printf '\xef\xbb\xbf' && sed 's/$/\r/' "$root"/examples/demo/assetc.yml; } >assetc.yml
"$native" -q --no-cache -o linux
windows -q --no-cache -o windows
same linux windows

# A read-only output is replaced.
cd "$folder"/demo
chmod a-w out/ui/*
cp "$root"/examples/demo/assets/"$source" assets/"$source"
windows -q -o out
"$native" -q --no-cache -o linux
same linux out

# A watch builds what is saved, and there is one watch of an output.
until_says() {  # FILE TEXT: waits, but not forever
  for ((i = 0; i < 600; ++i)); do
    if grep -qF -- "$2" "$1"; then return; fi
    sleep 0.1
  done
  says "$1" "$2"
}
: >watch.log
/usr/lib/wine/wine64 "$exe" watch -o out >watch.log 2>&1 &
watch=$!
trap 'kill -9 $watch 2>/dev/null || true' EXIT
until_says watch.log '\\.\pipe\assetc-'
cp "$leaf" assets/"$source"
until_says watch.log "1 built"  # the first build may have seen the change
: >watch.log
cp "$root"/examples/demo/assets/"$source" assets/"$source"
until_says watch.log "1 built"
if windows watch -o out >second.log 2>&1; then fail "a second watch of an output was no error"; fi
says second.log "another watch of this output is running"
kill -9 $watch
wait $watch 2>/dev/null || true
trap - EXIT

# Names of devices are errors with a place.
cd "$folder"
mkdir -p devices/assets
cp "$leaf" devices/assets/aux.png
cd devices
if windows -o out >devices.log 2>&1; then fail "the name of a device was no error"; fi
says devices.log "Windows does not allow this name"
echo "paths, changed, broken and read-only files behave as documented"
