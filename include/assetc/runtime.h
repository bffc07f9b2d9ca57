/* The runtime for C, and for whatever calls C: Rust, C#, Python, Zig. What it does is said in docs/guide/engine.md; this is
 * the same library behind opaque pointers.
 *
 *   assetc_catalog* catalog = assetc_catalog_new();
 *   if (assetc_mount(catalog, "game.hpack", NULL, &error) != ASSETC_OK) report(assetc_error_text(error));
 *   assetc_manager* manager = assetc_manager_new(catalog, NULL);
 *   assetc_handle wood;
 *   if (assetc_find_path(catalog, "textures/wood.ktx2", &wood) == ASSETC_OK) {
 *     assetc_asset* texture = assetc_load(manager, &wood, 0);
 *     while (assetc_asset_state(texture) == ASSETC_LOADING) assetc_pump(manager, 2000, UINT64_MAX);  // once a frame
 *   }
 *
 * ABI: a function or a constant is never changed or taken away, and a struct with struct_bytes grows at its end alone.
 * The caller sets struct_bytes to sizeof the struct as it knows it; the library reads and writes no further, and takes
 * what it does not find for 0. Where it was not set, and where options are shorter than those of version 1, nothing is
 * done: ASSETC_USAGE. A program runs with every library whose assetc_abi_version() is no lower than
 * ASSETC_ABI_VERSION was when it was compiled.
 *
 * Text is UTF-8. Pointers are not null unless it says so. No function throws; where memory ends, so does the program.
 *
 * Lifetime: a manager keeps what it needs of a catalog, so that either may be freed first. Assets may outlive their
 * manager. What a function returns a const pointer to belongs to its argument, and lives as long.
 * Threads: a catalog is for one thread while it is mounted, and then for any number. assetc_load, assetc_set_priority and
 * what is asked of an asset are for any thread; assetc_pump and assetc_wait for one, which also frees the manager. */
#ifndef ASSETC_RUNTIME_H
#define ASSETC_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(ASSETC_BUILDS_DLL)
#define ASSETC_API __declspec(dllexport)
#elif defined(_WIN32) && defined(ASSETC_USES_DLL)
#define ASSETC_API __declspec(dllimport)
#elif defined(ASSETC_BUILDS_DLL)
#define ASSETC_API __attribute__((visibility("default")))
#else
#define ASSETC_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define ASSETC_ABI_VERSION 2u
ASSETC_API uint32_t assetc_abi_version(void);

/* ---- errors ---- */

typedef uint32_t assetc_fault;
enum {
  ASSETC_OK = 0,
  ASSETC_MISSING = 1,     /* no mount has it */
  ASSETC_WRONG_TYPE = 2,  /* it is something else than was asked for */
  ASSETC_NO_LOADER = 3,   /* of a type that nothing loads */
  ASSETC_CORRUPT = 4,     /* its bytes break a rule of their format */
  ASSETC_VERSION = 5,     /* of a format that this library does not read */
  ASSETC_UNSUPPORTED = 6, /* well-formed, but not what this library or device can do */
  ASSETC_UNTRUSTED = 7,   /* not signed by whom the mount trusts */
  ASSETC_LOCKED = 8,      /* encrypted with a key that was not given */
  ASSETC_LIMIT = 9,       /* larger than a limit */
  ASSETC_IO = 10,         /* the place that it is read from failed */
  ASSETC_CYCLE = 11,      /* it depends on itself */
  ASSETC_DEPENDENCY = 12, /* what must load before it did not */
  ASSETC_CANCELED = 13,
  ASSETC_USAGE = 14 /* not as this header says: a struct_bytes that was not set */
};

/* Where a function takes an assetc_error**, it may be null; else it is set where the function fails, and left alone
 * where it does not. */
typedef struct assetc_error assetc_error;
ASSETC_API assetc_fault assetc_error_fault(const assetc_error* error);
/* "Engine/Textures/Wood (6ba7b810-...): corrupt: byte 12: found X, expected Y; do Z" */
ASSETC_API const char* assetc_error_text(const assetc_error* error);
ASSETC_API void assetc_error_free(assetc_error* error); /* may be null */
ASSETC_API const char* assetc_fault_name(assetc_fault fault); /* "wrong_type"; "" for a number that is none */

/* ---- catalogs: which assets there are ---- */

/* Numbers as in docs/formats/aas1.md; from 128 on: an engine's own. */
typedef uint32_t assetc_type;
enum {
  ASSETC_UNKNOWN = 0,
  ASSETC_TEXTURE_2D = 1,
  ASSETC_MESH = 2,
  ASSETC_MATERIAL = 3,
  ASSETC_AUDIO = 4,
  ASSETC_SCRIPT = 5,
  ASSETC_TEXTURE_CUBE = 16,
  ASSETC_TEXTURE_2D_ARRAY = 17,
  ASSETC_TEXTURE_CUBE_ARRAY = 18,
  ASSETC_TEXTURE_3D = 19,
  ASSETC_SKELETON = 20,
  ASSETC_ANIMATION = 21,
  ASSETC_SHADER = 22,
  ASSETC_RAW = 23,
  ASSETC_MODEL = 24
};

