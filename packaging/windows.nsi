; The installer for Windows: for one user, without rights of an administrator, with PATH and an uninstaller.
;   makensis -DVERSION=0.1.0 -DTREE=folder -DOUT=setup.exe packaging/windows.nsi
; setup.exe /S installs without questions, and /D=C:\folder, as the last argument, to another folder.
Target amd64-unicode
Name "assetc ${VERSION}"
OutFile "${OUT}"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\assetc"
InstallDirRegKey HKCU "Software\assetc" "InstallDir"
SetCompressor /SOLID lzma
SetDateSave off
ManifestSupportedOS all
ManifestLongPathAware true
!include LogicLib.nsh
!include x64.nsh
!include FileFunc.nsh

Page directory
Page instfiles
UninstPage uninstConfirm
UninstPage instfiles

!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\assetc"
!define KEY_READ_WRITE 0x2001F
!define HKCU_HANDLE 0x80000001

; PATH of the user may be longer than a string of NSIS, so it is read, changed and written in memory, never in a variable.
; $R0: handle of the key; $R1: bytes; $R2: type; $R3: memory; $R4: the place of our folder in it, or 0; $R5: our folder
!macro OPEN_PATH
  StrCpy $R3 0
  StrCpy $R4 0
  System::Call 'advapi32::RegOpenKeyExW(p ${HKCU_HANDLE}, w "Environment", i 0, i ${KEY_READ_WRITE}, *p .R0) i .r9'
  ${If} $9 = 0
    StrCpy $R1 0
    StrCpy $R2 2 ; REG_EXPAND_SZ, if there is no value yet
    System::Call 'advapi32::RegQueryValueExW(p R0, w "Path", p 0, *i .R2, p 0, *i .R1) i .r9'
    ${If} $9 <> 0
      StrCpy $R1 0
      StrCpy $R2 2
    ${EndIf}
    IntOp $8 $R1 + 4096
    System::Alloc $8
    Pop $R3
    ; The rest of new memory is zero, so that a value without an end has one.
    System::Call 'kernel32::RtlZeroMemory(p R3, p r8)'
    System::Call 'advapi32::RegQueryValueExW(p R0, w "Path", p 0, p 0, p R3, *i R1R1)'
    ; Whole entries only: ";folder;" in ";value;".
    System::Call 'kernel32::lstrlenW(p R3) i .r7'
    System::Call 'shlwapi::StrStrIW(p R3, w R5) p .R4'
    ${If} $R4 P<> 0
      ; The characters before and after it must be a semicolon, or the ends of the value.
      ${If} $R4 P<> $R3
        IntPtrOp $6 $R4 - 2
        System::Call '*$6(&i2 .r6)'
        ${If} $6 <> 59
          StrCpy $R4 0
        ${EndIf}
      ${EndIf}
    ${EndIf}
    ${If} $R4 P<> 0
      StrLen $6 $R5
      IntOp $6 $6 * 2
      IntPtrOp $6 $R4 + $6
      System::Call '*$6(&i2 .r6)'
      ${If} $6 <> 59
      ${AndIf} $6 <> 0
        StrCpy $R4 0
      ${EndIf}
    ${EndIf}
  ${EndIf}
!macroend

!macro CLOSE_PATH
  ${If} $R3 P<> 0
    System::Free $R3
    System::Call 'advapi32::RegCloseKey(p R0)'
    ; Programs that start from now on, such as a new terminal, see the change.
    SendMessage 0xFFFF 0x001A 0 "STR:Environment" /TIMEOUT=2000
  ${EndIf}
!macroend

!macro WRITE_PATH
  System::Call 'kernel32::lstrlenW(p R3) i .r7'
  IntOp $7 $7 + 1
  IntOp $7 $7 * 2
  System::Call 'advapi32::RegSetValueExW(p R0, w "Path", i 0, i R2, p R3, i r7)'
!macroend

Section
  ${IfNot} ${RunningX64}
    MessageBox MB_OK|MB_ICONSTOP "assetc needs Windows on x86-64, version 10 or later." /SD IDOK
    Abort
  ${EndIf}
  ; An older version in this folder is replaced: its files are removed by its own list.
  ${If} ${FileExists} "$INSTDIR\uninstall.exe"
    ExecWait '"$INSTDIR\uninstall.exe" /S _?=$INSTDIR'
  ${EndIf}
  SetOutPath "$INSTDIR"
  ClearErrors
  File /r "${TREE}\*"
  ${If} ${Errors}
    MessageBox MB_OK|MB_ICONSTOP "Some files in $INSTDIR could not be written. Close programs that use them, and install again." /SD IDOK
    SetErrorLevel 1
    Abort
  ${EndIf}
  WriteUninstaller "$INSTDIR\uninstall.exe"
  WriteRegStr HKCU "Software\assetc" "InstallDir" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "assetc"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
  StrCpy $R5 "$INSTDIR\bin"
  !insertmacro OPEN_PATH
  ${If} $R3 P<> 0
    ${If} $R4 P= 0
      System::Call 'kernel32::lstrlenW(p R3) i .r7'
      ${If} $7 > 0
        System::Call 'kernel32::lstrcatW(p R3, w ";")'
      ${EndIf}
      System::Call 'kernel32::lstrcatW(p R3, w R5)'
      !insertmacro WRITE_PATH
    ${EndIf}
  ${EndIf}
  !insertmacro CLOSE_PATH
SectionEnd

Section Uninstall
  StrCpy $R5 "$INSTDIR\bin"
  !insertmacro OPEN_PATH
  ${If} $R3 P<> 0
    ${If} $R4 P<> 0
      ; What follows moves over our folder, and one of the semicolons goes too.
      StrLen $6 $R5
      IntOp $6 $6 * 2
      IntPtrOp $8 $R4 + $6
      System::Call '*$8(&i2 .r6)'
      ${If} $6 = 59
        IntPtrOp $8 $8 + 2
      ${ElseIf} $R4 P<> $R3
        IntPtrOp $R4 $R4 - 2
      ${EndIf}
      System::Call 'kernel32::lstrlenW(p r8) i .r7'
      IntOp $7 $7 + 1
      IntOp $7 $7 * 2
      System::Call 'kernel32::RtlMoveMemory(p R4, p r8, p r7)'
      !insertmacro WRITE_PATH
    ${EndIf}
  ${EndIf}
  !insertmacro CLOSE_PATH
  ; Only what the installer has written: a person may have put other files into the folder.
  !include "${FILES}"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  DeleteRegKey HKCU "${UNINSTALL}"
  DeleteRegKey HKCU "Software\assetc"
SectionEnd
