// Draws each model and what programs made of it, with three.js and Babylon.js in a headless Chromium, and compares the
// pictures. Each engine has one camera and one light for the source and all files made of it.
//
//   node pictures.mjs [--sheets FOLDER] [--share 0.37] SOURCE=MADE[,MADE]...
//
// Needs npm ci in bench, tests/interop and web, and Chromium. The first clip is drawn at --share of its length. Prints a
// Markdown table: PSNR in dB over the whole picture, and the mean difference of the worst tile of 16 x 16 pixels, out of
// 255. FOLDER gets a sheet of each model: a row for each engine, with the source and then what was made of it.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, join, normalize, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { psnr } from './glb.mjs';

const SIDE = 512, TILE = 16;
const here = dirname(fileURLToPath(import.meta.url)), root = join(here, '../..');
const interop = join(root, 'tests/interop/node_modules');
const { chromium } = createRequire(join(root, 'web/package.json'))('playwright-core');
const sharp = createRequire(join(root, 'tests/interop/package.json'))('sharp');
const text = { type: 'string' };
const { values: given, positionals: pairs } = parseArgs({
  allowPositionals: true,
  options: { sheets: text, share: { ...text, default: '0.37' } },
});

// URLs and the folders that they name.
const folders = { three: join(interop, 'three'), meshoptimizer: join(interop, 'meshoptimizer'), draw: here };
for (const name of ['babylonjs', 'babylonjs-loaders']) folders[name] = join(root, 'bench/node_modules', name);
const pages = {
  three: '<script type="importmap">{"imports": {"three": "/three/build/three.module.js", "three/": "/three/"}}</script>',
  babylon: ['three/examples/jsm/libs/basis/basis_transcoder.js', 'babylonjs/babylon.js', 'babylonjs-loaders/babylonjs.loaders.min.js']
    .map((url) => `<script src="/${url}"></script>`)
    .join(''),
};
const script = 'text/javascript';
const types = { '.js': script, '.mjs': script, '.cjs': script, '.wasm': 'application/wasm', '.png': 'image/png', '.jpg': 'image/jpeg' };

function answer(request, response) {
  const url = decodeURIComponent(new URL(request.url, 'http://localhost').pathname), [, first, ...rest] = url.split('/');
  if (pages[first] !== undefined && rest.length === 0) {
    response.setHeader('content-type', 'text/html').end(`<!doctype html>${pages[first]}<canvas width="${SIDE}" height="${SIDE}"></canvas>`);
    return;
  }
  const folder = folders[first], file = folder && join(folder, normalize(rest.join('/')));
  try {
    const bytes = readFileSync(file);
    response.setHeader('content-type', types[extname(file)] ?? 'application/octet-stream').end(bytes);
  } catch {
    response.writeHead(404).end();
  }
}

/** RGBA of the canvas of the page after a file is drawn. */
async function picture(page, engine, file, view) {
  folders[`model${Object.keys(folders).length}`] = dirname(file);
  const url = `/model${Object.keys(folders).length - 1}/${encodeURIComponent(basename(file))}`;
  const { made, data } = await page.evaluate(
    async ({ engine, url, view, share }) => {
      const { draw } = await import(`/draw/draw_${engine}.mjs`), canvas = document.querySelector('canvas');
      return { made: await draw(canvas, url, view, share), data: canvas.toDataURL('image/png') };
    },
    { engine, url, view, share: Number(given.share) },
  );
  const png = Buffer.from(data.slice(data.indexOf(',') + 1), 'base64');
  return { view: made, png, texels: await sharp(png).removeAlpha().raw().toBuffer() };
}

/** PSNR in dB, and the mean difference and place of the tile that differs most. */
function difference(a, b) {
  const tiles = new Float64Array((SIDE / TILE) ** 2);
  let sum = 0;
  for (let at = 0; at < a.length; ++at) {
    const x = Math.floor(at / 3) % SIDE, y = Math.floor(at / 3 / SIDE), by = Math.abs(a[at] - b[at]);
    sum += by * by;
    tiles[Math.floor(y / TILE) * (SIDE / TILE) + Math.floor(x / TILE)] += by / (3 * TILE * TILE);
  }
  const worst = tiles.reduce((best, value, at) => (value > tiles[best] ? at : best), 0);
  const x = (worst % (SIDE / TILE)) * TILE, y = Math.floor(worst / (SIDE / TILE)) * TILE;
  return { psnr: psnr({ sum, count: a.length }), tile: tiles[worst], x, y };
}

const server = createServer(answer);
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const browser = await chromium.launch({
  executablePath: process.env.ASSETC_CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--enable-unsafe-swiftshader', '--use-angle=swiftshader', '--ignore-gpu-blocklist'],
});
if (given.sheets) mkdirSync(given.sheets, { recursive: true });
const engines = ['three', 'babylon'];
const heads = engines.map((one) => `${one}: PSNR dB | ${one}: worst tile, at`).join(' | ');
console.log(`| model | file | ${heads} |\n|---|---|${engines.map(() => '---|---').join('|')}|`);
for (const pair of pairs) {
  const [source, made] = pair.split('='), files = [source, ...made.split(',')].map((file) => resolve(file));
  const rows = files.slice(1).map(() => []), cells = [];
  let view;
  for (const [line, engine] of engines.entries()) {
    const page = await browser.newPage();
    page.setDefaultTimeout(120_000);
    const say = (words) => /GPU stall|favicon|404/.test(words) || console.error(`${basename(source)}, ${engine}: ${words.slice(0, 300)}`);
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && say(message.text()));
    page.on('pageerror', (error) => say(error.message));
    await page.goto(`http://127.0.0.1:${server.address().port}/${engine}`);
    let first;
    for (const [at, file] of files.entries()) {
      try {
        const drawn = await picture(page, engine, file, view);
        view ??= drawn.view;
        first ??= drawn;
        cells.push({ input: drawn.png, left: at * SIDE, top: line * SIDE });
        if (at > 0) rows[at - 1][line] = difference(first.texels, drawn.texels);
      } catch (error) {
        console.error(`${file}, ${engine}: ${error.message.split('\n')[0]}`);
      }
    }
    await page.close();
  }
  for (const [at, row] of rows.entries()) {
    const show = ({ psnr: dB, tile, x, y }) => `${dB.toFixed(1)} | ${tile.toFixed(1)} at ${x}, ${y}`;
    const columns = engines.map((_, line) => (row[line] ? show(row[line]) : 'not drawn |'));
    console.log(`| ${basename(source).replace(/\.\w+$/, '')} | ${basename(files[at + 1])} | ${columns.join(' | ')} |`);
  }
  if (given.sheets) {
    const sheet = sharp({ create: { width: SIDE * files.length, height: SIDE * engines.length, channels: 3, background: '#000' } });
    await sheet.composite(cells).png().toFile(join(given.sheets, `${basename(source).replace(/\.\w+$/, '')}.png`));
  }
}
await browser.close();
server.close();
