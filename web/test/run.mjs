// Runs a test file of web/ for CTest, which reports "skipped:" if something that it needs is not there.
//
//   ASSETC_PROGRAM=build/release/assetc node web/test/run.mjs FILE
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const web = join(dirname(fileURLToPath(import.meta.url)), '..');
for (const [file, what] of [['node_modules/three/package.json', 'scripts/setup'], ['codec/wasm/encode.wasm', 'scripts/build-web']]) {
  if (existsSync(join(web, file))) continue;
  console.log(`skipped: no web/${file}; run ${what}`);
  process.exit(0);
}
const done = spawnSync(process.execPath, ['--test', ...process.argv.slice(2)], { stdio: 'inherit' });
process.exit(done.status ?? 1);
