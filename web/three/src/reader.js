// Reads little-endian values, and checks each place against the size of the file before it reads.
import { AssetcError } from '@assetc/codec';

/** The value of an index that refers to nothing. */
export const NONE = 0xffffffff;

/**
 * Makes the error of a file that breaks its format.
 * @param {string} file the name or address of the file
 * @param {string} place where in the file, for example `SUBM[3]`
 * @param {string} message what was found and what was expected
 * @returns {AssetcError}
 */
export function fileError(file, place, message) {
  return new AssetcError(message, { code: 'invalid_data', place: place ? `${file}: ${place}` : file });
}

/** Makes the error of a file that would need too much memory or time. @param {string} file @param {string} place @param {string} message */
export function limitError(file, place, message) {
  return new AssetcError(message, { code: 'limit', place: place ? `${file}: ${place}` : file });
}

/** The most nodes or joints on the way up to a root. three.js walks trees by recursion. */
export const MAX_DEPTH = 2048;

const ARRAYS = { u8: Uint8Array, u16: Uint16Array, i16: Int16Array, u32: Uint32Array, f32: Float32Array };

/** A part of a file, with the name of that part for errors. */
export class Reader {
  /**
   * @param {Uint8Array} bytes the part
   * @param {string} file the name of the file
   * @param {string} [place] the name of the part
   */
  constructor(bytes, file, place = '') {
    // A Buffer of Node.js shares memory where a Uint8Array copies.
    this.bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.file = file;
    this.place = place;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
  }

  /** The size of the part in bytes. */
  get size() { return this.bytes.byteLength; }

  /**
   * @param {string} message
   * @param {string} [place] a place within the part
   * @returns {never}
   */
  fail(message, place = '') {
    throw fileError(this.file, this.place + place, message);
  }

  /**
   * Throws unless `size` bytes lie at `offset`.
   * @param {number} offset
   * @param {number} size
   */
  need(offset, size) {
    if (offset < 0 || size < 0 || offset > this.size || size > this.size - offset)
      this.fail(`${size} bytes are needed at offset ${offset}, but there are ${this.size}; the file is damaged or truncated`);
  }

  /** Moves past `size` bytes. @param {number} size @returns {number} where they begin */
  skip(size) {
    this.need(this.at, size);
    const start = this.at;
    this.at += size;
    return start;
  }

  u8() { return this.view.getUint8(this.skip(1)); }
  u16() { return this.view.getUint16(this.skip(2), true); }
  i16() { return this.view.getInt16(this.skip(2), true); }
  u32() { return this.view.getUint32(this.skip(4), true); }
  i32() { return this.view.getInt32(this.skip(4), true); }
  u64() { return this.view.getBigUint64(this.skip(8), true); }

  /** A float, which must be finite. */
  f32() {
    const value = this.view.getFloat32(this.skip(4), true);
    if (!Number.isFinite(value)) this.fail(`the number at offset ${this.at - 4} is ${value}, expected a finite number`);
    return value;
  }

  /** Four characters. @returns {string} */
  text4() {
    const start = this.skip(4);
    return String.fromCharCode(...this.bytes.subarray(start, start + 4));
  }

  /** `count` finite floats. @param {number} count @returns {number[]} */
  floats(count) { return Array.from({ length: count }, () => this.f32()); }

  /** An offset or size of 64 bits, as a number. */
  size64() {
    const value = this.u64();
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) this.fail(`the size ${value} is larger than any file`);
    return Number(value);
  }

  /**
   * A copy of `count` values at `offset`, aligned for any use.
   * @template {keyof typeof ARRAYS} T
   * @param {T} type
   * @param {number} offset in bytes
   * @param {number} count
   * @returns {InstanceType<typeof ARRAYS[T]>}
   */
  array(type, offset, count) {
    const size = ARRAYS[type].BYTES_PER_ELEMENT * count;
    this.need(offset, size);
    const copy = this.bytes.slice(offset, offset + size);
    return /** @type {any} */ (new ARRAYS[type](copy.buffer, 0, count));
  }

  /**
   * @param {number} offset
   * @param {number} size
   * @returns {string}
   */
  text(offset, size) {
    this.need(offset, size);
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(this.bytes.subarray(offset, offset + size));
    } catch {
      return this.fail(`the text at offset ${offset} is not UTF-8`);
    }
  }

  /** Throws unless everything was read. */
  end() {
    if (this.at !== this.size) this.fail(`${this.size - this.at} bytes follow the last value, expected none`);
  }
}

