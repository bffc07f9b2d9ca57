// Draws glTF files with three.js and Babylon.js in a headless Chromium.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, join, normalize, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { psnr } from './glb.mjs';

const here = dirname(fileURLToPath(import.meta.url)), root = join(here, '../..'), interop = join(root, 'tests/interop/node_modules');
const chromium = [process.env.ASSETC_CHROMIUM ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => path !== '' && existsSync(path),
);
const needed = [join(interop, 'three'), join(interop, 'sharp'), join(root, 'web/node_modules/playwright-core')];

/** Width and height of a picture in pixels, and of a tile of it. */
export const SIDE = 512, TILE = 16;
/** Why nothing can be drawn; else null. */
export const missing = chromium ? (needed.find((path) => !existsSync(path)) ?? null) : 'Chromium';
/** The engines that are installed: Babylon.js is, after npm ci in bench. */
export const engines = existsSync(join(root, 'bench/node_modules/babylonjs')) ? ['three', 'babylon'] : ['three'];

const sources = (urls) => urls.map((url) => `<script src="/${url}"></script>`).join('');
const pages = {
  three: '<script type="importmap">{"imports": {"three": "/three/build/three.module.js", "three/": "/three/"}}</script>',
  babylon: sources(['three/examples/jsm/libs/basis/basis_transcoder.js', 'babylonjs/babylon.js', 'babylonjs-loaders/babylonjs.loaders.min.js']),
};
const script = 'text/javascript';
const types = { '.js': script, '.mjs': script, '.cjs': script, '.wasm': 'application/wasm', '.png': 'image/png', '.jpg': 'image/jpeg' };

/** A browser with a page for each engine, and the server of their files. */
export class Viewer {
  static async start() {
    const viewer = new Viewer();
    // Names in URLs, and their folders.
    viewer.folders = new Map([['three', join(interop, 'three')], ['meshoptimizer', join(interop, 'meshoptimizer')], ['draw', here]]);
    for (const name of ['babylonjs', 'babylonjs-loaders']) viewer.folders.set(name, join(root, 'bench/node_modules', name));
    viewer.server = createServer((request, response) => viewer.answer(request, response));
    await new Promise((done) => viewer.server.listen(0, '127.0.0.1', done));
    const { chromium: kind } = createRequire(join(root, 'web/package.json'))('playwright-core');
    const args = ['--no-sandbox', '--enable-unsafe-swiftshader', '--use-angle=swiftshader', '--ignore-gpu-blocklist'];
    viewer.browser = await kind.launch({ executablePath: chromium, args });
    viewer.sharp = createRequire(join(interop, 'x'))('sharp');
    return viewer;
  }

  answer(request, response) {
    const [, first, ...rest] = decodeURIComponent(new URL(request.url, 'http://localhost').pathname).split('/');
    if (pages[first] !== undefined && rest.length === 0) {
      response.setHeader('content-type', 'text/html').end(`<!doctype html>${pages[first]}<canvas width="${SIDE}" height="${SIDE}"></canvas>`);
      return;
    }
    try {
      const file = join(this.folders.get(first), normalize(rest.join('/')));
      response.setHeader('content-type', types[extname(file)] ?? 'application/octet-stream').end(readFileSync(file));
    } catch {
      response.writeHead(404).end();
    }
  }

  /** Opens a page of an engine. say gets its messages. */
  async open(engine, say) {
    const page = await this.browser.newPage();
    page.setDefaultTimeout(120_000);
    const tell = (words) => /GPU stall|404/.test(words) || say(words.slice(0, 300));
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && tell(message.text()));
    page.on('pageerror', (error) => tell(error.message));
    await page.goto(`http://127.0.0.1:${this.server.address().port}/${engine}`);
    return page;
  }

  /**
   * Draws a file on a page of an engine. view and share are those of draw_three.mjs.
   * @returns the view, the picture as PNG, and its rows of RGB
   */
  async draw(page, engine, file, view, share) {
    const name = `model${this.folders.size}`;
    this.folders.set(name, dirname(resolve(file)));
    const { made, data } = await page.evaluate(
      async (given) => {
        const { draw } = await import(`/draw/draw_${given.engine}.mjs`), canvas = document.querySelector('canvas');
        return { made: await draw(canvas, given.url, given.view, given.share), data: canvas.toDataURL('image/png') };
      },
      { engine, url: `/${name}/${encodeURIComponent(basename(file))}`, view, share },
    );
    const png = Buffer.from(data.slice(data.indexOf(',') + 1), 'base64');
    return { view: made, png, texels: await this.sharp(png).removeAlpha().raw().toBuffer() };
  }

  async close() {
    await this.browser.close();
    this.server.close();
  }
}

/** PSNR of a picture in dB, and the mean difference, out of 255, and the place in pixels of the tile that differs most. */
export function difference(a, b) {
  const across = SIDE / TILE, tiles = new Float64Array(across ** 2);
  let sum = 0;
  for (let at = 0; at < a.length; ++at) {
    const x = Math.floor(at / 3) % SIDE, y = Math.floor(at / 3 / SIDE), by = Math.abs(a[at] - b[at]);
    sum += by * by;
    tiles[Math.floor(y / TILE) * across + Math.floor(x / TILE)] += by / (3 * TILE * TILE);
  }
  const worst = tiles.reduce((best, value, at) => (value > tiles[best] ? at : best), 0);
  return { psnr: psnr({ sum, count: a.length }), tile: tiles[worst], x: (worst % across) * TILE, y: Math.floor(worst / across) * TILE };
}
