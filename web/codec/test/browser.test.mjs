// Chromium loads the package as ES modules from a server, without a bundler, and gives the bytes of Node.js.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import test from 'node:test';
import { packageFolder, picture, root } from './tools.mjs';
import { loadEncoder, loadTranscoder } from '../src/index.js';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((file) => fs.existsSync(file));
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html' };

function playwright() {
  for (const from of ['web/package.json', 'tests/interop/package.json']) {
    try {
      return createRequire(path.join(root, from))('playwright-core');
    } catch {} // tried next
  }
  return undefined;
}

// Serves the package on loopback.
function serve() {
  const server = http.createServer((request, response) => {
    if (request.url === '/') return response.setHeader('content-type', 'text/html').end('<!doctype html><title>codec</title>');
    const file = path.join(packageFolder, path.normalize(request.url));
    if (!file.startsWith(packageFolder) || !fs.existsSync(file)) return response.writeHead(404).end();
    response.setHeader('content-type', TYPES[path.extname(file)] ?? 'application/octet-stream').end(fs.readFileSync(file));
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

test('Chromium encodes with workers and transcodes', async (t) => {
  const { chromium } = playwright() ?? {};
  if (!chromium || !CHROMIUM) {
    console.log('skipped: needs playwright-core (npm ci in web) and Chromium'); // for ctest
    return t.skip();
  }
  const server = await serve();
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    const source = picture(60, 44, { alpha: true }), settings = { format: 'uastc', color: 'srgb', rdo: 5 };
    const result = await page.evaluate(async ({ width, height, data, settings }) => {
      const { AssetcError, hasSimd, loadEncoder, loadTranscoder } = await import('/src/index.js');
      const texels = new Uint8Array(data), files = [];
      for (const options of [{ workers: 2 }, { workers: 0 }, { workers: 1, simd: false }]) {
        const encoder = await loadEncoder(options);
        files.push([...await encoder.encode({ width, height, data: texels }, settings)]);
        encoder.close();
      }
      const transcoder = await loadTranscoder({ wasm: await fetch('/wasm/transcode.wasm') });
      const texture = transcoder.open(new Uint8Array(files[0]));
      const bc7 = [...texture.transcode({ level: 1 }, 'bc7').data];
      texture.close();
      let error = '';
      try {
        transcoder.open(texels);
      } catch (caught) {
        error = caught instanceof AssetcError ? caught.code : String(caught);
      }
      return { simd: hasSimd(), files, bc7, error };
    }, { ...source, data: [...source.data], settings });

    const file = await (await loadEncoder({ workers: 0 })).encode(source, settings);
    assert.ok(result.simd);
    for (const one of result.files) assert.deepEqual(Buffer.from(one), Buffer.from(file));
    assert.deepEqual(new Uint8Array(result.bc7), (await loadTranscoder()).open(file).transcode({ level: 1 }, 'bc7').data);
    assert.equal(result.error, 'invalid_data');
  } finally {
    await browser.close();
    server.close();
  }
});
