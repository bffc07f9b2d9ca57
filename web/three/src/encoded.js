// Chunks of a .hmesh that mesh.compress stores encoded: docs/formats/hmesh.md#encoded-chunks of assetc.
import { fileError, limitError, Reader } from './reader.js';
import { formatOf } from './table.js';

const HEADER = 24, VERTEX = 28, GRID_ROW = 20, LANES = 10, GRID_PREFIX = 28, TABLE = 1024;
const ATTRIBUTES = 1, TRIANGLES = 2, GRID = 3, MESHLETS = 7, DERIVED = 8, ZSTD = 0x100;
const MESHLETS_HEADER = 24, MAX_NUMBERS = 255;
/** Chunks that three.js does not draw: they are not decoded, but IDXS may be derived from MLTR. */
const UNUSED = new Set(['MLET', 'MLVR', 'MLTR', 'MLBN', 'SKN8']);
/** The encodings of each chunk, a bit for each. */
const ENCODINGS = new Map(formatOf('hmesh').chunks.map(({ id, encodings }) => [id, encodings]));
/** Bytes of a decoded chunk. */
const MAX_BYTES = 1 << 29;

/**
 * What decodes the streams. `MeshoptDecoder` of the package meshoptimizer, or of three.js's
 * `addons/libs/meshopt_decoder.module.js`, and `ZSTDDecoder` of `addons/libs/zstddec.module.js`, are such objects.
 * @typedef {object} MeshoptDecoder
 * @property {Promise<void>} ready
 * @property {(target: Uint8Array, count: number, size: number, source: Uint8Array) => void} decodeVertexBuffer
 * @property {(target: Uint8Array, count: number, size: number, source: Uint8Array) => void} decodeIndexBuffer
 *
 * @typedef {object} ZstdDecoder
 * @property {() => Promise<void>} [init]
 * @property {(frame: Uint8Array, size: number) => Uint8Array} decode
 *
 * @typedef {{ meshopt?: MeshoptDecoder, zstd?: ZstdDecoder }} Decoders
 *
 * @typedef {{ reader: Reader, encoding: number, size: number, stride: number, prefix: Uint8Array, stream: Uint8Array }} Part
 */

/**
 * Replaces encoded chunks by their plain contents.
 * @param {Map<string, Reader>} chunks
 * @param {Map<string, number>} encoded the flags of chunks whose flags are not 0
 * @param {string} file
 * @param {Decoders} decoders ready to decode
 * @returns {Map<string, number>} encoded chunks that three.js does not draw, with their size when decoded; they are not decoded
 */
export function decodeChunks(chunks, encoded, file, decoders) {
  /** @type {Map<string, number>} */
  const skipped = new Map();
  /** @type {Part | null} */
  let grid = null, derived = null;
  const meshlets = chunks.get('MLTR'), meshletFlags = encoded.get('MLTR') ?? 0;
  for (const [id, flags] of encoded) {
    const chunk = /** @type {Reader} */ (chunks.get(id)), allowed = ENCODINGS.get(id) ?? 0;
    if ((flags & ~(ZSTD | 0xff)) !== 0 || (flags & 0xff) > 15 || (allowed >>> (flags & 0xff) & 1) === 0)
      chunk.fail(`its flags are ${flags}, which are no encoding of this chunk`);
    if (UNUSED.has(id)) {
      skipped.set(id, openPart(chunk, flags, decoders, false).size);
      continue;
    }
    const part = openPart(chunk, flags, decoders);
    if (part.encoding === GRID && id === 'VTXS') grid = part;
    else if (part.encoding === DERIVED && id === 'IDXS') derived = part;
    else if (part.encoding === TRIANGLES) chunks.set(id, plain(chunk, decodeTriangles(part, decoders)));
    else if (part.encoding === ATTRIBUTES) chunks.set(id, plain(chunk, decodeAttributes(part, decoders)));
    else chunk.fail(`its flags are ${flags}, which this loader does not know`);
  }
  if (!grid && !derived) return skipped;
  const desc = chunks.get('DESC');
  if (!desc || desc.size < 32) throw fileError(file, 'DESC', 'encoded triangles and vertices need it, and it is missing');
  const isWide = desc.view.getUint8(22) === 4;
  if (derived) {
    if (!meshlets || (meshletFlags & 0xff) !== MESHLETS) derived.reader.fail('it is derived from an encoded MLTR, which is missing');
    const all = decodeMeshlets(openPart(/** @type {Reader} */ (meshlets), meshletFlags, decoders)), plainIndices = isWide ? all : Uint16Array.from(all);
    if (derived.size !== plainIndices.byteLength) derived.reader.fail(`it has ${derived.size} bytes, but the triangles of MLTR have ${plainIndices.byteLength}`);
    chunks.set('IDXS', plain(derived.reader, new Uint8Array(plainIndices.buffer)));
  }
  if (!grid) return skipped;
  const indices = chunks.get('IDXS');
  if (!indices) throw fileError(file, 'VTXS', 'its prediction needs IDXS, which is missing');
  const count = Math.floor(indices.size / (isWide ? 4 : 2));
  chunks.set('VTXS', plain(grid.reader, decodeGrid(grid, indices.array(isWide ? 'u32' : 'u16', 0, count), decoders)));
  return skipped;
}

