// Tests `assetc watch --websocket` with the ws client of npm.
//
//   node watch.cjs ASSETC       exits 1 on a difference, 77 (skipped) when node_modules is absent
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const readline = require('readline');
const { spawn } = require('child_process');

let WebSocket;
try {
  WebSocket = require('ws');
} catch {
  console.log('skipped: run npm ci in tests/interop');
  process.exit(77);
}

// Returns the next message of a socket at each call; its end is an error.
const messages = (socket) => {
  const queue = [], waiting = [];
  const put = (item) => (waiting.length ? waiting.shift()(item) : queue.push(item));
  socket.on('message', (data, isBinary) => put({ value: JSON.parse(data), isBinary }));
  socket.on('close', (code) => put({ error: `closed: ${code}` }));
  socket.on('error', (error) => put({ error: error.message }));
  return () => new Promise((resolve) => (queue.length ? resolve(queue.shift()) : waiting.push(resolve)));
};

let failures = 0;
const expect = (what, found, wanted) => {
  if (JSON.stringify(found) === JSON.stringify(wanted)) return;
  console.log(`${what} is ${JSON.stringify(found)}, expected ${JSON.stringify(wanted)}`);
  ++failures;
};

async function main() {
  const assetc = path.resolve(process.argv[2] ?? '');
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assetc-watch-'));
  fs.mkdirSync(path.join(folder, 'assets'));
  const save = (name, text) => fs.writeFileSync(path.join(folder, 'assets', name), text);
  save('red.mat', 'base_color: [1, 0, 0]\n');
  const watch = spawn(assetc, ['watch', '--websocket', '0', '--json'], { cwd: folder });
  watch.stderr.pipe(process.stdout);
  const lines = readline.createInterface({ input: watch.stdout })[Symbol.asyncIterator]();
  const first = JSON.parse((await lines.next()).value);
  expect('the first event', first.event, 'watching');
  (async () => { while (!(await lines.next()).done); })();

  const socket = new WebSocket(first.websocket, { origin: 'http://localhost:5173' });
  const next = messages(socket);
  const hello = await next();
  expect('the greeting', [hello.value?.event, hello.value?.protocol, hello.isBinary], ['hello', 1, false]);
  expect('the output', hello.value?.output, fs.realpathSync(path.join(folder, 'runtime')));

  // Thousands of files, so that frames use every form of the length field.
  const wanted = new Set();
  for (const count of [1, 10, 4000]) {
    for (let i = 0; i < count; ++i) {
      save(`m_${count}_${i}.mat`, `base_color: [0, ${i / count}, ${count / 5000}]\n`);
      wanted.add(`m_${count}_${i}.hmat`);
    }
    while (wanted.size > 0) {
      const { value, error } = await next();
      if (error) throw new Error(error);
      expect('a build', [value.event, value.ok], ['built', true]);
      for (const file of value.written) wanted.delete(file);
    }
  }

  const pong = new Promise((resolve) => socket.once('pong', (data) => resolve(data.toString())));
  socket.ping('are you there');
  expect('the answer to a ping', await pong, 'are you there');
  socket.send('what clients say is ignored');
  socket.send(Buffer.alloc(1000));
  save('red.mat', 'base_color: red\n');
  const failed = await next();
  expect('a build that fails', [failed.value?.ok, failed.value?.errors?.[0]?.outputs], [false, ['red.hmat']]);
  socket.close(1000);
  expect('the end', (await next()).error, 'closed: 1000');

  const refused = messages(new WebSocket(first.websocket, { origin: 'https://example.com' }));
  expect('a page from elsewhere', (await refused()).error, 'Unexpected server response: 403');
  const large = new WebSocket(first.websocket);
  const heard = messages(large);
  await heard();
  large.send(Buffer.alloc(100_000));
  expect('a client that sends too much', (await heard()).error, 'closed: 1009');

  const ended = new Promise((resolve) => watch.once('exit', resolve));
  watch.kill('SIGINT');
  await ended;
  fs.rmSync(folder, { recursive: true });
  console.log(failures ? `${failures} differences` : 'the WebSocket works');
  process.exit(failures ? 1 : 0);
}
main().catch((error) => {
  console.log(error);
  process.exit(1);
});
