/** @file The line that says who is typing. */

import { batched } from './emitter.js';
import { h } from './dom.js';

/**
 * @param {import('./view_shell.js').Ui} ui
 * @param {string} channelId
 * @param {AbortSignal} signal
 * @returns {HTMLElement}
 */
export function typingView(ui, channelId, signal) {
  const words = h('span');
  const dots = h('span.dots', { 'aria-hidden': 'true', hidden: true }, h('i'), h('i'), h('i'));
  const render = batched(() => {
    const names = ui.session.typing.in(channelId).map((id) => ui.person(id).name);
    dots.hidden = !names.length;
    words.textContent = sentence(names);
  }, signal);
  ui.session.on('typing', (changed) => changed === channelId && render(), signal);
  render();
  return h('div.typing', { role: 'status', 'aria-live': 'polite' }, dots, words);
}

function sentence(names) {
  if (!names.length) return '';
  if (names.length > 3) return 'Several people are typing…';
  const list = new Intl.ListFormat('en', { type: 'conjunction' }).format(names);
  return `${list} ${names.length === 1 ? 'is' : 'are'} typing…`;
}
