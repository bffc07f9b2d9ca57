// Checks and reads records by the tables of the formats. tables.js has the tables; the compiler's C++ (src/formats/table.hpp) says what
// each rule means.
import { fileError, NONE, Reader } from './reader.js';
import { FORMATS } from './tables.js';

/**
 * @typedef {{ name: string, type: keyof typeof SIZES, count: number, rule: string, a: number, b: number, what: string, offset: number }} Field
 * @typedef {{ name: string, size: number, fields: Field[], byName: Record<string, Field> }} Record_
 * @typedef {{ record: Record_, first: number, fields: number, times: number, count: number }} Section
 * @typedef {{ name: string, header: Record_, sections: Section[], texts: 'none' | 'rest' | 'sized', textField: number, hasMore: boolean }} Part
 * @typedef {{ id: string, record: Record_ | null, size: 'free' | 'fixed' | 'one' | 'part', count: number, required: boolean, encodings: number }} ChunkRow
 * @typedef {{ records: Record<string, Record_>, parts: Record<string, Part>, chunks: ChunkRow[], counts: Record<string, number> }} Format
 */

const SIZES = { u8: 1, u16: 2, i16: 2, u32: 4, i32: 4, u64: 8, f32: 4 };
/** @type {Record<keyof typeof SIZES, (view: DataView, at: number) => any>} */
const GET = {
  u8: (view, at) => view.getUint8(at), u16: (view, at) => view.getUint16(at, true), i16: (view, at) => view.getInt16(at, true),
  u32: (view, at) => view.getUint32(at, true), i32: (view, at) => view.getInt32(at, true), u64: (view, at) => view.getBigUint64(at, true),
  f32: (view, at) => view.getFloat32(at, true),
};
const ARRAYS = { u8: Uint8Array, u16: Uint16Array, i16: Int16Array, u32: Uint32Array, i32: Int32Array, u64: BigUint64Array, f32: Float32Array };
/** A count that a table does not give. */
const NO_COUNT = 255;

/** @param {any[]} row of tables.js @returns {Record_} */
function makeRecord([name, ...rows]) {
  let size = 0;
  const fields = rows.map(([fieldName, type, count = 1, rule = 'any', a = 0, b = 0, what = '']) => {
    const field = { name: fieldName, type, count, rule, a, b, what: what || fieldName, offset: size };
    size += SIZES[/** @type {keyof typeof SIZES} */ (type)] * count;
    return field;
  });
  return { name, size, fields, byName: Object.fromEntries(fields.map((field) => [field.name, field])) };
}

/** @type {Map<string, Format>} */
const made = new Map();

/** The tables of a format of this package, with records by name. @param {keyof typeof FORMATS} name @returns {Format} */
export function formatOf(name) {
  const format = made.get(name) ?? makeFormat(FORMATS[name]);
  made.set(name, format);
  return format;
}

/** Tables with records by name. @param {any} from as in tables.js @returns {Format} */
export function makeFormat(from) {
  /** @type {Record<string, Record_>} */
  const records = Object.fromEntries(from.records.map((/** @type {any[]} */ row) => [row[0], makeRecord(row)]));
  return {
    records, counts: from.counts,
    parts: Object.fromEntries(from.parts.map((/** @type {any[]} */ [id, header, texts, textField, hasMore, ...sections]) => [id, {
      name: id, header: records[header], texts, textField, hasMore: hasMore === 1,
      sections: sections.map(([record, first, fields, times, count]) => ({ record: records[record], first, fields, times, count })),
    }])),
    chunks: from.chunks.map((/** @type {any[]} */ [id, record, size, count, required, encodings = 0]) => ({ id, record: records[record] ?? null, size, count, required: required === 1, encodings })),
  };
}

