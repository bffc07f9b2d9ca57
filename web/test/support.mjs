// What the tests of the loaders share: building a folder with assetc, serving it, and comparing.
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';

// three.js expects some names of browsers.
globalThis.self ??= globalThis;
globalThis.ProgressEvent ??= class extends Event {};

/** The command. The tests of CTest name it in ASSETC_PROGRAM. */
export const assetc = process.env.ASSETC_PROGRAM ?? '';
/** A folder of public models and textures. */
export const corpus = process.env.ASSETC_CORPUS ?? '';

/** Why a test that needs the command or the corpus does not run; else false. */
export const skip = !existsSync(assetc) ? 'set ASSETC_PROGRAM to the command' : false;
export const skipCorpus = skip || (!existsSync(join(corpus, 'models')) ? 'set ASSETC_CORPUS to the folder of test files' : false);

/** Runs the command and throws what it wrote if it fails. */
export function run(folder, ...args) {
  const done = spawnSync(assetc, args, { cwd: folder, encoding: 'utf8', env: { ...process.env, ASSETC_CACHE: 'off' } });
  if (done.status !== 0) throw new Error(`assetc ${args.join(' ')}: ${done.stderr}${done.stdout}`);
  return done.stdout;
}

/** A temporary folder that is removed when the test ends. */
export function temporary(t) {
  const folder = mkdtempSync(join(tmpdir(), 'assetc-web-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Copies models of the corpus into assets/, builds them with `mesh` settings, and returns the folder with `runtime` and `assets`. */
export function build(t, models, mesh = { scene: true }) {
  const folder = temporary(t);
  for (const model of models) cpSync(join(corpus, 'models', model), join(folder, 'assets', model), { recursive: true });
  writeFileSync(join(folder, 'assetc.yml'), JSON.stringify({ default: { mesh } }));
  run(folder, 'build');
  return folder;
}

const TYPES = { html: 'text/html', js: 'text/javascript', mjs: 'text/javascript', wasm: 'application/wasm', json: 'application/json', png: 'image/png' };

/** Serves a folder, and other folders below names, on the loopback interface; returns its address. */
export async function serve(t, folder, mounts = {}) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname)), [, first] = path.split('/');
    try {
      const bytes = readFileSync(mounts[first] ? join(mounts[first], path.slice(first.length + 2)) : join(folder, path));
      response.setHeader('Content-Type', TYPES[path.split('.').pop()] ?? 'application/octet-stream');
      response.end(bytes);
    } catch {
      response.statusCode = 404;
      response.end();
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}/`;
}

/** Bytes that change in one way for one seed. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ state >>> 15, 1 | state);
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
    return (t ^ t >>> 14) >>> 0;
  };
}

/** Writes a file, and the folders above it. */
export function write(path, bytes) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}

/** The buffer of the bytes alone. */
export const bufferOf = (bytes) => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
