// The table of what pictures declare about their colors, and what becomes of it. The guide of textures prints it, and a
// test has a picture for each row.
#pragma once

#include <array>
#include <string_view>

namespace assetc::importer {

struct ColorDeclaration {
  std::string_view place;  // of OtherPrimaries or OtherColor
  std::string_view source, by;
  bool is_converted;  // otherwise: the warning picture-colors
};
inline constexpr std::array kColorDeclarations{
    ColorDeclaration{"EXR chromaticities", "EXR, also ACES", "`chromaticities`", true},
    ColorDeclaration{"HDR PRIMARIES", "HDR", "`PRIMARIES=`", true},
    ColorDeclaration{"HDR EXPOSURE", "HDR", "`EXPOSURE=`", false},
    ColorDeclaration{"HDR COLORCORR", "HDR", "`COLORCORR=`", false},
    ColorDeclaration{"TIFF PrimaryChromaticities", "TIFF", "PrimaryChromaticities and WhitePoint", true},
    ColorDeclaration{"TIFF profile", "TIFF", "ICC profile", false},
    ColorDeclaration{"AVIF colr", "AVIF", "primaries of `nclx`", true},
    ColorDeclaration{"AVIF colr", "AVIF", "PQ and HLG of `nclx`", false},
    ColorDeclaration{"AVIF profile", "AVIF", "ICC profile", false},
    ColorDeclaration{"PNG cICP", "PNG", "`cICP`, also PQ and HLG", false},
    ColorDeclaration{"PNG iCCP", "PNG", "ICC profile", false},
    ColorDeclaration{"PNG cHRM", "PNG", "`cHRM`", false},
    ColorDeclaration{"PNG gAMA", "PNG", "`gAMA`", false},
    ColorDeclaration{"JPEG ICC profile", "JPEG", "ICC profile", false},
    ColorDeclaration{"WebP ICCP", "WebP", "ICC profile", false},
    ColorDeclaration{"PSD profile", "PSD, PSB", "ICC profile", false},
};

}  // namespace assetc::importer
