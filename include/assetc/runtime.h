/* The runtime as a C interface, for C and for languages that call C: Rust, C#, Python, Zig. It is the library that
 * docs/guide/engine.md describes, behind opaque pointers.
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
 * ABI:
 * - Functions and constants are never changed or removed. A struct with struct_bytes only grows at its end.
 * - The caller sets struct_bytes to the sizeof of the struct as it knows it. The library reads and writes no
 *   further, and treats missing fields as 0.
 * - If struct_bytes was not set, or if options are shorter than those of version 1, the function does nothing and
 *   returns ASSETC_USAGE.
 * - A program runs with every library whose assetc_abi_version() is at least the ASSETC_ABI_VERSION that it was
 *   compiled with.
 *
 * Constraints: text is UTF-8. Pointers must not be null unless the comment allows it.
 * Errors: no function throws. If memory runs out, the program ends.
 * Lifetime: a manager keeps the parts of a catalog that it needs, so either may be freed first. Assets may outlive
 * their manager. A const pointer that a function returns belongs to its argument and is valid as long as the
 * argument.
 * Thread safety: one thread uses a catalog while it is mounted, then any number of threads may. Any thread may call
 * assetc_load, assetc_set_priority and the functions that query an asset. One thread calls assetc_pump and
 * assetc_wait; it also frees the manager. */
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

#define ASSETC_ABI_VERSION 5u
ASSETC_API uint32_t assetc_abi_version(void);

/* ---- errors ---- */

typedef uint32_t assetc_fault;
enum {
  ASSETC_OK = 0,
  ASSETC_MISSING = 1,     /* no mount has the asset */
  ASSETC_WRONG_TYPE = 2,  /* the asset has another type than the requested one */
  ASSETC_NO_LOADER = 3,   /* no loader exists for its type */
  ASSETC_CORRUPT = 4,     /* its bytes break a rule of their format */
  ASSETC_VERSION = 5,     /* a version of its format that this library does not read */
  ASSETC_UNSUPPORTED = 6, /* valid, but this library or device does not support it */
  ASSETC_UNTRUSTED = 7,   /* not signed by the signer that the mount trusts */
  ASSETC_LOCKED = 8,      /* encrypted, and the key was not given */
  ASSETC_LIMIT = 9,       /* larger than a limit */
  ASSETC_IO = 10,         /* reading from its source failed */
  ASSETC_CYCLE = 11,      /* the asset depends on itself */
  ASSETC_DEPENDENCY = 12, /* a dependency that must load first failed */
  ASSETC_CANCELED = 13,
  ASSETC_USAGE = 14, /* a rule of this header was broken: struct_bytes was not set */
  ASSETC_STALE = 15  /* since version 5: its file was replaced since it was mounted; mount it again */
};

/* An error. A parameter assetc_error** may be null. If it is not, it is set if the function fails, and otherwise left
 * unchanged. */
typedef struct assetc_error assetc_error;
ASSETC_API assetc_fault assetc_error_fault(const assetc_error* error);
/* Returns one line: "Engine/Textures/Wood (6ba7b810-...): corrupt: byte 12: found X, expected Y; do Z" */
ASSETC_API const char* assetc_error_text(const assetc_error* error);
ASSETC_API void assetc_error_free(assetc_error* error);       /* may be null */
ASSETC_API const char* assetc_fault_name(assetc_fault fault); /* "wrong_type"; "" for an unknown number */

/* ---- catalogs: which assets there are ---- */

/* Numbers as in docs/formats/aas1.md. Numbers from 128 on are for an engine's own types. */
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
  ASSETC_MODEL = 24,
  ASSETC_CLUSTERS = 25, /* of a .hcluster; loaded as raw data */
  ASSETC_FONT = 26      /* a .hfont; loaded as raw data */
};

/* Identifies an asset of a cooked tree by its UUID, in the order of its printed form, or a file of a runtime/ tree by
 * the hash of its path. It has the same meaning in every run. */
