/** @file The list of keys. */

import { h } from './dom.js';
import { openDialog } from './view_dialog.js';

const KEYS = [
  ['Go to a channel or a person', 'Ctrl', 'K'],
  ['Next or previous channel', 'Alt', '↓ ↑'],
  ['Send', 'Enter'],
  ['New line', 'Shift', 'Enter'],
  ['Edit your last message', '↑', 'in an empty message box'],
  ['Commands, people, channels, emoji', '/ @ # :'],
  ['To the messages, from the message box', 'Shift', 'Tab'],
  ['From message to message', '↑ ↓'],
  ['Reply, edit, react, thread, copy, delete', 'R E + T C Del'],
  ['Cancel, close, back to the message box', 'Esc'],
  ['This list', 'Ctrl', '/'],
];

/** Opens the list of keys. */
export function openShortcuts() {
  const rows = KEYS.map(([what, ...keys]) =>
    h(
      'div.shortcut',
      null,
      h('dt', null, what),
      h(
        'dd',
        null,
        keys.map((key) => h('kbd', null, key)),
      ),
    ),
  );
  openDialog({ title: 'Keyboard', className: 'shortcuts', content: h('dl', null, rows) });
}