/** What the rules of a file refer to. */
export class Context {
  /** @param {Format} format */
  constructor(format) {
    this.format = format;
    /** How many elements the arrays of the file have. @type {number[]} */
    this.counts = [];
    /** @type {Uint8Array} */
    this.texts = new Uint8Array();
    /** A minimum of three numbers, then a maximum. @type {number[]} */
    this.box = [];
  }

  /** @param {string} name of a count of the format */
  count(name) { return this.counts[this.format.counts[name]] ?? 0; }
  /** @param {string} name @param {number} value */
  setCount(name, value) { this.counts[this.format.counts[name]] = value; }
}

/** Records of a part of a file. */
export class Rows {
  /** @param {Record_} record @param {Reader} reader the records and nothing else @param {number} [stride] from one record to the next, in bytes */
  constructor(record, reader, stride = record.size) {
    this.record = record;
    this.reader = reader;
    this.view = reader.view;
    this.stride = stride;
    this.length = reader.size < record.size ? 0 : Math.floor((reader.size - record.size) / stride) + 1;
  }

  /** @param {number} row @param {string} message @returns {never} */
  fail(row, message) { return this.reader.fail(message, this.length > 1 || this.reader.size > this.record.size ? `[${row}]` : ''); }

  /** The value of a field: a number, or an array of several. @param {number} row @param {string} name @returns {any} */
  get(row, name) {
    const field = this.record.byName[name];
    return this.value(row, field);
  }

  /** @param {number} row @param {Field} field */
  value(row, { type, count, offset }) {
    const at = row * this.stride + offset, get = GET[type];
    if (count === 1) return get(this.view, at);
    return Array.from({ length: count }, (_, n) => get(this.view, at + n * SIZES[type]));
  }

  /** All fields of a record by name, without reserved ones. @param {number} row @returns {any} */
  row(row) {
    /** @type {Record<string, any>} */
    const out = {};
    for (const field of this.record.fields) if (!field.name.startsWith('reserved')) out[field.name] = this.value(row, field);
    return out;
  }

  /** @template T @param {(row: any, i: number) => T} make @returns {T[]} */
  map(make) { return Array.from({ length: this.length }, (_, i) => make(this.row(i), i)); }

  /** All values of a field, one record after another. @param {string} name @returns {any} a typed array */
  column(name) {
    const { type, count, offset } = this.record.byName[name], size = SIZES[type], get = GET[type];
    if (size * count === this.stride && this.reader.bytes.byteLength > 0) {
      const copy = this.reader.bytes.slice();
      return new ARRAYS[type](copy.buffer, 0, count * this.length);
    }
    const out = new ARRAYS[type](count * this.length);
    for (let i = 0, at = offset; i < this.length; ++i, at += this.stride)
      for (let n = 0; n < count; ++n) out[i * count + n] = get(this.view, at + n * size);
    return out;
  }
}

/** @param {number[]} v a minimum and a maximum */
const isBox = (v) => v.slice(0, 6).every(Number.isFinite) && v[0] <= v[3] && v[1] <= v[4] && v[2] <= v[5];
/** @param {number[]} v a box, a center, a radius */
const isBounds = (v) => isBox(v) && v.every(Number.isFinite) && v[9] >= 0;
/** @param {number[]} v @param {number[]} box */
const isInside = (v, box) => [0, 1, 2].every((k) => v[k] >= box[k] && v[k + 3] <= box[k + 3]);

/**
 * Checks records.
 * @param {Record_} record
 * @param {Reader} reader the records and nothing else
 * @param {Context} context
 * @param {number} [firstNumber] the number of the first record
 * @param {number} [stride] from one record to the next, in bytes
 * @returns {Rows}
 */
export function checkRecords(record, reader, context, firstNumber = 0, stride = record.size) {
  const rows = new Rows(record, reader, stride);
  for (const field of record.fields) if (field.rule !== 'any') checkField(rows, field, context, firstNumber);
  return rows;
}

