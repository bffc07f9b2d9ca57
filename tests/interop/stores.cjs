// Tests the shared cache in object stores: S3 (s3rver, whose requests are verified with aws4) and Azure (Azurite).
//
//   node stores.cjs ASSETC       exits 1 on a difference, 77 (skipped) when node_modules is absent
//
// s3rver does not verify signatures of version 4. A server in front of it does, with aws4, and has the faults of real
// stores: other regions, keys that expire, policies without s3:ListBucket.
'use strict';
const assert = require('assert/strict');
const crypto = require('crypto');
const fs = require('fs');
const http = require('http');
const os = require('os');
const path = require('path');
const { spawn } = require('child_process');

let S3rver, aws4;
try {
  S3rver = require('s3rver');
  aws4 = require('aws4');
} catch {
  console.log('skipped: run npm ci in tests/interop');
  process.exit(77);
}

const assetc = path.resolve(process.argv[2] ?? '');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assetc-stores-'));
const REGION = 'eu-west-1', ACCESS = 'S3RVER', SECRET = 'S3RVER', TOKEN = 'a-token-that-nobody-may-see';
const outputs = [];

const listen = (server) =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
const sha256 = (bytes) => crypto.createHash('sha256').update(bytes).digest('hex');

function xmlError(response, status, code, headers = {}) {
  response.writeHead(status, { 'Content-Type': 'application/xml', ...headers });
  response.end(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>no &amp; no</Message></Error>`);
}

// Returns why the request is not signed by the account, as the name of an error of S3.
function wrongSignature(request, body) {
  const words = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, *SignedHeaders=([^,]+), *Signature=(\w+)$/
    .exec(request.headers.authorization ?? '');
  if (!words) return 'AccessDenied';
  const [, access, , region, names, signature] = words;
  if (access !== ACCESS) return 'InvalidAccessKeyId';
  if (region !== REGION) return 'AuthorizationHeaderMalformed';
  if (request.headers['x-amz-content-sha256'] !== sha256(body)) return 'XAmzContentSHA256Mismatch';
  const headers = {};
  for (const name of names.split(';')) headers[name] = request.headers[name];
  for (const name of ['host', 'x-amz-date', 'x-amz-content-sha256']) assert(headers[name], `${name} is not signed`);
  const expected = aws4.sign({ method: request.method, path: request.url, host: headers.host, service: 's3', region, headers },
    { accessKeyId: ACCESS, secretAccessKey: SECRET }).headers.Authorization;
  return expected.endsWith('Signature=' + signature) ? '' : 'SignatureDoesNotMatch';
}

// Divides a list into pages, for which s3rver needs a cipher that OpenSSL 3 does not have.
function paged(answer, response, token, size) {
  let xml = '';
  answer.on('data', (part) => (xml += part));
  answer.on('end', () => {
    const objects = xml.match(/<Contents>.*?<\/Contents>/gs) ?? [];
    const at = token === null ? 0 : Number(/^page \+\/=&(\d+)$/.exec(token)[1]);
    const next = at + size < objects.length ? `<NextContinuationToken>page +/=&amp;${at + size}</NextContinuationToken>` : '';
    const list = objects.slice(at, at + size).join('') + next + '</ListBucketResult>';
    response.writeHead(answer.statusCode, { 'Content-Type': 'application/xml' });
    response.end(xml.replace(/<Contents>.*<\/Contents>/gs, '').replace('</ListBucketResult>', () => list));
  });
}

// The server in front of s3rver.
async function startS3() {
  const s3 = new S3rver({ directory: path.join(folder, 's3'), silent: true, address: '127.0.0.1', port: 0,
                          vhostBuckets: false, configureBuckets: [{ name: 'game-cache' }] });
  const inner = await s3.run();
  const front = { fault: '', requests: [], errors: {}, pageSize: 0 };
  const server = http.createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts);
      front.requests.push({ method: request.method, url: request.url, headers: request.headers });
      let error = front.fault || wrongSignature(request, body);
      if (front.fault === 'verifies nothing') error = '';
      if (request.headers['x-amz-security-token'] === 'expired') error = 'ExpiredToken';
      if (error) {
        front.errors[error] = (front.errors[error] ?? 0) + 1;
        return xmlError(response, { ExpiredToken: 400, AuthorizationHeaderMalformed: 400, NoSuchBucket: 404 }[error] ?? 403, error,
          error === 'AuthorizationHeaderMalformed' ? { 'x-amz-bucket-region': REGION } : {});
      }
      const asked = new URL(request.url, 'http://s3');
      const isPaged = front.pageSize > 0 && asked.searchParams.has('list-type');
      const url = request.url.replace(/continuation-token=[^&]*&/, '');
      const forward = http.request({ port: inner.port, host: '127.0.0.1', method: request.method, path: url, headers: request.headers },
        (answer) => {
          // In S3, a copy to itself is written now. s3rver keeps the file.
          if (request.headers['x-amz-copy-source'] && answer.statusCode === 200)
            fs.utimesSync(path.join(folder, 's3', decodeURIComponent(request.url) + '._S3rver_object'), new Date(), new Date());
          if (isPaged) return paged(answer, response, asked.searchParams.get('continuation-token'), front.pageSize);
          response.writeHead(answer.statusCode, answer.headers);
          answer.pipe(response);
        });
      forward.on('error', () => response.destroy());
      forward.end(body);
    });
  });
  front.port = await listen(server);
  front.stop = async () => { server.close(); server.closeAllConnections(); await s3.close(); };
  return front;
}

function makeProject(machine) {
  fs.mkdirSync(path.join(machine, 'assets'), { recursive: true });
  for (let i = 0; i < 6; ++i) {
    // The cheap ones travel in a batch. A large one has a blob of more than 1 MiB, for which curl asks permission.
    const points = i === 0 ? 60000 : 9;
    let obj = '';
    for (let k = 0; k < points; ++k) obj += `v ${Math.sin(k * 12.9898) * 43} ${Math.sin(k * 78.233 + i) * 97} ${k % 13}\n`;
    for (let k = 1; k + 2 <= points; k += 3) obj += `f ${k} ${k + 1} ${k + 2}\n`;
    fs.writeFileSync(path.join(machine, `assets/mesh_${i}.obj`), obj);
  }
}

// Builds as another machine. Returns the summary, the warnings about the shared cache, its counts and the outputs.
async function run(name, environment, { words = [], fresh = true, config = '' } = {}) {
  const machine = path.join(folder, 'machines', name);
  if (fresh) {
    fs.rmSync(machine, { recursive: true, force: true });
    makeProject(machine);
  }
  fs.mkdirSync(path.join(machine, '.config/assetc'), { recursive: true });
  if (config) fs.writeFileSync(path.join(machine, 'assetc.yml'), config);
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^(ASSETC_|AWS_|XDG_)/.test(key)));
  Object.assign(env, { HOME: machine, ASSETC_CACHE: path.join(machine, 'cache'), ASSETC_CACHE_REMOTE_RACE: 'off' }, environment);
  const child = spawn(assetc, ['--json', ...words], { cwd: machine, env });
  let out = '', err = '';
  child.stdout.on('data', (text) => (out += text));
  child.stderr.on('data', (text) => (err += text));
  const code = await new Promise((resolve) => child.on('exit', (status, signal) => resolve(signal ?? status)));
  outputs.push(out + err);
  return { name, machine, code, out, err, events: out.split('\n').filter(Boolean).map((line) => JSON.parse(line)) };
}

async function build(name, environment, { words = [], ...more } = {}) {
  const done = await run(name, environment, { words: ['--report', 'report.json', '--trace', 'trace.json', ...words], ...more });
  assert.equal(done.code, 0, `${name}: ${done.out} ${done.err}`);
  for (const file of ['report.json', 'trace.json']) outputs.push(fs.readFileSync(path.join(done.machine, file), 'utf8'));
  const files = {};
  const runtime = path.join(done.machine, 'runtime');
  for (const file of fs.readdirSync(runtime).filter((f) => !f.startsWith('.assetc')).sort())
    files[file] = sha256(fs.readFileSync(path.join(runtime, file)));
  return { ...done, summary: done.events.at(-1), files, shared: JSON.parse(fs.readFileSync(path.join(done.machine, 'report.json'))).shared_cache,
           warnings: done.events.filter((e) => e.event === 'diagnostic' && e.file?.startsWith('http')) };
}

async function testS3(expected) {
  const s3 = await startS3();
  const endpoint = `http://127.0.0.1:${s3.port}`;
  const keys = { AWS_ACCESS_KEY_ID: ACCESS, AWS_SECRET_ACCESS_KEY: SECRET };
  const place = { AWS_ENDPOINT_URL: endpoint, AWS_REGION: REGION, ASSETC_CACHE_REMOTE: 's3://game-cache/main branch' };
  const writes = { ASSETC_CACHE_REMOTE_MODE: 'read-write' };
  try {
    const writer = await build('writer', { ...place, ...keys, ...writes });
    assert.deepEqual([writer.warnings, writer.files], [[], expected], writer.out);
    assert(writer.shared.uploaded > 0, `uploaded ${JSON.stringify(writer.shared)}`);
    assert(s3.requests.every((r) => r.url.startsWith('/game-cache/main%20branch/')), 'the prefix is not in each path');
    assert(s3.requests.some((r) => r.url.includes('/cas/')) && s3.requests.some((r) => r.method === 'PUT'));
    assert(s3.requests.some((r) => r.headers.expect === '100-continue'), 'no body was large enough to ask permission');
    assert.deepEqual(s3.errors, {});

    const readsAll = async (name, environment, more) => {
      const reader = await build(name, environment, more);
      assert.deepEqual([reader.warnings, reader.files, reader.summary.ran], [[], expected, 0], `${name}: ${reader.out}`);
      assert(reader.shared.found > 0);
      return reader;
    };
    await readsAll('reader', { ...place, ...keys });
    await readsAll('reader with a token', { ...place, ...keys, AWS_SESSION_TOKEN: TOKEN });
    assert.equal(s3.requests.at(-1).headers['x-amz-security-token'], TOKEN);

    // Keys in files that only the user can read, and the place of the bucket in the user's configuration.
    const machine = path.join(folder, 'machines/reader with a file');
    const withFile = async (mode, text, environment = {}, config = '') => {
      fs.rmSync(machine, { recursive: true, force: true });
      makeProject(machine);
      fs.mkdirSync(path.join(machine, '.config/assetc'), { recursive: true });
      fs.mkdirSync(path.join(machine, '.aws'));
      fs.writeFileSync(path.join(machine, '.config/assetc/config.yml'),
        `cache: {remote: {url: 's3://game-cache/main branch', endpoint: '${endpoint}', region: ${REGION}${config}}}\n`);
      fs.writeFileSync(path.join(machine, '.aws/credentials'), text, { mode });
      // The region of the machine is not that of the bucket.
      return build('reader with a file', { AWS_REGION: 'us-east-2', ...environment }, { fresh: false });
    };
    const file = `[other]\naws_access_key_id = wrong\naws_secret_access_key=wrong\n\n# the cache\n[default]\n` +
      `aws_access_key_id = ${ACCESS}\r\naws_secret_access_key = ${SECRET}\r\n`;
    for (const config of ['', ', aws_file: ~/.aws/credentials'.replace('~', machine)]) {
      const user = await withFile(0o600, file, {}, config);
      assert.deepEqual([user.summary.ran, user.files], [0, expected], user.out);
    }
    const about = (done) => done.events.filter((e) => e.event === 'diagnostic').map((e) => `${e.file}: ${e.what}; ${e.hint}`).join('\n');
    assert.match(about(await withFile(0o644, file)), /credentials: .*chmod 600/);
    assert.match(about(await withFile(0o600, file, { AWS_PROFILE: 'third' })), /has no profile 'third'; .*set AWS_PROFILE/);
    assert.match(about(await withFile(0o600, '[default]\nsso_session = x\n')), /no aws_access_key_id.*export-credentials/);

    // A project names a bucket, but gets none of the user's keys.
    s3.requests.length = 0;
    const config = `cache: {remote: {url: 's3://game-cache/main branch', endpoint: '${endpoint}', region: ${REGION}}}\n`;
    const theirs = await build('a bucket of a project', keys, { config });
    assert.match(about(theirs), /answered 403 AccessDenied: .*not signed.*ASSETC_CACHE_REMOTE/);
    assert(s3.requests.length > 0 && s3.requests.every((r) => !r.headers.authorization), 'a project got a signature');
    s3.fault = 'verifies nothing';
    assert.equal((await build('a public bucket', {}, { config })).summary.ran, 0);
    s3.fault = '';
    assert.match(about(await build('writes without keys', { ...place, ...writes })), /has no keys to write with; .*set AWS_ACCESS_KEY_ID/);
    // The user's own bucket, named by the project, too.
    await readsAll('a bucket of both', { ...place, ...keys, ASSETC_CACHE_REMOTE: 's3://game-cache/main branch/' }, { config });

    // Settings that are wrong: what the store says, and what to do about it.
    const faults = [
      ['an unknown key', { ...keys, AWS_ACCESS_KEY_ID: 'nobody' }, '', /answered 403 InvalidAccessKeyId: the access key is unknown.*AWS_ACCESS_KEY_ID/],
      ['a wrong secret', { ...keys, AWS_SECRET_ACCESS_KEY: 'wrong' }, '', /answered 403 SignatureDoesNotMatch: .*AWS_SECRET_ACCESS_KEY/],
      ['an expired token', { ...keys, AWS_SESSION_TOKEN: 'expired' }, '', /answered 400 ExpiredToken: the temporary keys have expired.*get new ones/],
      ['another region', { ...keys, AWS_REGION: 'us-west-1' }, '', /answered 400 AuthorizationHeaderMalformed: .*set cache.remote.region to eu-west-1/],
      ['a wrong clock', keys, 'RequestTimeTooSkewed', /answered 403 RequestTimeTooSkewed: .*clock.*set the clock/],
      ['a policy', keys, 'AccessDenied', /answered 403 AccessDenied: .*s3:ListBucket/],
      ['no bucket', keys, 'NoSuchBucket', /answered 404 NoSuchBucket: the bucket does not exist; .*create it/],
    ];
    for (const [name, environment, fault, wanted] of faults) {
      for (const mode of ['read', 'read-write']) {
        s3.fault = fault;
        s3.requests.length = 0;
        const done = await build(name, { ...place, ...environment, ASSETC_CACHE_REMOTE_MODE: mode });
        assert.deepEqual(done.files, expected, name);
        assert.equal(done.warnings.length, 1, `${name}: ${done.out}`);
        assert.match(about(done), wanted);
        assert(s3.requests.length <= 12, `${name}: ${s3.requests.length} requests`);
      }
    }
    s3.fault = '';
    await testTrim(s3, { ...place, ...keys }, writes);
    for (const [name, environment, wanted] of [
      ['half a key', { AWS_ACCESS_KEY_ID: ACCESS }, /found one, expected both/],
      ['no region', { ...keys, AWS_ENDPOINT_URL: '', AWS_REGION: '' }, /has no region; .*AWS_REGION/],
      ['no bucket name', { ...keys, ASSETC_CACHE_REMOTE: 's3://UPPER/x' }, /found 's3:\/\/UPPER\/x', expected s3:\/\/bucket\/prefix/],
    ]) assert.match(about(await build(name, { ...place, ...environment })), wanted);
  } finally {
    await s3.stop();
  }
  for (const text of outputs) assert(!text.includes(TOKEN) && !/Signature=/.test(text), 'a secret was printed');
}

// The files of s3rver that hold objects of the cache, and the days since each was written.
function objectsOfS3() {
  const root = path.join(folder, 's3/game-cache/main branch');
  return ['ac', 'cas'].filter((kind) => fs.existsSync(path.join(root, kind))).flatMap((kind) => fs.readdirSync(path.join(root, kind)).filter((name) => name.endsWith('_object'))
    .map((name) => path.join(root, kind, name)));
}
const ageDays = (file) => (Date.now() - fs.statSync(file).mtimeMs) / 86400e3;
function makeOld(files, days) {
  for (const file of files) fs.utimesSync(file, Date.now() / 1000 - days * 86400, Date.now() / 1000 - days * 86400);
}

async function testTrim(s3, user, writes) {
  const trim = async (words) => {
    const done = await run('trims', user, { words: ['cache', 'trim', '--remote', ...words] });
    return done.code === 0 ? done.events.at(-1) : done.out + done.err;
  };
  const all = objectsOfS3();
  assert(all.length >= 3);
  const stranger = path.join(folder, 's3/game-cache/main branch/ac/README._S3rver_object');
  for (const suffix of ['_object', '_metadata.json']) fs.copyFileSync(all[0].replace('_object', suffix), stranger.replace('_object', suffix));
  for (const suffix of ['md5']) fs.copyFileSync(all[0].replace('object', 'object.md5'), stranger.replace('object', 'object.md5'));
  makeOld([stranger], 400);
  // What a build that may write uses is refreshed once a week.
  makeOld(all, 10);
  makeOld(all.slice(0, 1), 3);
  s3.requests.length = 0;
  const reader = await build('uses old files', user);
  assert(s3.requests.every((r) => r.method !== 'PUT') && reader.summary.ran === 0);
  const user2 = await build('uses and may write', { ...user, ...writes });
  assert.deepEqual([user2.warnings, user2.summary.ran], [[], 0], user2.out);
  assert.deepEqual(all.map((file) => Math.round(ageDays(file))), all.map((_, i) => (i === 0 ? 3 : 0)));
  assert(s3.requests.filter((r) => r.method === 'PUT').every((r) => r.headers['x-amz-copy-source']), 'something was sent again');
  assert.equal((await build('reads what was refreshed', user)).summary.ran, 0);

  // Limits.
  makeOld(all, 40);
  makeOld(all.slice(0, 2), 90);
  s3.pageSize = 2;
  const sizes = all.map((file) => fs.statSync(file).size), total = sizes.reduce((a, b) => a + b);
  const counted = await trim(['--age', '60d', '--dry-run']);
  assert.equal(counted.event, 'cache_trimmed', counted);
  assert.deepEqual([counted.removed, counted.removed_bytes, counted.kept, counted.kept_bytes, counted.others, counted.dry_run],
    [2, sizes[0] + sizes[1], all.length - 2, total - sizes[0] - sizes[1], 1, true]);
  assert.deepEqual(objectsOfS3().length, all.length + 1, 'a dry run removed something');
  assert.equal((await trim(['--age', '60d'])).removed, 2);
  assert.deepEqual(objectsOfS3(), [...all.slice(2), stranger].sort((a, b) => (a < b ? -1 : 1)));
  assert.equal((await trim(['--age', '60d'])).removed, 0);
  assert.equal((await trim(['--size', '100G'])).removed, 0);
  assert.equal((await trim(['--size', '1'])).kept, 0);
  assert.deepEqual(objectsOfS3(), [stranger]);
  assert.match(await trim([]), /found neither --size nor --age/);
  s3.fault = 'AccessDenied';
  assert.match(await trim(['--age', '1d']), /cannot list what is there: answered 403 AccessDenied/);
  s3.fault = '';
  s3.pageSize = 0;
}

// Azurite's account. Its key is public.
const ACCOUNT = 'devstoreaccount1';
const ACCOUNT_KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';
const SAS_VERSION = '2021-08-06';
const azureSignature = (lines) => crypto.createHmac('sha256', Buffer.from(ACCOUNT_KEY, 'base64')).update(lines.join('\n')).digest('base64');
const azureTime = (hours) => new Date(Date.now() + hours * 3600e3).toISOString().replace(/\.\d+/, '');

// A shared access signature of a container. Source: "Create a service SAS", version 2020-12-06 and later.
function containerSas(container, permissions, hours = 1) {
  const end = azureTime(hours);
  const lines = [permissions, '', end, `/blob/${ACCOUNT}/${container}`, '', '', '', SAS_VERSION, 'c', '', '', '', '', '', '', ''];
  return '?' + new URLSearchParams({ sv: SAS_VERSION, sr: 'c', sp: permissions, se: end, sig: azureSignature(lines) });
}

async function startAzurite(container) {
  const program = require.resolve('azurite/dist/src/blob/main.js');
  const probe = http.createServer();
  const port = await listen(probe);
  await new Promise((resolve) => probe.close(resolve));
  const child = spawn(process.execPath, [program, '--blobPort', `${port}`, '--location', path.join(folder, 'azure'), '--silent',
    '--disableTelemetry', '--disableProductStyleUrl'], { stdio: 'ignore' });
  // A shared access signature of the account. Source: "Create an account SAS".
  const end = azureTime(1);
  const lines = [ACCOUNT, 'c', 'b', 'c', '', end, '', '', SAS_VERSION, '', ''];
  const sas = new URLSearchParams({ sv: SAS_VERSION, ss: 'b', srt: 'c', sp: 'c', se: end, sig: azureSignature(lines) });
  for (let tries = 0; ; ++tries) {
    const status = await new Promise((resolve) => {
      const request = http.request(`http://127.0.0.1:${port}/${ACCOUNT}/${container}?restype=container&${sas}`, { method: 'PUT' },
        (answer) => { answer.resume(); resolve(answer.statusCode); });
      request.on('error', () => resolve(0));
      request.end();
    });
    if (status === 201) break;
    if (tries === 300 || child.exitCode !== null) throw new Error(`Azurite does not start: ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  // It writes its tables until it ends.
  const stop = () => new Promise((resolve) => {
    if (child.exitCode !== null) return resolve();
    child.once('exit', resolve).kill();
  });
  return { url: `http://127.0.0.1:${port}/${ACCOUNT}`, stop };
}

// What a build that may write uses is refreshed, and the rest is removed by size. Azurite's blobs cannot be made older, so
// a server in between says that they are.
async function testAzureTrim(url, expected) {
  const refreshed = [];
  const server = http.createServer((request, response) => {
    const forward = http.request(new URL(request.url, url), { method: request.method, headers: request.headers }, (answer) => {
      const headers = { ...answer.headers };
      if (headers['last-modified']) headers['last-modified'] = new Date(Date.parse(headers['last-modified']) - 10 * 86400e3).toUTCString();
      if (request.url.includes('comp=metadata')) refreshed.push([request.method, request.url.split('?')[0], answer.statusCode]);
      response.writeHead(answer.statusCode, headers);
      answer.pipe(response);
    });
    request.pipe(forward);
  });
  const port = await listen(server);
  const old = `http://127.0.0.1:${port}/${ACCOUNT}/cache/game`;
  const may = (permissions) => ({ ASSETC_CACHE_REMOTE: old + containerSas('cache', permissions), ASSETC_CACHE_REMOTE_MODE: 'read-write' });
  const user = await build('uses old blobs', may('rcw'));
  assert.deepEqual([user.warnings, user.summary.ran, user.files], [[], 0, expected], user.out);
  assert(refreshed.length >= 3 && refreshed.every(([method, , status]) => method === 'PUT' && status === 200), JSON.stringify(refreshed));
  assert.equal(new Set(refreshed.map(([, file]) => file)).size, refreshed.length, 'refreshed twice');
  assert.equal((await build('reads what was refreshed', may('rcw'))).summary.ran, 0);
  const trim = (permissions, words) => run('trims', may(permissions), { words: ['cache', 'trim', '--remote', ...words] });
  const none = (await trim('rl', ['--age', '60d'])).events.at(-1);
  assert.deepEqual([none.removed, none.kept >= 3], [0, true]);
  assert.match((await trim('r', ['--age', '60d'])).out, /cannot list what is there: answered 403 Authorization\w+/);
  assert.match((await trim('rl', ['--size', '1'])).out, /cannot remove what is old: answered 403 Authorization\w+/);
  const removed = (await trim('rld', ['--size', '1'])).events.at(-1);
  assert.deepEqual([removed.removed, removed.kept, removed.kept_bytes], [none.kept, 0, 0]);
  server.close();
  server.closeAllConnections();
}

async function testAzure(expected) {
  const azure = await startAzurite('cache');
  const at = (sas, container = 'cache') => ({ ASSETC_CACHE_REMOTE: `${azure.url}/${container}/game${sas}` });
  const writes = { ASSETC_CACHE_REMOTE_MODE: 'read-write' };
  try {
    const writer = await build('azure writer', { ...at(containerSas('cache', 'rcw')), ...writes });
    assert.deepEqual([writer.warnings, writer.files], [[], expected], writer.out);
    assert(writer.shared.uploaded > 0);
    const reader = await build('azure reader', at(containerSas('cache', 'r')));
    assert.deepEqual([reader.warnings, reader.files, reader.summary.ran], [[], expected, 0], reader.out);
    const again = await build('azure writer again', { ...at(containerSas('cache', 'rcw')), ...writes }, { words: ['--no-cache'] });
    assert.deepEqual(again.warnings, [], again.out);
    const faults = [
      ['an expired signature', at(containerSas('cache', 'rcw', -1)), /answered 403 \w+: .*create a new shared access signature/],
      ['a damaged signature', at(containerSas('cache', 'rcw').replace(/sig=.../, 'sig=AAA')), /answered 403 \w+: .*create a new shared access signature/],
      ['no signature', at(''), /answered (403|404|409) \w+: .*/],
      ['another container', at(containerSas('none', 'rcw'), 'none'), /answered 404 ContainerNotFound: the container does not exist; .*create it/],
    ];
    for (const [name, environment, wanted] of faults) {
      const done = await build(name, environment);
      assert.deepEqual([done.files, done.warnings.length], [expected, 1], `${name}: ${done.out}`);
      assert.match(done.warnings[0].what + '; ' + done.warnings[0].hint, wanted);
    }
    const reads = await build('a signature that only reads', { ...at(containerSas('cache', 'r')), ...writes });
    assert.deepEqual(reads.files, expected);
    // What is there is not written again. A new source is.
    fs.writeFileSync(path.join(reads.machine, 'assets/new.obj'), 'v 0 0 0\nv 1 0 0\nv 0 3 0\nf 1 2 3\n');
    const refused = await build('a signature that only reads', { ...at(containerSas('cache', 'r')), ...writes }, { fresh: false });
    assert.match(refused.warnings.map((w) => w.what + '; ' + w.hint).join(), /answered 403 AuthorizationPermissionMismatch: .*read, create and write/);
    await testAzureTrim(azure.url, expected);
  } finally {
    await azure.stop();
  }
  for (const text of outputs) assert(!/sig=/.test(text), 'a signature was printed');
}

async function main() {
  const alone = await build('alone', {});
  await testS3(alone.files);
  console.log('S3: shared, with signed requests');
  await testAzure(alone.files);
  console.log('Azure: shared, with a shared access signature');
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
}).finally(() => {
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  process.exit();  // a server that still listens would keep the process
});
