// Textures of KTX2 files: UASTC and ETC1S as the renderer draws them best, block-compressed and plain texels.
import { AssetcError, loadTranscoder } from '@assetc/codec';
import {
  CompressedArrayTexture, CompressedCubeTexture, CompressedTexture, Data3DTexture, DataTexture, HalfFloatType, LinearFilter, LinearMipmapLinearFilter,
  NoColorSpace, RED_GREEN_RGTC2_Format, RED_RGTC1_Format, RGBAFormat, RGBA_ASTC_4x4_Format, RGBA_BPTC_Format,
  RGBA_ETC2_EAC_Format, RGBA_S3TC_DXT5_Format, RGB_BPTC_UNSIGNED_Format, RGB_ETC2_Format, RGB_S3TC_DXT1_Format, RepeatWrapping,
  ClampToEdgeWrapping, SRGBColorSpace, UnsignedByteType,
} from 'three';
import * as THREE from 'three';
import { AsyncLoader } from './load.js';
import { fileError } from './reader.js';

/**
 * The compressed formats that a renderer draws.
 * @typedef {{ astc: boolean, bptc: boolean, etc2: boolean, s3tc: boolean, rgtc: boolean }} Support
 * @typedef {import('@assetc/codec').Target} Target
 * @typedef {import('@assetc/codec').Ktx2File} Ktx2File
 */

/** No compressed formats. @type {Support} */
const NO_SUPPORT = { astc: false, bptc: false, etc2: false, s3tc: false, rgtc: false };

/** How each target is called in three.js. @type {Record<string, { format: number, type: number, needs: keyof Support | '' }>} */
const TARGETS = {
  'rgba8': { format: RGBAFormat, type: UnsignedByteType, needs: '' },
  'rgba16f': { format: RGBAFormat, type: HalfFloatType, needs: '' },
  'bc1': { format: RGB_S3TC_DXT1_Format, type: UnsignedByteType, needs: 's3tc' },
  'bc3': { format: RGBA_S3TC_DXT5_Format, type: UnsignedByteType, needs: 's3tc' },
  'bc4': { format: RED_RGTC1_Format, type: UnsignedByteType, needs: 'rgtc' },
  'bc5': { format: RED_GREEN_RGTC2_Format, type: UnsignedByteType, needs: 'rgtc' },
  'bc6h': { format: RGB_BPTC_UNSIGNED_Format, type: HalfFloatType, needs: 'bptc' },
  'bc7': { format: RGBA_BPTC_Format, type: UnsignedByteType, needs: 'bptc' },
  'etc2-rgb': { format: RGB_ETC2_Format, type: UnsignedByteType, needs: 'etc2' },
  'etc2-rgba': { format: RGBA_ETC2_EAC_Format, type: UnsignedByteType, needs: 'etc2' },
  'eac-r11': { format: THREE.R11_EAC_Format, type: UnsignedByteType, needs: 'etc2' },
  'eac-rg11': { format: THREE.RG11_EAC_Format, type: UnsignedByteType, needs: 'etc2' },
  'astc-4x4': { format: RGBA_ASTC_4x4_Format, type: UnsignedByteType, needs: 'astc' },
};

/** The target whose blocks a VkFormat has. @type {Record<number, string>} */
const BLOCKS = {
  131: 'bc1', 132: 'bc1', 137: 'bc3', 138: 'bc3', 139: 'bc4', 141: 'bc5', 143: 'bc6h', 145: 'bc7', 146: 'bc7',
  147: 'etc2-rgb', 148: 'etc2-rgb', 151: 'etc2-rgba', 152: 'etc2-rgba', 153: 'eac-r11', 155: 'eac-rg11', 157: 'astc-4x4', 158: 'astc-4x4',
};

/** Formats whose texels exceed 8 bits, as VkFormat; R16 to R64, and shared exponents. @param {number} format */
const isWide = (format) => (format >= 70 && format <= 123);

/** Only these targets may hold sRGB. */
const SRGB_TARGETS = new Set(['rgba8', 'bc1', 'bc3', 'bc7', 'etc2-rgb', 'etc2-rgba', 'astc-4x4']);

