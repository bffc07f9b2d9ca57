// Runs a WASI program with this machine's files: node run-wasm.cjs PROGRAM.wasm [ARGUMENTS]
const fs = require('fs');
const {WASI} = require('wasi');

const [program, ...args] = process.argv.slice(2);
const wasi = new WASI({version: 'preview1', args: [program, ...args], env: process.env, preopens: {'/': '/'}});
const module_ = new WebAssembly.Module(fs.readFileSync(program));
process.exitCode = wasi.start(new WebAssembly.Instance(module_, wasi.getImportObject()));
