//! Mounts a pack or a folder and loads one texture of it, as examples/c/assets.c does.
//!
//!     rustc -L <where libassetc is> examples/rust/assets.rs
use std::ffi::{c_void, CStr, CString};
use std::os::raw::c_char;
use std::{env, process::exit, ptr, slice};

#[repr(C)]
#[derive(Default)]
struct Handle {
    uuid: [u8; 16],
    path_hash: u64,
    kind: u32,
    reserved: u32,
}
/// Only the members that are read here: the library writes no further than struct_bytes.
#[repr(C)]
struct Desc {
    struct_bytes: u32,
    kind: u32,
    path: *const u8,
    path_bytes: usize,
    size_bytes: u64,
    width: u32,
    height: u32,
}
#[repr(C)]
#[derive(Default)]
struct Texture {
    struct_bytes: u32,
    vk_format: u32,
    srgb_3d_layers_faces: [u32; 4],
    level_count: u32,
}
#[repr(C)]
struct Level {
    struct_bytes: u32,
    width: u32,
    height: u32,
    depth: u32,
    data: *const u8,
    size_bytes: usize,
}
const LOADING: u32 = 0;
const READY: u32 = 1;

#[link(name = "assetc")]
extern "C" {
    fn assetc_abi_version() -> u32;
    fn assetc_error_text(error: *const c_void) -> *const c_char;
    fn assetc_catalog_new() -> *mut c_void;
    fn assetc_catalog_free(catalog: *mut c_void);
    fn assetc_mount(catalog: *mut c_void, path: *const c_char, options: *const c_void, error: *mut *mut c_void) -> u32;
    fn assetc_find_path(catalog: *const c_void, path: *const c_char, found: *mut Handle) -> u32;
    fn assetc_describe(catalog: *const c_void, asset: *const Handle, desc: *mut Desc) -> u32;
    fn assetc_read(catalog: *const c_void, asset: *const Handle, blob: *mut *mut c_void, error: *mut *mut c_void) -> u32;
    fn assetc_blob_data(blob: *const c_void) -> *const u8;
    fn assetc_blob_size(blob: *const c_void) -> usize;
    fn assetc_blob_free(blob: *mut c_void);
    fn assetc_manager_new(catalog: *const c_void, options: *const c_void) -> *mut c_void;
    fn assetc_manager_free(manager: *mut c_void);
    fn assetc_load(manager: *mut c_void, asset: *const Handle, priority: i32) -> *mut c_void;
    fn assetc_pump(manager: *mut c_void, time_us: u64, size_bytes: u64) -> usize;
    fn assetc_asset_state(asset: *const c_void) -> u32;
    fn assetc_asset_error(asset: *const c_void) -> *const c_void;
    fn assetc_asset_texture(asset: *const c_void, texture: *mut Texture) -> u32;
    fn assetc_asset_level(asset: *const c_void, level: u32, out: *mut Level) -> u32;
    fn assetc_asset_free(asset: *mut c_void);
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf29ce484222325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100000001b3))
}

unsafe fn text(error: *const c_void) -> String {
    CStr::from_ptr(assetc_error_text(error)).to_string_lossy().into_owned()
}

fn fail(what: String) -> ! {
    eprintln!("assets: {what}");
    exit(1)
}

unsafe fn load(manager: *mut c_void, handle: &Handle) -> *mut c_void {
    let asset = assetc_load(manager, handle, 10);
    while assetc_asset_state(asset) == LOADING {
        assetc_pump(manager, 2000, u64::MAX);
    }
    asset
}

unsafe fn run(place: &str, name: &str) {
    let (place_c, name_c) = (CString::new(place).unwrap(), CString::new(name).unwrap());
    let (mut error, mut blob, mut handle) = (ptr::null_mut(), ptr::null_mut(), Handle::default());
    let catalog = assetc_catalog_new();
    if assetc_mount(catalog, place_c.as_ptr(), ptr::null(), &mut error) != 0 {
        fail(text(error));
    }
    if assetc_find_path(catalog, name_c.as_ptr(), &mut handle) != 0 {
        fail(format!("no {name}"));
    }
    let struct_bytes = std::mem::size_of::<Desc>() as u32;
    let mut desc =
        Desc { struct_bytes, kind: 0, path: ptr::null(), path_bytes: 0, size_bytes: 0, width: 0, height: 0 };
    assetc_describe(catalog, &handle, &mut desc);
    let path = String::from_utf8_lossy(slice::from_raw_parts(desc.path, desc.path_bytes));
    println!("abi {}", assetc_abi_version());
    println!("{path}: type {}, {} x {} in the registry", desc.kind, desc.width, desc.height);
    if assetc_read(catalog, &handle, &mut blob, &mut error) != 0 {
        fail(text(error));
    }
    let file = slice::from_raw_parts(assetc_blob_data(blob), assetc_blob_size(blob));
    println!("file: {} bytes, {:016x}", file.len(), fnv1a(file));
    assetc_blob_free(blob);

    let manager = assetc_manager_new(catalog, ptr::null());
    assetc_catalog_free(catalog);
    let asset = load(manager, &handle);
    if assetc_asset_state(asset) != READY {
        fail(text(assetc_asset_error(asset)));
    }
    let mut texture = Texture { struct_bytes: std::mem::size_of::<Texture>() as u32, ..Default::default() };
    assetc_asset_texture(asset, &mut texture);
    println!("VkFormat {}, {} levels", texture.vk_format, texture.level_count);
    for i in 0..texture.level_count {
        let struct_bytes = std::mem::size_of::<Level>() as u32;
        let mut level = Level { struct_bytes, width: 0, height: 0, depth: 0, data: ptr::null(), size_bytes: 0 };
        assetc_asset_level(asset, i, &mut level);
        let bytes = slice::from_raw_parts(level.data, level.size_bytes);
        println!("level {i}: {} x {}, {:016x}", level.width, level.height, fnv1a(bytes));
    }
    assetc_asset_free(asset);

    let asset = load(manager, &Handle { path_hash: 0xdead, kind: 1, ..Default::default() });
    println!("{}", text(assetc_asset_error(asset)));
    assetc_asset_free(asset);
    assetc_manager_free(manager);
}

fn main() {
    let arguments: Vec<String> = env::args().collect();
    match arguments.as_slice() {
        [_, place, name] => unsafe { run(place, name) },
        _ => {
            eprintln!("usage: assets PACK-OR-FOLDER TEXTURE");
            exit(2)
        }
    }
}
