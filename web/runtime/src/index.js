// The runtime of assetc in a page: see index.d.ts.
import { AssetcError } from '@assetc/codec';
import { Fetcher } from './fetcher.js';

export { AssetcError };

// In the order of ErrorCode in assetc/base/result.hpp.
const CODES = ['invalid_data', 'truncated', 'version', 'unsupported', 'limit', 'not_found', 'io', 'conflict', 'usage', 'canceled'];
const KINDS = { texture: 0, mesh: 1, bytes: 2 };
const LAYOUTS = { tree: 0, pack: 1 };
// Bits of open_session().
const FORMATS = { bc: 1, astc: 2, etc2: 4 };
const RETRY_MS = 50;

const text = new TextDecoder();
const utf8 = new TextEncoder();

/** @type {Map<string, Promise<WebAssembly.Module>>} */
const modules = new Map();

/** @param {import('../index.d.ts').OpenOptions['wasm']} given */
async function compile(given) {
  if (given instanceof WebAssembly.Module) return given;
  const url = new URL(given ?? '../wasm/runtime.wasm', import.meta.url);
  const load = async () => {
    try {
      if (url.protocol === 'file:') {
        const node = 'node:fs/promises'; // a variable, so that bundlers for browsers do not look for it
        const { readFile } = await import(/* @vite-ignore */ node);
        return await WebAssembly.compile(await readFile(url));
      }
      const response = await fetch(url);
      if (!response.ok) throw new Error(`HTTP status ${response.status}`);
      return await WebAssembly.compile(await response.arrayBuffer());
    } catch (cause) {
      modules.delete(url.href);
      throw new AssetcError(`the WebAssembly module was not loaded from ${url.href}: ${cause}`, { code: 'io', cause });
    }
  };
  const known = modules.get(url.href) ?? load();
  modules.set(url.href, known);
  return known;
}

/** One mounted place, in an instance of the module of its own. */
class Place {
  /** @type {any} */
  #exports;
  #session = 0;
  /** @type {Fetcher} */
  #fetcher;
  /** @type {Set<Asset>} */
  #assets = new Set();
  /** @type {Map<number, () => void>} */
  #reads = new Map();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #soon = false;
  #closed = false;
  #mounted = false;
  #maxTextureSize;

  /**
   * @param {WebAssembly.Module} module
   * @param {Fetcher} fetcher
   * @param {import('../index.d.ts').OpenOptions} options
   */
  constructor(module, fetcher, options) {
    this.#fetcher = fetcher;
    this.#maxTextureSize = options.maxTextureSize ?? 0;
    const instance = new WebAssembly.Instance(module, { assetc: { now: () => performance.now() } });
    this.#exports = instance.exports;
    this.#exports._initialize();
    let formats = 0;
    for (const name of options.formats ?? ['bc']) formats |= FORMATS[name] ?? 0;
    this.#session = this.#exports.open_session(formats, this.#maxTextureSize, options.firstReadBytes ?? 64 << 10);
  }