/** @param {Rows} rows @param {Field} field @param {Context} context @param {number} firstNumber */
function checkField(rows, field, context, firstNumber) {
  const { type, count, rule, a, b, what, offset } = field, size = SIZES[type], get = GET[type], { stride, view, length } = rows;
  const limit = context.counts[a] ?? 0;
  /** @param {number} row */
  const numbers = (row) => Array.from({ length: count }, (_, n) => get(view, row * stride + offset + n * size));
  /** @param {(v: any) => boolean} pass @param {string} expected */
  const each = (pass, expected) => {
    for (let row = 0, at = offset; row < length; ++row, at += stride)
      for (let n = 0; n < count; ++n) {
        const v = get(view, at + n * size);
        if (!pass(v)) rows.fail(row, `found ${what} ${v}, expected ${expected}`);
      }
  };
  /** @param {(row: number) => boolean} pass @param {(row: number) => string} message */
  const all = (pass, message) => {
    for (let row = 0; row < length; ++row) if (!pass(row)) rows.fail(row, message(row));
  };
  /** A range: this field and the next. @param {number} row */
  const range = (row) => {
    const at = row * stride + offset;
    return [get(view, at), get(view, at + size)];
  };
  const multiple = Math.max(b, 1);
  switch (rule) {
    case 'zero': return each((v) => v === 0, '0');
    case 'version':
    case 'equal': return each((v) => v === a, `${a}`);
    case 'range': return each((v) => v >= a && v <= b, b === NONE ? `at least ${a}` : `${a} to ${b}`);
    case 'set': return each((v) => v < 32 && (a >>> v & 1) !== 0, `one of ${Array.from({ length: 32 }, (_, i) => i).filter((i) => a >>> i & 1).join(', ')}`);
    case 'bits': return each((v) => (v & ~a) === 0, `only bits of ${a}`);
    case 'multiple': return each((v) => v % a === 0 && v >= b, `a multiple of ${a} of at least ${b}`);
    case 'count': return b < 2 ? undefined : each((v) => v % b === 0, `a multiple of ${b}`);
    case 'count of': return each((v) => v === limit, `${limit}`);
    case 'none or count': return each((v) => v === 0 || v === limit, `0 or ${limit}`);
    case 'index': return each((v) => v < limit, `less than ${limit}`);
    case 'index or none': return each((v) => v < limit || v === NONE, `less than ${limit} or none`);
    case 'up to': return each((v) => v <= limit, `at most ${limit}`);
    case 'parent': return each((v) => v >= -1 && v < limit, `-1 or less than ${limit}`);
    case 'earlier': return all((row) => { const [v] = numbers(row); return v >= -1 && v < firstNumber + row; }, (row) => `found ${what} ${numbers(row)}, expected -1 or one before it`);
    case 'slice':
      return all((row) => { const [first, n] = range(row); return first + n <= limit && n % multiple === 0; },
        (row) => `found ${range(row)[1]} ${what} from ${range(row)[0]}, expected at most ${limit}, and a multiple of ${multiple}`);
    case 'run': {
      let end = 0;
      all((row) => {
        const [first, n] = range(row), passes = first === end && n <= limit - end && n % multiple === 0;
        if (passes) end += n;
        return passes;
      }, (row) => `found ${range(row)[1]} ${what} from ${range(row)[0]}, expected a multiple of ${multiple} from ${end}, up to ${limit}`);
      if (end !== limit) rows.reader.fail(`found ${end} ${what} in all, expected ${limit}`);
      return;
    }
    case 'text end': {
      let end = 0;
      const texts = new Reader(context.texts, rows.reader.file, rows.reader.place);
      all((row) => {
        const [at] = numbers(row);
        if (at < end || at > texts.size) return false;
        texts.text(end, at - end);
        end = at;
        return true;
      }, (row) => `found the end of ${what} ${row} at ${numbers(row)}, expected ${end} to ${texts.size}`);
      if (end !== texts.size) rows.reader.fail(`found ${texts.size - end} extra bytes of text, expected the end of the last ${what}`);
      return;
    }
    case 'finite': return each(Number.isFinite, 'a finite number');
    case 'from zero': return each((v) => v >= 0 && Number.isFinite(v), 'a finite number of at least 0');
    case 'not negative': return each((v) => v >= 0, 'at least 0');
    case 'up to one': return each((v) => v >= 0 && v <= 1, '0 to 1');
    case 'step': return each((v) => v >= 0 && Number.isFinite(Math.fround(v * 32767)), 'a small number of at least 0');
    case 'weights':
      return all((row) => {
        const w = numbers(row), sum = Math.fround(Math.fround(Math.fround(w[0] + w[1]) + w[2]) + w[3]);
        return w.every((v) => v >= 0) && Math.abs(Math.fround(sum - 1)) <= Math.fround(1e-3);
      }, (row) => `found the weights ${numbers(row)}, expected four of at least 0 that sum to 1`);
    case 'in order':
      return all((row) => { const [low, high] = numbers(row); return Number.isFinite(low) && Number.isFinite(high) && low <= high; },
        (row) => `found ${what} ${numbers(row)}, expected finite numbers in order`);
    case 'box':
      return all((row) => {
        const v = numbers(row), at = row * stride + a;
        const has = b === 0 ? view.getBigUint64(at, true) !== 0n || view.getBigUint64(at + 8, true) !== 0n : (view.getUint32(at, true) & b) !== 0;
        return v.every(Number.isFinite) && (!has || isBox(v));
      }, (row) => `found the ${what} ${numbers(row)}, expected a minimum and a maximum, finite and in order`);
    case 'bounds': return all((row) => isBounds(numbers(row)), (row) => `found the ${what} ${numbers(row)}, expected a box in order and a sphere, all finite`);
    case 'bounds inside':
      return all((row) => { const v = numbers(row); return isBounds(v) && isInside(v, context.box); },
        (row) => `found the ${what} ${numbers(row)}, expected a box inside ${context.box}, and a sphere`);
    case 'inside': {
      const [lowX, lowY, lowZ, highX, highY, highZ] = context.box;
      for (let row = 0, at = offset; row < length; ++row, at += stride) {
        const x = view.getFloat32(at, true), y = view.getFloat32(at + 4, true), z = view.getFloat32(at + 8, true);
        if (!(x >= lowX && x <= highX && y >= lowY && y <= highY && z >= lowZ && z <= highZ)) rows.fail(row, `(${x}, ${y}, ${z}) lies outside the box of the mesh`);
      }
      return;
    }
    case 'ref': return all((row) => limit === 1 || numbers(row)[1] === 0n, () => 'found a ref of 16 bytes, expected a hash of 8 bytes and zeros');
    default: throw new Error(`the table has the rule ${JSON.stringify(rule)}, which this reader does not know`);
  }
}

