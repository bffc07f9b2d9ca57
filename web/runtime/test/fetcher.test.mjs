// Reads from servers that redirect or send slowly. The rules are those of the C++ source (tests/http/source_test.cpp).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import test from 'node:test';
import { Fetcher } from '../src/fetcher.js';

const BYTES = Buffer.alloc(300_000, 7);
const part = (request) => {
  const [, from, to] = /bytes=(\d+)-(\d*)/.exec(request.headers.range ?? 'bytes=0-');
  const end = to === '' ? BYTES.length : Math.min(Number(to) + 1, BYTES.length);
  return { body: BYTES.subarray(Number(from), end), headers: {
    'content-range': `bytes ${from}-${end - 1}/${BYTES.length}`, 'content-length': end - Number(from), etag: '"v"' } };
};
const honest = (request, response) => {
  const { body, headers } = part(request);
  response.writeHead(206, headers).end(body);
};

/** Two servers; the second one is another origin. */
async function withServers(answer, work) {
  const seen = [];
  const listen = (handle) => new Promise((resolve) => {
    const server = http.createServer(handle).listen(0, '127.0.0.1', () => resolve(server));
  });
  const other = await listen((request, response) => (seen.push(request.headers), honest(request, response)));
  const address = (server) => `http://127.0.0.1:${server.address().port}`;
  const server = await listen((request, response) => answer(request, response, address(other)));
  const fetchers = [];
  const open = (options = {}) => {
    fetchers.push(new Fetcher(address(server), { headers: { 'X-Key': 'secret', Authorization: 'Bearer secret' }, requests: 4,
      joinGapBytes: 1000, maxJoinedBytes: 1 << 20, stallMs: 300, maxWholeBytes: 200_000, followsElsewhere: false,
      fetch: (...all) => fetch(...all), ...options }));
    return fetchers.at(-1);
  };
  try {
    await work(open, seen);
  } finally {
    for (const one of fetchers) one.close();
    for (const one of [server, other]) {
      one.close();
      one.closeAllConnections();
    }
  }
}
const fails = (promise, code, text) => assert.rejects(promise, (error) => {
  assert.equal(error.code, code, error.message);
  assert.match(error.message, text);
  return true;
});

test('headers stay with the server across redirects on it', () => withServers((request, response) => {
  if (request.url === '/a.bin') return response.writeHead(302, { location: '/b.bin' }).end();
  assert.equal(request.headers['x-key'], 'secret');
  honest(request, response);
}, async (open) => {
  assert.equal((await open().read('a.bin', 0, 100).answer).bytes.length, 100);
}));

test('a redirect to another origin is an error', () => withServers((request, response, other) =>
  response.writeHead(302, { location: `${other}/a.bin` }).end(), async (open, seen) => {
  await fails(open().read('a.bin', 0, 100).answer, 'unsupported', /the server redirects to http:/);
  assert.equal(seen.length, 0);
}));

test('no headers go to another origin', () => withServers((request, response, other) =>
  response.writeHead(307, { location: `${other}/a.bin` }).end(), async (open, seen) => {
  assert.equal((await open({ followsElsewhere: true }).read('a.bin', 0, 100).answer).bytes.length, 100);
  assert.equal(seen.length, 1);
  assert.equal(seen[0].range, 'bytes=0-99');
  assert.equal(seen[0]['x-key'], undefined);
  assert.equal(seen[0].authorization, undefined);
}));

test('endless redirects are an error', () => withServers((request, response) =>
  response.writeHead(302, { location: request.url }).end(), async (open) => {
  await fails(open().read('a.bin', 0, 100).answer, 'unsupported', /redirects more than 5 times/);
}));

test('a body that drips is an error', () => withServers((request, response) => {
  const { body, headers } = part(request);
  response.writeHead(206, headers);
  let sent = 0;
  const timer = setInterval(() => {
    if (sent === body.length || response.destroyed) return clearInterval(timer);
    response.write(body.subarray(sent, ++sent));
  }, 20);
}, async (open) => {
  await fails(open().read('a.bin', 0, 50_000).answer, 'io', /which is too slow/);
}));

test('a size that is announced and too large is refused at once', () => withServers((request, response) => {
  response.writeHead(200, { 'content-length': BYTES.length });
  response.flushHeaders(); // the body never comes
}, async (open) => {
  await fails(open({ stallMs: 60_000 }).read('a.bin', 0, 100).answer, 'limit', /the file has 300000 bytes, more than 200000/);
}));

test('answers are judged as by the C++ source', async () => {
  const table = readFileSync(new URL('../../../tests/data/http_answers.txt', import.meta.url), 'utf8');
  for (const line of table.trimEnd().split('\n').filter((line) => !line.startsWith('#'))) {
    const [name, status, given, body, expected] = line.split(' | ');
    const [, code, reason] = /^(\d+) (.*)$/.exec(status);
    const headers = Object.fromEntries(given === '' ? [] : given.split('; ').map((header) => header.split(': ')));
    await withServers((request, response) => {
      response.writeHead(Number(code), reason, { 'Content-Length': body.length, ...headers }).end(body);
    }, async (open) => {
      const found = await open().read('x', 4, 4).answer.then(({ bytes }) => `answer ${new TextDecoder().decode(bytes)}`, (error) => error.code);
      assert.equal(found, expected, name);
    });
  }
});
