#include "import/libraries.hpp"

#include <spng.h>

namespace assetc::importer {

std::string picture_libraries() {
  return std::string("spng=") + spng_version_string() + "\nlibjpeg-turbo=" + ASSETC_TURBOJPEG_VERSION +
         "\nlibwebp=" + webp_version() + "\nOpenEXRCore=" + openexr_version() + "\n";
}

std::string model_libraries() { return "ufbx=" + ufbx_version() + "\ndraco=" + draco_version() + "\n"; }

}  // namespace assetc::importer