/**
 * Takes the next record of a file whose records follow one another with other bytes between, and checks it. Rules about ranges and texts
 * see no record before.
 * @param {Record_} record
 * @param {Reader} reader
 * @param {Context} context gets the counts that the record gives
 * @param {number} [number] of the record
 * @returns {any} its fields by name
 */
export function takeRecord(record, reader, context, number) {
  const start = reader.skip(record.size);
  const rows = checkRecords(record, new Reader(reader.bytes.subarray(start, reader.at), reader.file, number === undefined ? reader.place : `${reader.place}${record.name} ${number}`), context, number);
  giveCounts(record, rows, context);
  return rows.row(0);
}

/** @param {Record_} record @param {Rows} rows of one record @param {Context} context */
function giveCounts(record, rows, context) {
  for (const field of record.fields) if (field.rule === 'count') context.counts[field.a] = rows.value(0, field);
}

/**
 * Checks a part: a header, arrays, texts.
 * @param {Part} part
 * @param {Reader} reader
 * @param {Context} context gets the counts and texts of the part
 * @returns {{ header: any, sections: Rows[], texts: Uint8Array, more: Reader }} more: what follows that the table does not describe
 */
export function openPart(part, reader, context) {
  const { bytes, file, place } = reader;
  let at = 0;
  /** @param {number} size @param {string} what */
  const take = (size, what) => {
    if (size > bytes.length - at) reader.fail(`${size} bytes of ${what} are needed at offset ${at}, but there are ${bytes.length}; the file is damaged or truncated`);
    return new Reader(bytes.subarray(at, at += size), file, place);
  };
  const head = checkRecords(part.header, take(part.header.size, 'a header'), context);
  giveCounts(part.header, head, context);
  /** @param {number} number */
  const field = (number) => head.value(0, part.header.fields[number]);
  const sections = part.sections.map(({ record, first, fields, times, count }) => {
    let size = 0;
    for (let f = 0; f < fields; ++f) size += field(first + f);
    if (times !== NO_COUNT) size *= field(times);
    if (count !== NO_COUNT) context.counts[count] = size;
    return { record, rows: take(size * record.size, record.name) };
  });
  /** @type {Uint8Array} */
  const texts = part.texts === 'none' ? new Uint8Array() : take(part.texts === 'rest' ? bytes.length - at : field(part.textField), 'text').bytes;
  if (!part.hasMore && at !== bytes.length) reader.fail(`${bytes.length - at} bytes follow the last value, expected none`);
  context.texts = texts;
  return { header: head.row(0), sections: sections.map(({ record, rows }) => checkRecords(record, rows, context)), texts, more: new Reader(bytes.subarray(at), file, place) };
}

