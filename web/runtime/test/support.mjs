// What the tests of @assetc/runtime share: a pack, and a server that counts, throttles or misbehaves.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));
const { writePng } = createRequire(import.meta.url)('../../../tests/interop/png.cjs');
const program = process.env.ASSETC_PROGRAM ?? path.join(root, 'build/release/assetc');

for (const file of ['web/runtime/wasm/runtime.wasm', 'web/node_modules/@assetc/codec/package.json']) {
  if (fs.existsSync(path.join(root, file))) continue;
  console.log(`skipped: no ${file}; run scripts/setup and scripts/build-web`); // for ctest
  process.exit(0);
}

export const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assetc-runtime-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));

// A picture whose texels differ, so that its levels do.
function noise(size, seed) {
  let state = seed;
  return writePng(size, size, (x, y) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return [state >>> 24, ((x ^ y) * 7) & 255, (state >>> 16) & 255, 255];
  });
}

// A grid of triangles that bends, so that it has levels of detail.
function grid(side) {
  const lines = [];
  for (let y = 0; y <= side; ++y)
    for (let x = 0; x <= side; ++x) lines.push(`v ${x} ${Math.sin(x / 5) * Math.cos(y / 7) * 4} ${y}`);
  for (let y = 0; y < side; ++y) {
    for (let x = 0; x < side; ++x) {
      const at = y * (side + 1) + x + 1;
      lines.push(`f ${at} ${at + side + 1} ${at + 1}`, `f ${at + 1} ${at + side + 1} ${at + side + 2}`);
    }
  }
  return lines.join('\n') + '\n';
}

/** Builds textures of 512 x 512 and a mesh; returns the pack and the folder of the outputs. */
export function build() {
  fs.mkdirSync(path.join(folder, 'assets/textures'), { recursive: true });
  for (let i = 0; i < 8; ++i) fs.writeFileSync(path.join(folder, `assets/textures/t${i}.png`), noise(512, i + 1));
  fs.writeFileSync(path.join(folder, 'assets/red.mat'), 'base_color: [1, 0, 0]\n');
  fs.writeFileSync(path.join(folder, 'assets/grid.obj'), grid(100));
  fs.writeFileSync(path.join(folder, 'assetc.yml'), 'default: {texture: {format: uastc, quality: fast}, mesh: {lod: levels}}\n');
  const ran = spawnSync(program, ['--pack'], { cwd: folder, encoding: 'utf8', env: { ...process.env, ASSETC_CACHE: 'off' } });
  if (ran.status !== 0) throw new Error(`assetc: ${ran.error ?? ran.stderr}${ran.stdout}`);
  return { pack: fs.readFileSync(path.join(folder, 'runtime.hpack')), runtime: path.join(folder, 'runtime') };
}

/** Serves bytes as /all.hpack, and folders below names. `options.fault` may give another answer. */
export function serve(pack, mounts = {}) {
  const log = [], options = { fault: undefined, bytesPerSecond: Infinity, etag: '"1"', pack };
  const types = { js: 'text/javascript', wasm: 'application/wasm' };
  const server = http.createServer(async (request, response) => {
    const url = decodeURIComponent(new URL(request.url, 'http://x').pathname);
    if (url === '/') return response.setHeader('content-type', 'text/html').end('<!doctype html><title>runtime</title>');
    const [, first] = url.split('/');
    if (mounts[first]) {
      const file = path.join(mounts[first], url.slice(first.length + 2));
      if (!fs.existsSync(file)) return response.writeHead(404).end();
      return response.setHeader('content-type', types[file.split('.').pop()] ?? 'application/octet-stream').end(fs.readFileSync(file));
    }
    if (url !== '/all.hpack') return response.writeHead(404).end();
    const entry = { range: request.headers.range ?? '' };
    log.push(entry);
    if (options.fault?.(request, response)) return;
    const bytes = options.pack;
    const match = /^bytes=(\d+)-(\d*)$/.exec(entry.range);
    const begin = match ? Number(match[1]) : 0, end = match?.[2] ? Math.min(Number(match[2]) + 1, bytes.length) : bytes.length;
    response.writeHead(match ? 206 : 200, {
      etag: options.etag, 'content-length': end - begin, ...(match ? { 'content-range': `bytes ${begin}-${end - 1}/${bytes.length}` } : {}),
    });
    for (let at = begin; at < end;) {
      const next = Math.min(end, at + 16384);
      if (options.bytesPerSecond !== Infinity) await new Promise((done) => setTimeout(done, ((next - at) / options.bytesPerSecond) * 1000));
      if (response.destroyed) return;
      response.write(bytes.subarray(at, next));
      at = next;
    }
    response.end();
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve({
    url: `http://127.0.0.1:${server.address().port}`, log, options,
    close: () => { server.closeAllConnections(); server.close(); },
  })));
}

/** Runs `assetc serve` on a folder with the pack of build(), as /all.hpack. */
export async function serveOutputs(...flags) {
  const at = path.join(folder, 'served');
  fs.mkdirSync(at, { recursive: true });
  fs.copyFileSync(path.join(folder, 'runtime.hpack'), path.join(at, 'all.hpack'));
  const child = spawn(program, ['serve', at, '--port', '0', '--json', ...flags], { cwd: folder });
  let text = '';
  while (!text.includes('\n')) {
    const piece = await new Promise((resolve, reject) => {
      child.stdout.once('data', resolve);
      child.once('exit', (code) => reject(new Error(`assetc serve ended with ${code}`)));
    });
    text += piece;
  }
  return { url: JSON.parse(text.split('\n')[0]).address, close: () => child.kill('SIGINT') };
}
