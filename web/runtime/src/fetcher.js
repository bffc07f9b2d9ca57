// Reads ranges of files over HTTP. Neighboring reads share a request. Answers are checked, so a server that ignores
// ranges, lies or stalls gives an error or the right bytes.
import { AssetcError } from '@assetc/codec';

const FIRST_BYTES = 16 << 10; // asked for when only the size is wanted, because the beginning is read next
const MAX_REDIRECTS = 5;
// The limits of the C++ source (src/http/source): a body below the first rate for stallMs is an error, and one below
// the second on average after AVERAGE_MS. Otherwise a server that sends a byte now and then holds a read without end.
const SLOWEST_BYTES_PER_SECOND = 1024;
const LEAST_AVERAGE_BYTES_PER_SECOND = 4096;
const AVERAGE_MS = 30_000;

/**
 * What is known about a file of the server.
 * @typedef {{
 *   known: boolean, validator: string, size: number, version: number, generation: number,
 *   whole?: Uint8Array, head?: Uint8Array, ignoresRanges: boolean, active: number, waiting: Read[],
 * }} File
 * @typedef {{
 *   offset: number, size: number, generation: number, canceled: boolean,
 *   resolve: (answer: Answer) => void, reject: (error: unknown) => void,
 * }} Read
 * @typedef {{ bytes: Uint8Array, fileSize: number, version: number }} Answer
 */

/**
 * @param {string} code
 * @param {string} path
 * @param {string} what
 * @param {string} [hint]
 */
const failure = (code, path, what, hint) => new AssetcError(`${path}: ${what}`, { code, hint });

/** A number that differs between versions of a file. @param {string} text */
function hash(text) {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; ++i) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return value || 1;
}

export class Fetcher {
  /** Counts, for statistics. */
  requests = 0;
  receivedBytes = 0;
  /** @type {Map<string, File>} */
  #files = new Map();
  /** @type {Set<AbortController>} */
  #running = new Set();
  #scheduled = false;
  #closed = false;

  /**
   * @param {string} base
   * @param {Required<import('../index.d.ts').FetchOptions>} options
   */
  constructor(base, options) {
    this.base = base;
    this.options = options;
  }

  /**
   * Reads [offset, offset + size) of a file; size -1: up to the end; 0: only the size of the file.
   * @param {string} path
   * @param {number} offset
   * @param {number} size
   * @returns {{ answer: Promise<Answer>, cancel: () => void }}
   */
  read(path, offset, size) {
    let file = this.#files.get(path);
    if (!file) {
      file = { known: false, validator: '', size: 0, version: 0, generation: 0, ignoresRanges: false, active: 0, waiting: [] };
      this.#files.set(path, file);
    }
    /** @type {Read} */
    const read = { offset, size, generation: file.generation, canceled: false, resolve: () => {}, reject: () => {} };
    /** @type {Promise<Answer>} */
    const answer = new Promise((resolve, reject) => Object.assign(read, { resolve, reject }));
    file.waiting.push(read);
    this.#schedule();
    return { answer, cancel: () => void (read.canceled = true) };
  }

