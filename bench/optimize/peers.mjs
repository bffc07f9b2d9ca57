// Compares `assetc optimize` with gltfpack and glTF-Transform: size, processor time, quality and validity, in one run.
//
//   node peers.mjs --assetc ASSETC --gltfpack GLTFPACK [--ktx KTX] [--ours OPTIONS]... [--only CONTENDER]...
//                  [--runs 3] [--out FOLDER] MODEL...
//
// GLTFPACK is built with Basis Universal. KTX is the program ktx of KTX-Software; without it `assetc ktx` stands in.
// npm's gltfpack, glTF-Transform, the validator and the transcoder are those of tests/interop (npm ci). Programs take
// turns on each model, and the best of all runs counts: of two runs if one takes 10 s. Nothing is read from a cache.
// Texture PSNR is over the largest levels, against the pictures of the source: of the channels, and of the unit vectors
// of normal maps. For equal PSNR, assetc runs with each of --ours, for example 'rdo 10 zstd 9'; the last table has
// the smallest file of which neither PSNR is below that of `gltfpack -cc -tu`. Prints Markdown tables. results.json in
// FOLDER has all numbers.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bytesOf, compare, picturesOf, psnr } from './glb.mjs';

const interop = fileURLToPath(new URL('../../tests/interop/node_modules/', import.meta.url));
const validator = createRequire(interop)('gltf-validator');
const text = { type: 'string' };
const { values: given, positionals: models } = parseArgs({
  allowPositionals: true,
  options: {
    assetc: text,
    gltfpack: text,
    ktx: text,
    out: text,
    ours: { ...text, multiple: true, default: ['rdo 10'] },
    only: { ...text, multiple: true },
    runs: { ...text, default: '3' },
  },
});
if (!given.assetc || !given.gltfpack || models.length === 0) {
  console.error('usage: node peers.mjs --assetc ASSETC --gltfpack GLTFPACK [OPTIONS] MODEL...; see the head of this file');
  process.exit(2);
}
const folder = given.out ? resolve(given.out) : mkdtempSync(join(tmpdir(), 'assetc-peers-'));
const assetc = resolve(given.assetc), LONG_MS = 10000, NONE = { sum: 0, count: 0 };
mkdirSync(folder, { recursive: true });

// glTF-Transform finds this ktx on PATH.
const bin = mkdtempSync(join(tmpdir(), 'assetc-ktx-'));
symlinkSync(given.ktx ? resolve(given.ktx) : assetc, join(bin, 'ktx'));
const env = { ...process.env, ASSETC_CACHE: 'off', PATH: `${bin}:${process.env.PATH}` };

// Runs a command; milliseconds of processor time of it and its children, and by the clock. Null if it fails.
function timed(command) {
  const done = spawnSync('bash', ['-c', 'TIMEFORMAT="%U %S %R"; time "$@" >/dev/null 2>&1', 'time', ...command], { env, encoding: 'utf8' });
  if (done.status !== 0) return null;
  const [user, system, clock] = done.stderr.trim().split('\n').at(-1).split(' ').map((seconds) => 1000 * Number(seconds));
  return { cpu: user + system, clock };
}

const gltfpack = resolve(given.gltfpack), keep = ['-kn', '-km', '-ke', '-kv'];
const transform = ['node', join(interop, '@gltf-transform/cli/bin/cli.js')];
// Lossless for scenes: what the application can find by name stays.
const kept = ['flatten', 'instance', 'join', 'palette', 'simplify'].flatMap((step) => [`--${step}`, 'false']);
const plain = (input, output) => [...transform, 'optimize', input, output, ...kept, '--texture-compress', 'false'];
const options = (words) => words.split(' ').map((word, at) => (at % 2 ? word : `--texture.${word}`));
const contenders = Object.fromEntries(Object.entries({
  'assetc, pictures as they are': (input, output) => [[assetc, 'optimize', input, output, '--keep-pictures']],
  'gltfpack -cc': (input, output) => [[gltfpack, '-i', input, '-o', output, '-cc']],
  'gltfpack -cc -k*': (input, output) => [[gltfpack, '-i', input, '-o', output, '-cc', ...keep]],
  'npm gltfpack -cc -k*': (input, output) => [['node', join(interop, 'gltfpack/cli.js'), '-i', input, '-o', output, '-cc', ...keep]],
  'glTF-Transform, pictures as they are': (input, output) => [plain(input, output)],
  ...Object.fromEntries(given.ours.map((words) => [
    `assetc, ${words}`,
    (input, output) => [[assetc, 'optimize', input, output, '--texture.format', 'uastc', ...options(words)]],
  ])),
  'gltfpack -cc -tu': (input, output) => [[gltfpack, '-i', input, '-o', output, '-cc', '-tu']],
  'glTF-Transform uastc': (input, output) => [
    plain(input, `${output}.glb`),
    [...transform, 'uastc', `${output}.glb`, output, '--rdo', '--rdo-lambda', '0.4'],
  ],
}).filter(([name]) => !given.only || given.only.includes(name)));

async function faults(file) {
  const report = await validator.validateBytes(new Uint8Array(readFileSync(file)), { maxIssues: 0 });
  return report.issues.messages.filter((issue) => issue.severity === 0).map((issue) => `${issue.code} ${issue.pointer}`);
}

