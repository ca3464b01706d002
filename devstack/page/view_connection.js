/** @file The bar that says that the page is not connected, and when it tries again. */

import { h } from './dom.js';

const GRACE_MS = 1500; // the first connection takes a moment: no bar for that

const WORDS = {
  connecting: 'Connecting…',
  reconnecting: 'Connection lost. Reconnecting…',
  refused: 'The simulated Discord refused this member’s token. Reload the page.',
};

/**
 * @param {import('./view_shell.js').Ui} ui
 * @param {AbortSignal} signal
 * @returns {HTMLElement}
 */
export function connectionView(ui, signal) {
  const text = h('span', null);
  const countdown = h('span.countdown', { 'aria-hidden': 'true' }); // not read out: it changes every second
  const button = h('button.link', { type: 'button', onclick: () => ui.session.gateway.reconnectNow() }, 'Try now');
  const element = h(
    'div.connection',
    { role: 'status', hidden: true },
    h('span.pulse', { 'aria-hidden': 'true' }),
    text,
    countdown,
    button,
  );
  const began = Date.now();
  const render = () => {
    const { state, retryAt } = ui.session.connection;
    element.hidden =
      state === 'ready' || state === 'stopped' || (state === 'connecting' && Date.now() - began < GRACE_MS);
    button.hidden = !retryAt || retryAt - Date.now() < 1000;
    const words = WORDS[state] ?? '';
    if (text.textContent !== words) text.textContent = words;
    const seconds = retryAt ? Math.round((retryAt - Date.now()) / 1000) : 0;
    countdown.textContent = seconds > 0 ? `next attempt in ${seconds} s` : '';
  };
  ui.session.on('gateway', render, signal);
  const timer = setInterval(render, 1000);
  signal.addEventListener('abort', () => clearInterval(timer));
  window.addEventListener('online', () => ui.session.gateway.reconnectNow(), { signal });
  return element;
}
