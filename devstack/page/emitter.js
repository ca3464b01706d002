/** @file Topics and listeners: how the session tells the views what changed. */

/** A minimal publisher. Listeners run synchronously in the order of subscription. */
export class Emitter {
  /** @type {Map<string, Set<(detail: any) => void>>} */
  #listeners = new Map();

  /**
   * Calls `listener` for each `emit` of `topic` until the returned function is called or `signal` aborts.
   * @param {string} topic
   * @param {(detail: any) => void} listener
   * @param {AbortSignal} [signal]
   * @returns {() => void}
   */
  on(topic, listener, signal) {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners.add(listener));
    const off = () => listeners.delete(listener);
    signal?.addEventListener('abort', off, { once: true });
    return off;
  }

  /**
   * Tells every listener of `topic`.
   * @param {string} topic
   * @param {any} [detail]
   */
  emit(topic, detail) {
    for (const listener of [...(this.#listeners.get(topic) ?? [])]) listener(detail);
  }
}

/**
 * Joins many calls into one before the next frame (or soon, where the page is hidden and has no frames).
 * @param {() => void} render
 * @param {AbortSignal} [signal] after its abort the render never runs again
 * @returns {() => void}
 */
export function batched(render, signal) {
  let waiting = false;
  const run = () => {
    waiting = false;
    if (!signal?.aborted) render();
  };
  return () => {
    if (waiting) return;
    waiting = true;
    if (document.hidden) setTimeout(run, 50);
    else requestAnimationFrame(run);
  };
}
