// Makes the npm package of a platform from the folder of the program that scripts/package-static packs.
//
//   node web/scripts/platform-package.mjs assetc-VERSION-PLATFORM FOLDER
//
// PLATFORM is linux-amd64, linux-arm64 or windows-amd64. FOLDER becomes @assetc/linux-x64, @assetc/linux-arm64 or
// @assetc/win32-x64: the program, the page of `assetc view`, and the licenses of what is in them.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MACHINES = { amd64: 'x64', arm64: 'arm64' };
const [tree, folder] = process.argv.slice(2);
const found = /^assetc-(.+)-(linux|windows)-(amd64|arm64)$/.exec(basename(tree ?? ''));
if (!found || !folder) {
  console.error('usage: platform-package.mjs assetc-VERSION-PLATFORM FOLDER, where PLATFORM is linux-amd64, linux-arm64 or windows-amd64');
  process.exit(2);
}
const windows = found[2] === 'windows', cpu = MACHINES[found[3]];
const command = JSON.parse(readFileSync(join(dirname(fileURLToPath(import.meta.url)), '../assetc/package.json'), 'utf8'));
if (found[1] !== command.version) {
  console.error(`platform-package: ${tree} has version ${found[1]}, but web/assetc/package.json ${command.version}; change one`);
  process.exit(1);
}
rmSync(folder, { recursive: true, force: true });
// The program finds the other two from its own folder, as in an installation.
for (const part of [windows ? 'bin/assetc.exe' : 'bin/assetc', 'lib/assetc', 'share/assetc'])
  if (existsSync(join(tree, part))) cpSync(join(tree, part), join(folder, part), { recursive: true });
mkdirSync(join(folder, 'licenses'), { recursive: true });
cpSync(join(tree, 'share/doc/assetc/libraries'), join(folder, 'licenses'), { recursive: true });
const system = windows ? 'win32' : 'linux', name = `@assetc/${system}-${cpu}`, text = `${windows ? 'Windows' : 'Linux'} on ${cpu}`;
writeFileSync(join(folder, 'package.json'), `${JSON.stringify({
  name, version: command.version, description: `The program assetc for ${text}`, license: command.license,
  os: [system], cpu: [cpu], ...(windows ? {} : { libc: ['glibc'] }), files: ['bin', 'lib', 'share', 'licenses'], preferUnplugged: true,
}, null, 2)}\n`);
writeFileSync(join(folder, 'README.md'), `# ${name}\n\nThe program of the package \`assetc\` for ${text}. Install \`assetc\`, which selects it.\n`);
console.log(`${name} ${command.version}`);
