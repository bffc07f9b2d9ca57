// Work on files that may be hostile: in workers, each with a time limit. A worker that takes longer is ended.

/** @typedef {{ code?: string, place?: string, what: string, hint?: string }} Failure */

/** An error that the page shows at its asset. */
export class PageError extends Error {
  /** @param {Failure} failure */
  constructor({ code = 'invalid_data', place = '', what, hint = '' }) {
    super(place ? `${place}: ${what}` : what);
    this.code = code;
    this.place = place;
    this.what = what;
    this.hint = hint;
  }
}

/** Any error as one that the page shows. @param {any} error @param {string} [place] @returns {PageError} */
export function pageError(error, place) {
  if (error instanceof PageError) return error;
  return new PageError({
    code: error?.code,
    place: error?.place ?? place,
    what: error?.what ?? error?.message ?? String(error),
    hint: error?.hint,
  });
}

/**
 * @typedef {{ op: string, data: any, transfer: Transferable[], file: string, limit: number, urgent: boolean, signal?: AbortSignal,
 *   resolve: (value: any) => void, reject: (error: any) => void }} Job
 * @typedef {{ worker: Worker, job: Job | null, timer: number, id: number }} Lane
 */

const LIMIT_MS = 20_000;
const lanes = /** @type {Lane[]} */ ([]);
const most = Math.max(2, Math.min(4, (navigator.hardwareConcurrency || 2) - 1));
/** @type {Job[]} */
let waiting = [];

const newWorker = () => new Worker(new URL('worker.js', document.baseURI), { type: 'module' });

/** @returns {Lane} */
function newLane() {
  /** @type {Lane} */
  const lane = { worker: newWorker(), job: null, timer: 0, id: 0 };
  lane.worker.onmessage = ({ data }) => {
    const { job } = lane;
    if (!job || data.id !== lane.id) return;
    finish(lane);
    if (data.error) job.reject(new PageError({ ...data.error, place: data.error.place || job.file }));
    else job.resolve(data.result);
    next();
  };
  lane.worker.onerror = (event) => end(lane, { code: 'trap', what: `the reader failed: ${event.message || 'its worker did not start'}` });
  lanes.push(lane);
  return lane;
}

/** @param {Lane} lane */
function finish(lane) {
  clearTimeout(lane.timer);
  lane.job = null;
}

/** A file that takes longer than its limit. @param {number} limit in milliseconds @returns {Failure} */
const tooLong = (limit) => ({
  code: 'limit',
  what: `reading took longer than ${limit / 1000} s and was stopped`,
  hint: 'check the file with assetc check; if it is valid, please report this',
});

/** Ends a worker and its job. @param {Lane} lane @param {Failure} failure */
function end(lane, failure) {
  const { job } = lane;
  finish(lane);
  lane.worker.terminate();
  lanes.splice(lanes.indexOf(lane), 1);
  job?.reject(new PageError({ ...failure, place: job.file }));
  next();
}

function next() {
  waiting = waiting.filter((job) => {
    if (!job.signal?.aborted) return true;
    job.reject(new DOMException('canceled', 'AbortError'));
    return false;
  });
  while (waiting.length > 0) {
    const free = lanes.find((lane) => !lane.job) ?? (lanes.length < most ? newLane() : null);
    if (!free) return;
    const urgent = waiting.findIndex((job) => job.urgent);
    // One worker stays free of work in the background.
    if (urgent === -1 && lanes.filter((lane) => lane.job).length >= most - 1) return;
    const [job] = waiting.splice(Math.max(urgent, 0), 1);
    free.job = job;
    free.timer = window.setTimeout(
      () => end(free, tooLong(job.limit)),
      job.limit,
    );
    free.worker.postMessage({ id: ++free.id, op: job.op, data: job.data, file: job.file }, job.transfer);
  }
}

/** Starts the workers, so that the first jobs need not wait for them. */
export const warmUp = () => {
  while (lanes.length < most) newLane().worker.postMessage({ id: 0, op: 'warm', data: {}, file: '' });
};

/**
 * Runs an operation of worker.js.
 * @param {string} op
 * @param {string} file the name for errors
 * @param {any} data
 * @param {{ transfer?: Transferable[], limit?: number, urgent?: boolean, signal?: AbortSignal }} [options] limit in milliseconds; a job
 *   that was canceled before it started does not run
 * @returns {Promise<any>} rejects with PageError
 */
export function run(op, file, data, { transfer = [], limit = LIMIT_MS, urgent = true, signal } = {}) {
  return new Promise((resolve, reject) => {
    waiting.push({ op, data, transfer, file, limit, urgent, signal, resolve, reject });
    next();
  });
}

/** A worker for files that stay open, until it is closed. An operation that exceeds its time limit ends it, with all of its files. */
export class Session {
  constructor() {
    /** @type {Worker | null} */
    this.worker = newWorker();
    /** @type {Map<number, { file: string, timer: number, resolve: (value: any) => void, reject: (error: any) => void }>} */
    this.jobs = new Map();
    this.id = 0;
    this.worker.onmessage = ({ data }) => {
      const job = this.jobs.get(data.id);
      if (!job) return;
      clearTimeout(job.timer);
      this.jobs.delete(data.id);
      if (data.error) job.reject(new PageError({ ...data.error, place: data.error.place || job.file }));
      else job.resolve(data.result);
    };
    this.worker.onerror = (event) =>
      this.end({ code: 'trap', what: `the reader failed: ${event.message || 'its worker did not start'}` });
  }

  /**
   * Runs an operation of worker.js.
   * @param {string} op
   * @param {string} file the name for errors
   * @param {any} data
   * @param {{ transfer?: Transferable[], limit?: number }} [options] limit in milliseconds
   * @returns {Promise<any>} rejects with PageError
   */
  run(op, file, data, { transfer = [], limit = LIMIT_MS } = {}) {
    return new Promise((resolve, reject) => {
      if (!this.worker) {
        reject(new PageError({ code: 'canceled', place: file, what: 'the file was closed', hint: 'open it again' }));
        return;
      }
      const id = ++this.id,
        timer = window.setTimeout(() => this.end(tooLong(limit)), limit);
      this.jobs.set(id, { file, timer, resolve, reject });
      this.worker.postMessage({ id, op, data, file }, transfer);
    });
  }

  /** @param {Failure} failure of the operations that run */
  end(failure) {
    this.worker?.terminate();
    this.worker = null;
    for (const { file, timer, reject } of this.jobs.values()) {
      clearTimeout(timer);
      reject(new PageError({ ...failure, place: file }));
    }
    this.jobs.clear();
  }

  close() {
    this.end({ code: 'canceled', what: 'the file was closed' });
  }
}
