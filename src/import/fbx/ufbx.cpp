// Calls ufbx, which gets the bytes and opens no files.
#include <ufbx.h>

#include <memory>
#include <new>
#include <string>

#include "base/exceptions.hpp"
#include "import/fbx/fbx.hpp"
#include "import/fbx/ufbx/parts.hpp"
#include "import/libraries.hpp"

namespace assetc::importer {
namespace {

ufbx_load_opts load_options() {
  ufbx_load_opts options{};
  options.file_format = UFBX_FILE_FORMAT_FBX;
  options.load_external_files = false;
  options.use_blender_pbr_material = true;
  options.target_axes = ufbx_axes_right_handed_y_up;
  options.target_unit_meters = 1;
  // The unit scales vertices and translations, so no node gets a scale that its author did not set.
  options.space_conversion = UFBX_SPACE_CONVERSION_MODIFY_GEOMETRY;
  options.geometry_transform_handling = UFBX_GEOMETRY_TRANSFORM_HANDLING_MODIFY_GEOMETRY;
  options.inherit_mode_handling = UFBX_INHERIT_MODE_HANDLING_COMPENSATE;
  // Cameras look along +X and lights along -Y, which this mirror keeps.
  options.handedness_conversion_axis = UFBX_MIRROR_AXIS_Z;
  return options;
}

void warn_of(fbx::Context& context) {
  const ufbx_scene_settings& settings = context.source.settings;
  if (!(settings.unit_meters > 0)) {
    context.warn(WarningKind::kFbxSettings, "GlobalSettings",
                 "UnitScaleFactor is not a number above 0; lengths are taken as meters");
  }
  if (!ufbx_coordinate_axes_valid(settings.axes)) {
    context.warn(WarningKind::kFbxSettings, "GlobalSettings",
                 "its axes are not three different axes; +Y is used as up, +Z as the front");
  }
}

Result<Imported> read(ByteSpan file) {
  const ufbx_load_opts options = load_options();
  ufbx_error error{};
  const std::unique_ptr<ufbx_scene, void (*)(ufbx_scene*)> source(
      ufbx_load_memory(file.data(), file.size(), &options, &error), ufbx_free_scene);
  if (!source) {
    if (error.type == UFBX_ERROR_OUT_OF_MEMORY) fbx::fail_for_memory();
    std::string what = "ufbx cannot read it: " + std::string(fbx::view(error.description));
    if (error.info_length != 0) {
      what.append(" (").append(error.info, error.info_length).append(")");
    } else if (error.type == UFBX_ERROR_UNKNOWN && error.stack_size != 0) {
      what.append(" in ").append(fbx::view(error.stack[0].function));
      what.append(" (").append(fbx::view(error.stack[0].description)).append(")");
    }
    return fail(ErrorCode::kInvalidData, std::move(what),
                "export it again as binary FBX 2014 (7.4) or later, or as glTF");
  }
  ASSETC_CHECK(fbx::correct_transforms(*source, file, options));
  const ufbx_anim_opts no_layers{};
  const std::unique_ptr<ufbx_anim, void (*)(ufbx_anim*)> rest(ufbx_create_anim(source.get(), &no_layers, nullptr),
                                                              ufbx_free_anim);
  if (!rest) fbx::fail_for_memory();
  Imported out;
  fbx::Context context{.source = *source, .rest = *rest, .out = out};
  warn_of(context);
  fbx::read_materials(context);
  fbx::read_cameras(context);
  fbx::read_nodes(context);
  ASSETC_CHECK(fbx::read_meshes(context));
  ASSETC_CHECK(fbx::read_clips(context));
  return out;
}

}  // namespace

void fbx::fail_for_memory() {
  if (const std::new_handler handler = std::get_new_handler()) handler();
  throw std::bad_alloc();
}

Result<Imported> read_fbx_here(ByteSpan file) {
  return catch_exceptions("the FBX reader", "split the model", [&] { return read(file); });
}

std::string ufbx_version() {
  return std::to_string(ufbx_version_major(ufbx_source_version)) + "." +
         std::to_string(ufbx_version_minor(ufbx_source_version)) + "." +
         std::to_string(ufbx_version_patch(ufbx_source_version));
}

}  // namespace assetc::importer