  close() {
    this.#closed = true;
    for (const one of this.#running) one.abort();
  }

  // Waits for the reads that are submitted together.
  #schedule() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      for (const [path, file] of this.#files) {
        while (!this.#closed && file.waiting.length > 0 && this.#running.size < this.options.requests) {
          // The first answer shows whether the server supports ranges.
          if (file.active > 0 && (!file.known || file.ignoresRanges)) break;
          this.#begin(path, file);
        }
      }
    });
  }

  /**
   * @param {string} path
   * @param {File} file
   */
  #begin(path, file) {
    file.waiting = file.waiting.filter((read) => !read.canceled && !this.#serve(path, file, read));
    if (file.waiting.length === 0) return;
    const first = file.waiting[0];
    let begin = first.offset;
    let end = endOf(file, first);
    let joined = [first];
    if (file.ignoresRanges) {
      joined = file.waiting;
    } else if (end !== Infinity) {
      const { joinGapBytes, maxJoinedBytes } = this.options;
      const sorted = file.waiting.filter((read) => read !== first && endOf(file, read) !== Infinity).sort((a, b) => a.offset - b.offset);
      for (const read of sorted) {
        const from = Math.min(begin, read.offset), to = Math.max(end, endOf(file, read));
        if (read.offset > end + joinGapBytes || endOf(file, read) + joinGapBytes < begin || to - from > maxJoinedBytes) continue;
        if (file.known && (read.offset === 0) !== (first.offset === 0)) continue;
        [begin, end] = [from, to];
        joined.push(read);
      }
    }
    const taken = new Set(joined);
    file.waiting = file.waiting.filter((read) => !taken.has(read));
    ++file.active;
    this.#request(path, file, begin, end, [...taken]).finally(() => {
      --file.active;
      this.#schedule();
    });
  }

  /**
   * @param {string} path
   * @param {File} file
   * @param {number} begin
   * @param {number} end
   * @param {Read[]} reads
   */
  async #request(path, file, begin, end, reads) {
    const abort = new AbortController();
    this.#running.add(abort);
    ++this.requests;
    try {
      const { bytes, from } = await this.#receive(path, file, begin, end, abort);
      if (from === 0 && bytes.length <= FIRST_BYTES) file.head = bytes;
      for (const read of reads) {
        if (!this.#serve(path, file, read, bytes, from)) file.waiting.unshift(read);
      }
    } catch (error) {
      for (const read of reads) read.reject(error);
    } finally {
      this.#running.delete(abort);
    }
  }

  /**
   * @param {string} path
   * @param {File} file
   * @param {number} begin
   * @param {number} end
   * @param {AbortController} abort
   */
  async #receive(path, file, begin, end, abort) {
    const range = `${begin}-${end === Infinity ? '' : end - 1}`;
    const url = `${this.base}/${path.split('/').map(encodeURIComponent).join('/')}`;
    /** @type {Record<string, string>} */
    const headers = file.ignoresRanges ? {} : { Range: `bytes=${range}` };
    const stalled = () => failure('io', path, `the server sent nothing for ${this.options.stallMs} ms`);
    /** @type {Response} */
    let response;
    try {
      response = await this.#follow(path, url, headers, abort, stalled);
    } catch (cause) {
      abort.abort();
      throw cause instanceof AssetcError ? cause : failure('io', path, `cannot read from the server: ${cause}`);
    }
    try {
      return await this.#body(path, file, begin, end, range, response, stalled);
    } catch (error) {
      abort.abort(); // the rest of the body
      throw error instanceof AssetcError ? error : failure('io', path, `cannot read from the server: ${error}`);
    }
  }

  /**
   * Follows redirects on the server itself. The caller's headers go to no other server.
   * @param {string} path
   * @param {string} url
   * @param {Record<string, string>} headers
   * @param {AbortController} abort
   * @param {() => Error} stalled
   */
  async #follow(path, url, headers, abort, stalled) {
    const home = new URL(url, globalThis.location?.href).origin;
    const elsewhere = (/** @type {string} */ where) => failure('unsupported', path, `the server redirects to ${where}`,
      'open the address that it leads to, or set followsElsewhere');
    for (let at = url, redirects = 0; ; ++redirects) {
      const isHome = new URL(at, globalThis.location?.href).origin === home;
      const sent = isHome ? { ...this.options.headers, ...headers } : headers;
      const ask = (/** @type {RequestRedirect} */ redirect) =>
        this.#inTime(this.options.fetch(at, { headers: sent, signal: abort.signal, redirect }), stalled);
      const response = await ask('manual');
      if (response.type === 'opaqueredirect') {
        // A browser does not tell where a redirect leads, and would send the headers there.
        if (Object.keys(this.options.headers).length > 0) throw elsewhere('an address that the browser does not tell, and headers are set');
        const followed = await ask('follow');
        if (new URL(followed.url).origin !== home && !this.options.followsElsewhere) throw elsewhere(new URL(followed.url).origin);
        return followed;
      }
      const location = response.headers.get('location');
      if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response;
      await response.body?.cancel();
      if (redirects === MAX_REDIRECTS) throw failure('unsupported', path, `the server redirects more than ${MAX_REDIRECTS} times`);
      const next = new URL(location, at);
      const isAllowed = next.origin === home || (this.options.followsElsewhere && !(at.startsWith('https:') && next.protocol !== 'https:'));
      if (!isAllowed) throw elsewhere(next.origin);
      at = next.href;
    }
  }

  /**
   * @param {string} path
   * @param {File} file
   * @param {number} begin
   * @param {number} end
   * @param {string} range
   * @param {Response} response
   * @param {() => Error} stalled
   */
  async #body(path, file, begin, end, range, response, stalled) {
    const { status } = response;
    const given = response.headers.get('content-range') ?? '';
    if (status === 404 || status === 410) throw failure('not_found', path, `the server answered ${status}`);
    if (status === 408 || status === 429 || (status >= 500 && status !== 501)) throw failure('io', path, `the server answered ${status}`);
    if (status === 416 && !file.ignoresRanges) {
      const total = /^bytes \*\/(\d+)$/i.exec(given);
      if (!total || begin < Number(total[1])) throw failure('invalid_data', path, `the server answered 416 to the range ${range}`);
      this.#identify(path, file, begin, response, Number(total[1]), true);
      return { bytes: new Uint8Array(), from: begin };
    }
    if (status !== 200 && (status !== 206 || file.ignoresRanges)) {
      throw failure('unsupported', path, `the server answered ${status}, expected 200 or 206`,
        status === 401 || status === 403 ? 'check the headers for this server' : undefined);
    }
    if (status === 206) {
      const found = /^bytes (\d+)-(\d+)\/(\d+)$/i.exec(given);
      const [from, last, total] = found ? found.slice(1).map(Number) : [0, -1, 0];
      if (!found || from !== begin || last + 1 !== Math.min(end, total) || ![last, total].every(Number.isSafeInteger)) {
        throw failure('invalid_data', path, `the server sent the Content-Range "${given}", expected the range ${range}`,
          given === '' ? 'a server of another origin must expose Content-Range and ETag (Access-Control-Expose-Headers)' : undefined);
      }
      const encoding = response.headers.get('content-encoding') ?? 'identity';
      if (encoding !== 'identity') {
        throw failure('invalid_data', path, `the server sent a range with the encoding "${encoding}", expected none`,
          'switch compression off for this file');
      }
      this.#identify(path, file, begin, response, total, false);
      return { bytes: await this.#take(path, response, last + 1 - from, true, stalled), from };
    }
    const bytes = await this.#take(path, response, this.options.maxWholeBytes, false, stalled);
    this.#identify(path, file, 0, response, bytes.length, false);
    file.ignoresRanges = !(begin === 0 && bytes.length === 0);
    file.whole = bytes;
    return { bytes, from: 0 };
  }

  /**
   * Compares the version of an answer with earlier ones. An answer from the beginning may be a new version.
   * @param {string} path
   * @param {File} file
   * @param {number} begin
   * @param {Response} response
   * @param {number} total
   * @param {boolean} isEmpty
   */
  #identify(path, file, begin, response, total, isEmpty) {
    const found = response.headers.get('etag') ?? response.headers.get('last-modified') ?? '';
    const validator = isEmpty && file.known ? file.validator : found;
    if (file.known && file.validator === validator && file.size === total) return;
    if (file.known && begin > 0) {
      throw failure('conflict', path, `the file changed on the server: found ${validator} with ${total} bytes, ` +
        `expected ${file.validator} with ${file.size} bytes`, 'open it again');
    }
    ++file.generation;
    Object.assign(file, { known: true, validator, size: total, whole: undefined, head: undefined });
    file.version = validator === '' ? 0 : hash(`${validator} ${total}`);
  }

  /**
   * Reads a body of `size` bytes, or of at most `size` bytes.
   * @param {string} path
   * @param {Response} response
   * @param {number} size
   * @param {boolean} isExact
   * @param {() => Error} stalled
   */
  async #take(path, response, size, isExact, stalled) {
    if (isExact && size > this.options.maxWholeBytes) throw failure('limit', path, `found ${size} bytes, at most ${this.options.maxWholeBytes} are read at once`);
    const isEncoded = (response.headers.get('content-encoding') ?? 'identity') !== 'identity';
    const announced = Number(response.headers.get('content-length') ?? 0);
    if (!isExact && !isEncoded && announced > size) {
      throw failure('limit', path, `the server ignores ranges, and the file has ${announced} bytes, more than ${size}`,
        'use a server that supports ranges');
    }
    const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body ?? new Response('').body).getReader();
    /** @type {Uint8Array[]} */
    const pieces = [];
    let received = 0;
    const rate = this.#rate(path, () => received, stalled);
    for (;;) {
      const { done, value } = await rate(reader.read());
      if (done) break;
      received += value.length;
      this.receivedBytes += value.length;
      if (received > size) {
        throw isExact ? failure('invalid_data', path, `the server sent more than ${size} bytes`)
          : failure('limit', path, `the server ignores ranges, and the file has more than ${size} bytes`, 'use a server that supports ranges');
      }
      pieces.push(value);
    }
    const length = Number(response.headers.get('content-length') ?? received);
    if ((isExact && received !== size) || (!isExact && !isEncoded && received !== length))
      throw failure('io', path, `the server sent ${received} bytes, expected ${isExact ? size : length}`);
    const bytes = new Uint8Array(received);
    let at = 0;
    for (const piece of pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    return bytes;
  }

  /**
   * Returns a function that waits for the next piece of a body, and fails if the body is too slow.
   * @param {string} path
   * @param {() => number} received
   * @param {() => Error} stalled
   */
  #rate(path, received, stalled) {
    const { stallMs } = this.options;
    const began = performance.now();
    let since = began;
    let before = received();
    /** Compares the rate at the end of each stallMs. */
    const check = () => {
      const now = performance.now();
      if (now - since < stallMs) return;
      if (received() === before) throw stalled();
      const slowest = (SLOWEST_BYTES_PER_SECOND * (now - since)) / 1000;
      const average = now - began < AVERAGE_MS ? 0 : (LEAST_AVERAGE_BYTES_PER_SECOND * (now - began)) / 1000;
      if (received() - before < slowest || received() < average)
        throw failure('io', path, `the server sent ${received()} bytes in ${Math.round(now - began)} ms, which is too slow`);
      since = now;
      before = received();
    };
    return async (/** @type {Promise<ReadableStreamReadResult<Uint8Array>>} */ piece) => {
      for (;;) {
        /** @type {ReturnType<typeof setTimeout> | undefined} */
        let timer;
        const late = new Promise((resolve) => void (timer = setTimeout(() => resolve(undefined), Math.max(0, since + stallMs - performance.now()))));
        const result = await Promise.race([piece, /** @type {Promise<undefined>} */ (late)]).finally(() => clearTimeout(timer));
        if (!result?.done) check();
        if (result) return result;
      }
    };
  }

  /**
   * @template T
   * @param {Promise<T>} work
   * @param {() => Error} stalled
   * @returns {Promise<T>}
   */
  #inTime(work, stalled) {
    /** @type {ReturnType<typeof setTimeout>} */
    let timer;
    const late = new Promise((_, reject) => void (timer = setTimeout(() => reject(stalled()), this.options.stallMs)));
    return Promise.race([work, /** @type {Promise<T>} */ (late)]).finally(() => clearTimeout(timer));
  }

  /**
   * Answers a read from bytes that begin at `from`, or from memory. Returns whether it was answered.
   * @param {string} path
   * @param {File} file
   * @param {Read} read
   * @param {Uint8Array} [bytes]
   * @param {number} [from]
   */
  #serve(path, file, read, bytes, from = 0) {
    if (!file.known || read.canceled) return read.canceled;
    if (read.offset > 0 && read.generation > 0 && read.generation !== file.generation) {
      read.reject(failure('conflict', path, 'the file changed on the server', 'open it again'));
      return true;
    }
    const end = read.size < 0 ? file.size : read.offset + read.size;
    if (read.offset > file.size || end > file.size) {
      read.reject(failure('truncated', path, `found ${file.size} bytes, expected ${end}`));
      return true;
    }
    const parts = /** @type {[Uint8Array | undefined, number][]} */ ([[bytes, from], [file.whole, 0], [file.head, 0]]);
    for (const [part, start] of parts) {
      if (end > read.offset && (!part || read.offset < start || end > start + part.length)) continue;
      const cut = part && end > read.offset ? part.subarray(read.offset - start, end - start) : new Uint8Array();
      read.resolve({ bytes: cut, fileSize: file.size, version: file.version });
      return true;
    }
    return false;
  }
}

/**
 * The end of the range to request for a read.
 * @param {File} file
 * @param {Read} read
 */
function endOf(file, read) {
  if (read.size === 0) return read.offset + FIRST_BYTES;
  if (read.size > 0) return read.offset + read.size;
  return file.known && read.offset < file.size ? file.size : Infinity;
}
