// Reads and writes PNG using only node's zlib: writes sources for tests and reads our outputs.
'use strict';
const zlib = require('zlib');

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; ++bit) crc = crc >>> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

// Writes RGBA of 8 or 16 bits per channel; texel(x, y) returns four numbers.
function writePng(width, height, texel, depth = 8) {
  const rows = [];
  for (let y = 0; y < height; ++y) {
    rows.push(0);
    for (let x = 0; x < width; ++x) rows.push(...depth === 8 ? texel(x, y) : texel(x, y).flatMap((v) => [v >> 8, v & 255]));
  }
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]), out = Buffer.alloc(body.length + 8);
    out.writeUInt32BE(data.length, 0);
    body.copy(out, 4);
    out.writeUInt32BE(crc32(body), body.length + 4);
    return out;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, 6, 0, 0, 0], 8);
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', zlib.deflateSync(Buffer.from(rows))),
    chunk('IEND', Buffer.alloc(0))]);
}

// Reads a PNG of RGBA without interlacing, 8 or 16 bits: {width, height, at(x, y, channel) from 0 to 1}.
function readPng(file) {
  if (!file.subarray(0, 8).equals(SIGNATURE)) throw new Error('no PNG');
  let header;
  const data = [];
  for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at)) {
    const type = file.toString('latin1', at + 4, at + 8), body = file.subarray(at + 8, at + 8 + file.readUInt32BE(at));
    if (crc32(file.subarray(at + 4, at + 8 + body.length)) !== file.readUInt32BE(at + 8 + body.length)) throw new Error(`${type}: CRC`);
    if (type === 'IHDR') header = body;
    if (type === 'IDAT') data.push(body);
  }
  const width = header.readUInt32BE(0), height = header.readUInt32BE(4), depth = header[8];
  if (header[9] !== 6 || header[12] !== 0) throw new Error('not RGBA without interlacing');
  const step = depth / 2, row = width * step;
  const raw = zlib.inflateSync(Buffer.concat(data)), out = Buffer.alloc(row * height);
  const paeth = (a, b, c) => {
    const p = a + b - c, pa = Math.abs(p - a), pb = Math.abs(p - b), pc = Math.abs(p - c);
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
  };
  for (let y = 0; y < height; ++y) {
    const filter = raw[y * (row + 1)];
    for (let i = 0; i < row; ++i) {
      const a = i >= step ? out[y * row + i - step] : 0, b = y > 0 ? out[(y - 1) * row + i] : 0;
      const c = i >= step && y > 0 ? out[(y - 1) * row + i - step] : 0;
      out[y * row + i] = raw[y * (row + 1) + 1 + i] + [0, a, b, a + b >> 1, paeth(a, b, c)][filter];
    }
  }
  const at = (x, y, channel) => depth === 8 ? out[y * row + x * 4 + channel] / 255 : out.readUInt16BE(y * row + x * 8 + channel * 2) / 65535;
  return { width, height, at };
}

module.exports = { writePng, readPng };