/** @param {Reader} chunk @param {Uint8Array} bytes */
const plain = (chunk, bytes) => new Reader(bytes, chunk.file, chunk.place);

/** @param {Reader} chunk @param {number} flags @param {Decoders} decoders @param {boolean} [isRead] whether the body is needed @returns {Part} */
function openPart(chunk, flags, decoders, isRead = true) {
  chunk.at = 0;
  if (isRead && !decoders.meshopt) chunk.fail('the chunk is encoded; call setMeshoptDecoder, or build the mesh with mesh.compress: none');
  const size = chunk.size64(), bodySize = chunk.size64(), prefixSize = chunk.u32(), stride = chunk.u16();
  let body = chunk.bytes.subarray(HEADER);
  if (size > MAX_BYTES || bodySize > MAX_BYTES) throw limitError(chunk.file, chunk.place, `it decodes to ${Math.max(size, bodySize)} bytes, more than ${MAX_BYTES}`);
  if (flags & ZSTD) {
    if (isRead && !decoders.zstd) chunk.fail('the chunk is compressed with Zstd; call setZstdDecoder, or build the mesh with mesh.compress: meshopt');
    if (bodySize > 1024 * body.length) chunk.fail(`its body has ${bodySize} bytes, expected at most 1024 times the ${body.length} of the frame`);
    if (isRead) body = attempt(chunk, () => /** @type {ZstdDecoder} */ (decoders.zstd).decode(body, bodySize));
  }
  if ((isRead || (flags & ZSTD) === 0) && body.length !== bodySize) chunk.fail(`its body has ${body.length} bytes, expected ${bodySize}`);
  if (prefixSize > bodySize) chunk.fail(`its prefix has ${prefixSize} of ${bodySize} bytes`);
  // A stream stands for at most about a thousand times its bytes. A derived chunk has none.
  if ((flags & 0xff) !== DERIVED && size > 2048 * bodySize + 65536) chunk.fail(`${bodySize} bytes cannot decode to ${size}`);
  return { reader: chunk, encoding: flags & 0xff, size, stride, prefix: body.subarray(0, prefixSize), stream: body.subarray(prefixSize) };
}

/** Calls a decoder, whose errors do not name the file. @template T @param {Reader} chunk @param {() => T} decode @returns {T} */
function attempt(chunk, decode) {
  try {
    return decode();
  } catch (error) {
    return chunk.fail(`its stream cannot be decoded: ${/** @type {Error} */ (error).message}; the file is damaged`);
  }
}

/** @param {Part} part @param {number} count @param {number} stride @param {Decoders} decoders */
function decodeElements(part, count, stride, decoders) {
  if (!Number.isInteger(count) || count < 0 || stride === 0 || stride % 4 !== 0 || stride > 256)
    part.reader.fail(`${part.size} bytes are not elements of ${stride}`);
  const out = new Uint8Array(count * stride);
  attempt(part.reader, () => /** @type {MeshoptDecoder} */ (decoders.meshopt).decodeVertexBuffer(out, count, stride, part.stream));
  return out;
}

/** @param {Part} part @param {Decoders} decoders */
function decodeAttributes(part, decoders) {
  const elements = decodeElements(part, (part.size - part.prefix.length) / part.stride, part.stride, decoders);
  const out = new Uint8Array(part.size);
  out.set(part.prefix);
  out.set(elements, part.prefix.length);
  return out;
}

/** @param {Part} part @param {Decoders} decoders */
function decodeTriangles(part, decoders) {
  const { prefix, stride, size, reader } = part, count = size / 3 / stride;
  if ((stride !== 2 && stride !== 4) || !Number.isInteger(count)) reader.fail(`${size} bytes are not triangles of indices of ${stride}`);
  if (prefix.length !== 0 && prefix.length !== Math.ceil(count / 5)) reader.fail(`its prefix has ${prefix.length} bytes for ${count} triangles`);
  const out = stride === 2 ? new Uint16Array(count * 3) : new Uint32Array(count * 3), bytes = new Uint8Array(out.buffer);
  attempt(reader, () => /** @type {MeshoptDecoder} */ (decoders.meshopt).decodeIndexBuffer(bytes, count * 3, stride, part.stream));
  for (let t = 0; t < count && prefix.length > 0; ++t) {
    const turn = Math.floor(prefix[Math.floor(t / 5)] / 3 ** (t % 5)) % 3;
    const corners = [out[3 * t], out[3 * t + 1], out[3 * t + 2]];
    for (let k = 0; k < 3; ++k) out[3 * t + k] = corners[(k + turn) % 3];
  }
  return bytes;
}