/* An asset of a cooked tree by its UUID, as it is printed, or a file of a runtime/ tree by the hash of its path. Means the
 * same in every run. */
typedef struct assetc_handle {
  uint8_t uuid[16];
  uint64_t path_hash;
  assetc_type type;
  uint32_t reserved; /* 0 */
} assetc_handle;

typedef struct assetc_text {
  const char* data; /* may be null where there is none */
  size_t size_bytes;
} assetc_text;

typedef struct assetc_mount_options {
  uint32_t struct_bytes;
  int32_t priority;           /* the highest is searched first; of equal ones the one that was mounted last */
  const char* const* patches; /* of a bundle, in their order */
  size_t patch_count;
  const uint8_t* signer; /* 32 bytes: what is mounted is a bundle that this key signed; null: no matter who, if anybody */
  const uint8_t* key;    /* 32 bytes: of an encrypted bundle; null: none */
  uint32_t threads;      /* that read; 0: two */
  uint32_t reserved;     /* 0 */
  /* Since version 2. What is mounted is a bundle, and with its patches it is that one: */
  const char* expected_name;     /* null: no matter which */
  const char* expected_platform; /* null: no matter which */
  uint64_t least_version;
} assetc_mount_options;

typedef struct assetc_catalog assetc_catalog;
ASSETC_API assetc_catalog* assetc_catalog_new(void);
ASSETC_API void assetc_catalog_free(assetc_catalog* catalog); /* may be null */
/* A runtime/ folder, an .hpack, a Cooked/<Platform> folder or a .pak; what it holds says which. options: may be null. */
ASSETC_API assetc_fault assetc_mount(assetc_catalog* catalog, const char* path, const assetc_mount_options* options,
                                     assetc_error** error);

typedef uint32_t assetc_layout;
enum { ASSETC_TREE = 0, ASSETC_PACK = 1, ASSETC_COOKED = 2, ASSETC_REGISTRY = 3, ASSETC_BUNDLE = 4 };

/* Since version 2. What was mounted; texts are of the catalog, until the next mount. Set struct_bytes before the call. */
typedef struct assetc_mounted {
  uint32_t struct_bytes;
  int32_t priority;
  assetc_text path; /* as it was asked for */
  assetc_layout layout;
  /* Of bundles, as they are with their patches: */
  uint32_t is_encrypted;
  assetc_text name, platform;
  uint64_t version;
  uint32_t is_signed;
  uint8_t signer[32]; /* whose signature was verified */
  uint32_t reserved;  /* 0 */
} assetc_mounted;
ASSETC_API size_t assetc_mount_count(const assetc_catalog* catalog);
/* In the order in which they are searched. ASSETC_MISSING: no such mount. */
ASSETC_API assetc_fault assetc_mount_at(const assetc_catalog* catalog, size_t index, assetc_mounted* out);

/* ASSETC_OK or ASSETC_MISSING; the handle is written where it is found. */
ASSETC_API assetc_fault assetc_find_path(const assetc_catalog* catalog, const char* path, assetc_handle* out);
ASSETC_API assetc_fault assetc_find_uuid(const assetc_catalog* catalog, const uint8_t* uuid_16, assetc_handle* out);
ASSETC_API assetc_fault assetc_find_hash(const assetc_catalog* catalog, uint64_t hash, assetc_handle* out);
/* "6ba7b810-9dad-11d1-80b4-00c04fd430c8". Returns ASSETC_OK, or ASSETC_CORRUPT for any other text. */
ASSETC_API assetc_fault assetc_parse_uuid(const char* text, uint8_t* uuid_16);

/* What a registry says of an asset; 0 in what is not of its type, and in all but the first four where no registry knows
 * it. Set struct_bytes before the call. */
typedef struct assetc_desc {
  uint32_t struct_bytes;
  assetc_type type;
  assetc_text virtual_path; /* or the path in a runtime/ tree; of the catalog */
  uint64_t size_bytes;      /* of the content; 0 where only opening it tells */
  /* Textures. Formats are numbered in docs/formats/aas1.md. */
  uint32_t width_texels, height_texels, depth_or_layers, texture_format, mip_count, is_srgb;
  /* Meshes */
  uint32_t vertex_count, index_count, index_width_bytes, submesh_count, lod_count;
  float bounds_min[3], bounds_max[3];
  /* Materials */
  uint32_t shading_model, blend_mode, texture_count;
  /* Sounds */
  uint32_t codec, channel_count, sample_rate_hz, frame_count;
} assetc_desc;
ASSETC_API assetc_fault assetc_describe(const assetc_catalog* catalog, const assetc_handle* asset, assetc_desc* out);

/* Writes up to `capacity` of what an asset needs, hard ones first, and returns how many there are. hard_count: may be
 * null. needed: null where capacity is 0. */
ASSETC_API size_t assetc_dependencies(const assetc_catalog* catalog, const assetc_handle* asset, assetc_handle* needed,
                                      size_t capacity, size_t* hard_count);