  get stats() {
    return { requests: this.#fetcher.requests, receivedBytes: this.#fetcher.receivedBytes };
  }

  /**
   * Mounts, while the parts of the index that it asks for arrive.
   * @param {'pack' | 'tree'} layout
   * @param {string} path
   */
  async mount(layout, path) {
    for (;;) {
      const state = this.#withText(path, (at, size) => this.#exports.mount(this.#session, LAYOUTS[layout], at, size));
      if (state === 1) break;
      if (this.#closed) throw new AssetcError('the place was closed', { code: 'canceled' });
      if (state === 0) throw this.#lastError();
      await Promise.all([...this.#wanted()].map(async ({ ticket, path: file, offset, size }) => {
        try {
          this.#answer(ticket, await this.#fetcher.read(file, offset, size).answer);
        } catch (error) {
          if (!(error instanceof AssetcError && error.code === 'not_found')) throw error;
          this.#fail(ticket, error);
        }
      }));
    }
    this.#mounted = true;
  }

  /** @type {import('../index.d.ts').AssetInfo[] | undefined} */
  #list;
  get assets() {
    this.#list ??= this.#json(this.#exports.list(this.#session));
    return /** @type {import('../index.d.ts').AssetInfo[]} */ (this.#list);
  }

  /** @param {string} path @param {import('../index.d.ts').LoadOptions<any>} [options] */
  texture(path, options) {
    return this.#load('texture', path, options);
  }
  /** @param {string} path @param {import('../index.d.ts').LoadOptions<any>} [options] */
  mesh(path, options) {
    return this.#load('mesh', path, options);
  }
  /** @param {string} path @param {import('../index.d.ts').LoadOptions<any>} [options] */
  bytes(path, options) {
    return this.#load('bytes', path, options);
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#fetcher.close();
    for (const asset of this.#assets) asset.fail(new AssetcError('the place was closed', { code: 'canceled' }));
  }

  /**
   * @param {'texture' | 'mesh' | 'bytes'} kind
   * @param {string} path
   * @param {import('../index.d.ts').LoadOptions<any>} [options]
   */
  #load(kind, path, options = {}) {
    if (this.#closed) throw new AssetcError('the place is closed', { code: 'usage' });
    const handle = this.#withText(path, (at, size) => this.#exports.request(this.#session, KINDS[kind], at, size)) >>> 0;
    if (handle === 0) throw this.#lastError();
    const asset = new Asset(path, this.#maxTextureSize, options.onUpdate, (level) => {
      this.#exports.want(handle, level);
      this.#turnSoon();
    }, () => {
      if (!this.#closed && this.#assets.delete(asset)) this.#exports.release_asset(handle);
    });
    asset.look = () => this.#look(asset, handle);
    this.#assets.add(asset);
    if (options.level !== undefined) asset.want(options.level);
    this.#turnSoon();
    return asset;
  }

  #turnSoon() {
    if (this.#soon || this.#closed) return;
    this.#soon = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#turn(), 0);
  }

  #turn() {
    this.#soon = false;
    try {
      const loading = this.#exports.pump(this.#session) - 1;
      for (const { ticket, path, offset, size } of this.#wanted()) this.#read(ticket, path, offset, size);
      for (const asset of [...this.#assets]) asset.look();
      // Parts that come next, reads that are repeated later, and work that the last turn had no time for.
      if (!this.#closed && !this.#soon && (loading > 0 || this.#reads.size > 0 || [...this.#assets].some((one) => !one.isComplete)))
        this.#timer = setTimeout(() => this.#turn(), RETRY_MS);
    } catch (cause) {
      const error = cause instanceof AssetcError ? cause : new AssetcError('not enough memory, or a fault of the module', { code: 'trap', cause });
      for (const asset of this.#assets) asset.fail(error);
      this.close();
    }
  }

  /** @param {number} ticket @param {string} path @param {number} offset @param {number} size */
  #read(ticket, path, offset, size) {
    const { answer, cancel } = this.#fetcher.read(path, offset, size);
    this.#reads.set(ticket, cancel);
    answer.then((found) => this.#answer(ticket, found), (/** @type {AssetcError} */ error) => {
      if (!this.#reads.delete(ticket) || this.#closed) return;
      this.#fail(ticket, error);
      this.#turnSoon();
    });
  }
  /** @param {number} ticket @param {AssetcError} error */
  #fail(ticket, error) {
    const said = utf8.encode(error.what ?? String(error));
    const code = CODES.indexOf(error.code);
    this.#exports.fail_read(this.#session, ticket, code < 0 ? CODES.indexOf('io') : code, this.#copyIn(said), said.length);
  }

  /** @param {number} ticket @param {import('./fetcher.js').Answer} answer */
  #answer(ticket, { bytes, fileSize, version }) {
    this.#reads.delete(ticket);
    if (this.#closed) return;
    this.#exports.answer(this.#session, ticket, this.#copyIn(bytes), bytes.length, fileSize, version);
    if (this.#mounted) this.#turnSoon();
  }

  // The requests of the module since the last call.
  *#wanted() {
    for (;;) {
      const at = this.#exports.next_request(this.#session) >>> 0;
      if (at === 0) return;
      const view = new DataView(this.#exports.memory.buffer);
      const ticket = view.getUint32(at, true);
      if (view.getUint32(at + 12, true) !== 0) {
        this.#reads.get(ticket)?.();
        this.#reads.delete(ticket);
        continue;
      }
      yield {
        ticket, path: this.#text(view.getUint32(at + 4, true), view.getUint32(at + 8, true)),
        offset: view.getFloat64(at + 16, true), size: view.getFloat64(at + 24, true),
      };
    }
  }

  /** @param {Asset} asset @param {number} handle */
  #look(asset, handle) {
    const revision = this.#exports.revision(handle) >>> 0;
    if (revision === asset.revision) return;
    asset.revision = revision;
    if (revision === 0) return;
    const at = this.#exports.describe_asset(handle) >>> 0;
    if (at === 0) return asset.fail(this.#lastError());
    asset.update(this.#withData(this.#json(at)));
  }

  /** Replaces addresses by copies of the bytes. @param {any} value @returns {any} */
  #withData(value) {
    if (Array.isArray(value)) return value.map((one) => this.#withData(one));
    if (typeof value !== 'object' || value === null) return value;
    const { at, bytes, ...rest } = value;
    const out = Object.fromEntries(Object.entries(rest).map(([name, one]) => [name, this.#withData(one)]));
    if (at !== undefined) out.data = new Uint8Array(this.#exports.memory.buffer, at, bytes).slice();
    return out;
  }

  /** @param {number} at */
  #json(at) {
    const [from, size] = new Uint32Array(this.#exports.memory.buffer, at >>> 0, 2);
    return JSON.parse(this.#text(from, size));
  }
  /** @param {number} at @param {number} size */
  #text(at, size) {
    return text.decode(new Uint8Array(this.#exports.memory.buffer, at, size));
  }
  /** @param {Uint8Array} bytes */
  #copyIn(bytes) {
    const at = this.#exports.allocate(bytes.length) >>> 0;
    if (at === 0) throw new AssetcError(`no memory for ${bytes.length} bytes`, { code: 'limit' });
    new Uint8Array(this.#exports.memory.buffer, at, bytes.length).set(bytes);
    return at;
  }
  /** @param {string} given @param {(at: number, size: number) => number} work */
  #withText(given, work) {
    const bytes = utf8.encode(given);
    const at = this.#copyIn(bytes);
    try {
      return work(at, bytes.length);
    } finally {
      this.#exports.release(at);
    }
  }
  #lastError() {
    const words = new Uint32Array(this.#exports.memory.buffer, this.#exports.last_error() >>> 0, 8);
    const [code, place, what, hint] = [0, 2, 4, 6].map((i) => this.#text(words[i], words[i + 1]));
    return new AssetcError(what, { code, place, hint });
  }
}

/** A requested asset. Its value becomes finer as parts arrive. */
class Asset {
  revision = 0;
  /** @type {any} */
  value;
  /** @type {AssetcError | undefined} */
  error;
  look = () => {};
  /** @type {(value: any) => void} */
  #resolve = () => {};
  /** @type {(error: unknown) => void} */
  #reject = () => {};
  #onUpdate;
  #level = 0;
  #maxTextureSize;

  /**
   * @param {string} path
   * @param {number} maxTextureSize
   * @param {((value: any) => void) | undefined} onUpdate
   * @param {(level: number) => void} want
   * @param {() => void} release
   */
  constructor(path, maxTextureSize, onUpdate, want, release) {
    this.path = path;
    this.#maxTextureSize = maxTextureSize;
    this.#onUpdate = onUpdate;
    /** @param {number} level */
    this.want = (level) => {
      this.#level = level;
      want(level);
    };
    this.close = release;
    /** @type {Promise<any>} */
    this.ready = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.ready.catch(() => {}); // also in `error`
  }
  get isComplete() {
    if (this.error !== undefined) return true;
    if (this.value === undefined) return false;
    if ((this.value.firstLevel ?? this.value.lod ?? 0) <= this.#level) return true;
    const largest = this.value.levels[0];
    return this.#maxTextureSize > 0 && 2 * Math.max(largest.width ?? 0, largest.height ?? 0) > this.#maxTextureSize;
  }
  /** @param {any} value */
  update(value) {
    this.value = value;
    this.#resolve(value);
    this.#onUpdate?.(value);
  }
  /** @param {AssetcError} error */
  fail(error) {
    this.error = error;
    this.#reject(error);
  }
}

/**
 * @param {'pack' | 'tree'} layout
 * @param {string} base
 * @param {string} path
 * @param {import('../index.d.ts').OpenOptions} options
 */
async function open(layout, base, path, options) {
  const fetcher = new Fetcher(base, {
    headers: options.headers ?? {},
    requests: options.requests ?? 6,
    joinGapBytes: options.joinGapBytes ?? 16 << 10,
    maxJoinedBytes: options.maxJoinedBytes ?? 1 << 20,
    maxWholeBytes: options.maxWholeBytes ?? 256 << 20,
    stallMs: options.stallMs ?? 10_000,
    followsElsewhere: options.followsElsewhere ?? false,
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
  });
  const place = new Place(await compile(options.wasm), fetcher, options);
  try {
    await place.mount(layout, path);
  } catch (error) {
    place.close();
    throw error;
  }
  return place;
}

/** @param {string | URL} url @param {import('../index.d.ts').OpenOptions} [options] */
export function openPack(url, options = {}) {
  const { origin, pathname } = new URL(url, globalThis.location?.href);
  const slash = pathname.lastIndexOf('/');
  return open('pack', origin + pathname.slice(0, slash), decodeURIComponent(pathname.slice(slash + 1)), options);
}

/** @param {string | URL} url @param {import('../index.d.ts').OpenOptions} [options] */
export function openTree(url, options = {}) {
  const { origin, pathname } = new URL(url, globalThis.location?.href);
  return open('tree', origin + pathname.replace(/\/+$/, ''), '', options);
}
