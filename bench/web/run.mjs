// Compares @assetc/codec with npm's ktx2-encoder and three's transcoder (Basis Universal as WebAssembly).
//
//   node run.mjs [--node | --chromium] [--levels 1,2] ASSETC PICTURE...
//
// Without a flag, both run. ASSETC is the built command, which decodes the pictures. Needs scripts/build-web, and npm ci
// in bench, tests/interop and, for Chromium, web. Prints a table, then one line of JSON.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { measure } from './measure.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const require = createRequire(import.meta.url);
const BASIS = 'tests/interop/node_modules/three/examples/jsm/libs/basis/basis_transcoder';

const args = process.argv.slice(2), flags = args.filter((one) => one.startsWith('--') && one !== '--levels');
const at = args.indexOf('--levels');
const levels = at < 0 ? [0, 1, 2] : args.splice(at, 2)[1].split(',').map(Number);
const [assetc, ...files] = args.filter((one) => !one.startsWith('--'));
if (!assetc || files.length === 0) {
  console.error('usage: node run.mjs [--node | --chromium] [--levels 1,2] ASSETC PICTURE...');
  process.exit(2);
}

// A picture as RGBA, through an uncompressed .ktx2.
const codec = await import('../../web/codec/src/index.js');
const transcoder = await codec.loadTranscoder();
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assetc-bench-web-'));
const pictures = files.map((file) => {
  const out = path.join(folder, 'picture.ktx2');
  const ran = spawnSync(assetc, ['convert', file, out, '--texture.usage', 'color', '--texture.format', 'rgba8', '--texture.mips', 'false'], { encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(ran.stderr);
  const texture = transcoder.open(new Uint8Array(fs.readFileSync(out))), { data, width, height } = texture.transcode({}, 'rgba8');
  texture.close();
  return { name: path.basename(file), width, height, data };
});
fs.rmSync(folder, { recursive: true });

// Options of ktx2-encoder: UASTC alone, as ours.
const peerOptions = (level) => ({ isUASTC: true, isKTX2File: true, uastcLDRQualityLevel: level, needSupercompression: false, generateMipmap: false,
  isPerceptual: false, isSetKTX2SRGBTransferFunc: true });

async function inNode() {
  const { encodeToKTX2 } = await import('ktx2-encoder');
  const { loadTranscoder } = require('../../tests/interop/basis.cjs');
  const theirEncode = (picture, level) => encodeToKTX2(picture.data, { ...peerOptions(level), imageDecoder: async () => picture });
  return measure({ codec, theirEncode, basis: await loadTranscoder(), pictures, levels, log: (line) => process.stdout.write(`${line}\n`) });
}

async function inChromium() {
  const { chromium } = createRequire(path.join(root, 'web/package.json'))('playwright-core');
  const types = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm' };
  const page_ = `<!doctype html><script type="importmap">{"imports": {"ktx-parse": "/bench/node_modules/ktx-parse/dist/ktx-parse.modern.js",
    "ktx2-encoder": "/bench/node_modules/ktx2-encoder/dist/web/index.js"}}</script><script src="/${BASIS}.js"></script>`;
  const server = http.createServer((request, response) => {
    if (request.url === '/') return response.setHeader('content-type', 'text/html').end(page_);
    const texels = request.url.match(/^\/picture\/(\d+)$/);
    if (texels) return response.end(Buffer.from(pictures[Number(texels[1])].data));
    const file = path.join(root, path.normalize(request.url));
    if (!file.startsWith(root) || !fs.existsSync(file)) return response.writeHead(404).end();
    response.setHeader('content-type', types[path.extname(file)] ?? 'application/octet-stream').end(fs.readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(0);
    page.on('console', (message) => message.type() === 'info' && console.log(message.text()));
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    const heads = pictures.map(({ name, width, height }) => ({ name, width, height }));
    const options = Object.fromEntries(levels.map((level) => [level, peerOptions(level)]));
    return await page.evaluate(async ({ heads, levels, options, wasm }) => {
      const { measure } = await import('/bench/web/measure.mjs');
      const codec = await import('/web/codec/src/index.js');
      const { encodeToKTX2 } = await import('ktx2-encoder');
      const basis = await BASIS({ locateFile: () => wasm });
      basis.initializeBasis();
      const pictures = await Promise.all(heads.map(async (head, i) => ({ ...head, data: new Uint8Array(await (await fetch(`/picture/${i}`)).arrayBuffer()) })));
      const theirEncode = (picture, level) => encodeToKTX2(picture.data, { ...options[level], imageDecoder: async () => picture });
      return measure({ codec, theirEncode, basis, pictures, levels, log: (line) => console.info(line) });
    }, { heads, levels, options, wasm: `/${BASIS}.wasm` });
  } finally {
    await browser.close();
    server.close();
  }
}

const result = {};
for (const [name, run] of Object.entries({ node: inNode, chromium: inChromium })) {
  if (flags.length > 0 && !flags.includes(`--${name}`)) continue;
  console.log(`\n== ${name}: ${pictures.length} pictures, one thread`);
  result[name] = await run();
}
console.log(JSON.stringify(result));
process.exit(0); // ktx2-encoder keeps the process alive
