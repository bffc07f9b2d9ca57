// Live builds: a stream of events from the server. It is read with fetch, because an EventSource cannot send the token.
import { request } from './data.js';

const FIRST_WAIT_MS = 250,
  LONGEST_WAIT_MS = 8000;

/**
 * Listens until the signal aborts. Connects again after a failure, after longer and longer waits.
 * @param {{ event: (event: any) => void, state: (state: 'on' | 'off') => void }} hooks
 * @param {AbortSignal} signal
 */
export async function listen(hooks, signal) {
  let wait = FIRST_WAIT_MS;
  while (!signal.aborted) {
    try {
      const response = await request('events', { signal });
      hooks.state('on');
      const reader = response?.body?.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      for (;;) {
        const { done, value } = await /** @type {ReadableStreamDefaultReader<string>} */ (reader).read();
        if (done) break;
        text += value;
        const parts = text.split('\n');
        text = /** @type {string} */ (parts.pop());
        for (const line of parts) {
          if (!line.startsWith('data:')) continue;
          wait = FIRST_WAIT_MS;
          try {
            hooks.event(JSON.parse(line.slice(5)));
          } catch (error) {
            console.error('an event of the server is not valid', error);
          }
        }
      }
    } catch (error) {
      if (signal.aborted) return;
    }
    hooks.state('off');
    await new Promise((done) => setTimeout(done, wait * (0.75 + Math.random() / 2)));
    wait = Math.min(2 * wait, LONGEST_WAIT_MS);
  }
}
