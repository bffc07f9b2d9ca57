// Loads WebAssembly modules, and calls them so that every failure is an AssetcError.
import { AssetcError } from './error.js';

// A function whose result is a vector of SIMD.
const SIMD_PROBE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
]);
export const hasSimd = () => WebAssembly.validate(SIMD_PROBE);

/** @param {URL} url */
async function read(url) {
  if (url.protocol === 'file:') {
    const node = 'node:fs/promises'; // a variable, so that bundlers for browsers do not look for it
    const { readFile } = await import(/* @vite-ignore */ node);
    return new Uint8Array(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`HTTP status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/**
 * @param {import('../index.d.ts').WasmSource | undefined} source
 * @param {URL} ours
 * @returns {Promise<WebAssembly.Module>}
 */
export async function compile(source, ours) {
  if (source instanceof WebAssembly.Module) return source;
  let from = 'the given bytes';
  try {
    if (source === undefined || typeof source === 'string' || source instanceof URL) {
      const url = source === undefined ? ours : new URL(source, globalThis.location?.href);
      from = url.href;
      return await WebAssembly.compile(await read(url));
    }
    if (typeof Response === 'function' && source instanceof Response) {
      from = source.url || 'the given response';
      if (!source.ok) throw new Error(`HTTP status ${source.status}`);
      return await WebAssembly.compile(await source.arrayBuffer());
    }
    return await WebAssembly.compile(/** @type {BufferSource} */ (source));
  } catch (cause) {
    throw new AssetcError(`the WebAssembly module was not loaded from ${from}: ${message(cause)}`, {
      code: 'io', cause, hint: 'copy the folder wasm of @assetc/codec to the server, or set the option wasm',
    });
  }
}

/** @param {unknown} error */
export const message = (error) => (error instanceof Error ? error.message : String(error));

const text = new TextDecoder();

/** An instance of a module of native/. After a trap it is dead, and its memory must not be used. */
export class Instance {
  dead = false;

  /** @param {WebAssembly.Module} module */
  constructor(module) {
    try {
      /** @type {any} */
      this.exports = new WebAssembly.Instance(module).exports;
      this.exports._initialize();
    } catch (cause) {
      throw new AssetcError(`the WebAssembly module does not start: ${message(cause)}`, { code: 'trap', cause });
    }
  }

  get memoryBytes() {
    return this.exports.memory.buffer.byteLength;
  }

  /**
   * Bytes of the memory. Invalid after the next call.
   * @param {number} at
   * @param {number} size
   */
  bytes(at, size) {
    return new Uint8Array(this.exports.memory.buffer, at >>> 0, size >>> 0);
  }

  /**
   * @param {number} at
   * @param {number} count
   */
  words(at, count) {
    return new Uint32Array(this.exports.memory.buffer, at >>> 0, count);
  }

  /**
   * @param {number} at
   * @param {number} size
   */
  text(at, size) {
    return text.decode(this.bytes(at, size));
  }

  /**
   * Calls an export that returns 0 after an error.
   * @param {string} name
   * @param {...number} args
   * @returns {number}
   */
  call(name, ...args) {
    const result = this.attempt(() => this.exports[name](...args)) >>> 0;
    if (result === 0) throw this.lastError();
    return result;
  }

  /**
   * Runs work that calls exports. A trap becomes an AssetcError.
   * @template T
   * @param {() => T} work
   * @returns {T}
   */
  attempt(work) {
    if (this.dead) throw new AssetcError('this file ended in a trap before', { code: 'trap', hint: 'open it again' });
    try {
      return work();
    } catch (cause) {
      if (!(cause instanceof WebAssembly.RuntimeError || cause instanceof RangeError)) throw cause;
      this.dead = true;
      throw new AssetcError('not enough memory, or a fault of the module', { code: 'trap', cause });
    }
  }

  /**
   * Copies bytes into memory that the module owns from then on.
   * @param {ArrayLike<number> & {byteLength: number}} source
   * @returns {number}
   */
  copyIn(source) {
    const at = this.attempt(() => this.exports.allocate(source.byteLength)) >>> 0;
    if (at === 0) throw new AssetcError(`no memory for ${source.byteLength} bytes`, { code: 'limit' });
    this.bytes(at, source.byteLength).set(source);
    return at;
  }

  lastError() {
    const at = this.attempt(() => this.exports.last_error()) >>> 0;
    const words = this.words(at, 8);
    const [code, place, what, hint] = [0, 2, 4, 6].map((i) => this.text(words[i], words[i + 1]));
    return new AssetcError(what, { code, place, hint });
  }
}
