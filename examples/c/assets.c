/* Mounts a pack or a folder and loads one of its textures, frame by frame. Prints dimensions and bytes, and the error
 * for an asset that does not exist. The same program: examples/python/assets.py and examples/rust/assets.rs. */
#include <assetc/runtime.h>
#include <inttypes.h>
#include <stdio.h>

static uint64_t fnv1a(const void* data, size_t size_bytes) {
  const uint8_t* bytes = data;
  uint64_t hash = 0xcbf29ce484222325u;
  size_t i;
  for (i = 0; i < size_bytes; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3u;
  return hash;
}

static int failed(assetc_error* error) {
  fprintf(stderr, "assets: %s\n", assetc_error_text(error));
  assetc_error_free(error);
  return 1;
}

/* Returns the number of frames that the load took, or 0 if it failed. */
static unsigned wait_for(assetc_manager* manager, const assetc_asset* asset) {
  unsigned frames = 0;
  do {
    assetc_pump(manager, 2000, UINT64_MAX); /* the engine's frame: at most 2 ms of it */
    ++frames;
  } while (assetc_asset_state(asset) == ASSETC_LOADING);
  return assetc_asset_state(asset) == ASSETC_READY ? frames : 0;
}

int main(int argc, char** argv) {
  assetc_error* error = NULL;
  assetc_handle handle, nowhere = {{0}, 0xdead, ASSETC_TEXTURE_2D, 0};
  assetc_desc desc = {.struct_bytes = sizeof desc};
  assetc_texture texture = {.struct_bytes = sizeof texture};
  assetc_level level = {.struct_bytes = sizeof level};
  assetc_blob* file = NULL;
  uint32_t i;
  if (argc != 3) return fprintf(stderr, "usage: assets PACK-OR-FOLDER TEXTURE\n"), 2;
  assetc_catalog* catalog = assetc_catalog_new();
  if (assetc_mount(catalog, argv[1], NULL, &error) != ASSETC_OK) return failed(error);
  if (assetc_find_path(catalog, argv[2], &handle) != ASSETC_OK) return fprintf(stderr, "assets: no %s\n", argv[2]), 1;
  assetc_describe(catalog, &handle, &desc);
  printf("abi %" PRIu32 "\n%.*s: type %" PRIu32 ", %" PRIu32 " x %" PRIu32 " in the registry\n", assetc_abi_version(),
         (int)desc.virtual_path.size_bytes, desc.virtual_path.data, desc.type, desc.width_texels, desc.height_texels);
  if (assetc_read(catalog, &handle, &file, &error) != ASSETC_OK) return failed(error);
  printf("file: %zu bytes, %016" PRIx64 "\n", assetc_blob_size(file),
         fnv1a(assetc_blob_data(file), assetc_blob_size(file)));
  assetc_blob_free(file);

  assetc_manager* manager = assetc_manager_new(catalog, NULL);
  assetc_catalog_free(catalog);
  assetc_asset* asset = assetc_load(manager, &handle, 10);
  if (wait_for(manager, asset) == 0) return fprintf(stderr, "%s\n", assetc_error_text(assetc_asset_error(asset))), 1;
  assetc_asset_texture(asset, &texture);
  printf("VkFormat %" PRIu32 ", %" PRIu32 " levels\n", texture.vk_format, texture.level_count);
  for (i = 0; i < texture.level_count; ++i) {
    assetc_asset_level(asset, i, &level);
    printf("level %" PRIu32 ": %" PRIu32 " x %" PRIu32 ", %016" PRIx64 "\n", i, level.width_texels, level.height_texels,
           fnv1a(level.data, level.size_bytes));
  }
  assetc_asset_free(asset);

  asset = assetc_load(manager, &nowhere, 0);
  wait_for(manager, asset);
  printf("%s\n", assetc_error_text(assetc_asset_error(asset)));
  assetc_asset_free(asset);
  assetc_manager_free(manager);
  return 0;
}
