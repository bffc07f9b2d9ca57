/** Where a WebAssembly module comes from. Without it, the package's own file is loaded. */
export type WasmSource = BufferSource | URL | string | Response | WebAssembly.Module;

/** A file that breaks a rule of its format, an argument out of range, or memory that ran out. */
export class AssetcError extends Error {
  constructor(what: string, more?: { code?: string; place?: string; hint?: string; cause?: unknown });
  name: 'AssetcError';
  /** A stable name: "invalid_data", "truncated", "unsupported", "limit", "usage" or "trap". */
  code: string;
  /** The message without the place and the hint. */
  what: string;
  /** The part of the file: "byte 48", "level 2", "block 17". */
  place?: string;
  /** What to do. */
  hint?: string;
}

/**
 * The format of `Transcoded.data`. Block formats are whole 4x4 blocks in row order. `rgba8` and `rgba16f` are texels,
 * rows tightly packed, cropped to the size of the image. `source` is the stored bytes, without supercompression.
 *
 * - UASTC and ETC1S become every target except `rgba16f` and `bc6h`.
 * - Other formats become `rgba8`, `rgba16f` and their own format.
 * - `bc4` and `eac-r11` take red. `bc5` and `eac-rg11` take the two channels of a texture of two channels, otherwise red
 *   and green.
 */
export type Target =
  | 'rgba8' | 'rgba16f'
  | 'bc1' | 'bc3' | 'bc4' | 'bc5' | 'bc6h' | 'bc7'
  | 'etc1' | 'etc2-rgb' | 'etc2-rgba' | 'eac-r11' | 'eac-rg11'
  | 'astc-4x4'
  | 'source';

/** Which image of a texture. Each number defaults to 0. */
export interface ImageIndex {
  level?: number;
  layer?: number;
  /** 0 to 5 for a cubemap: +X -X +Y -Y +Z -Z. */
  face?: number;
  /** Depth slice of a three-dimensional texture. */
  slice?: number;
}

export interface Transcoded {
  /** Owned by the caller: it is not a view of the module's memory. */
  data: Uint8Array<ArrayBuffer>;
  /** Of the level, in texels. */
  width: number;
  height: number;
  target: Target;
}

/** An open KTX 2 file. `close` frees its memory. */
export interface Ktx2File {
  /** Of level 0, in texels. */
  readonly width: number;
  readonly height: number;
  /** 1 unless three-dimensional. */
  readonly depth: number;
  /** 1 unless an array. */
  readonly layers: number;
  /** 6 for a cubemap, otherwise 1. */
  readonly faces: number;
  /** Mip levels, largest first. */
  readonly levels: number;
  /** The VkFormat; 0 for UASTC and ETC1S. */
  readonly vkFormat: number;
  readonly model: 'uastc' | 'etc1s' | 'block' | 'raw';
  readonly srgb: boolean;
  readonly hdr: boolean;
  readonly hasAlpha: boolean;
  readonly keyValues: Map<string, Uint8Array<ArrayBuffer>>;
  /** Throws AssetcError for a damaged image, an index out of range, or a target that the format does not become. */
  transcode(image: ImageIndex, target: Target): Transcoded;
  close(): void;
}

export interface Transcoder {
  /** Copies the bytes. Throws AssetcError if they are not a valid KTX 2 file. */
  open(bytes: Uint8Array): Ktx2File;
}

export interface TranscoderOptions {
  wasm?: WasmSource;
  /** Use SIMD. Default: whether this engine has it. Only chooses a file; not needed with `wasm`. */
  simd?: boolean;
}

/** Loads transcode-simd.wasm, or transcode.wasm where there is no SIMD. Rejects with AssetcError if that fails. */
export function loadTranscoder(options?: TranscoderOptions): Promise<Transcoder>;

/** The settings have the names and values of the command's `texture.*` settings and give the same bytes. */
export interface EncodeSettings {
  /**
   * `uastc` and `etc1s` are transcoded when they are loaded; `etc1s` is the smallest file and has the least quality.
   * `etc2` is ETC2 RGB or RGBA, depending on the picture's alpha. The encoders of `bc5` and `bc4` store two channels
   * and one; they require `color` `linear` or `normal`.
   */
  format: 'uastc' | 'etc1s' | 'bc7' | 'bc5' | 'bc4' | 'bc3' | 'bc1' | 'etc2' | 'rgba8';
  /**
   * `srgb`: color; mips are averaged in linear light, weighted by alpha. `linear`: independent data in each channel.
   * `normal`: X and Y of a unit vector in red and green; mips are averaged as vectors. `gray`: data in red.
   */
  color: 'srgb' | 'linear' | 'normal' | 'gray';
  /** Default: `normal`. */
  quality?: 'fast' | 'normal' | 'best';
  /**
   * Reduces the quality of UASTC, ETC2, BC1, BC3, BC4, BC5 and BC7 for a smaller size after Zstd, which it turns on at
   * level 6. 0 (off, the default) to 100: 5 is light, 20 medium, 100 heavy.
   */
  rdo?: number;
  /** ETC1S only: 1 (smallest) to 255. Default: 128. */
  etc1sQuality?: number;
  /** All mip levels. Default: true. */
  mips?: boolean;
  /** The filter of mip levels. Default: `kaiser`. */
  mipFilter?: 'kaiser' | 'box' | 'lanczos';
  /** How the filter reads beyond an edge. Default: `repeat`. */
  wrap?: 'repeat' | 'clamp';
  /** How color errors count: all channels equally, or by their effect on luma. Default: `rgb`. */
  metric?: 'rgb' | 'perceptual';
  /** For `srgb` with alpha: each mip level keeps the fraction of texels whose alpha reaches this. 0 (default): off. */
  alphaCutoff?: number;
  /**
   * Content of the texture's channels: 1 to 4 of r, g, b, a, 0 and 1. Default: `auto`, the channels that `color` needs.
   * glTF requires `rgb` for normal maps: X, Y and Z. `auto` stores X and Y of them.
   */
  channels?: string;
  /** Zstd supercompression: a level from 1 to 22, or false (default) for none. */
  zstd?: number | false;
}

export interface Picture {
  /** In texels: 1 to 32768 each way, at most 2^28 in all. */
  width: number;
  height: number;
  /** RGBA of 8 bits, rows tightly packed, top row first: width * height * 4 bytes. */
  data: Uint8Array | Uint8ClampedArray;
}

export interface Encoder {
  /** Whether the module with SIMD was loaded. */
  readonly simd: boolean;
  /** The most pictures that are encoded at once in workers; 0: in the calling thread. */
  readonly workers: number;
  /**
   * Returns the bytes of a KTX 2 file. The same picture and settings give the same bytes with and without SIMD and
   * workers, and from the command. Rejects with AssetcError. The picture is copied before the call returns.
   */
  encode(picture: Picture, settings: EncodeSettings): Promise<Uint8Array<ArrayBuffer>>;
  /** Ends the workers. Pictures that are not finished are rejected. */
  close(): void;
}

export interface EncoderOptions {
  wasm?: WasmSource;
  /** Use SIMD. Default: whether this engine has it. Only chooses a file; not needed with `wasm`. */
  simd?: boolean;
  /** The most workers. Each takes one picture at a time. Default: as many as processors, at most 8. */
  workers?: number;
}

/** Loads encode-simd.wasm, or encode.wasm where there is no SIMD. */
export function loadEncoder(options?: EncoderOptions): Promise<Encoder>;

/** Whether this engine runs WebAssembly with SIMD. */
export function hasSimd(): boolean;