/**
 * The triangles of a stream of meshlets, as vertices of the mesh.
 * @param {Part} part
 */
function decodeMeshlets(part) {
  const { reader, stream } = part, triangleCount = part.size / 3;
  if (!Number.isInteger(triangleCount) || part.prefix.length !== 0 || stream.length < MESHLETS_HEADER || triangleCount > 2 * stream.length)
    reader.fail(`${stream.length} bytes are not a stream of meshlets of ${part.size}`);
  const head = new DataView(stream.buffer, stream.byteOffset, stream.length);
  const [meshletCount, vertexCount, numberCount, stepCount, farCount, isRotated] = [0, 1, 2, 3, 4, 5].map((i) => head.getUint32(4 * i, true));
  let at = MESHLETS_HEADER;
  /** @param {number} size */
  const take = (size) => stream.subarray(at, at += size);
  const counts = take(meshletCount), codes = take(Math.ceil(triangleCount / 2)), numbers = take(numberCount);
  const marks = take(Math.ceil(vertexCount / 8)), low = take(stepCount), high = take(stepCount), farAt = at;
  at += 4 * farCount;
  const rotations = take(isRotated ? Math.ceil(triangleCount / 5) : 0);
  if (at !== stream.length || isRotated > 1 || counts.reduce((sum, count) => sum + count, 0) !== triangleCount)
    reader.fail(`its counts do not fit its ${stream.length} bytes and ${triangleCount} triangles`);

  const out = new Uint32Array(3 * triangleCount), vertices = new Uint32Array(MAX_NUMBERS);
  let number = 0, vertex = 0, step = 0, far = 0, next = 0, last = 0, t = 0, used = 0;
  const stored = () => (number < numberCount ? numbers[number++] : reader.fail(`its numbers end after ${numberCount}`));
  /** @param {boolean} isOld @param {() => number} old */
  const corner = (isOld, old) => {
    const value = isOld ? old() : used++;
    return value >= 0 && value < used ? value : reader.fail(`a corner is ${value} of ${used} numbers`);
  };
  for (const count of counts) {
    /** @type {number[][]} */
    const edges = [], first = t;
    used = 0;
    for (; t < first + count; ++t) {
      const code = codes[t >> 1] >> 4 * (t & 1) & 15;
      let triangle;
      if (code < 14) {
        const [a, b] = edges[edges.length - 1 - (code >> 1)] ?? reader.fail(`triangle ${t} is on an edge that its meshlet lacks`);
        const c = corner((code & 1) !== 0, () => Math.min(a, b) - stored() & 255);
        triangle = [a, b, c];
        edges.push([c, b], [a, c]);
      } else {
        if (code !== 14) reader.fail(`triangle ${t} has the code ${code}`);
        const olds = stored();
        const [a, b, c] = triangle = [0, 1, 2].map((k) => corner((olds >> k & 1) !== 0, () => used - 1 - stored()));
        edges.push([b, a], [c, b], [a, c]);
      }
      const turn = isRotated ? Math.floor(rotations[Math.floor(t / 5)] / 3 ** (t % 5)) % 3 : 0;
      for (let k = 0; k < 3; ++k) out[3 * t + k] = triangle[(k + turn) % 3];
    }
    if (used > MAX_NUMBERS || vertex + used > vertexCount) reader.fail(`a meshlet has ${used} vertices, which are too many`);
    for (let i = 0; i < used; ++i, ++vertex) {
      if ((marks[vertex >> 3] >> (vertex & 7) & 1) === 0) {
        vertices[i] = next++;
        continue;
      }
      if (step === stepCount) reader.fail(`its steps end after ${stepCount}`);
      const value = low[step] + 256 * high[step++];
      if (value === 0xffff && far === farCount) reader.fail(`its far vertices end after ${farCount}`);
      last = value === 0xffff ? head.getUint32(farAt + 4 * far++, true) : last + (value >> 1 ^ -(value & 1));
      vertices[i] = last;
    }
    for (let i = 3 * first; i < 3 * t; ++i) out[i] = vertices[out[i]];
  }
  if (number !== numberCount || vertex !== vertexCount || step !== stepCount || far !== farCount) reader.fail('its stream of meshlets has parts that are left');
  return out;
}

/**
 * The three vertices before each vertex that predict it.
 * @param {ArrayLike<number>} indices
 * @param {number} vertexCount
 * @returns {Int32Array} three numbers for each vertex
 */
