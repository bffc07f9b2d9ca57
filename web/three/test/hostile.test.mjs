// Files that are cut off or changed end in an AssetcError that names them, or load. Nothing hangs, and no other error escapes.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { AssetcError } from '@assetc/codec';
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js';
import { ZSTDDecoder } from 'three/addons/libs/zstddec.module.js';
import { HmeshLoader, HsceneLoader, Ktx2Loader, parseHanim, parseHmat, parseHscene, parseManifest } from '../index.js';
import { random, run, serve, skip, temporary } from '../../test/support.mjs';

const { writeSource } = createRequire(import.meta.url)('../../../tests/interop/scene_source.cjs');
const CHANGES = 400;

/** Builds a scene with everything, and returns its files. Half of its meshes are encoded. */
function built(t) {
  const folder = temporary(t);
  mkdirSync(join(folder, 'assets'));
  writeSource(join(folder, 'assets/yard.glb'));
  writeFileSync(join(folder, 'assetc.yml'), JSON.stringify({ default: { mesh: { scene: true, attributes: 'all' } } }));
  run(folder, 'build', '-q');
  const plain = readdirSync(join(folder, 'runtime/yard')).filter((name) => name.endsWith('.hmesh'));
  plain.forEach((name, i) => run(folder, 'convert', `runtime/yard/${name}`, `runtime/encoded_${name}`, '--mesh.compress', ['meshopt', 'meshopt-zstd'][i % 2], '--mesh.quantize', 'true'));
  const files = readdirSync(join(folder, 'runtime'), { recursive: true }).filter((name) => /\.(hmesh|hscene|hmat|hman|hanim|ktx2)$/.test(name));
  return { folder, files };
}

const ktx2 = new Ktx2Loader();
const meshes = new HmeshLoader().setMeshoptDecoder(MeshoptDecoder).setZstdDecoder(new ZSTDDecoder());
await meshes.readyDecoders();
const PARSERS = {
  hmesh: (bytes, name) => meshes.parse(bytes, name), hscene: parseHscene, hmat: parseHmat, hman: parseManifest, hanim: parseHanim,
  ktx2: (bytes, name) => ktx2.parseAsync(bytes, name),
};

/** Parses bytes that may be wrong; returns whether they were refused. */
async function refused(parse, bytes, name, what) {
  try {
    await parse(bytes, name);
    return false;
  } catch (error) {
    assert.ok(error instanceof AssetcError, `${name} ${what}: ${error.stack}`);
    assert.ok(error.message.startsWith(name), `${name} ${what}: the message does not begin with the file: ${error.message}`);
    return true;
  }
}

test('every file that is cut off is refused', { skip }, async (t) => {
  const { folder, files } = built(t);
  for (const name of files) {
    const bytes = new Uint8Array(readFileSync(join(folder, 'runtime', name))), parse = PARSERS[name.split('.').pop()];
    assert.equal(await refused(parse, bytes, name, 'whole'), false);
    const step = Math.max(1, Math.floor(bytes.length / 300));
    // Zeros that fill a file up to a multiple of 16 may be missing.
    for (let size = 0; size < bytes.length - 16; size += step)
      assert.ok(await refused(parse, bytes.slice(0, size), name, `cut to ${size}`), `${name} loads with ${size} of ${bytes.length} bytes`);
  }
});

test('every changed file loads or is refused', { skip }, async (t) => {
  const { folder, files } = built(t);
  const next = random(34);
  let wrong = 0, tried = 0;
  for (const name of files) {
    const bytes = new Uint8Array(readFileSync(join(folder, 'runtime', name))), parse = PARSERS[name.split('.').pop()];
    for (let i = 0; i < CHANGES; ++i) {
      const changed = bytes.slice(), count = 1 + next() % 3;
      for (let c = 0; c < count; ++c) {
        // Half of the changes hit the tables at the start.
        const at = next() % (next() & 1 ? bytes.length : Math.min(bytes.length, 512));
        changed[at] = next() & 1 ? next() : [0, 255, 127, 128][next() & 3];
      }
      wrong += await refused(parse, changed, name, `change ${i}`);
      ++tried;
    }
  }
  assert.ok(wrong > tried / 10, `${wrong} of ${tried} changed files were refused`);
});