typedef struct assetc_handle {
  uint8_t uuid[16];
  uint64_t path_hash;
  assetc_type type;
  uint32_t reserved; /* 0 */
} assetc_handle;

typedef struct assetc_text {
  const char* data; /* may be null if the text is empty */
  size_t size_bytes;
} assetc_text;

typedef struct assetc_mount_options {
  uint32_t struct_bytes;
  int32_t priority;           /* the highest is searched first; of equal ones the last mounted */
  const char* const* patches; /* of a bundle, in order */
  size_t patch_count;
  /* 32 bytes. If set, the mount must be a bundle that this key signed. Null: signed or not, by any key. */
  const uint8_t* signer;
  const uint8_t* key; /* 32 bytes: key of an encrypted bundle; null: none */
  uint32_t threads;   /* read threads; 0: two */
  uint32_t reserved;  /* 0 */
  /* Since version 2. If one of these is set, the mount must be a bundle that has these values after patching. */
  const char* expected_name;     /* null: any */
  const char* expected_platform; /* null: any */
  uint64_t least_version;        /* the lowest accepted version */
} assetc_mount_options;

typedef struct assetc_catalog assetc_catalog;
ASSETC_API assetc_catalog* assetc_catalog_new(void);
ASSETC_API void assetc_catalog_free(assetc_catalog* catalog); /* may be null */
/* Mounts a runtime/ folder, an .hpack, a Cooked/<Platform> folder or a .pak. The content of the path determines which.
 * options: may be null. */
ASSETC_API assetc_fault assetc_mount(assetc_catalog* catalog, const char* path, const assetc_mount_options* options,
                                     assetc_error** error);

/* Since version 3. Removes the mount that was mounted with this path; of several, the one that is searched first. A '/'
 * at the end of the path makes no difference. ASSETC_MISSING: there is none. */
ASSETC_API assetc_fault assetc_unmount(assetc_catalog* catalog, const char* path, assetc_error** error);
/* Since version 3. Selects variants ("Engine/UI/Logo+de" of "Engine/UI/Logo") by their qualifiers, the most important
 * first: runtime::Catalog::set_variants. qualifiers: may be null if count is 0. */
ASSETC_API void assetc_set_variants(assetc_catalog* catalog, const char* const* qualifiers, size_t count);

typedef uint32_t assetc_layout;
enum { ASSETC_TREE = 0, ASSETC_PACK = 1, ASSETC_COOKED = 2, ASSETC_REGISTRY = 3, ASSETC_BUNDLE = 4 };

/* Since version 2. A mount. Texts belong to the catalog and are valid until the next mount. Set struct_bytes before the
 * call. */
typedef struct assetc_mounted {
  uint32_t struct_bytes;
  int32_t priority;
  assetc_text path; /* as passed to assetc_mount */
  assetc_layout layout;
  /* Of bundles, after patching: */
  uint32_t is_encrypted;
  assetc_text name, platform;
  uint64_t version;
  uint32_t is_signed;
  uint8_t signer[32]; /* the key whose signature was verified */
  uint32_t reserved;  /* 0 */
} assetc_mounted;
ASSETC_API size_t assetc_mount_count(const assetc_catalog* catalog);
/* Returns a mount by its place in the search order. ASSETC_MISSING: no such mount. */
ASSETC_API assetc_fault assetc_mount_at(const assetc_catalog* catalog, size_t index, assetc_mounted* out);

/* Find an asset. Return ASSETC_OK or ASSETC_MISSING. The handle is written only if the asset is found. */
ASSETC_API assetc_fault assetc_find_path(const assetc_catalog* catalog, const char* path, assetc_handle* out);
ASSETC_API assetc_fault assetc_find_uuid(const assetc_catalog* catalog, const uint8_t* uuid_16, assetc_handle* out);
ASSETC_API assetc_fault assetc_find_hash(const assetc_catalog* catalog, uint64_t hash, assetc_handle* out);
/* Parses a UUID: "6ba7b810-9dad-11d1-80b4-00c04fd430c8". Returns ASSETC_OK, or ASSETC_CORRUPT for any other text. */
ASSETC_API assetc_fault assetc_parse_uuid(const char* text, uint8_t* uuid_16);