/**
 * The best target for a file on a renderer.
 * @param {Pick<Ktx2File, 'model' | 'hdr' | 'hasAlpha' | 'vkFormat' | 'width' | 'height'>} file
 * @param {Support} support
 * @returns {Target}
 */
export function chooseTarget(file, support) {
  // WebGL requires whole blocks of BC formats in level 0.
  const wholeBlocks = file.width % 4 === 0 && file.height % 4 === 0;
  /** @param {string} target */
  const works = (target) => {
    const needs = TARGETS[target].needs;
    // Early versions of three.js lack some formats.
    return needs === '' || (TARGETS[target].format !== undefined && support[needs] && (wholeBlocks || needs === 'astc' || needs === 'etc2'));
  };
  if (file.model === 'block') {
    const own = BLOCKS[file.vkFormat];
    if (own && works(own)) return 'source';
  }
  if (file.hdr || (file.model === 'raw' && isWide(file.vkFormat))) return 'rgba16f';
  if (file.model === 'raw' || file.model === 'block') return 'rgba8';
  const etc = file.hasAlpha ? 'etc2-rgba' : 'etc2-rgb', s3 = file.hasAlpha ? 'bc3' : 'bc1';
  // UASTC is nearest to ASTC, then to BC7; ETC1S is nearest to ETC2.
  const order = file.model === 'uastc' ? ['astc-4x4', 'bc7', etc, s3] : [etc, 'bc7', s3, 'astc-4x4'];
  return /** @type {Target} */ (order.find(works) ?? 'rgba8');
}

/**
 * The target of a normal map whose z a shader computes, or null.
 * @param {Pick<Ktx2File, 'model' | 'vkFormat' | 'width' | 'height'>} file
 * @param {Support} support
 * @returns {Target | null}
 */
function packedTarget(file, support) {
  const bc = support.rgtc && file.width % 4 === 0 && file.height % 4 === 0;
  if (file.model === 'block') return (file.vkFormat === 141 && bc) || (file.vkFormat === 155 && support.etc2 && THREE.RG11_EAC_Format !== undefined) ? 'source' : null;
  if (file.model === 'raw') return null;
  return bc ? 'bc5' : support.etc2 && THREE.RG11_EAC_Format !== undefined ? 'eac-rg11' : null;
}

/** @param {Map<string, Uint8Array>} keyValues @param {string} key */
function textOf(keyValues, key) {
  const value = keyValues.get(key);
  return value ? new TextDecoder().decode(value).replace(/\0+$/, '') : '';
}

/**
 * Loads textures from .ktx2 files: two-dimensional ones, arrays, cubemaps and volumes, with their mips.
 *
 * Call `detectSupport(renderer)` before the first load. Without it, texels are decompressed. A file that breaks the format, or
 * is cut off, ends in an AssetcError.
 * @extends {AsyncLoader<import('three').Texture>}
 */
export class Ktx2Loader extends AsyncLoader {
  /**
   * @param {import('three').LoadingManager} [manager]
   * @param {Parameters<typeof loadTranscoder>[0] & object | Promise<import('@assetc/codec').Transcoder>} [transcoder] options of
   *   `loadTranscoder`, or a transcoder that loaders share
   */
  constructor(manager, transcoder = {}) {
    super(manager);
    this.support = NO_SUPPORT;
    this.transcoderSource = transcoder;
    /** @type {Promise<import('@assetc/codec').Transcoder> | null} */
    this.transcoder = null;
  }

