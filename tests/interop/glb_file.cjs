// Reads and writes binary glTF as its two chunks. Source: glTF 2.0, 4 (GLB File Format Specification).
'use strict';

const fs = require('fs');

function readGlb(file) {
  const bytes = fs.readFileSync(file), length = bytes.readUInt32LE(12);
  return { json: JSON.parse(bytes.subarray(20, 20 + length)), binary: bytes.subarray(28 + length) };
}
function writeGlb(file, json, binary) {
  const pad = (b, fill) => Buffer.concat([b, Buffer.alloc(-b.length & 3, fill)]);
  const text = pad(Buffer.from(JSON.stringify(json)), ' '), data = pad(binary, 0), head = Buffer.alloc(20), between = Buffer.alloc(8);
  head.write('glTF');
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(28 + text.length + data.length, 8);
  head.writeUInt32LE(text.length, 12);
  head.write('JSON', 16);
  between.writeUInt32LE(data.length);
  between.write('BIN\0', 4);
  fs.writeFileSync(file, Buffer.concat([head, text, between, data]));
}

module.exports = { readGlb, writeGlb };
