/** A file that breaks a rule of its format, a server that does not give what was asked for, or memory that ran out. */
export { AssetcError } from '@assetc/codec';

export interface FetchOptions {
  /** Headers of each request, such as Authorization. They are sent to the origin of the URL only. */
  headers?: Record<string, string>;
  /** Requests at the same time. Default 6. */
  requests?: number;
  /** Reads of one file share a request if the gap between them is at most this. Default 16 KiB. */
  joinGapBytes?: number;
  /** The largest joined request. Default 1 MiB. */
  maxJoinedBytes?: number;
  /** Limit for one answer, and for a file of a server that ignores ranges. Default 256 MiB. */
  maxWholeBytes?: number;
  /**
   * A server that sends less than 1 KiB/s for this time is an error. Default 10,000 ms. So is one that sends less than
   * 4 KiB/s on average after 30 s.
   */
  stallMs?: number;
  /**
   * Follow redirects to another origin, but never from https to http. Default: such a redirect is an error. In a
   * browser, redirects are not followed if there are headers, because a page cannot see where they lead.
   */
  followsElsewhere?: boolean;
  /** Replaces the global fetch. */
  fetch?: typeof globalThis.fetch;
}

export interface OpenOptions extends FetchOptions {
  /**
   * The texture formats of the device. Textures of UASTC and ETC1S become one of them. Without one, they become RGBA.
   * Default: `bc`.
   */
  formats?: ('bc' | 'astc' | 'etc2')[];
  /** Larger levels of textures are not loaded. Default: no limit. */
  maxTextureSize?: number;
  /** The size of the first read of a texture or mesh. Default 64 KiB. */
  firstReadBytes?: number;
  /** The module. Default: `wasm/runtime.wasm` of this package. */
  wasm?: URL | string | WebAssembly.Module;
}

export interface AssetInfo {
  path: string;
  /** The type, as in a cooked registry. */
  type: number;
  bytes: number;
}

export interface TextureLevel {
  width: number;
  height: number;
  depth: number;
  /** Images by layer, then face, then depth, each of rows of blocks. */
  data: Uint8Array<ArrayBuffer>;
}
export interface Texture {
  /** A GPUTextureFormat. */
  format: string;
  /** 0: not an array. */
  layers: number;
  /** 6 for a cube. */
  faces: number;
  is3d: boolean;
  swizzle: string;
  /** The level of the whole texture that `levels[0]` holds. 0: the texture is complete. */
  firstLevel: number;
  levelCount: number;
  /** The largest first. */
  levels: TextureLevel[];
}

export interface VertexSet {
  count: number;
  buffers: { stride: number; data: Uint8Array<ArrayBuffer> }[];
  streams: {
    /** position, normal, tangent, texcoord, color, joints, weights, or the name of an attribute of the source. */
    semantic: string;
    /** Of the set of texture coordinates, colors, joints or weights. */
    index: number;
    /** A GPUVertexFormat. */
    format: string;
    buffer: number;
    offset: number;
  }[];
}
export interface Draw {
  /** Index into `vertices`. */
  vertices: number;
  /** Index into `indices`. */
  indices: number;
  firstIndex: number;
  indexCount: number;
  baseVertex: number;
  materialSlot: number;
  /** A GPUPrimitiveTopology. */
  topology: string;
}
export interface Mesh {
  /** 0: the mesh is complete; otherwise only this level of detail. */
  lod: number;
  lodCount: number;
  vertices: VertexSet[];
  indices: { width: 2 | 4; data: Uint8Array<ArrayBuffer> }[];
  /** Draws of each level of detail, full detail first. */
  levels: Draw[][];
  /** Points and lines. */
  primitives: Draw[];
}
export interface RawBytes {
  data: Uint8Array<ArrayBuffer>;
}

export interface LoadOptions<T> {
  /** The finest level to load. Default 0: all. */
  level?: number;
  /** Called for each part that arrived, with all parts so far. The value belongs to the caller. */
  onUpdate?: (value: T) => void;
}

/** A requested asset. Close it when it is no longer needed. */
export interface Asset<T> {
  readonly path: string;
  /** The value so far; undefined before the first part. */
  readonly value: T | undefined;
  /** Why it failed. */
  readonly error: Error | undefined;
  /** Whether all wanted parts are there, or it failed. */
  readonly isComplete: boolean;
  /** Resolves with the first part. Rejects with an AssetcError. */
  readonly ready: Promise<T>;
  /** Sets the finest level to load. */
  want(level: number): void;
  /** Cancels the load. */
  close(): void;
}

/** A mounted pack or folder. */
export interface Place {
  readonly assets: AssetInfo[];
  readonly stats: { requests: number; receivedBytes: number };
  texture(path: string, options?: LoadOptions<Texture>): Asset<Texture>;
  mesh(path: string, options?: LoadOptions<Mesh>): Asset<Mesh>;
  /** The bytes of an asset that is neither a texture nor a mesh: a scene, a material, clips. */
  bytes(path: string, options?: LoadOptions<RawBytes>): Asset<RawBytes>;
  close(): void;
}

/** Opens an .hpack. Reads its table only. */
export function openPack(url: string | URL, options?: OpenOptions): Promise<Place>;
/** Opens a runtime/ folder, which has an assets.hman. */
export function openTree(url: string | URL, options?: OpenOptions): Promise<Place>;