/* The registry's data of an asset. Fields of other types are 0. If no registry lists the asset, all fields after the
 * first four are 0. Set struct_bytes before the call. */
typedef struct assetc_desc {
  uint32_t struct_bytes;
  assetc_type type;
  assetc_text virtual_path; /* or the path in a runtime/ tree; belongs to the catalog */
  uint64_t size_bytes;      /* of the content; 0 if unknown until the asset is opened */
  /* Textures. Formats are numbered in docs/formats/aas1.md. */
  uint32_t width_texels, height_texels, depth_or_layers, texture_format, mip_count, is_srgb;
  /* Meshes */
  uint32_t vertex_count, index_count, index_width_bytes, submesh_count, lod_count;
  float bounds_min[3], bounds_max[3];
  /* Materials */
  uint32_t shading_model, blend_mode, texture_count;
  /* Sounds */
  uint32_t codec, channel_count, sample_rate_hz, frame_count;
  /* Since version 3. */
  assetc_text tags;        /* each followed by a zero byte; belongs to the catalog */
  assetc_handle container; /* the model of a mesh, material, skeleton or clip; all zero if there is none */
} assetc_desc;
ASSETC_API assetc_fault assetc_describe(const assetc_catalog* catalog, const assetc_handle* asset, assetc_desc* out);

/* Writes up to `capacity` dependencies of an asset, hard ones first. Returns how many dependencies it has.
 * - needed: may be null if capacity is 0.
 * - hard_count: may be null. */
ASSETC_API size_t assetc_dependencies(const assetc_catalog* catalog, const assetc_handle* asset, assetc_handle* needed,
                                      size_t capacity, size_t* hard_count);

/* Since version 3. Selects assets. Fields that are null or zero select everything. Set struct_bytes before the call. */
typedef struct assetc_query {
  uint32_t struct_bytes;
  assetc_type type;
  const char* folder; /* all assets below it, at any depth */
  const char* prefix; /* the beginning of the path */
  const char* tag;
  const assetc_handle* container; /* the parts of this asset: the meshes, materials, skeletons and clips of a model */
} assetc_query;
/* Since version 3. Writes up to `capacity` of the selected assets, in the order of their paths, and returns how many
 * assets are selected. Each asset is listed once: the one that lookups find. Returns 0 if the struct_bytes of query was
 * not set.
 * - query: may be null.
 * - assets: may be null if capacity is 0. */
ASSETC_API size_t assetc_list(const assetc_catalog* catalog, const assetc_query* query, assetc_handle* assets,
                              size_t capacity);

/* The bytes of one asset, as compiled. assetc_read blocks until they are read. They outlive the catalog. */
typedef struct assetc_blob assetc_blob;
ASSETC_API assetc_fault assetc_read(const assetc_catalog* catalog, const assetc_handle* asset, assetc_blob** blob,
                                    assetc_error** error);
ASSETC_API const void* assetc_blob_data(const assetc_blob* blob);
ASSETC_API size_t assetc_blob_size(const assetc_blob* blob);
ASSETC_API void assetc_blob_free(assetc_blob* blob); /* may be null */

/* ---- managers: they load each asset once, in the background ---- */

enum { ASSETC_BC = 1, ASSETC_ASTC = 2, ASSETC_ETC2 = 4 }; /* families of texture formats */

typedef struct assetc_manager_options {
  uint32_t struct_bytes;
  uint32_t threads;                                     /* decode threads; 0: assetc_pump decodes */
  uint64_t in_flight_bytes, cpu_bytes, max_asset_bytes; /* 0: the defaults of runtime::ManagerOptions */
  uint32_t texture_families;                            /* formats that the device supports; 0: ASSETC_BC */
  uint32_t max_texture_texels;                          /* larger levels are left out, except the last; 0: no limit */
  /* Called in assetc_pump and assetc_wait. The error is valid until the callback returns. May be null. */
  void (*on_failure)(void* context, const assetc_error* error);
  void* context;
} assetc_manager_options;