/* The bytes of one asset as they were compiled, for code that may wait. They outlive the catalog. */
typedef struct assetc_blob assetc_blob;
ASSETC_API assetc_fault assetc_read(const assetc_catalog* catalog, const assetc_handle* asset, assetc_blob** blob,
                                    assetc_error** error);
ASSETC_API const void* assetc_blob_data(const assetc_blob* blob);
ASSETC_API size_t assetc_blob_size(const assetc_blob* blob);
ASSETC_API void assetc_blob_free(assetc_blob* blob); /* may be null */

/* ---- managers: assets that are loaded once, in the background ---- */

enum { ASSETC_BC = 1, ASSETC_ASTC = 2, ASSETC_ETC2 = 4 }; /* families of texture formats */

typedef struct assetc_manager_options {
  uint32_t struct_bytes;
  uint32_t threads; /* that decode; 0: assetc_pump does */
  uint64_t in_flight_bytes, cpu_bytes, max_asset_bytes; /* 0: what runtime::ManagerOptions has */
  uint32_t texture_families;                            /* that the device samples; 0: ASSETC_BC */
  uint32_t max_texture_texels; /* levels that are wider or higher are left out; 0: none are */
  /* Called in assetc_pump and assetc_wait; the error lives until it returns. May be null. */
  void (*on_failure)(void* context, const assetc_error* error);
  void* context;
} assetc_manager_options;

typedef struct assetc_manager assetc_manager;
/* options: may be null. Returns null where their struct_bytes was not set. */
ASSETC_API assetc_manager* assetc_manager_new(const assetc_catalog* catalog, const assetc_manager_options* options);
ASSETC_API void assetc_manager_free(assetc_manager* manager); /* may be null */

typedef uint32_t assetc_state;
enum { ASSETC_LOADING = 0, ASSETC_READY = 1, ASSETC_FAILED = 2 };

/* Keeps its asset loaded until it is freed; freed while it is loading, that is canceled. Returns at once. */
typedef struct assetc_asset assetc_asset;
ASSETC_API assetc_asset* assetc_load(assetc_manager* manager, const assetc_handle* asset, int32_t priority);
ASSETC_API void assetc_asset_free(assetc_asset* asset); /* may be null */
ASSETC_API assetc_state assetc_asset_state(const assetc_asset* asset);
ASSETC_API assetc_handle assetc_asset_handle(const assetc_asset* asset);
/* Null unless it failed. */
ASSETC_API const assetc_error* assetc_asset_error(const assetc_asset* asset);
ASSETC_API void assetc_set_priority(assetc_manager* manager, const assetc_asset* asset, int32_t priority);
/* Until it is ready or has failed. */
ASSETC_API assetc_state assetc_wait(assetc_manager* manager, const assetc_asset* asset);
/* Once a frame: finishes what was decoded, for about so long, and drops what budgets have no room for. Returns how many
 * assets became ready. */
ASSETC_API size_t assetc_pump(assetc_manager* manager, uint64_t time_us, uint64_t size_bytes);

/* ---- what is loaded: ASSETC_OK, or ASSETC_MISSING unless it is ready, or ASSETC_WRONG_TYPE ---- */

typedef struct assetc_texture {
  uint32_t struct_bytes;
  uint32_t vk_format; /* a VkFormat; UASTC was transcoded */
  uint32_t is_srgb, is_3d;
  uint32_t layer_count; /* 0: not an array */
  uint32_t face_count;  /* 6: a cube, +X -X +Y -Y +Z -Z */
  uint32_t level_count;
  char swizzle[8]; /* four of "rgba01"; "": as stored */
} assetc_texture;
ASSETC_API assetc_fault assetc_asset_texture(const assetc_asset* asset, assetc_texture* out);

typedef struct assetc_level {
  uint32_t struct_bytes;
  uint32_t width_texels, height_texels, depth_texels;
  const void* data; /* images by layer, then face, then depth; rows of blocks tightly packed; of the asset */
  size_t size_bytes;
} assetc_level;
/* Level 0 is the largest. ASSETC_MISSING also: no such level. */
ASSETC_API assetc_fault assetc_asset_level(const assetc_asset* asset, uint32_t level, assetc_level* out);

/* A mesh in full detail, for a vertex buffer of one stream; what else is in it, its bytes say (docs/formats). */
typedef struct assetc_mesh {
  uint32_t struct_bytes;
  uint32_t container; /* the first four bytes of the file: "AAS1", "HMSH" or "GALI" */
  uint32_t vertex_count, vertex_stride_bytes, index_count, index_width_bytes, lod_count;
  const void* vertices; /* null, and counts 0, of a Galileo mesh */
  const void* indices;
} assetc_mesh;
ASSETC_API assetc_fault assetc_asset_mesh(const assetc_asset* asset, assetc_mesh* out);

/* The bytes of an asset that is ready: of a shader its code, of scripts and raw data their content, of anything else but
 * textures the compiled file. Null where there are none. */
ASSETC_API const void* assetc_asset_bytes(const assetc_asset* asset, size_t* size_bytes);

#ifdef __cplusplus
}
#endif

#endif