  /**
   * Finds the compressed formats that a renderer draws. A WebGPURenderer must be initialized.
   * @param {any} renderer a WebGLRenderer or WebGPURenderer
   * @returns {this}
   */
  detectSupport(renderer) {
    if (renderer.isWebGPURenderer) {
      const has = (/** @type {string} */ feature) => renderer.hasFeature(feature) === true;
      const bc = has('texture-compression-bc');
      this.support = { astc: has('texture-compression-astc'), bptc: bc, etc2: has('texture-compression-etc2'),
        s3tc: bc || has('texture-compression-s3tc'), rgtc: bc };
    } else {
      const has = (/** @type {string} */ name) => renderer.extensions.has(name) === true;
      this.support = { astc: has('WEBGL_compressed_texture_astc'), bptc: has('EXT_texture_compression_bptc'),
        etc2: has('WEBGL_compressed_texture_etc'), s3tc: has('WEBGL_compressed_texture_s3tc') && has('WEBGL_compressed_texture_s3tc_srgb'),
        rgtc: has('EXT_texture_compression_rgtc') };
      // Drivers on desktops that draw everything emulate ASTC and ETC2; BC formats are the native ones.
      if (this.support.astc && this.support.etc2 && this.support.bptc && this.support.s3tc) this.support.astc = this.support.etc2 = false;
    }
    return this;
  }

  /**
   * @param {string} url
   * @param {(event: ProgressEvent) => void} [onProgress]
   */
  async readUrl(url, onProgress) {
    const bytes = await this.requestBytes(url, onProgress);
    return this.parseAsync(bytes, url);
  }

  /**
   * Makes a texture from the bytes of a file.
   * @param {ArrayBuffer | Uint8Array} data
   * @param {string} [name] of the file, for errors and as the name of the texture
   * @param {{ normals?: 'packed' | 'xyz' }} [options] the texture is a normal map, and may store x and y alone. `xyz`: the texture
   *   gets z. `packed`: it has two channels if the renderer compresses such textures, and a material with it as `normalMap`
   *   computes z (three.js r187 or later); otherwise it gets z
   * @returns {Promise<import('three').Texture>}
   */
  async parseAsync(data, name = 'texture.ktx2', options = {}) {
    if (!this.transcoder) {
      const source = this.transcoderSource;
      this.transcoder = source instanceof Promise ? source : loadTranscoder(source);
    }
    const transcoder = await this.transcoder;
    let file;
    try {
      file = transcoder.open(data instanceof Uint8Array ? data : new Uint8Array(data));
      return makeTexture(file, this.support, name, options.normals ?? '');
    } catch (error) {
      if (!(error instanceof AssetcError) || error.place?.startsWith(name)) throw error;
      const place = error.place ? `${name}: ${error.place}` : name;
      throw new AssetcError(error.what, { code: error.code, place, hint: error.hint, cause: error });
    } finally {
      file?.close();
    }
  }
}

/**
 * @param {Ktx2File} file
 * @param {Support} support
 * @param {string} name
 * @param {'' | 'packed' | 'xyz'} normals
 */
