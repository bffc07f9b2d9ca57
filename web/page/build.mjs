// Builds the page of `assetc view` into build/web/page/ (or the folder that is named): node web/page/build.mjs [FOLDER]
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(here, '../../build/web/page'));
const modules = ['transcode-simd.wasm', 'readers.wasm'].map((name) => join(here, 'wasm', name));
if (!existsSync(join(here, '../node_modules/three/package.json'))) {
  console.error('build.mjs: no web/node_modules/three, which the page needs; run scripts/setup, or npm ci in web/');
  process.exit(1);
}

const { build } = await import('esbuild');
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const shared = /** @type {const} */ ({
  alias: { '@assetc/codec': join(here, '../codec/src/index.js') },
  bundle: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  legalComments: 'linked',
  outdir: out,
  logLevel: 'warning',
  charset: 'utf8',
});
// The worker has no chunks in common with the page: it starts with one request.
await build({ ...shared, entryPoints: { worker: join(here, 'src/worker.js') } });
await build({ ...shared, splitting: true, chunkNames: 'part-[name]-[hash]', entryPoints: { app: join(here, 'src/app.js') } });
await build({ ...shared, entryPoints: { app: join(here, 'src/app.css') } });
cpSync(join(here, 'src/index.html'), join(out, 'index.html'));
for (const file of modules) cpSync(file, join(out, basename(file)));

// Licenses of what is bundled. zstddec is part of three.js's examples; its module contains Zstandard.
const packages = join(here, '../node_modules'),
  licenses = [
    ['three.js', join(packages, 'three/LICENSE')],
    ['meshoptimizer', join(packages, 'meshoptimizer/LICENSE.md')],
    ['@assetc/codec', join(here, '../codec/LICENSE')],
  ];
const texts = licenses.map(([name, file]) => `${name}\n\n${readFileSync(file, 'utf8').trim()}\n`);
const zstd =
  'Zstandard, in the decoders of Zstd\n\nCopyright (c) Meta Platforms, Inc. and affiliates. BSD license: https://github.com/facebook/zstd\n';
writeFileSync(join(out, 'licenses.txt'), [...texts, zstd].join('\n\n'));
