// Decodes encoded .hmesh files as docs/formats/hmesh.md says, with the streams read by meshoptimizer (npm meshoptimizer,
// WebAssembly), and compares the result with the plain file, byte for byte.
//
//   node hmesh_encoded.cjs ASSETC MODEL...        exits 1 on a difference
//
// ASSETC is the built command. Exits 77 (skipped) when node_modules is absent.
const fs = require('fs');
const os = require('os');
const path = require('path');
const {execFileSync} = require('child_process');

let MeshoptDecoder;
try {
  ({MeshoptDecoder} = require('meshoptimizer'));
} catch {
  console.log('skipped: run npm ci in tests/interop');
  process.exit(77);
}

const kHeader = 24, kPlain = 0, kAttributes = 1, kTriangles = 2, kGrid = 3, kMeshlets = 7, kDerived = 8;

function readTable(file) {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  const table = [];
  for (let i = 0; i < view.getUint32(8, true); ++i) {
    const at = 32 + 24 * i;
    table.push({
      id: file.toString('latin1', at, at + 4),
      flags: view.getUint32(at + 4, true),
      payload: file.subarray(Number(view.getBigUint64(at + 8, true)),
                             Number(view.getBigUint64(at + 8, true) + view.getBigUint64(at + 16, true))),
    });
  }
  return table;
}

function open(chunk) {
  const view = new DataView(chunk.payload.buffer, chunk.payload.byteOffset, kHeader);
  const body = chunk.payload.subarray(kHeader), prefix = view.getUint32(16, true);
  return {
    encoding: chunk.flags & 0xff,
    size: Number(view.getBigUint64(0, true)),
    stride: view.getUint16(20, true),
    prefix: body.subarray(0, prefix),
    stream: body.subarray(prefix),
    body,
  };
}

function attributes(stream, count, stride) {
  const out = new Uint8Array(count * stride);
  MeshoptDecoder.decodeVertexBuffer(out, count, stride, stream);
  return out;
}

// Triples of indices, with the rotations of the prefix.
function triangles(part, count) {
  const out = new Uint32Array(count * 3);
  MeshoptDecoder.decodeIndexBuffer(new Uint8Array(out.buffer), count * 3, 4, part.stream);
  for (let t = 0; t < count && part.prefix.length > 0; ++t) {
    const turn = Math.floor(part.prefix[Math.floor(t / 5)] / 3 ** (t % 5)) % 3;
    const corners = [0, 1, 2].map((k) => out[3 * t + (k + turn) % 3]);
    out.set(corners, 3 * t);
  }
  return out;
}

// The counts [vertices, triangles] of meshlets, their vertices, and their corners as numbers.
function meshlets(body, triangleCount) {
  const [meshletCount, vertexCount, numberCount, stepCount, farCount, isRotated] =
      Array.from({length: 6}, (_, i) => body.readUInt32LE(4 * i));
  let at = 24;
  const take = (size) => body.subarray(at, at += size);
  const counts = take(meshletCount), codes = take(Math.ceil(triangleCount / 2)), numbers = take(numberCount);
  const marks = take(Math.ceil(vertexCount / 8)), low = take(stepCount), high = take(stepCount), far = take(4 * farCount);
  const rotations = take(isRotated ? Math.ceil(triangleCount / 5) : 0);
  if (at !== body.length) throw new Error(`${body.length - at} bytes are left`);
  const out = {counts: [], vertices: [], corners: []};
  let number = 0, t = 0, step = 0, nextFar = 0, next = 0, last = 0;
  for (const count of counts) {
    const edges = [];
    let used = 0;
    const old = () => used - 1 - numbers[number++];
    for (const end = t + count; t < end; ++t) {
      const code = codes[t >> 1] >> 4 * (t & 1) & 15;
      let triangle;
      if (code < 14) {
        const [a, b] = edges[edges.length - 1 - (code >> 1)];
        const c = code & 1 ? Math.min(a, b) - numbers[number++] & 255 : used++;
        triangle = [a, b, c];
        edges.push([c, b], [a, c]);
      } else {
        const olds = numbers[number++];
        const [a, b, c] = triangle = [0, 1, 2].map((k) => olds >> k & 1 ? old() : used++);
        edges.push([b, a], [c, b], [a, c]);
      }
      const turn = isRotated ? Math.floor(rotations[Math.floor(t / 5)] / 3 ** (t % 5)) % 3 : 0;
      out.corners.push(...[0, 1, 2].map((k) => triangle[(k + turn) % 3]));
    }
    for (let i = 0; i < used; ++i) {
      const v = out.vertices.length;
      if (marks[v >> 3] >> (v & 7) & 1) {
        const value = low[step] + 256 * high[step++];
        last = value === 0xffff ? far.readUInt32LE(4 * nextFar++) : last + (value >> 1 ^ -(value & 1));
        out.vertices.push(last);
      } else {
        out.vertices.push(next++);
      }
    }
    out.counts.push([used, count]);
  }
  if (number !== numberCount || step !== stepCount || nextFar !== farCount) throw new Error('parts of a stream are left');
  return out;
}

