// Makes the npm package of a platform from an archive of scripts/package, or from the folder that
// scripts/package-windows packs.
//
//   node web/scripts/platform-package.mjs build/package/assetc-0.1.0-linux-amd64.tar.gz FOLDER
//
// FOLDER becomes @assetc/linux-x64, @assetc/linux-arm64 or @assetc/win32-x64: the program, the libraries that it needs,
// and their licenses.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MACHINES = { amd64: 'x64', arm64: 'arm64' };
const [archive, folder] = process.argv.slice(2);
const found = /^assetc-(.+)-(?:linux-(\w+)\.tar\.gz|(windows)-amd64)$/.exec(basename(archive ?? ''));
const windows = found?.[3] !== undefined;
const cpu = found && MACHINES[windows ? 'amd64' : found[2]];
if (!found || !cpu || !folder) {
  console.error('usage: platform-package.mjs assetc-VERSION-linux-MACHINE.tar.gz FOLDER, where MACHINE is amd64 or arm64,\n' +
    '       or platform-package.mjs assetc-VERSION-windows-amd64 FOLDER');
  process.exit(2);
}
const command = JSON.parse(readFileSync(join(dirname(fileURLToPath(import.meta.url)), '../assetc/package.json'), 'utf8'));
if (found[1] !== command.version) {
  console.error(`platform-package: ${archive} has version ${found[1]}, but web/assetc/package.json ${command.version}; change one`);
  process.exit(1);
}
const unpacked = mkdtempSync(join(tmpdir(), 'assetc-npm-'));
try {
  if (windows) {
    cpSync(archive, unpacked, { recursive: true });
  } else {
    const done = spawnSync('tar', ['-xzf', archive, '-C', unpacked, '--strip-components=1'], { stdio: 'inherit' });
    if (done.status !== 0) process.exit(1);
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const program = windows ? 'bin/assetc.exe' : 'bin/assetc';
  cpSync(join(unpacked, program), join(folder, program));
  if (!windows) cpSync(join(unpacked, 'lib/assetc'), join(folder, 'lib/assetc'), { recursive: true });
  const licenses = join(unpacked, 'share/doc/assetc/libraries');
  if (existsSync(licenses)) cpSync(licenses, join(folder, 'licenses'), { recursive: true });
} finally {
  rmSync(unpacked, { recursive: true, force: true });
}
const system = windows ? 'win32' : 'linux', name = `@assetc/${system}-${cpu}`, text = `${windows ? 'Windows' : 'Linux'} on ${cpu}`;
writeFileSync(join(folder, 'package.json'), `${JSON.stringify({
  name, version: command.version, description: `The program assetc for ${text}`, license: command.license,
  os: [system], cpu: [cpu], ...(windows ? {} : { libc: ['glibc'] }), files: ['bin', 'lib', 'licenses'], preferUnplugged: true,
}, null, 2)}\n`);
writeFileSync(join(folder, 'README.md'), `# ${name}\n\nThe program of the package \`assetc\` for ${text}. Install \`assetc\`, which selects it.\n`);
console.log(`${name} ${command.version}: ${windows ? 'one program' : `${readdirSync(join(folder, 'lib/assetc')).length} libraries`}`);