async function measure(model) {
  const name = basename(model).replace(/\.\w+$/, ''), readable = /\.(gltf|glb)$/.test(model), out = {};
  for (let run = 0; run < Number(given.runs); ++run) {
    for (const [contender, commands] of Object.entries(contenders)) {
      if (out[contender] === null || (run > 1 && out[contender].cpu > LONG_MS)) continue;
      const output = join(folder, `${name}.${contender.replace(/[^\w.-]+/g, '_')}.glb`);
      const times = commands(resolve(model), output).map(timed);
      if (times.includes(null) || !existsSync(output)) {
        out[contender] = null;
        continue;
      }
      const add = (key) => times.reduce((sum, time) => sum + time[key], 0), before = out[contender];
      const least = (key) => Math.min(add(key), before?.[key] ?? Infinity);
      out[contender] = { output, cpu: least('cpu'), clock: least('clock') };
    }
  }
  const sources = readable ? await picturesOf(model) : [];
  for (const result of Object.values(out).filter(Boolean)) {
    result.bytes = statSync(result.output).size;
    result.faults = await faults(result.output);
    if (sources.length > 0) Object.assign(result, compare(sources, await picturesOf(result.output)));
  }
  const wanted = out['gltfpack -cc -tu'];
  const isEqual = (one, kind) => !(psnr(one[kind] ?? NONE) < psnr(wanted?.[kind] ?? NONE));
  const equal = given.ours.map((words) => ({ ...out[`assetc, ${words}`], words }));
  out.equal = equal.filter((one) => one.bytes && isEqual(one, 'texels') && isEqual(one, 'normals')).sort((a, b) => a.bytes - b.bytes)[0] ?? null;
  return { name, bytes: readable ? bytesOf(model) : statSync(model).size, pictures: sources.length, results: out };
}

const all = [];
for (const model of models) {
  all.push(await measure(model));
  writeFileSync(join(folder, 'results.json'), JSON.stringify(all, null, 1));
  console.error(`${all.length} of ${models.length}: ${all.at(-1).name}`);
}
rmSync(bin, { recursive: true });
if (!given.out) rmSync(folder, { recursive: true });

const kib = (bytes) => (bytes / 1024).toFixed(1), cell = (one, show) => (one ? show(one) : 'refused');
function table(title, names, chosen, show) {
  console.log(`\n${title}\n\n| model | ${names.join(' | ')} |\n|---|${names.map(() => '---').join('|')}|`);
  for (const { name, results } of chosen) console.log(`| ${name} | ${names.map((one) => cell(results[one], show)).join(' | ')} |`);
  const whole = chosen.filter(({ results }) => names.every((one) => results[one]));
  const total = (read) => whole.reduce((sum, { results }) => sum + read(results), 0);
  const sums = names.map((one) => ({
    ...Object.fromEntries(['bytes', 'cpu'].map((key) => [key, total((results) => results[one][key])])),
    ...Object.fromEntries(['texels', 'normals'].map((kind) => [kind, Object.fromEntries(['sum', 'count'].map((key) =>
      [key, total((results) => results[one][kind]?.[key] ?? 0)]))])),
  }));
  console.log(`| all ${whole.length} that no program refused | ${sums.map(show).join(' | ')} |`);
}
const isTextured = (name) => /^assetc, (?!pic)|-tu|uastc/.test(name), names = Object.keys(contenders);
const geometry = names.filter((name) => !isTextured(name)), textures = names.filter(isTextured);
const textured = all.filter(({ pictures }) => pictures > 0);
table('Pictures as they are: KiB', geometry, all, (one) => kib(one.bytes));
table('Pictures as they are: ms of processor time', geometry, all, (one) => one.cpu.toFixed(0));
table('Textures: KiB', textures, textured, (one) => kib(one.bytes));
table('Textures: ms of processor time', textures, textured, (one) => one.cpu.toFixed(0));
const dB = (errors = NONE) => (errors.count ? psnr(errors).toFixed(2) : '–');
table('Textures: PSNR in dB', textures, textured, (one) => dB(one.texels));
table('Normal maps: PSNR of unit vectors in dB', textures, textured, (one) => dB(one.normals));
console.log('\nSmallest file of assetc of which no PSNR is below that of gltfpack -cc -tu\n');
console.log('| model | options | KiB | times as fast |\n|---|---|---|---|');
for (const { name, results } of textured) {
  const { equal } = results, peer = results['gltfpack -cc -tu'];
  if (peer) console.log(`| ${name} | ${equal ? `${equal.words} | ${kib(equal.bytes)} | ${(peer.cpu / equal.cpu).toFixed(1)}` : 'none | |'} |`);
}
const files = all.flatMap(({ name, results }) =>
  Object.entries(results).map(([who, one]) => ({ who: `${name}, ${who}`, faults: one?.faults ?? [] })),
);
const invalid = files.filter(({ faults }) => faults.length).map(({ who, faults }) => `${who}: ${faults.slice(0, 3).join(', ')}`);
console.log(`\nFiles with errors of the validator: ${invalid.length}\n${invalid.join('\n')}`);