test('a scene whose files are missing or of another build is an error that names them', { skip }, async (t) => {
  const { folder } = built(t);
  const root = await serve(t, join(folder, 'runtime'));
  const load = () => new HsceneLoader().setPath(root).loadAsync('yard.hscene');
  const manifest = readFileSync(join(folder, 'runtime/assets.hman'));
  const empty = Buffer.from(manifest.subarray(0, 16));
  empty.writeUInt32LE(0, 8);
  writeFileSync(join(folder, 'runtime/assets.hman'), empty);
  await assert.rejects(load(), /yard\.hscene: MESH\[0\]: no file of assets\.hman has the hash/);
  writeFileSync(join(folder, 'runtime/assets.hman'), manifest);
  const mesh = readdirSync(join(folder, 'runtime/yard')).find((name) => name.endsWith('.hmesh'));
  writeFileSync(join(folder, 'runtime/yard', mesh), 'HMSH');
  await assert.rejects(load(), new RegExp(`yard/${mesh}: .*damaged or truncated`));
});

test('a manifest says whether it is incomplete, and other flags mean nothing', () => {
  const bytes = Buffer.alloc(16);
  bytes.write('HMAN');
  bytes.writeUInt32LE(1, 4);
  for (const [flags, expected] of [[0, false], [1, true], [0xfffffffe, false]]) {
    bytes.writeUInt32LE(flags, 12);
    assert.equal(parseManifest(bytes, 'assets.hman').incomplete, expected);
  }
});

test('a path of a manifest never leaves its folder', () => {
  for (const path of ['../x', 'a/../b', '/a', 'a//b', 'c:/x', 'a\\b', 'https://x/y', '']) {
    const text = Buffer.from(path), bytes = Buffer.alloc(16 + 12 + text.length);
    bytes.write('HMAN');
    bytes.writeUInt32LE(1, 4);
    bytes.writeUInt32LE(1, 8);
    bytes.writeUInt8(1, 24);
    bytes.writeUInt16LE(text.length, 26);
    text.copy(bytes, 28);
    assert.throws(() => parseManifest(bytes, 'assets.hman'), AssetcError, path);
  }
});

/** A file of chunks: .hmesh or .hscene. */
function chunked(magic, version, chunks) {
  const entries = Object.entries(chunks), table = Buffer.alloc(32 + 24 * entries.length), parts = [];
  table.write(magic);
  table.writeUInt32LE(version, 4);
  table.writeUInt32LE(entries.length, 8);
  let at = Math.ceil(table.length / 16) * 16;
  parts.push(table, Buffer.alloc(at - table.length));
  entries.forEach(([id, bytes], i) => {
    table.write(id, 32 + 24 * i);
    table.writeBigUInt64LE(BigInt(at), 40 + 24 * i);
    table.writeBigUInt64LE(BigInt(bytes.length), 48 + 24 * i);
    const padded = Math.ceil(bytes.length / 16) * 16;
    parts.push(bytes, Buffer.alloc(padded - bytes.length));
    at += padded;
  });
  return Buffer.concat(parts);
}
const u32 = (...values) => Buffer.from(Uint32Array.from(values).buffer);

/** The chunks of a mesh of `vertexCount` equal vertices, one submesh of one triangle, and more chunks. */
function mesh(vertexCount, more) {
  const desc = Buffer.alloc(32), row = Buffer.alloc(64);
  desc.writeUInt32LE(vertexCount, 0);
  desc.writeUInt32LE(3, 4);
  desc.writeUInt32LE(1, 12);
  desc.writeUInt16LE(28, 20);
  desc.writeUInt8(4, 22);
  row.writeUInt32LE(3, 4);
  row.writeUInt32LE(0xffffffff, 16);
  return chunked('HMSH', 2, { DESC: desc, BNDS: Buffer.alloc(40), SUBM: row, VTXS: Buffer.alloc(28 * vertexCount), IDXS: u32(0, 0, 0), ...more });
}
const isLimit = (error) => error instanceof AssetcError && error.code === 'limit';

