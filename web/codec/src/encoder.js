import { AssetcError } from './error.js';
import { PictureEncoder } from './encode.js';
import { compile, hasSimd, message } from './module.js';
import { checkPicture, numbersOf } from './settings.js';

const MOST_WORKERS = 8;

/** @typedef {{request: any, resolve: (file: Uint8Array<ArrayBuffer>) => void, reject: (error: AssetcError) => void}} Job */

// A worker thread with the same interface in browsers and in Node.js.
class Thread {
  /** @type {Job | undefined} */
  job;

  /**
   * @param {any} worker
   * @param {boolean} node
   * @param {WebAssembly.Module} module
   * @param {(thread: Thread) => void} idle called after each job
   * @param {(thread: Thread) => void} ended called if the worker ended by itself
   */
  constructor(worker, node, module, idle, ended) {
    this.worker = worker;
    this.node = node;
    const finish = (/** @type {any} */ data) => {
      const job = this.job;
      this.job = undefined;
      if (node) worker.unref(); // an idle worker does not keep the process alive
      if (data.file) job?.resolve(data.file);
      else job?.reject(new AssetcError(data.error.what, data.error));
    };
    const fail = (/** @type {string} */ why) => {
      ended(this);
      if (this.job) finish({ error: { what: `the worker ended: ${why}`, code: 'trap' } });
      this.close();
    };
    const onMessage = (/** @type {any} */ data) => {
      finish(data);
      idle(this);
    };
    if (node) {
      worker.on('message', onMessage);
      worker.on('error', (/** @type {unknown} */ error) => fail(message(error)));
      worker.unref();
    } else {
      worker.onmessage = (/** @type {MessageEvent} */ event) => onMessage(event.data);
      worker.onerror = (/** @type {ErrorEvent} */ event) => fail(event.message || 'its script was not loaded');
      worker.onmessageerror = () => fail('a message was not readable');
    }
    worker.postMessage({ module });
  }

  /** @param {Job} job */
  run(job) {
    this.job = job;
    if (this.node) this.worker.ref();
    this.worker.postMessage(job.request, [job.request.picture.data.buffer]);
  }

  close() {
    this.worker.terminate();
  }
}

class Workers {
  /** @type {Job[]} */
  #queue = [];
  /** @type {Thread[]} */
  #threads = [];
  #closed = false;

  /**
   * @param {WebAssembly.Module} module
   * @param {number} most
   * @param {() => any} start
   * @param {boolean} node
   */
  constructor(module, most, start, node) {
    this.module = module;
    this.most = most;
    this.start = start;
    this.node = node;
  }

  /**
   * @param {import('../index.d.ts').Picture} picture
   * @param {any} numbers
   * @returns {Promise<Uint8Array<ArrayBuffer>>}
   */
  encode(picture, numbers) {
    return new Promise((resolve, reject) => {
      this.#queue.push({ request: { picture: { ...picture, data: picture.data.slice() }, numbers }, resolve, reject });
      this.#start();
    });
  }

  #start() {
    if (this.#closed) return;
    while (this.#queue.length > 0) {
      const thread = this.#threads.find((one) => !one.job) ?? this.#grow();
      if (!thread) return;
      thread.run(/** @type {Job} */ (this.#queue.shift()));
    }
  }

  #grow() {
    if (this.#threads.length >= this.most) return undefined;
    const worker = this.start();
    const thread = new Thread(worker, this.node, this.module, () => this.#start(), (dead) => {
      this.#threads = this.#threads.filter((one) => one !== dead);
      queueMicrotask(() => this.#start());
    });
    this.#threads.push(thread);
    return thread;
  }

  close() {
    this.#closed = true;
    for (const thread of this.#threads) thread.close();
    const jobs = [...this.#threads.map((thread) => thread.job), ...this.#queue];
    this.#threads = [];
    this.#queue = [];
    for (const job of jobs) job?.reject(new AssetcError('the encoder was closed', { code: 'canceled' }));
  }
}

/**
 * How to start a worker, or undefined where there are none. The literal calls let bundlers find the worker's script.
 * @returns {Promise<{start: () => any, node: boolean} | undefined>}
 */
async function workerStart() {
  const process = /** @type {any} */ (globalThis).process;
  if (process?.versions?.node && !(/** @type {any} */ (process).type === 'renderer')) {
    const node = 'node:worker_threads';
    const { Worker: NodeWorker } = await import(/* @vite-ignore */ node);
    return { start: () => new NodeWorker(new URL('./worker.js', import.meta.url)), node: true };
  }
  if (typeof Worker !== 'function') return undefined;
  return { start: () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }), node: false };
}

async function processors() {
  return globalThis.navigator?.hardwareConcurrency ?? (await import(/* @vite-ignore */ ['node', 'os'].join(':'))).availableParallelism?.() ?? 1;
}

/**
 * @param {import('../index.d.ts').EncoderOptions} [options]
 * @returns {Promise<import('../index.d.ts').Encoder>}
 */
export async function loadEncoder({ wasm, simd = hasSimd(), workers } = {}) {
  const ours = simd ? new URL('../wasm/encode-simd.wasm', import.meta.url) : new URL('../wasm/encode.wasm', import.meta.url);
  const module = await compile(wasm, ours);
  const most = workers ?? Math.min(MOST_WORKERS, await processors());
  if (!Number.isInteger(most) || most < 0) throw new AssetcError(`workers is ${most}, expected a whole number from 0`);
  const kind = most > 0 ? await workerStart() : undefined;
  const pool = kind && new Workers(module, most, kind.start, kind.node);
  const local = new PictureEncoder(module);
  let closed = false;
  return {
    simd,
    workers: pool ? most : 0,
    async encode(picture, settings) {
      if (closed) throw new AssetcError('the encoder was closed', { code: 'canceled' });
      checkPicture(picture);
      const numbers = numbersOf(settings);
      return pool ? pool.encode(picture, numbers) : local.encode(picture, numbers);
    },
    close() {
      closed = true;
      pool?.close();
    },
  };
}
