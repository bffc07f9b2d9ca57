#!/usr/bin/env bash
# Installs the files of a release on systems that have nothing of this machine, and uses them there.
#
#   tests/release/check.sh build/dist [NAME...]     NAME: archive, debian, sdk, wheel, npm, windows, signature
#
# The roots of Debian 11 (the oldest that the mirrors have; glibc 2.31) and 12 are made by debootstrap in build/roots,
# once. Needs root for chroot, debootstrap, wine64 and npm.
set -euo pipefail
dist=$(realpath "$1")
cd "$(dirname "$0")/../.."
root=$PWD
names=("${@:2}")
[ ${#names[@]} -gt 0 ] || names=(signature archive debian sdk wheel npm windows)
work=$root/build/release-check
rm -rf "$work"
mkdir -p "$work" build/roots
fail() {
  printf 'release check: %s\n' "$@" >&2
  exit 1
}
one() {
  local found=("$dist"/$1)
  [ -f "${found[0]}" ] && [ ${#found[@]} = 1 ] || fail "expected one file $1 in $dist, found ${found[*]}"
  echo "${found[0]}"
}

# fresh NAME SUITE [PACKAGE...]: a copy of a root of the suite with these packages; prints its folder.
fresh() {
  local suite=$2 base=$root/build/roots/$2-$(printf '%s ' "${@:3}" | sha256sum | cut -c1-8)
  if [ ! -d "$base" ]; then
    local mirror
    mirror=$(scripts/apt-entry deb "$suite" | grep -oE 'https?://[^ ]+' | head -n 1)
    debootstrap --variant=minbase --include="$(IFS=,; set -- ca-certificates "${@:3}"; echo "$*")" "$suite" "$base.new" "$mirror" >"$base.log" 2>&1 ||
      { tail -n 20 "$base.log" >&2; fail "debootstrap could not make $suite"; }
    mv "$base.new" "$base"
  fi
  local copy=$work/$1
  rm -rf "$copy"
  cp -a "$base" "$copy"
  echo "$copy"
}
# in_root FOLDER COMMAND...
in_root() {
  local folder=$1
  unshare --mount bash -c 'mount --bind /proc "$0/proc" && mount --bind /dev "$0/dev" && exec chroot "$0" "$@"' "$folder" /usr/bin/env -i \
    PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/root LC_ALL=C.UTF-8 "${@:2}"
}
project() { mkdir -p "$1" && cp -r examples/demo/assets examples/demo/assetc.yml "$1"; }

check_signature() {
  (cd "$dist" && sha256sum --check --quiet --strict SHA256SUMS) || fail "a file is not the one in SHA256SUMS"
  local file
  for file in "$dist"/*; do
    case ${file##*/} in SHA256SUMS*) ;; *) grep -qF "  ${file##*/}" "$dist/SHA256SUMS" || fail "SHA256SUMS does not name ${file##*/}" ;; esac
  done
  if [ -n "${ASSETC_RELEASE_KEY:-}" ]; then
    echo "assetc $(cat "$ASSETC_RELEASE_KEY.pub")" >"$work/allowed_signers"
    ssh-keygen -q -Y verify -f "$work/allowed_signers" -I assetc -n assetc -s "$dist/SHA256SUMS.sig" <"$dist/SHA256SUMS" >/dev/null ||
      fail "the signature is wrong"
    if ssh-keygen -q -Y verify -f "$work/allowed_signers" -I assetc -n assetc -s "$dist/SHA256SUMS.sig" <<<"other" >/dev/null 2>&1; then
      fail "the signature also fits other bytes"
    fi
  fi
  echo "SHA256SUMS names and fits all files"
}

check_archive() {
  local folder
  folder=$(fresh archive bullseye)
  mkdir "$folder/opt/assetc"
  tar -C "$folder/opt/assetc" --strip-components=1 -xzf "$(one 'assetc-[0-9]*-linux-amd64.tar.gz')"
  project "$folder/root/demo"
  in_root "$folder" sh -ec 'cd /root/demo && export PATH=/opt/assetc/bin:$PATH && assetc -q --pack --verify && assetc check &&
    assetc view --export /root/page && assetc new /root/game && cd /root/game && assetc -q && assetc doctor'
  [ -f "$folder/root/page/index.html" ] || fail "assetc view --export made no page"
  echo "the archive compiles, packs, checks and shows the demo on Debian 11"
}

check_debian() {
  local folder
  folder=$(fresh debian bookworm)
  cp "$(one 'assetc_*_amd64.deb')" "$folder/root/"
  in_root "$folder" sh -ec 'apt-get -qq update && apt-get -qq install --yes --no-install-recommends /root/assetc_*.deb >/dev/null'
  project "$folder/root/demo"
  in_root "$folder" sh -ec 'cd /root/demo && assetc -q --pack --verify && assetc check && assetc view --export /root/page && assetc doctor'
  in_root "$folder" sh -ec 'apt-get -qq remove --yes assetc >/dev/null && ! command -v assetc'
  echo "the Debian package installs, compiles, and can be removed on Debian 12"
}

check_sdk() {
  local folder
  folder=$(fresh sdk bookworm g++ cmake ninja-build)
  mkdir "$folder/opt/sdk"
  (cd "$folder/opt/sdk" && cmake -E tar xf "$(one 'assetc-sdk-*-linux-amd64.zip')" && mv assetc-sdk-*/* .)
  cp -r examples "$folder/root/"
  in_root "$folder" sh -ec 'cd /root && for one in engine c; do cmake -G Ninja -S examples/$one -B build-$one -DCMAKE_PREFIX_PATH=/opt/sdk >/dev/null; ninja -C build-$one >/dev/null; done'
  (cd examples/demo && "$root"/build/release/assetc -q -o "$folder/root/runtime")
  in_root "$folder" sh -ec 'cd /root && LD_LIBRARY_PATH=/opt/sdk/lib build-engine/engine runtime 262144 && LD_LIBRARY_PATH=/opt/sdk/lib build-c/assets runtime ui/button.ktx2 | head -n 3'
  echo "examples/engine and examples/c build against the SDK on Debian 12, and load the demo"
}

check_wheel() {
  local folder
  folder=$(fresh wheel bullseye python3-pip python3-numpy)
  cp "$(one '*manylinux*x86_64.whl')" "$folder/root/"
  cp tests/interop/wheel.py "$folder/root/"
  project "$folder/root/demo"
  in_root "$folder" sh -ec 'pip3 install --quiet --no-index /root/*.whl && cd /root/demo && assetc -q --pack && python3 -m assetc check &&
    python3 /root/wheel.py runtime/desktop.hpack ui/button.ktx2 && pip3 uninstall --quiet --yes assetc && hash -r && ! command -v assetc'
  echo "the wheel installs with pip on Debian 11, compiles, and gives NumPy views"
}

check_npm() {
  mkdir "$work/npm"
  (cd "$work/npm" && echo '{"private": true}' >package.json &&
    npm install --offline --no-audit --no-fund --silent "$(one 'assetc-[0-9]*.[0-9].tgz')" "$(one 'assetc-linux-x64-*.tgz')" &&
    npx --offline assetc --version && npx --offline assetc new game --for web && cd game && npx --offline assetc -q &&
    npx --offline assetc view --export page)
  [ -f "$work/npm/game/page/index.html" ] || fail "npx assetc view --export made no page"
  echo "the npm packages install in an empty folder, compile, and show"
}

check_windows() {
  mkdir "$work/windows"
  (cd "$work/windows" && cmake -E tar xf "$(one 'assetc-[0-9]*-windows-amd64.zip')")
  tests/e2e/windows.sh "$work"/windows/assetc-*/bin/assetc.exe build/release/assetc "$work/windows-tests"
  tests/e2e/installer.sh "$(one '*-windows-setup.exe')" "$work/installer"
}

for name in "${names[@]}"; do
  echo "== $name"
  "check_$name"
done
