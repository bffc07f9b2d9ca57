// Files that are cut off or changed end in an AssetcError that names them, or load. Nothing hangs, and no other error escapes.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { AssetcError } from '@assetc/codec';
import { HmeshLoader, HsceneLoader, Ktx2Loader, parseHanim, parseHmat, parseHscene, parseManifest } from '../index.js';
import { random, run, serve, skip, temporary } from '../../test/support.mjs';

const { writeSource } = createRequire(import.meta.url)('../../../tests/interop/scene_source.cjs');
const CHANGES = 400;

/** Builds a scene with everything, and returns its files by suffix. */
function built(t) {
  const folder = temporary(t);
  mkdirSync(join(folder, 'assets'));
  writeSource(join(folder, 'assets/yard.glb'));
  writeFileSync(join(folder, 'assetc.yml'), JSON.stringify({ default: { mesh: { scene: true, attributes: 'all' } } }));
  run(folder, 'build', '-q');
  const files = readdirSync(join(folder, 'runtime'), { recursive: true }).filter((name) => /\.(hmesh|hscene|hmat|hman|hanim|ktx2)$/.test(name));
  return { folder, files };
}

const ktx2 = new Ktx2Loader();
const PARSERS = {
  hmesh: (bytes, name) => new HmeshLoader().parse(bytes, name), hscene: parseHscene, hmat: parseHmat, hman: parseManifest, hanim: parseHanim,
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
