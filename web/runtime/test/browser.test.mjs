// Chromium loads a pack from a slow server. What a page shows first is there long before the pack.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import test from 'node:test';
import { build, root, serve, serveOutputs } from './support.mjs';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((file) => fs.existsSync(file));
function playwright() {
  for (const from of ['web/package.json', 'tests/interop/package.json']) {
    try {
      return createRequire(path.join(root, from))('playwright-core');
    } catch {} // tried next
  }
  return undefined;
}

// A page of a server that gives the packages, in Chromium. Undefined if something is missing.
async function openPage(t, server) {
  const { chromium } = playwright() ?? {};
  if (!chromium || !CHROMIUM) {
    console.log('skipped: needs playwright-core (npm ci in web) and Chromium'); // for ctest
    t.skip();
    return undefined;
  }
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  const page = await browser.newPage();
  await page.goto(server.url);
  await page.evaluate((imports) => {
    const map = document.createElement('script');
    map.type = 'importmap';
    map.textContent = JSON.stringify({ imports });
    document.head.append(map);
  }, { '@assetc/codec': '/codec/src/index.js', '@assetc/runtime': '/runtime/src/index.js' });
  return { browser, page };
}
const packages = { runtime: path.join(root, 'web/runtime'), codec: path.join(root, 'web/codec') };

test('the first parts of assets are there before the pack', async (t) => {
  const { pack } = build();
  const server = await serve(pack, packages);
  server.options.bytesPerSecond = 1 << 20;
  const { browser, page } = (await openPage(t, server)) ?? {};
  if (!browser) return server.close();
  try {
    const result = await page.evaluate(async () => {
      const { openPack } = await import('@assetc/runtime');
      const opened = await openPack('/all.hpack', { formats: ['bc'], firstReadBytes: 4096, maxJoinedBytes: 65536 });
      const textures = opened.assets.filter(({ path: name }) => name.endsWith('.ktx2')).map(({ path: name }) => opened.texture(name));
      const mesh = opened.mesh('grid.hmesh');
      await textures[0].ready;
      const receivedTexture = opened.stats.receivedBytes;
      const firsts = await Promise.all([...textures, mesh].map((asset) => asset.ready));
      const receivedFirst = opened.stats.receivedBytes;
      while (![...textures, mesh].every((asset) => asset.isComplete)) await new Promise((done) => setTimeout(done, 20));
      return {
        receivedTexture, receivedFirst, receivedAll: opened.stats.receivedBytes, requests: opened.stats.requests,
        first: firsts.slice(0, -1).map((value) => value.firstLevel), firstLod: firsts.at(-1).lod,
        widths: textures.map((asset) => asset.value.levels[0].width), lod: mesh.value.lod, format: textures[0].value.format,
        errors: textures.map((asset) => asset.error?.message).filter(Boolean),
      };
    });
    console.log(`pack ${pack.length} bytes; the first texture after ${result.receivedTexture}, first parts of all after ${result.receivedFirst}, all after ${result.receivedAll}, ${result.requests} requests`);
    assert.deepEqual(result.errors, []);
    assert.ok(result.first.every((level) => level > 0) && result.firstLod > 0, JSON.stringify(result));
    assert.ok(result.receivedTexture < pack.length / 10, JSON.stringify(result));
    assert.ok(result.receivedFirst < pack.length * 0.75, JSON.stringify(result));
    assert.deepEqual(result.widths, Array(8).fill(512));
    assert.equal(result.lod, 0);
    assert.equal(result.format, 'bc7-rgba-unorm-srgb');
    assert.ok(result.receivedAll < pack.length * 1.2, JSON.stringify(result));
  } finally {
    await browser.close();
    server.close();
  }
});

test('a page of another server loads from assetc serve if its origin is allowed', async (t) => {
  const { pack } = build();
  const server = await serve(pack, packages);
  const { browser, page } = (await openPage(t, server)) ?? {};
  if (!browser) return server.close();
  // Authorization makes the browser ask before each request.
  const open = await serveOutputs('--token', 'secret', '--allow-origin', server.url);
  const closed = await serveOutputs('--token', 'secret', '--allow-origin', 'http://localhost:1');
  try {
    const load = (url, token) => page.evaluate(async ([from, bearer]) => {
      const { openPack } = await import('@assetc/runtime');
      try {
        const opened = await openPack(from, { headers: { Authorization: `Bearer ${bearer}` } });
        return `${opened.assets.length} assets, ${(await opened.texture('textures/t0.ktx2').ready).levels[0].width} wide`;
      } catch (error) {
        return `error: ${error.message}`;
      }
    }, [`${url}/all.hpack`, token]);
    assert.match(await load(open.url, 'secret'), /^\d+ assets, \d+ wide$/);
    assert.match(await load(open.url, 'wrong'), /^error: .*401/);
    assert.match(await load(closed.url, 'secret'), /^error: /);
  } finally {
    await browser.close();
    for (const one of [open, closed, server]) one.close();
  }
});

// A browser hides where a redirect leads, and would send headers along.
test('redirects are followed only where no header can go to another origin', async (t) => {
  const { pack } = build();
  const server = await serve(pack, packages), other = await serve(pack);
  const { browser, page } = (await openPage(t, server)) ?? {};
  if (!browser) return [server, other].forEach((one) => one.close());
  let to = '/codec/package.json';
  server.options.fault = (request, response) => response.writeHead(302, { location: to }).end();
  other.options.fault = (request, response) => {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', '*');
    response.setHeader('access-control-expose-headers', 'content-range, etag');
    if (request.method === 'OPTIONS') return response.writeHead(204).end();
    return undefined;
  };
  try {
    const read = (options) => page.evaluate(async (given) => {
      const { Fetcher } = await import('/runtime/src/fetcher.js');
      const fetcher = new Fetcher('', { headers: {}, requests: 4, joinGapBytes: 0, maxJoinedBytes: 1 << 20, stallMs: 5000,
        maxWholeBytes: 1 << 20, followsElsewhere: false, fetch: (...all) => fetch(...all), ...given });
      try {
        return new TextDecoder('latin1').decode((await fetcher.read('all.hpack', 0, 4).answer).bytes);
      } catch (error) {
        return `${error.code}: ${error.message}`;
      }
    }, options);
    assert.equal(await read({}), fs.readFileSync(path.join(packages.codec, 'package.json'), 'latin1').slice(0, 4));
    assert.match(await read({ headers: { 'X-Key': 'secret' } }), /^unsupported: all.hpack: the server redirects to an address that the browser does not tell/);
    to = `${other.url}/all.hpack`;
    assert.match(await read({ headers: { 'X-Key': 'secret' } }), /^unsupported: /);
    assert.deepEqual(other.log, []);
    assert.match(await read({}), new RegExp(`^unsupported: all.hpack: the server redirects to ${other.url}`));
    assert.equal(await read({ followsElsewhere: true }), 'HPAK');
  } finally {
    await browser.close();
    for (const one of [server, other]) one.close();
  }
});
