// A pack over HTTP in Node.js: parts, formats, joined requests, and servers that misbehave.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { build, serve } from './support.mjs';
import { AssetcError, openPack, openTree } from '../src/index.js';

const { pack: bytes, runtime } = build();

async function withServer(work, pack = bytes) {
  const server = await serve(pack, { tree: runtime });
  try {
    await work(server);
  } finally {
    server.close();
  }
}
const all = (asset) => new Promise((resolve, reject) => {
  const timer = setInterval(() => {
    if (!asset.isComplete) return;
    clearInterval(timer);
    asset.error ? reject(asset.error) : resolve(asset.value);
  }, 5);
});

test('a pack is listed by its table', () => withServer(async (server) => {
  const pack = await openPack(`${server.url}/all.hpack`);
  assert.equal(pack.assets.filter(({ path: name }) => name.endsWith('.ktx2')).length, 8);
  assert.ok(pack.assets.some(({ path: name, bytes: size }) => name === 'grid.hmesh' && size > 1000));
  assert.ok(pack.stats.requests <= 4);
  assert.ok(pack.stats.receivedBytes < bytes.length / 10);
  pack.close();
}));

test('textures become finer, in a format of the device', () => withServer(async (server) => {
  for (const [formats, expected, size] of [[['bc'], 'bc7-rgba-unorm-srgb', 1], [['astc'], 'astc-4x4-unorm-srgb', 1], [[], 'rgba8unorm-srgb', 4]]) {
    const pack = await openPack(`${server.url}/all.hpack`, { formats, firstReadBytes: 4096 });
    const firsts = [];
    const texture = pack.texture('textures/t0.ktx2', { onUpdate: ({ firstLevel }) => firsts.push(firstLevel) });
    const first = await texture.ready;
    assert.ok(first.firstLevel > 0, 'small levels come first');
    const whole = await all(texture);
    assert.equal(whole.format, expected);
    assert.deepEqual([whole.levels[0].width, whole.levels[0].height, whole.levelCount], [512, 512, 10]);
    assert.equal(whole.levels[0].data.length, 512 * 512 * size);
    assert.ok(firsts.length > 1 && firsts.every((one, i) => i === 0 || one < firsts[i - 1]), `${firsts}`);
    pack.close();
  }
}));

test('a mesh becomes finer, and other assets are their bytes', () => withServer(async (server) => {
  const pack = await openPack(`${server.url}/all.hpack`, { firstReadBytes: 4096 });
  const mesh = pack.mesh('grid.hmesh');
  const first = await mesh.ready;
  const whole = await all(mesh);
  assert.ok(first.lod > 0 && whole.lod === 0);
  const indices = (value) => value.levels[0].reduce((sum, draw) => sum + draw.indexCount, 0);
  assert.ok(indices(first) < indices(whole));
  assert.equal(indices(whole), 100 * 100 * 6);
  assert.ok(whole.vertices[0].streams.some(({ semantic, format }) => semantic === 'position' && format.startsWith('float32')));
  const raw = await all(pack.bytes('red.hmat'));
  assert.deepEqual(Buffer.from(raw.data), fs.readFileSync(path.join(runtime, 'red.hmat')));
  assert.throws(() => pack.bytes('grid.hmesh'), { code: 'usage', message: /use mesh\(\)/ });
  assert.throws(() => pack.bytes('none'), { code: 'not_found' });
  pack.close();
}));

test('a folder is listed by its manifest', () => withServer(async (server) => {
  const tree = await openTree(`${server.url}/tree`);
  assert.equal(tree.assets.filter(({ path: name }) => name.endsWith('.ktx2')).length, 8);
  assert.equal((await all(tree.texture('textures/t3.ktx2'))).firstLevel, 0);
  tree.close();
}));

test('no finer level is read than the wanted one', () => withServer(async (server) => {
  const pack = await openPack(`${server.url}/all.hpack`, { firstReadBytes: 4096 });
  const texture = pack.texture('textures/t1.ktx2', { level: 2 });
  await all(texture);
  texture.want(2);
  assert.equal((await all(texture)).firstLevel, 2);
  assert.ok(pack.stats.receivedBytes < 100_000);
  texture.want(0);
  assert.equal((await all(texture)).firstLevel, 0);
  pack.close();
}));

