// Runs the program of this platform's package.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The platforms that have a package. */
const PLATFORMS = ['linux-arm64', 'linux-x64', 'win32-x64'];

/**
 * The path of the program.
 * @returns {string}
 * @throws {Error} if this platform has no package, or it is not installed
 */
export function programPath() {
  const platform = `${process.platform}-${process.arch}`, name = `@assetc/${platform}`;
  if (!PLATFORMS.includes(platform))
    throw new Error(`assetc: there is no package for ${platform}, only for ${PLATFORMS.join(', ')}; build assetc from source`);
  const require = createRequire(import.meta.url);
  let manifest;
  try {
    manifest = require.resolve(`${name}/package.json`);
  } catch {
    throw new Error(`assetc: the package ${name} with the program for ${platform} is not installed; run npm install --include=optional`);
  }
  return join(dirname(manifest), 'bin', process.platform === 'win32' ? 'assetc.exe' : 'assetc');
}

/**
 * Starts the program.
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 * @returns {import('node:child_process').ChildProcess}
 */
function start(args, options) {
  return spawn(programPath(), args, { ...options, shell: false, windowsHide: true });
}

/**
 * Runs the command and collects what it writes.
 * @param {string[]} args the command's arguments, without its name
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, input?: string | Uint8Array, signal?: AbortSignal }} [options] `input`: what the
 *   command reads from its standard input. `signal` ends it
 * @returns {Promise<{ code: number | null, signal: NodeJS.Signals | null, stdout: string, stderr: string }>} `code`: 0 if the
 *   command succeeded; null if a signal ended it
 * @throws {Error} if the program is missing or cannot be started
 */
export async function run(args, { cwd, env, input, signal } = {}) {
  const child = start(args, { cwd, env, signal, stdio: 'pipe' });
  /** @type {Buffer[][]} */
  const parts = [[], []];
  [child.stdout, child.stderr].forEach((stream, i) => stream?.on('data', (data) => parts[i].push(data)));
  // A command that fails early may close its input.
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, ended) => {
      const [stdout, stderr] = parts.map((list) => Buffer.concat(list).toString());
      resolve({ code, signal: ended, stdout, stderr });
    });
  });
}

/**
 * Runs the command in place of this process: with its standard streams, signals and exit code.
 * @param {string[]} args
 */
export function main(args) {
  const child = start(args, { stdio: 'inherit' });
  // Ctrl+C reaches both processes; this one waits, so that the program can finish what it writes.
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, () => { if (signal !== 'SIGINT') child.kill(signal); });
  child.on('error', (error) => {
    console.error(`assetc: ${child.spawnfile} cannot be started: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) {
      process.exitCode = code ?? 1;
      return;
    }
    for (const name of signals) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}
