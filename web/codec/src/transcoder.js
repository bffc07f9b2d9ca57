import { AssetcError } from './error.js';
import { Instance, compile, hasSimd } from './module.js';

// In the order of native/transcode.cpp.
const TARGETS = /** @type {const} */ ([
  'rgba8', 'rgba16f', 'bc1', 'bc3', 'bc4', 'bc5', 'bc6h', 'bc7', 'etc1', 'etc2-rgb', 'etc2-rgba', 'eac-r11', 'eac-rg11',
  'astc-4x4', 'source',
]);
const MODELS = /** @type {const} */ (['uastc', 'etc1s', 'block', 'raw']);

/** @typedef {import('../index.d.ts').Ktx2File} Opened */

// An instance with more memory than this is not used again after its file was closed: memory never shrinks.
const KEPT_BYTES = 32 << 20;

/** @implements {Opened} */
class Ktx2File {
  /** @type {Instance | undefined} */
  #instance;
  #handle;
  #pool;

  /**
   * @param {Pool} pool
   * @param {Instance} instance
   * @param {number} handle
   */
  constructor(pool, instance, handle) {
    this.#pool = pool;
    this.#instance = instance;
    this.#handle = handle;
    const info = Array.from(instance.words(instance.call('describe', handle), 12));
    this.width = info[0];
    this.height = info[1];
    this.depth = info[2];
    this.layers = info[3];
    this.faces = info[4];
    this.levels = info[5];
    this.vkFormat = info[6];
    this.model = MODELS[info[7]];
    this.srgb = info[8] !== 0;
    this.hdr = info[9] !== 0;
    this.hasAlpha = info[10] !== 0;
    /** @type {Map<string, Uint8Array<ArrayBuffer>>} */
    this.keyValues = new Map();
    if (info[11] === 0) return;
    const pairs = instance.words(instance.call('key_values', handle), info[11] * 4);
    for (let i = 0; i < pairs.length; i += 4)
      this.keyValues.set(instance.text(pairs[i], pairs[i + 1]), instance.bytes(pairs[i + 2], pairs[i + 3]).slice());
  }

  /**
   * @param {import('../index.d.ts').ImageIndex} image
   * @param {import('../index.d.ts').Target} target
   * @returns {import('../index.d.ts').Transcoded}
   */
  transcode({ level = 0, layer = 0, face = 0, slice = 0 }, target) {
    const instance = this.#instance;
    if (!instance) throw new AssetcError('this file was closed');
    const number = TARGETS.indexOf(target);
    if (number < 0) throw new AssetcError(`no target "${target}", expected ${TARGETS.join(', ')}`);
    for (const [name, value] of Object.entries({ level, layer, face, slice }))
      if (!Number.isInteger(value) || value < 0 || value > 0xffff_ffff)
        throw new AssetcError(`${name} is ${value}, expected a whole number from 0`);
    const picture = instance.words(instance.call('transcode', this.#handle, level, layer, face, slice, number), 4);
    const [at, size, width, height] = picture;
    return { data: instance.bytes(at, size).slice(), width, height, target };
  }

  close() {
    const instance = this.#instance;
    this.#instance = undefined;
    if (instance) this.#pool.give(instance, this.#handle);
  }
}

// Each file has an instance of its own: a trap ends no other file, and closing a large file frees its memory.
class Pool {
  /** @type {Instance | undefined} */
  #idle;

  /** @param {WebAssembly.Module} module */
  constructor(module) {
    this.module = module;
  }

  take() {
    const instance = this.#idle ?? new Instance(this.module);
    this.#idle = undefined;
    return instance;
  }

  /**
   * @param {Instance} instance
   * @param {number} handle 0: there is no file
   */
  give(instance, handle) {
    if (instance.dead) return;
    if (handle !== 0) instance.attempt(() => instance.exports.close(handle));
    if (instance.memoryBytes <= KEPT_BYTES) this.#idle = instance;
  }
}

/**
 * @param {import('../index.d.ts').TranscoderOptions} [options]
 * @returns {Promise<import('../index.d.ts').Transcoder>}
 */
export async function loadTranscoder({ wasm, simd = hasSimd() } = {}) {
  const ours = simd ? new URL('../wasm/transcode-simd.wasm', import.meta.url) : new URL('../wasm/transcode.wasm', import.meta.url);
  const pool = new Pool(await compile(wasm, ours));
  return {
    open(bytes) {
      if (!(bytes instanceof Uint8Array)) throw new AssetcError('expected the bytes of a file as a Uint8Array');
      const instance = pool.take();
      let handle = 0;
      try {
        handle = instance.call('open', instance.copyIn(bytes), bytes.byteLength);
        return new Ktx2File(pool, instance, handle);
      } catch (error) {
        pool.give(instance, handle);
        throw error;
      }
    },
  };
}