export function makeTexture(file, support, name, normals) {
  const width = file.width, height = Math.max(file.height, 1), depth = file.depth, layers = file.layers;
  const swizzle = textOf(file.keyValues, 'KTXswizzle');
  const isVolume = depth > 1, isArray = layers > 1, isCube = file.faces === 6;
  if ((isVolume || isArray) && isCube) throw fileError(name, '', 'three.js has no arrays of cubemaps or of volumes');
  if (isVolume && isArray) throw fileError(name, '', 'three.js has no arrays of volumes');
  // three.js does not swizzle, and has no compressed volumes.
  const moves = swizzle !== '' && swizzle !== 'rgba';
  const packed = normals === 'packed' && !isVolume && !moves ? packedTarget(file, support) : null;
  const addsZ = normals !== '' && !packed;
  let target = packed ?? chooseTarget(file, support);
  if (isVolume || moves) target = file.hdr || (file.model === 'raw' && isWide(file.vkFormat)) ? 'rgba16f' : 'rgba8';
  if (addsZ) target = 'rgba8';
  const kind = TARGETS[target === 'source' ? BLOCKS[file.vkFormat] : target];

  const levels = Math.max(file.levels, 1);
  /** @param {number} level @param {number} layer @param {number} face @param {number} slice */
  const image = (level, layer, face, slice) => {
    const found = file.transcode({ level, layer, face, slice }, target);
    if (moves) swizzleTexels(found.data, swizzle, target === 'rgba16f');
    if (addsZ) addZ(found.data);
    return found;
  };
  /** @param {number} level @param {number} count @param {(i: number) => { data: Uint8Array, width: number, height: number }} read */
  const joined = (level, count, read) => {
    const parts = Array.from({ length: count }, (_, i) => read(i));
    const data = new Uint8Array(parts.reduce((size, part) => size + part.data.byteLength, 0));
    let at = 0;
    for (const part of parts) {
      data.set(part.data, at);
      at += part.data.byteLength;
    }
    return { data: typed(data, kind.type), width: parts[0].width, height: parts[0].height };
  };
  /** @param {number} face */
  const mipmaps = (face) => Array.from({ length: levels }, (_, level) => {
    const one = image(level, 0, face, 0);
    return { data: typed(one.data, kind.type), width: one.width, height: one.height };
  });

  /** @type {any} */
  let texture;
  if (isVolume) {
    const whole = joined(0, depth, (slice) => image(0, 0, 0, slice));
    texture = new Data3DTexture(/** @type {any} */ (whole.data), width, height, depth);
    texture.format = kind.format;
    texture.type = kind.type;
  } else if (isCube) {
    const faces = Array.from({ length: 6 }, (_, face) => ({ mipmaps: mipmaps(face), width, height, format: kind.format, type: kind.type }));
    texture = new CompressedCubeTexture(/** @type {any} */ (faces), /** @type {any} */ (kind.format), /** @type {any} */ (kind.type));
  } else if (isArray) {
    const maps = Array.from({ length: levels }, (_, level) => joined(level, layers, (layer) => image(level, layer, 0, 0)));
    texture = new CompressedArrayTexture(/** @type {any} */ (maps), width, height, layers, /** @type {any} */ (kind.format), /** @type {any} */ (kind.type));
  } else if (kind.needs === '') {
    const maps = mipmaps(0);
    texture = new DataTexture(/** @type {any} */ (maps[0].data), width, height, /** @type {any} */ (kind.format), /** @type {any} */ (kind.type));
    texture.mipmaps = maps;
  } else {
    texture = new CompressedTexture(/** @type {any} */ (mipmaps(0)), width, height, /** @type {any} */ (kind.format), /** @type {any} */ (kind.type));
  }
  texture.name = name;
  texture.colorSpace = file.srgb && kind.type === UnsignedByteType && SRGB_TARGETS.has(target === 'source' ? BLOCKS[file.vkFormat] : target)
    ? SRGBColorSpace : NoColorSpace;
  texture.magFilter = LinearFilter;
  texture.minFilter = levels > 1 && !isVolume ? LinearMipmapLinearFilter : LinearFilter;
  texture.wrapS = texture.wrapT = isCube || isVolume ? ClampToEdgeWrapping : RepeatWrapping;
  texture.generateMipmaps = false;
  texture.flipY = false;
  texture.needsUpdate = true;
  return texture;
}

/** The bytes as the numbers of a type. @param {Uint8Array} data @param {number} type */
function typed(data, type) {
  if (type !== HalfFloatType) return data;
  const aligned = data.byteOffset % 2 === 0 ? data : data.slice();
  return new Uint16Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 2);
}

/** @param {Uint8Array} data RGBA texels @param {string} swizzle four of r, g, b, a, 0, 1 @param {boolean} half */
function swizzleTexels(data, swizzle, half) {
  const values = half ? new Uint16Array(data.buffer, data.byteOffset, data.byteLength / 2) : data;
  const one = half ? 0x3c00 : 255, from = [...swizzle].map((c) => 'rgba'.indexOf(c));
  const texel = [0, 0, 0, 0];
  for (let i = 0; i + 3 < values.length; i += 4) {
    for (let c = 0; c < 4; ++c) texel[c] = values[i + c];
    for (let c = 0; c < 4; ++c) values[i + c] = from[c] >= 0 ? texel[from[c]] : swizzle[c] === '1' ? one : 0;
  }
}

/** Writes the z of unit vectors into the third channel. @param {Uint8Array} data RGBA8 texels */
function addZ(data) {
  for (let i = 0; i + 3 < data.length; i += 4) {
    const x = data[i] / 127.5 - 1, y = data[i + 1] / 127.5 - 1;
    data[i + 2] = Math.round((Math.sqrt(Math.max(0, 1 - x * x - y * y)) + 1) * 127.5);
  }
}
