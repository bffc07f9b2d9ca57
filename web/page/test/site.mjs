// A site as `assetc view` serves it, for tests and for work on the page: the same URLs, from folders on disk.
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, extname, join, normalize } from 'node:path';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
};
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; " +
  "worker-src 'self' blob:; font-src 'self'";

/** @param {string} text @returns {any[]} the objects of JSON lines */
export const lines = (text) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/**
 * The lines of files.jsonl of an output folder.
 * @param {string} output
 * @param {any[]} events the lines of its last build
 */
export function filesOf(output, events = []) {
  const done = spawnSync(process.env.ASSETC_PROGRAM ?? 'assetc', ['info', '--json', output], { encoding: 'utf8', maxBuffer: 1 << 28 });
  const facts = lines(done.stdout);
  const steps = events.filter((event) => event.event === 'step_finished').sort((a, b) => b.stem.length - a.stem.length);
  for (const fact of facts.filter((one) => one.event === 'file')) {
    const step = steps.find(({ stem }) => fact.path.startsWith(`${stem}.`) || fact.path.startsWith(`${stem}/`));
    if (step) Object.assign(fact, { source: step.source, recipe: step.recipe });
  }
  return facts;
}

/**
 * The texts of a site.
 * @param {{ output: string, input?: string, log?: string, events?: any[], type?: string, label?: string }[]} roots
 * @param {Record<string, any>} [more] members of site.json
 */
export function makeSite(roots, more = {}) {
  const site = {
    site: {
      assetc: '0.1.0',
      title: basename(roots[0].output),
      live: false,
      compare: roots.length > 1 ? '1' : null,
      roots: roots.map((root, i) => ({
        id: String(i),
        label: root.label ?? basename(root.output),
        type: root.type ?? 'output',
        path: root.output,
      })),
      ...more,
    },
    roots: roots.map((root) => {
      const events = root.events ?? (root.log && existsSync(root.log) ? lines(readFileSync(root.log, 'utf8')) : []);
      return {
        ...root,
        input: root.input ?? '',
        events,
        files: filesOf(root.output, events),
        diagnostics: events.filter((event) => event.event === 'diagnostic' || event.event === 'budget'),
      };
    }),
  };
  return site;
}

/**
 * Serves a site on the loopback interface.
 * @param {string} page the folder of the built page
 * @param {ReturnType<typeof makeSite>} site
 * @param {{ port?: number, token?: string }} [options]
 */
export async function serveSite(page, site, { port = 0, token = '' } = {}) {
  /** @type {Set<import('node:http').ServerResponse>} */
  const listeners = new Set();
  const json = (/** @type {any[]} */ list) => list.map((one) => `${JSON.stringify(one)}\n`).join('');
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname).slice(1);
    const send = (/** @type {number} */ status, /** @type {string | Buffer} */ body, type = 'application/octet-stream') => {
      response.writeHead(status, { 'content-type': type, 'content-security-policy': POLICY, 'cache-control': 'no-store' });
      response.end(body);
    };
    const file = (/** @type {string} */ folder, /** @type {string} */ below) => {
      const full = join(folder, normalize(`/${below}`));
      if (folder === '' || !existsSync(full) || !statSync(full).isFile()) return send(404, '');
      const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
      const bytes = readFileSync(full);
      return range
        ? send(206, bytes.subarray(Number(range[1]), Number(range[2]) + 1))
        : send(200, bytes, TYPES[/** @type {keyof typeof TYPES} */ (extname(full))]);
    };
    if (!path.startsWith('data/')) return file(page, path === '' ? 'index.html' : path);
    if (token !== '' && request.headers.authorization !== `Bearer ${token}`) return send(401, '');
    if (path === 'data/site.json') return send(200, JSON.stringify(site.site), TYPES['.json']);
    if (path === 'data/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify({ event: 'hello', protocol: 1, program: '0.1.0', output: '', errors: [] })}\n\n`);
      listeners.add(response);
      request.on('close', () => listeners.delete(response));
      return undefined;
    }
    const [, id, what, ...rest] = path.split('/');
    const root = site.roots[Number(id)];
    if (!root) return send(404, '');
    if (what === 'files.jsonl') return send(200, json(root.files));
    if (what === 'build.jsonl') return send(200, json(root.events));
    if (what === 'diagnostics.jsonl') return send(200, json(root.diagnostics));
    if (what === 'registry.json') return file(root.output, 'Registry/AssetRegistry.json');
    if (what === 'files') return file(root.output, rest.join('/'));
    if (what === 'sources') return file(root.input, rest.join('/'));
    return send(404, '');
  });
  await new Promise((done) => server.listen(port, '127.0.0.1', () => done(undefined)));
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${address.port}/${token === '' ? '' : `#${token}`}`,
    /** Sends an event to the pages. @param {any} event */
    emit: (event) => {
      for (const listener of listeners) listener.write(`data: ${JSON.stringify(event)}\n\n`);
    },
    listeners,
    /** Breaks the connections of pages that listen. */
    dropListeners: () => {
      for (const listener of listeners) listener.destroy();
      listeners.clear();
    },
    close: () => {
      for (const listener of listeners) listener.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}