test('a server that ignores ranges sends the pack once', () => withServer(async (server) => {
  server.options.fault = (request, response) => {
    response.writeHead(200, { etag: '"1"' }).end(bytes);
    return true;
  };
  const pack = await openPack(`${server.url}/all.hpack`);
  await Promise.all(pack.assets.filter((one) => one.path.endsWith('.ktx2')).map((one) => all(pack.texture(one.path))));
  assert.equal(server.log.length, 1);
  pack.close();
}));

// Answers of a hostile server: the code of the error and a part of its text.
const part = `bytes 0-16383/${bytes.length}`;
const LIES = {
  'another range': [(r) => r.writeHead(206, { 'content-range': `bytes 1-16384/${bytes.length}` }).end(bytes.subarray(1, 16385)), 'invalid_data', /expected the range 0-16383/],
  'no range': [(r) => r.writeHead(206).end(bytes.subarray(0, 16384)), 'invalid_data', /the Content-Range ""/],
  'a short body': [(r) => r.writeHead(206, { 'content-range': part }).end(bytes.subarray(0, 100)), 'io', /sent 100 bytes, expected 16384/],
  'a long body': [(r) => r.writeHead(206, { 'content-range': part }).end(bytes), 'invalid_data', /more than 16384 bytes/],
  'a broken connection': [(r) => { r.writeHead(206, { 'content-length': 16384, 'content-range': part }).write('x'); setTimeout(() => r.destroy(), 20); }, 'io', /cannot read/],
  silence: [() => {}, 'io', /sent nothing for 200 ms/],
  // One byte is silence or too slow, whichever clock comes first.
  'silence in a body': [(r) => r.writeHead(206, { 'content-range': part }).write('x'), 'io', /sent nothing for 200 ms|too slow/],
  'a refusal': [(r) => r.writeHead(403).end(), 'unsupported', /answered 403/],
  nothing: [(r) => r.writeHead(404).end(), 'not_found', /answered 404/],
  'a page': [(r) => r.writeHead(200).end('<html>'), 'truncated', /./],
  'a huge size': [(r) => r.writeHead(206, { 'content-range': 'bytes 0-16383/99999999999999999999' }).end(bytes.subarray(0, 16384)), 'invalid_data', /Content-Range/],
};
for (const [name, [answer, code, text]] of Object.entries(LIES)) {
  test(`${name} is an error`, () => withServer(async (server) => {
    server.options.fault = (request, response) => (answer(response), true);
    await assert.rejects(openPack(`${server.url}/all.hpack`, { stallMs: 200 }), (error) => {
      assert.ok(error instanceof AssetcError, error.stack);
      assert.equal(error.code, code, error.message);
      assert.match(error.message, text);
      return true;
    });
  }));
}

test('a pack that changes is an error for its later parts', () => withServer(async (server) => {
  const pack = await openPack(`${server.url}/all.hpack`);
  server.options.etag = '"2"';
  const texture = pack.texture('textures/t2.ktx2');
  await assert.rejects(texture.ready, (error) => error.code === 'conflict' && /changed on the server/.test(error.message));
  pack.close();
}));

test('a server that is busy for a moment is asked again', () => withServer(async (server) => {
  const pack = await openPack(`${server.url}/all.hpack`);
  let busy = 2;
  server.options.fault = (request, response) => busy-- > 0 && (response.writeHead(503).end(), true);
  assert.equal((await all(pack.texture('textures/t4.ktx2'))).firstLevel, 0);
  pack.close();
}));

test('damaged bytes of a pack fail, and the page goes on', () => {
  const damaged = Buffer.from(bytes);
  damaged.fill(0xa5, 4096, 200_000);
  return withServer(async (server) => {
    const pack = await openPack(`${server.url}/all.hpack`).catch((error) => error);
    if (pack instanceof AssetcError) return;
    for (const { path: name } of pack.assets) {
      const kind = { ktx2: 'texture', hmesh: 'mesh' }[name.split('.').pop()] ?? 'bytes';
      const asset = pack[kind](name);
      await all(asset).catch((error) => assert.ok(error instanceof AssetcError));
    }
    pack.close();
  }, damaged);
});

test('what is closed is not answered', () => withServer(async (server) => {
  const pack = await openPack(`${server.url}/all.hpack`);
  pack.texture('textures/t5.ktx2').close();
  const two = pack.texture('textures/t6.ktx2');
  pack.close();
  await assert.rejects(two.ready, { code: 'canceled' });
  assert.throws(() => pack.texture('textures/t6.ktx2'), { code: 'usage' });
}));
