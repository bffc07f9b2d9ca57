#!/usr/bin/env bash
# Installs the compiler for Windows with its installer under wine: over itself, beside a long PATH and files of a person,
# and removes it again.
#
#   tests/e2e/installer.sh build/packages/windows-amd64/assetc-VERSION-windows-setup.exe FOLDER
#
# FOLDER is made anew.
set -euo pipefail
setup=$(realpath "$1") folder=$2
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
export WINEPREFIX=$PWD/wine WINEDEBUG=-all
wine() { /usr/lib/wine/wine64 "$@" 2>/dev/null; }
fail() {
  printf 'installer.sh: %s\n' "$@" >&2
  exit 1
}
wine cmd /c exit
# Longer than 1024 characters, which is the longest text of many installers.
before=$(for i in {1000..1200}; do printf 'C:\\tools\\folder%s;' "$i"; done)'%USERPROFILE%\bin'
wine reg add 'HKCU\Environment' /v Path /t REG_EXPAND_SZ /d "$before" /f >/dev/null
path() { wine reg query 'HKCU\Environment' /v Path | tr -d '\r' | sed -n 's/.*REG_EXPAND_SZ *//p'; }
[ "$(path)" = "$before" ] || fail "wine does not keep a long PATH"
installed='C:\users\'$(id -un)'\AppData\Local\Programs\assetc'
here=$WINEPREFIX/drive_c/users/$(id -un)/AppData/Local/Programs/assetc

for time in first second; do
  wine "$setup" /S || fail "the $time installation failed"
  [ "$(path)" = "$before;$installed\\bin" ] || fail "after the $time installation, PATH is $(path)"
  [ -f "$here/bin/assetc.exe" ] || fail "found no assetc.exe after the $time installation"
  [ -f "$here/share/assetc/page/index.html" ] || fail "found no page of assetc view after the $time installation"
done
[[ $(wine "$here/bin/assetc.exe" --version) == assetc\ * ]] || fail "the installed assetc.exe does not start"

echo mine >"$here/mine.txt"
wine "$here/uninstall.exe" /S "_?=$installed" || fail "the uninstaller failed"
[ "$(path)" = "$before" ] || fail "after the uninstallation, PATH is $(path)"
[ "$(cd "$here" && find . -type f | sort | paste -sd ' ')" = "./mine.txt ./uninstall.exe" ] ||
  fail "after the uninstallation, there are $(cd "$here" && find . -type f | head -n 5 | paste -sd ' ')"
! wine reg query 'HKCU\Software\assetc' >/dev/null || fail "the uninstaller left a key in the registry"

# In the middle of PATH, and another folder. The PATH is short, because wine gives processes 1024 characters of it.
wine reg add 'HKCU\Environment' /v Path /t REG_EXPAND_SZ /d 'C:\a' /f >/dev/null
# These arguments must not be in quotes, which wine puts around spaces, so a batch file has them.
cp "$setup" "$WINEPREFIX/drive_c/setup.exe"
batch() {
  printf '%s\r\n' "$1" >"$WINEPREFIX/drive_c/run.bat"
  wine cmd /c 'C:\run.bat'
}
batch 'C:\setup.exe /S /D=C:\my tools\assetc' >/dev/null || fail "the installation to another folder failed"
[ -f "$WINEPREFIX/drive_c/my tools/assetc/bin/assetc.exe" ] || fail "found no assetc.exe in another folder"
[[ $(wine cmd /c 'assetc --version') == assetc\ * ]] || fail "assetc is not on the path of a new process"
wine reg add 'HKCU\Environment' /v Path /t REG_EXPAND_SZ /d 'C:\a;C:\My Tools\assetc\bin;C:\b' /f >/dev/null
batch '"C:\my tools\assetc\uninstall.exe" /S _?=C:\my tools\assetc' >/dev/null || fail "the second uninstallation failed"
[ "$(path)" = 'C:\a;C:\b' ] || fail "after the second uninstallation, PATH is $(path)"
echo "the installer adds assetc to PATH, replaces itself, and removes what it has written"