test('small files that stand for huge contents are refused, at once', () => {
  assert.ok(new HmeshLoader().parse(mesh(3, {}), 'small.hmesh').geometry);
  const targets = 65535, header = u32(1, 0, 100000, targets, 1, 0, 12, 0, 0, 0, 0, 0), rows = Buffer.alloc(40 * targets);
  const textAt = 48 + 40 * targets + 16, movesAt = Math.ceil(textAt / 16) * 16;
  header.writeUInt32LE(movesAt, 28);
  const morphs = Buffer.concat([header, rows, u32(0, targets, 0xffffffff, 0), Buffer.alloc(movesAt - textAt)]);
  assert.throws(() => new HmeshLoader().parse(mesh(100000, { MRPH: morphs }), 'morphs.hmesh'), isLimit);

  const levels = 100000, table = Buffer.alloc(8 + 8 * levels);
  table.writeUInt32LE(levels, 0);
  table.writeUInt32LE(1, 4);
  for (let l = 0; l < levels; ++l) table.writeUInt32LE(30000, 8 + 8 * l + 4);
  assert.throws(() => new HmeshLoader().parse(mesh(3, { LODI: Buffer.alloc(4 * 30000), LODT: table }), 'levels.hmesh'), isLimit);

  const joints = 5000, skeleton = Buffer.alloc(112 * joints);
  for (let j = 0; j < joints; ++j) skeleton.writeInt32LE(j - 1, 112 * j + 104);
  const skin = Buffer.alloc(24 * 3);
  for (let v = 0; v < 3; ++v) skin.writeFloatLE(1, 24 * v + 8);
  assert.throws(() => new HmeshLoader().parse(mesh(3, { SKIN: skin, SKEL: skeleton }), 'deep.hmesh'), isLimit);
  skeleton.writeInt32LE(joints - 1, 104);
  assert.throws(() => new HmeshLoader().parse(mesh(3, { SKIN: skin, SKEL: skeleton }), 'loop.hmesh'), AssetcError);

  const node = (i, parent, end, weights = 0) => {
    const bytes = Buffer.alloc(128);
    bytes.writeInt32LE(parent, 64);
    bytes.writeUInt32LE(end, 68);
    for (const at of [72, 76, 80, 84, 88, 92, 104, 112]) bytes.writeUInt32LE(0xffffffff, at);
    bytes.writeUInt32LE(weights, 100);
    return bytes;
  };
  const desc = Buffer.alloc(64);
  for (const at of [0, 4, 8]) desc.writeUInt32LE(0xffffffff, at);
  const scene = (nodes, more = {}) => chunked('HSCN', 1, { DESC: desc, TEXT: u32(0), NODE: Buffer.concat(nodes), ...more });
  assert.equal(parseHscene(scene([node(0, -1, 1)]), 'small.hscene').nodes.length, 1);
  assert.throws(() => parseHscene(scene(Array.from({ length: 5000 }, (_, i) => node(i, i - 1, 5000))), 'deep.hscene'), isLimit);
  assert.throws(() => parseHscene(scene(Array.from({ length: 5000 }, (_, i) => node(i, -1, i + 1, 1000)), { WGHT: Buffer.alloc(4000) }), 'weights.hscene'), isLimit);

  // A clip of 2^24 frames of many tracks.
  const clip = Buffer.concat([u32(0, 1 << 24, 128, 0, 0, 1000, 0, 0), Buffer.alloc(1 << 20)]);
  const hanim = Buffer.concat([Buffer.from('HANM'), u32(2, 1, 0, 0, 0, 0, 0, 0, 0), Buffer.alloc(16), clip]);
  hanim.writeBigUInt64LE(56n, 40);
  hanim.writeBigUInt64LE(BigInt(clip.length), 48);
  assert.throws(() => parseHanim(hanim, 'long.hanim'), isLimit);
});