// The neighbors [a, b, c] of each vertex.
function neighbors(indices, vertexCount) {
  const table = Array.from({length: 1024}, () => [-1, -1, 0]);
  const slot = (u, v) => (u + 5 * v) % 1024;
  const enter = (u, v, w) => { table[slot(u, v)] = [u, v, w]; };
  const out = [];
  const edge = (p, q) => {
    const [u, v, w] = table[slot(q, p)];
    return [p, q, u === q && v === p && w < out.length ? w : q];
  };
  for (let t = 0; t < indices.length; t += 3) {
    const [i, j, k] = indices.subarray(t, t + 3);
    if (i < out.length && j < out.length) {
      if (k === out.length) out.push(edge(i, j));
    } else {
      for (const [v, p, q] of [[i, j, k], [j, k, i], [k, i, j]]) {
        const next = out.length;
        if (v !== next) continue;
        const one = p < next ? p : q < next ? q : next - 1;
        out.push(p < next && q < next ? edge(p, q) : [one, one, one]);
      }
      enter(i, j, k);
    }
    enter(j, k, i);
    enter(k, i, j);
  }
  while (out.length < vertexCount) out.push(Array(3).fill(out.length - 1));
  return out;
}

function gridVertices(part, indices) {
  const count = part.size / 28, lanes = 10;
  const bytes = attributes(part.stream, count, 20);
  const head = new DataView(part.prefix.buffer, part.prefix.byteOffset, 28);
  const middle = head.getUint16(4, true);
  const base = [0, 1, 2, 3, 4].map((k) => head.getInt32(8 + 4 * k, true));
  const steps = [0, 1].map((k) => 2 ** head.getInt8(k));
  const most = [2, 3].map((k) => 2 ** (head.getUint8(k) - 1) - 1);
  const around = neighbors(indices, count);
  const rows = new Int16Array(count * lanes);
  const out = Buffer.alloc(part.size);
  for (let v = 0; v < count; ++v) {
    for (let k = 0; k < lanes; ++k) {
      const at = (byte) => bytes[v * 20 + byte] - (v > 0 ? bytes[(v - 1) * 20 + byte] : 0);
      const residual = (at(k) << 24 >> 24) + 256 * at(lanes + k);
      const [a, b, c] = v > 0 ? around[v].map((n) => rows[n * lanes + k]) : [0, 0, 0];
      const half = (b - a) << 16 >> 17;
      rows[v * lanes + k] = residual + (v === 0 ? 0 : middle >> k & 1 ? a + half : a + b - c);
    }
    const lane = (k) => rows[v * lanes + k];
    for (let k = 0; k < 3; ++k) out.writeFloatLE((base[k] + (lane(k) & 0xffff)) * steps[0], v * 28 + 4 * k);
    for (let k = 0; k < 2; ++k) out.writeFloatLE((base[3 + k] + (lane(3 + k) & 0xffff)) * steps[1], v * 28 + 20 + 4 * k);
    const wide = (k, limit) => Math.sign(lane(k)) * Math.round(Math.abs(lane(k)) * 32767 / limit);
    out.writeInt16LE(wide(5, most[0]), v * 28 + 12);
    out.writeInt16LE(wide(6, most[0]), v * 28 + 14);
    out.writeInt16LE((wide(7, most[1]) & ~1) | (lane(9) & 1), v * 28 + 16);
    out.writeInt16LE(wide(8, most[1]), v * 28 + 18);
  }
  return out;
}

