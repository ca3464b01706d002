/** @file Editing a message where it stands. */

import { h } from './dom.js';
import { MarkupInput, MESSAGE_LIMIT } from './markup_input.js';

/**
 * @param {any} message
 * @param {import('./view_shell.js').Ui} ui
 * @returns {HTMLElement}
 */
export function editorView(message, ui) {
  const channel = ui.session.world.channels.get(message.channel_id);
  const count = h('span.count');
  const input = new MarkupInput(ui, channel, { label: 'Edit message', onInput: () => showCount(count, input) });
  input.setMarkup(message.content);
  const save = () => (input.length > MESSAGE_LIMIT ? showCount(count, input) : ui.saveEdit(message, input.markup));
  input.field.addEventListener('keydown', (event) => {
    if (input.list.handleKey(event) || event.isComposing) return;
    if (event.key === 'Escape') ui.edit(null);
    else if (event.key === 'Enter' && !event.shiftKey) void save();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  const hint = h(
    'div.editor-hint',
    null,
    'Esc to ',
    h('button.link', { type: 'button', onclick: () => ui.edit(null) }, 'cancel'),
    ' · Enter to ',
    h('button.link', { type: 'button', onclick: () => void save() }, 'save'),
    count,
  );
  queueMicrotask(() => focusAtEnd(input));
  return h('div.editor', null, h('div.editor-box', null, input.field, input.list.element), hint);
}

function focusAtEnd(input) {
  input.changed();
  input.field.focus();
  input.field.setSelectionRange(input.field.value.length, input.field.value.length);
}

/**
 * Shows how much room is left once that matters.
 * @param {HTMLElement} node
 * @param {MarkupInput} input
 */
export function showCount(node, input) {
  const { length } = input;
  node.textContent =
    length > MESSAGE_LIMIT * 0.9 ? `${length.toLocaleString()} / ${MESSAGE_LIMIT.toLocaleString()}` : '';
  node.classList.toggle('over', length > MESSAGE_LIMIT);
  input.field.setAttribute('aria-invalid', String(length > MESSAGE_LIMIT));
}