typedef struct assetc_manager assetc_manager;
/* Creates a manager. Returns null if the struct_bytes of options was not set. options: may be null. */
ASSETC_API assetc_manager* assetc_manager_new(const assetc_catalog* catalog, const assetc_manager_options* options);
ASSETC_API void assetc_manager_free(assetc_manager* manager); /* may be null */

/* Since version 3. Mount, unmount and select variants while assets are loaded: as assetc_mount, assetc_unmount and
 * assetc_set_variants, but in the manager's own copy of the catalog. Assets that are now found in another place are
 * loaded again behind the same assetc_asset. The functions block while an index is read. Any thread may call them, best
 * another one than that of assetc_pump. */
ASSETC_API assetc_fault assetc_manager_mount(assetc_manager* manager, const char* path,
                                             const assetc_mount_options* options, assetc_error** error);
ASSETC_API assetc_fault assetc_manager_unmount(assetc_manager* manager, const char* path, assetc_error** error);
ASSETC_API void assetc_manager_set_variants(assetc_manager* manager, const char* const* qualifiers, size_t count);
/* Since version 3. Returns a copy of the manager's catalog as it is now, for lookups. Free it with assetc_catalog_free.
 * It shares the mounts with the manager. Call it on the thread that calls assetc_pump. */
ASSETC_API assetc_catalog* assetc_manager_catalog(const assetc_manager* manager);

typedef uint32_t assetc_state;
enum { ASSETC_LOADING = 0, ASSETC_READY = 1, ASSETC_FAILED = 2 };

/* Keeps its asset loaded until it is freed. If it is freed while it loads, the load is canceled. assetc_load returns
 * immediately. */
typedef struct assetc_asset assetc_asset;
ASSETC_API assetc_asset* assetc_load(assetc_manager* manager, const assetc_handle* asset, int32_t priority);
ASSETC_API void assetc_asset_free(assetc_asset* asset); /* may be null */
ASSETC_API assetc_state assetc_asset_state(const assetc_asset* asset);
ASSETC_API assetc_handle assetc_asset_handle(const assetc_asset* asset);
/* Returns null unless the asset failed. */
ASSETC_API const assetc_error* assetc_asset_error(const assetc_asset* asset);
ASSETC_API void assetc_set_priority(assetc_manager* manager, const assetc_asset* asset, int32_t priority);
/* Waits until the asset is ready or has failed. */
ASSETC_API assetc_state assetc_wait(assetc_manager* manager, const assetc_asset* asset);
/* Does the work of one frame: finalizes decoded assets for about this time, and drops assets that exceed the budgets.
 * Returns how many assets became ready. Call it once a frame. */
ASSETC_API size_t assetc_pump(assetc_manager* manager, uint64_t time_us, uint64_t size_bytes);

/* ---- loaded assets ----
 * Functions return ASSETC_OK, ASSETC_MISSING if the asset is not ready, or ASSETC_WRONG_TYPE. */

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
  const void* data; /* images by layer, then face, then depth; block rows tightly packed; belongs to the asset */
  size_t size_bytes;
} assetc_level;
/* Returns a level. Level 0 is the largest. Also returns ASSETC_MISSING if there is no such level. */
ASSETC_API assetc_fault assetc_asset_level(const assetc_asset* asset, uint32_t level, assetc_level* out);

/* A mesh in full detail, for a vertex buffer with one stream. Read its bytes for everything else (docs/formats). */
typedef struct assetc_mesh {
  uint32_t struct_bytes;
  uint32_t container; /* the first four bytes of the file: "AAS1", "HMSH" or "GALI" */
  uint32_t vertex_count, vertex_stride_bytes, index_count, index_width_bytes, lod_count;
  const void* vertices; /* for a Galileo mesh: null, and all counts are 0 */
  const void* indices;
} assetc_mesh;
ASSETC_API assetc_fault assetc_asset_mesh(const assetc_asset* asset, assetc_mesh* out);