function neighbors(indices, vertexCount) {
  const out = new Int32Array(3 * vertexCount);
  const us = new Float64Array(TABLE).fill(-1), vs = new Float64Array(TABLE).fill(-1), ws = new Float64Array(TABLE);
  let next = 0;
  /** @param {number} u @param {number} v @param {number} w */
  const enter = (u, v, w) => {
    const slot = (u + 5 * v) % TABLE;
    us[slot] = u;
    vs[slot] = v;
    ws[slot] = w;
  };
  /** @param {number} a @param {number} b @param {number} c */
  const add = (a, b, c) => out.set([a, b, c], 3 * next++);
  /** @param {number} p @param {number} q */
  const addEdge = (p, q) => {
    const slot = (q + 5 * p) % TABLE;
    add(p, q, us[slot] === q && vs[slot] === p && ws[slot] < next ? ws[slot] : q);
  };
  /** @param {number} v @param {number} p @param {number} q */
  const corner = (v, p, q) => {
    if (v !== next || next === vertexCount) return;
    if (p < next && q < next) {
      addEdge(p, q);
      return;
    }
    const one = p < next ? p : q < next ? q : next - 1;
    add(one, one, one);
  };
  for (let t = 0; t + 2 < indices.length; t += 3) {
    const i = indices[t], j = indices[t + 1], k = indices[t + 2];
    if (i < next && j < next) {
      if (k === next && next < vertexCount) addEdge(i, j);
    } else {
      corner(i, j, k);
      corner(j, k, i);
      corner(k, i, j);
      enter(i, j, k);
    }
    enter(j, k, i);
    enter(k, i, j);
  }
  while (next < vertexCount) add(next - 1, next - 1, next - 1);
  return out;
}

/** @param {Part} part @param {ArrayLike<number>} indices @param {Decoders} decoders */
function decodeGrid(part, indices, decoders) {
  const count = part.size / VERTEX;
  if (part.prefix.length !== GRID_PREFIX) part.reader.fail(`its prefix has ${part.prefix.length} bytes, expected ${GRID_PREFIX}`);
  const bytes = decodeElements(part, count, GRID_ROW, decoders);
  const head = new DataView(part.prefix.buffer, part.prefix.byteOffset, GRID_PREFIX);
  const middle = head.getUint16(4, true), base = [0, 1, 2, 3, 4].map((k) => head.getInt32(8 + 4 * k, true));
  const exponents = [head.getInt8(0), head.getInt8(1)], bits = [head.getUint8(2), head.getUint8(3)];
  if (exponents.some((exponent) => exponent < -126 || exponent > 103) || bits.some((bit) => bit < 2 || bit > 16))
    part.reader.fail(`its exponents are ${exponents} and its bits ${bits}, expected -126 to 103 and 2 to 16`);
  const steps = exponents.map((exponent) => 2 ** exponent), most = bits.map((bit) => 2 ** (bit - 1) - 1);
  const around = neighbors(indices, count), rows = new Int16Array(count * LANES);
  const out = new Uint8Array(part.size), view = new DataView(out.buffer);
  /** @param {number} lane @param {number} limit */
  const wide = (lane, limit) => Math.sign(lane) * Math.round(Math.abs(lane) * 32767 / limit);
  for (let v = 0; v < count; ++v) {
    const row = v * GRID_ROW, at = v * LANES;
    for (let k = 0; k < LANES; ++k) {
      const low = bytes[row + k] - (v > 0 ? bytes[row - GRID_ROW + k] : 0), high = bytes[row + LANES + k] - (v > 0 ? bytes[row - GRID_ROW + LANES + k] : 0);
      let predicted = 0;
      if (v > 0) {
        const a = rows[around[3 * v] * LANES + k], b = rows[around[3 * v + 1] * LANES + k], c = rows[around[3 * v + 2] * LANES + k];
        predicted = middle >> k & 1 ? a + ((b - a) << 16 >> 17) : a + b - c;
      }
      rows[at + k] = (low << 24 >> 24) + 256 * high + predicted;
    }
    const to = v * VERTEX;
    for (let k = 0; k < 3; ++k) view.setFloat32(to + 4 * k, (base[k] + (rows[at + k] & 0xffff)) * steps[0], true);
    for (let k = 0; k < 2; ++k) view.setFloat32(to + 20 + 4 * k, (base[3 + k] + (rows[at + 3 + k] & 0xffff)) * steps[1], true);
    view.setInt16(to + 12, wide(rows[at + 5], most[0]), true);
    view.setInt16(to + 14, wide(rows[at + 6], most[0]), true);
    view.setInt16(to + 16, (wide(rows[at + 7], most[1]) & ~1) | (rows[at + 9] & 1), true);
    view.setInt16(to + 18, wide(rows[at + 8], most[1]), true);
  }
  return out;
}