function decode(file, counts) {
  const table = readTable(file);
  const plain = {};
  const part = {};
  for (const chunk of table) {
    if (chunk.flags === kPlain) {
      plain[chunk.id] = chunk.payload;
      continue;
    }
    const p = part[chunk.id] = open(chunk);
    counts[p.encoding] = (counts[p.encoding] ?? 0) + 1;
    if (p.encoding === kAttributes) {
      const elements = attributes(p.stream, (p.size - p.prefix.length) / p.stride, p.stride);
      plain[chunk.id] = Buffer.concat([p.prefix, elements]);
    } else if (p.encoding === kTriangles) {
      const indices = triangles(p, p.size / 3 / p.stride);
      const typed = p.stride === 2 ? Uint16Array.from(indices) : indices;
      plain[chunk.id] = Buffer.from(typed.buffer, typed.byteOffset, typed.byteLength);
    }
  }
  if (part.MLTR) {
    const {counts, vertices, corners} = meshlets(part.MLTR.body, part.MLTR.size / 3);
    const table = new Uint32Array(4 * counts.length), all = new Uint32Array(corners.length);
    let vertex = 0, triangle = 0;
    counts.forEach(([used, count], m) => {
      table.set([vertex, used, triangle, count], 4 * m);
      for (let i = 3 * triangle; i < 3 * (triangle + count); ++i) all[i] = vertices[vertex + corners[i]];
      vertex += used;
      triangle += count;
    });
    plain.MLET = Buffer.from(table.buffer);
    plain.MLTR = Buffer.from(corners);
    plain.MLVR = Buffer.from(Uint32Array.from(vertices).buffer);
    if (part.IDXS?.encoding === kDerived)
      plain.IDXS = Buffer.from((plain.DESC.readUInt8(22) === 2 ? Uint16Array.from(all) : all).buffer);
  }
  if (part.VTXS?.encoding === kGrid) {
    const width = plain.DESC.readUInt8(22);
    const indices = Uint32Array.from({length: plain.IDXS.length / width},
                                     (_, i) => width === 2 ? plain.IDXS.readUInt16LE(2 * i) : plain.IDXS.readUInt32LE(4 * i));
    plain.VTXS = gridVertices(part.VTXS, indices);
  }
  // The chunks in the order of the table.
  const parts = [], entries = Buffer.alloc(24 * table.length);
  let at = 32 + entries.length;
  table.forEach((chunk, i) => {
    const bytes = plain[chunk.id];
    const offset = Math.ceil(at / 16) * 16;
    parts.push(Buffer.alloc(offset - at), bytes);
    entries.write(chunk.id, 24 * i, 'latin1');
    entries.writeBigUInt64LE(BigInt(offset), 24 * i + 8);
    entries.writeBigUInt64LE(BigInt(bytes.length), 24 * i + 16);
    at = offset + bytes.length;
  });
  return Buffer.concat([file.subarray(0, 32), entries, ...parts]);
}

async function main() {
  const [assetc, ...models] = process.argv.slice(2);
  await MeshoptDecoder.ready;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assetc-hmesh-'));
  const counts = {};
  let files = 0, wrong = 0;
  try {
    for (const model of models) {
      for (const quantize of ['false', 'true']) {
        const small = path.join(folder, 'small.hmesh'), plain = path.join(folder, 'plain.hmesh');
        const convert = (from, to, ...more) => execFileSync(assetc, ['convert', from, to, ...more], {stdio: 'pipe'});
        try {
          convert(model, small, '--mesh.compress', 'meshopt', '--mesh.quantize', quantize);
        } catch {
          continue;  // a model without a mesh, or one that assetc refuses
        }
        convert(small, plain, '--mesh.compress', 'none');
        ++files;
        if (decode(fs.readFileSync(small), counts).equals(fs.readFileSync(plain))) continue;
        ++wrong;
        console.error(`${model}, quantize ${quantize}: the decoded file differs`);
      }
    }
  } finally {
    fs.rmSync(folder, {recursive: true});
  }
  const names = {attributes: kAttributes, triangles: kTriangles, grid: kGrid, meshlets: kMeshlets, derived: kDerived};
  console.log(`${files} files: ${Object.entries(names).map(([name, e]) => `${counts[e] ?? 0} ${name}`).join(', ')}`);
  const missing = Object.keys(names).filter((name) => !counts[names[name]]);
  if (missing.length > 0) console.error(`no file has ${missing.join(', ')}`);
  process.exit(wrong > 0 || missing.length > 0 ? 1 : 0);
}
main();