/* Since version 4. A scene: a .hscene, or a cooked model. The arrays belong to the asset. Their items have the layout of
 * docs/formats/hscene.md, with 0xFFFFFFFF for none. Nodes are depth first, so parents come before children. */
#define ASSETC_NONE 0xFFFFFFFFu
typedef struct assetc_node {
  float translation[3], rotation[4], scale[3]; /* relative to the parent; rotation x y z w */
  float box_min[3], box_max[3];                /* of its mesh and of everything below it at rest, in its own space */
  int32_t parent;                              /* -1: none */
  uint32_t end;                                /* the nodes below are those from the next one up to here */
  uint32_t mesh, skin, camera, light;
  uint32_t name, extra; /* texts */
  uint32_t first_weight, weight_count;
  uint32_t matrix;
  uint32_t flags;     /* bit 0: hidden, with everything below it; bit 1: the box is valid */
  uint32_t detail_of; /* the node that this one replaces at lower detail */
  uint32_t source;    /* its number in the source */
  uint32_t reserved[2];
} assetc_node;
typedef struct assetc_camera {
  uint32_t type; /* 0 perspective, 1 orthographic */
  float y_fov_radians, aspect_ratio, x_magnification, y_magnification, z_near, z_far;
  uint32_t name, extra; /* texts */
  uint32_t reserved[3];
} assetc_camera;
typedef struct assetc_light {
  uint32_t type; /* 0 directional, 1 point, 2 spot */
  float color[3], intensity, range, inner_cone_radians, outer_cone_radians;
  uint32_t name, extra; /* texts */
  uint32_t reserved[2];
} assetc_light;
typedef struct assetc_scene {
  uint32_t struct_bytes;
  uint32_t node_count, mesh_count, camera_count, light_count, material_count, variant_count, clip_count;
  const assetc_node* nodes;
  const assetc_camera* cameras;
  const assetc_light* lights;
} assetc_scene;
ASSETC_API assetc_fault assetc_asset_scene(const assetc_asset* asset, assetc_scene* out);
/* Since version 4. Returns a name or extra of a scene; empty for ASSETC_NONE and if the asset is no scene. */
ASSETC_API assetc_text assetc_scene_text(const assetc_asset* asset, uint32_t text);
/* Since version 4. Returns the first node with a path of names ("car/wheel", or one name), or ASSETC_NONE. */
ASSETC_API uint32_t assetc_scene_find(const assetc_asset* asset, const char* path);
/* Since version 4. Returns the asset of a mesh, of the file of a material or clip, or of a skin's skeleton. Also returns
 * ASSETC_MISSING if there is no such part, or if it has no file. */
typedef uint32_t assetc_scene_part;
enum { ASSETC_SCENE_MESH = 0, ASSETC_SCENE_MATERIAL = 1, ASSETC_SCENE_SKELETON = 2, ASSETC_SCENE_CLIP = 3 };
ASSETC_API assetc_fault assetc_scene_asset(const assetc_asset* asset, assetc_scene_part part, uint32_t index,
                                           assetc_handle* out);
/* Since version 4. Writes the matrix of each node at rest, from its space to that of the scene: 16 floats for each node,
 * column-major. Returns ASSETC_USAGE if float_count is not 16 for each node. */
ASSETC_API assetc_fault assetc_scene_matrices(const assetc_asset* asset, float* matrices, size_t float_count);

/* Returns the bytes of an asset that is ready, or null if there are none:
 * - shader: its code
 * - script, raw data: the content
 * - texture: none
 * - all other types: the compiled file */
ASSETC_API const void* assetc_asset_bytes(const assetc_asset* asset, size_t* size_bytes);

#ifdef __cplusplus
}
#endif

#endif