/** The texts that end where a checked column says. @param {Rows} rows @param {string} name of the column @param {Uint8Array} texts @returns {string[]} */
export function textsOf(rows, name, texts) {
  const reader = new Reader(texts, rows.reader.file, rows.reader.place);
  let from = 0;
  return Array.from(rows.column(name), (end) => {
    const text = reader.text(from, end - from);
    from = end;
    return text;
  });
}

/**
 * The arrays of a file of chunks, by id, checked by `checkChunks`. Chunks that are absent have no rows.
 * @param {Format} format
 * @param {Map<string, Reader>} chunks
 * @param {string} file
 * @param {Context} context gets the counts
 * @param {Map<string, number>} [skipped] chunks that are there and not decoded, with their decoded size: they have no rows
 * @returns {Record<string, Rows>}
 */
export function openChunks(format, chunks, file, context, skipped = new Map()) {
  /** @type {Record<string, Rows>} */
  const out = {};
  for (const { id, required } of format.chunks) if (required && !chunks.has(id)) throw fileError(file, '', `the chunk ${id} is missing`);
  for (const { id, record, size, count } of format.chunks) {
    if (!record) continue;
    const skippedBytes = skipped.get(id), reader = skippedBytes === undefined ? chunks.get(id) ?? new Reader(new Uint8Array(), file, id) : new Reader(new Uint8Array(), file, id);
    const bytes = skippedBytes ?? reader.size, length = bytes / record.size;
    if (!Number.isInteger(length)) reader.fail(`the chunk has ${bytes} bytes, expected a multiple of ${record.size}`);
    const expected = size === 'one' ? 1 : size === 'fixed' ? context.counts[count] ?? 0 : length;
    if (length !== expected) reader.fail(`the chunk has ${length} elements, expected ${expected}`);
    if (size === 'free' && count !== NO_COUNT) context.counts[count] = length;
    out[id] = new Rows(record, reader);
    if (size === 'one' && skippedBytes === undefined) giveCounts(record, out[id], context);
  }
  return out;
}

/** @param {Record<string, Rows>} rows @param {Context} context */
export function checkChunks(rows, context) {
  for (const { record, reader } of Object.values(rows)) checkRecords(record, reader, context);
}
