// What the tests of the page share: a browser, the built page, and the demo, compiled by assetc.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { makeSite, serveSite } from './site.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const executable = [process.env.ASSETC_CHROMIUM ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => path !== '' && existsSync(path),
);
export const assetc = process.env.ASSETC_PROGRAM ?? '';

/** Why the tests do not run; else false. */
export const skip = !existsSync(assetc)
  ? 'set ASSETC_PROGRAM to the command'
  : !executable
    ? 'there is no Chromium; run scripts/setup, or set ASSETC_CHROMIUM'
    : false;

/** Runs the command and throws what it wrote if it fails. @param {string} folder @param {...string} args */
export function run(folder, ...args) {
  const done = spawnSync(assetc, args, { cwd: folder, encoding: 'utf8', env: { ...process.env, ASSETC_CACHE: 'off' }, maxBuffer: 1 << 28 });
  if (done.status !== 0 && args[0] !== 'diff') throw new Error(`assetc ${args.join(' ')}: ${done.stderr}${done.stdout}`);
  return done.stdout;
}

/** Everything that the tests of a file need. It is made once, and ended by `close`. */
export class Bench {
  static async start() {
    const bench = new Bench();
    bench.folder = mkdtempSync(join(tmpdir(), 'assetc-page-'));
    bench.page = join(bench.folder, 'page');
    const built = spawnSync(process.execPath, [join(here, '../build.mjs'), bench.page], { encoding: 'utf8' });
    if (built.status !== 0) throw new Error(built.stderr);
    bench.demo = join(bench.folder, 'demo');
    cpSync(join(here, '../../../examples/demo'), bench.demo, { recursive: true, filter: (path) => !/\/(build|runtime)$/.test(path) });
    bench.log = run(bench.demo, 'build', '--json');
    bench.output = join(bench.demo, 'runtime/desktop');
    bench.browser = await chromium.launch({
      executablePath: executable,
      args: ['--no-sandbox', '--enable-unsafe-swiftshader', '--use-angle=swiftshader', '--ignore-gpu-blocklist'],
    });
    /** @type {(() => void)[]} */
    bench.ends = [];
    return bench;
  }

  /** A site of the demo. @param {Record<string, any>} [more] members of site.json @param {any[]} [roots] further roots */
  site(more = {}, roots = []) {
    return makeSite(
      [
        {
          output: this.output,
          input: join(this.demo, 'assets'),
          events: this.log
            .split('\n')
            .filter(Boolean)
            .map((line) => JSON.parse(line)),
          label: 'desktop',
        },
        ...roots,
      ],
      { title: 'demo', ...more },
    );
  }

  /** Serves a site and opens it. @param {any} site @param {{ hash?: string, size?: { width: number, height: number }, token?: string, context?: any }} [options] */
  async open(site, { hash = '', size = { width: 1280, height: 800 }, token = '', context = {} } = {}) {
    const server = await serveSite(this.page, site, { token }),
      page = await this.browser.newPage({ viewport: size, colorScheme: 'dark', ...context });
    /** @type {string[]} */
    const errors = [];
    page.on('pageerror', (error) => errors.push(String(error.stack)));
    page.on('console', (message) => {
      if (message.type() === 'error' && !/404|401|net::/.test(message.text())) errors.push(message.text());
    });
    page.setDefaultTimeout(30_000);
    await page.goto(server.url + (token ? hash : `#${hash}`));
    this.ends.push(() => server.close());
    return { page, server, errors };
  }

  async close() {
    await this.browser.close();
    for (const end of this.ends) end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Waits until the view of an asset is there. @param {import('playwright-core').Page} page @param {string} [path] */
export async function viewed(page, path) {
  const shown = await page.waitForFunction((wanted) => {
    const app = /** @type {any} */ (globalThis).assetcPage,
      problem = document.querySelector('main .empty .problem');
    if (problem) return problem.textContent;
    return app?.view && (!wanted || app.path === wanted) ? 'view' : null;
  }, path);
  const found = await shown.jsonValue();
  if (found !== 'view') throw new Error(`the page shows: ${found}`);
}

/** The texels of the canvas of the view: RGBA, top row first. @param {import('playwright-core').Page} page @param {string} [selector] */
export async function readCanvas(page, selector = 'main canvas') {
  const { width, height, data } = await page.evaluate(async (which) => {
    const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector(which)),
      copy = document.createElement('canvas');
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const context = /** @type {CanvasRenderingContext2D} */ (copy.getContext('2d', { willReadFrequently: true }));
    context.drawImage(canvas, 0, 0);
    const { data: all } = context.getImageData(0, 0, copy.width, copy.height);
    let text = '';
    for (let i = 0; i < all.length; i += 8192) text += String.fromCharCode(...all.subarray(i, i + 8192));
    return { width: copy.width, height: copy.height, data: btoa(text) };
  }, selector);
  return { width, height, data: new Uint8Array(Buffer.from(data, 'base64')) };
}