/**
 * The chunks of a .hmesh or .hscene.
 * @param {ArrayBuffer | Uint8Array} data
 * @param {string} file
 * @param {string} magic four characters
 * @param {number} version
 * @param {Set<string>} known ids that this reader knows; other chunks are skipped
 * @returns {{ chunks: Map<string, Reader>, encoded: Map<string, number> }} `encoded`: the flags of known chunks whose flags are not 0
 */
export function readChunks(data, file, magic, version, known) {
  const bytes = data instanceof Uint8Array ? data : new Uint8Array(data);
  const reader = new Reader(bytes, file);
  const found = reader.text4();
  if (found !== magic) reader.fail(`the file begins with ${JSON.stringify(found)}, expected "${magic}"`);
  const foundVersion = reader.u32();
  if (foundVersion !== version) reader.fail(`the version is ${foundVersion}, expected ${version}; build it with this version of assetc`);
  const count = reader.u32();
  if (count > 4096) reader.fail(`there are ${count} chunks, expected at most 4096`);
  reader.skip(20);
  const chunks = new Map(), encoded = new Map(), ranges = [];
  const tableEnd = 32 + 24 * count;
  reader.need(0, tableEnd);
  for (let i = 0; i < count; ++i) {
    const id = reader.text4(), flags = reader.u32(), offset = reader.size64(), size = reader.size64();
    const place = `chunk ${i} (${JSON.stringify(id)})`;
    if (offset % 16 !== 0) throw fileError(file, place, `its offset is ${offset}, expected a multiple of 16`);
    if (offset < tableEnd || offset > bytes.byteLength || size > bytes.byteLength - offset)
      throw fileError(file, place, `${size} bytes at offset ${offset} do not lie in the ${bytes.byteLength} bytes of the file; it is damaged or truncated`);
    if (size > 0) ranges.push({ offset, end: offset + size, place });
    if (!known.has(id)) continue;
    if (chunks.has(id)) throw fileError(file, place, 'the file has this chunk twice');
    if (flags !== 0) encoded.set(id, flags);
    chunks.set(id, new Reader(bytes.subarray(offset, offset + size), file, id));
  }
  ranges.sort((a, b) => a.offset - b.offset || a.end - b.end);
  for (let i = 1; i < ranges.length; ++i)
    if (ranges[i].offset < ranges[i - 1].end) throw fileError(file, ranges[i].place, `it overlaps ${ranges[i - 1].place}`);
  const end = ranges.reduce((last, range) => Math.max(last, range.end), tableEnd);
  if (bytes.byteLength < end || bytes.byteLength > Math.ceil(end / 16) * 16)
    throw fileError(file, '', `the file has ${bytes.byteLength} bytes, expected ${end}, or zeros up to a multiple of 16`);
  for (let i = end; i < bytes.byteLength; ++i)
    if (bytes[i] !== 0) throw fileError(file, '', `byte ${i} follows the last chunk and is not 0`);
  return { chunks, encoded };
}

/**
 * Throws unless the file begins with its magic and a known version.
 * @param {Reader} reader
 * @param {string} magic four characters
 * @param {number[]} versions
 * @returns {number} the version
 */
export function checkMagic(reader, magic, versions) {
  const start = new Reader(reader.bytes, reader.file), found = start.text4();
  if (found !== magic) reader.fail(`the file begins with ${JSON.stringify(found)}, expected "${magic}"`);
  const version = start.u32();
  if (!versions.includes(version)) reader.fail(`the version is ${version}, expected ${versions.join(' or ')}`);
  return version;
}

const ENCODER = new TextEncoder();

/**
 * FNV-1a 64 of a path: a ref with ASCII A-Z in lower case, or the whole path of an embed.
 * @param {string} path
 * @returns {bigint}
 */
export function refHash(path) {
  // Halves of 32 bits. The prime is 2^40 + 0x1b3, so no product has more than 41 bits.
  let low = 0x84222325, high = 0xcbf29ce4;
  for (const byte of ENCODER.encode(path)) {
    low = (low ^ (byte >= 65 && byte <= 90 ? byte + 32 : byte)) >>> 0;
    const product = low * 0x1b3;
    high = (Math.imul(high, 0x1b3) + Math.floor(product / 0x100000000) + (low << 8)) >>> 0;
    low = product % 0x100000000;
  }
  return (BigInt(high) << 32n) | BigInt(low);
}
