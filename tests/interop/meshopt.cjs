// Compares our decoder of KHR_meshopt_compression with meshoptimizer's own (npm meshoptimizer, WebAssembly): on streams
// of its encoder, on damaged versions of them, and on models that gltfpack (npm) writes, which are compiled as well.
//
//   node meshopt.cjs PROBE ASSETC MODEL...        exits 1 on a difference
//   node meshopt.cjs --golden                     prints the streams of tests/import/gltf_meshopt_v1_test.cpp
//
// PROBE is the built meshopt_probe, ASSETC the built command. Exits 77 (skipped) when node_modules is absent.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { spawnSync } = require('child_process');
const { readGlb, writeGlb } = require('./glb_file.cjs');

const MODES = ['ATTRIBUTES', 'TRIANGLES', 'INDICES'];
const FILTERS = ['NONE', 'OCTAHEDRAL', 'QUATERNION', 'EXPONENTIAL', 'COLOR'];
const [probe, assetc, ...models] = process.argv.slice(2);
let bad = 0;
function complain(text) {
  bad += 1;
  if (bad <= 20) console.log(text);
}

let state = 12345;
const below = (n) => Math.floor((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 4294967296 * n);

// Each pattern of values makes the encoder choose other channels, controls and widths.
const RUNS = {
  constant: () => 77,
  steps: (e, k) => e * (k % 3),
  noise: () => below(256),
  rare: () => below(40) === 0 ? below(256) : 0,
  small: (e, k) => 100 + k + below(3),
  mixed: (e, k) => (e >> 6) % 3 === k % 3 ? below(256) : below(2),
};
function elements(run, count, stride) {
  const bytes = new Uint8Array(count * stride);
  for (let e = 0; e < count; ++e) for (let k = 0; k < stride; ++k) bytes[e * stride + k] = RUNS[run](e, k);
  return bytes;
}
// Numbers of 16 and 32 bits that change little from element to element.
function walk(count, stride, words) {
  const out = new Uint8Array(count * stride), values = new words(out.buffer), width = stride / words.BYTES_PER_ELEMENT;
  const scale = words === Float32Array ? 512 : 1;
  for (let i = 0; i < values.length; ++i) values[i] = i < width ? below(1 << 15) : values[i - width] + (below(600) - 300) / scale;
  return out;
}

// Sends streams to the probe and returns its answers: {bytes} or {refused}.
function ask(streams) {
  const parts = [];
  for (const s of streams) {
    const head = new Uint32Array([MODES.indexOf(s.mode), FILTERS.indexOf(s.filter), s.count, s.stride, s.data.length]);
    parts.push(Buffer.from(head.buffer), Buffer.from(s.data));
  }
  const run = spawnSync(probe, [], { input: Buffer.concat(parts), maxBuffer: 1 << 30 });
  if (run.status !== 0) throw new Error(`${probe} ended with ${run.status ?? run.signal}\n${run.stderr}`);
  let at = 0;
  return streams.map(() => {
    const size = run.stdout.readUInt32LE(at + 4), body = run.stdout.subarray(at + 8, at + 8 + size);
    const decoded = run.stdout.readUInt32LE(at) === 1;
    at += 8 + size;
    return decoded ? { bytes: body } : { refused: body.toString() };
  });
}

// Filters may differ by one unit of a component, because they compute in floating point with other instructions.
function differs(ours, theirs, s) {
  if (ours.length !== theirs.length) return true;
  if (Buffer.compare(ours, theirs) === 0) return false;
  if (s.filter !== 'OCTAHEDRAL' && s.filter !== 'QUATERNION') return true;
  const components = (b) => new (s.stride === 8 ? Int16Array : Int8Array)(Uint8Array.from(b).buffer);
  const [a, b] = [components(ours), components(theirs)];
  return a.some((v, i) => Math.abs(v - b[i]) > 1);
}

// The golden stream of the unit test: bytes, some of them random, two 16-bit numbers, a float with few bits, a
// constant.
function golden(encoder) {
  const [count, stride] = [40, 16];
  const bytes = new Uint8Array(count * stride), view = new DataView(bytes.buffer);
  for (let e = 0, at = 0; e < count; ++e, at += stride) {
    bytes.set([3 * e, below(256), e % 9 === 4 ? 90 : 91, e < 20 ? 5 : 6], at);
    view.setUint16(at + 4, 1000 + 300 * e, true);
    view.setUint16(at + 6, 65000 + 77 * e, true);
    view.setUint32(at + 8, 0x3F800000 + (below(64) << 14), true);
    bytes.fill(200, at + 12, at + 16);
  }
  console.log([...encoder.encodeVertexBufferLevel(bytes, count, stride, 3, 1)].join(', '));
}

// Streams of every shape.
function makeStreams(encoder) {
  const streams = [];
  const add = (source, count, stride, level, filter = 'NONE') =>
    streams.push({ mode: 'ATTRIBUTES', filter, count, stride, data: encoder.encodeVertexBufferLevel(source, count, stride, level, 1) });
  for (const stride of [4, 8, 12, 16, 28, 64, 100, 252, 256]) {
    for (const count of [1, 15, 16, 17, 255, 256, 257, 1000]) {
      for (const name of Object.keys(RUNS)) for (const level of [0, 2, 3]) add(elements(name, count, stride), count, stride, level);
      for (const words of [Uint16Array, Uint32Array, Float32Array]) add(walk(count, stride, words), count, stride, 3);
    }
  }
  for (const count of [1, 3, 4, 1001]) {
    const unit = Float32Array.from({ length: count * 4 }, () => below(100001) / 100000);
    const vectors = new Float32Array(count * 4);
    for (let e = 0; e < count; ++e) {
      const v = [0, 1, 2, 3].map(() => below(2001) / 1000 - 1.0005), length = Math.hypot(...v);
      vectors.set(v.map((x) => x / length), e * 4);
    }
    for (const stride of [4, 8]) {
      for (let bits = 2; bits <= stride * 2; ++bits) {
        add(encoder.encodeFilterColor(unit, count, stride, bits), count, stride, 2, 'COLOR');
        add(encoder.encodeFilterOct(vectors, count, stride, bits), count, stride, 2, 'OCTAHEDRAL');
      }
    }
    for (let bits = 4; bits <= 16; ++bits) add(encoder.encodeFilterQuat(vectors, count, 8, bits), count, 8, 2, 'QUATERNION');
    for (const bits of [1, 12, 24]) add(encoder.encodeFilterExp(unit, count, 16, bits), count, 16, 2, 'EXPONENTIAL');
  }
  return streams;
}

function compareWhole(streams, reference) {
  let size = 0;
  ask(streams).forEach((answer, i) => {
    const s = streams[i], name = `${s.filter} of ${s.count} elements of ${s.stride} bytes`;
    size += s.count * s.stride;
    if (answer.refused !== undefined) complain(`${name}: refused: ${answer.refused}`);
    else if (differs(answer.bytes, reference(s), s)) complain(`${name}: differs`);
  });
  console.log(`${streams.length} streams of version 1 compared with meshoptimizer, ${size} bytes`);
}

// Streams truncated at every length, one byte too long, or with a flipped bit or byte. Streams that meshoptimizer
// refuses must be refused. It ignores bits of the channel modes that must be 0 by the specification; otherwise both
// must decode the same.
function compareDamaged(streams, reference) {
  const damaged = [];
  for (const s of streams.filter((one) => one.filter === 'NONE' && one.data.length < 1500)) {
    const add = (data) => damaged.push({ ...s, data });
    if (s.data.length < 400) for (let n = 0; n < s.data.length; ++n) add(s.data.subarray(0, n));
    add(Buffer.concat([s.data, Buffer.from([0])]));
    for (let n = 0; n < 60; ++n) {
      const copy = Uint8Array.from(s.data);
      copy[below(copy.length)] ^= below(2) === 0 ? 1 << below(8) : 1 + below(255);
      add(copy);
    }
  }
  let refused = 0;
  ask(damaged).forEach((answer, i) => {
    const s = damaged[i];
    let theirs;
    try { theirs = reference(s); } catch { theirs = undefined; }
    if (answer.refused !== undefined) {
      refused += 1;
      if (theirs !== undefined && !answer.refused.includes('found the mode')) complain(`refused: ${answer.refused}`);
    } else if (theirs === undefined || differs(answer.bytes, theirs, s)) {
      complain('a damaged stream differs');
    }
  });
  console.log(`${damaged.length} damaged streams compared, ${refused} refused`);
}

// Rewrites a .glb so that its views are not compressed. Returns the compressed streams.
function unpack(from, to, reference) {
  const { json, binary } = readGlb(from), streams = [], parts = [binary];
  let end = binary.length;
  for (const view of json.bufferViews) {
    const e = view.extensions?.KHR_meshopt_compression ?? view.extensions?.EXT_meshopt_compression;
    if (e === undefined) continue;
    const { byteOffset = 0, byteLength, byteStride: stride, count, mode, filter = 'NONE' } = e;
    streams.push({ mode, filter, count, stride, data: binary.subarray(byteOffset, byteOffset + byteLength) });
    const bytes = reference(streams.at(-1));
    Object.assign(view, { buffer: 0, byteOffset: end, byteLength: bytes.length });
    delete view.extensions;
    parts.push(bytes, Buffer.alloc(-bytes.length & 3));
    end += bytes.length + (-bytes.length & 3);
  }
  json.buffers = [{ byteLength: end }];
  for (const key of ['extensionsRequired', 'extensionsUsed']) {
    json[key] = (json[key] ?? []).filter((name) => !name.endsWith('_meshopt_compression'));
    if (json[key].length === 0) delete json[key];
  }
  writeGlb(to, json, Buffer.concat(parts));
  return streams;
}

// Models written by gltfpack: version 1 with -cz and -ce khr.
function comparePacked(reference) {
  const gltfpack = path.join(__dirname, 'node_modules/gltfpack/cli.js');
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assetc-meshopt-'));
  const place = () => fs.mkdtempSync(path.join(folder, 'm'));
  const pack = (model, at, ...options) =>
    spawnSync(process.execPath, [gltfpack, '-i', model, '-o', path.join(at, 'm.glb'), ...options]).status === 0;
  const convert = (at, from, to, ...options) => {
    const made = spawnSync(path.resolve(assetc), ['convert', from, to, ...options], { cwd: at, encoding: 'utf8' });
    if (made.status !== 0) complain(made.stderr);
    return made.status === 0;
  };
  // Compiles m.glb and returns triangles and bounds. The path is always the same, because materials are named after it.
  const compile = (at) => {
    if (!convert(at, 'm.glb', 'm.hmesh', '--mesh.lods', '0') || !convert(at, 'm.hmesh', 'made.glb')) return undefined;
    const { json } = readGlb(path.join(at, 'made.glb'));
    const all = json.meshes.flatMap((m) => m.primitives), positions = all.map((p) => json.accessors[p.attributes.POSITION]);
    return {
      triangles: all.reduce((sum, p) => sum + json.accessors[p.indices].count / 3, 0),
      low: [0, 1, 2].map((k) => Math.min(...positions.map((a) => a.min[k]))),
      high: [0, 1, 2].map((k) => Math.max(...positions.map((a) => a.max[k]))),
    };
  };
  const FLOATS = ['-vpf', '-vtf', '-vnf'];
  const SETTINGS = [['-c'], ['-cc', '-ce', 'khr'], ['-cz'], ['-cz', '-vi', ...FLOATS]];
  let packed = 0, same = 0, views = 0, newer = 0, colors = 0;
  let model_count = 0;
  for (const model of models) {
    const plainly = place();
    // gltfpack does not read Draco and leaves such meshes out.
    if (!pack(model, plainly) || readGlb(path.join(plainly, 'm.glb')).json.meshes === undefined) continue;
    // The first few models are packed in every way, the others in one way each: starting the programs takes the time.
    const settings = ++model_count <= 2 ? SETTINGS : [SETTINGS[model_count % SETTINGS.length]];
    const quantized = compile(plainly);
    const floating = settings.some((one) => one.includes('-vpf')) && pack(model, plainly, ...FLOATS) ? compile(plainly) : undefined;
    for (const options of settings) {
      const name = `gltfpack ${options.join(' ')} of ${path.basename(model)}`;
      const plain = options.includes('-vpf') ? floating : quantized;
      const at = place(), unpacked = place();
      if (!pack(model, at, ...options)) {
        complain(`${name} fails`);
        continue;
      }
      packed += 1;
      const streams = unpack(path.join(at, 'm.glb'), path.join(unpacked, 'm.glb'), reference);
      views += streams.length;
      newer += streams.filter((s) => s.mode === 'ATTRIBUTES' && s.data[0] === 0xA1).length;
      colors += streams.filter((s) => s.filter === 'COLOR').length;
      let exact = true;
      ask(streams).forEach((answer, i) => {
        const theirs = reference(streams[i]);
        if (answer.refused !== undefined || differs(answer.bytes, theirs, streams[i])) {
          complain(`${name}: view ${i} with ${streams[i].filter} differs (${answer.refused ?? 'bytes'})`);
        } else {
          exact = exact && Buffer.compare(answer.bytes, theirs) === 0;
        }
      });
      // The mesh must equal the uncompressed one, except for quantization.
      const made = compile(at), again = compile(unpacked);
      if (made === undefined || again === undefined || plain === undefined) continue;
      if (made.triangles !== plain.triangles) complain(`${name}: ${made.triangles} triangles, ${plain.triangles} without compression`);
      const extent = Math.max(...plain.high.map((h, k) => h - plain.low[k]));
      for (const k of [0, 1, 2]) {
        const error = Math.max(Math.abs(made.low[k] - plain.low[k]), Math.abs(made.high[k] - plain.high[k]));
        if (!(error <= extent / 4096)) complain(`${name}: bounds differ by ${error} of ${extent}`);
      }
      // It must also equal the one that meshoptimizer unpacks, byte for byte, unless a filter that may round
      // differently was used.
      if (!exact) continue;
      for (const file of ['m.hmesh', 'm.hanim'].filter((one) => fs.existsSync(path.join(at, one)))) {
        same += 1;
        if (Buffer.compare(fs.readFileSync(path.join(at, file)), fs.readFileSync(path.join(unpacked, file))) !== 0) {
          complain(`${name}: ${file} is another than meshoptimizer's`);
        }
      }
    }
  }
  fs.rmSync(folder, { recursive: true });
  console.log(`${packed} packed models, ${views} compressed views (${newer} of version 1, ${colors} with COLOR) compared; ` +
    `${same} compiled files the same byte for byte`);
  if (models.length > 0 && (newer === 0 || colors === 0 || same === 0)) complain('gltfpack wrote nothing of version 1, or no colors');
}

async function run() {
  let decoder, encoder;
  try {
    decoder = (await import('meshoptimizer/decoder')).MeshoptDecoder;
    encoder = (await import('meshoptimizer/encoder')).MeshoptEncoder;
  } catch {
    console.log('skipped: run npm ci in tests/interop to compare with meshoptimizer');
    return 77;
  }
  await decoder.ready;
  await encoder.ready;
  if (probe === '--golden') {
    golden(encoder);
    return 0;
  }
  const reference = (s) => {
    const out = new Uint8Array(s.count * s.stride);
    decoder.decodeGltfBuffer(out, s.count, s.stride, s.data, s.mode, s.filter);
    return out;
  };
  const streams = makeStreams(encoder);
  compareWhole(streams, reference);
  compareDamaged(streams, reference);
  comparePacked(reference);
  console.log(`${bad} differ`);
  return bad === 0 ? 0 : 1;
}
run().then((code) => process.exit(code));
