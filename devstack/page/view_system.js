/** @file Messages that Discord itself writes: joins, threads, pins. */

import { h } from './dom.js';
import { fullTime, stamp } from './format.js';
import { icon } from './icons.js';
import { messageQuote } from './view_quote.js';

const SPEECH = new Set([0, 19, 20, 23]); // default, reply, chat input command, context menu command

/** @param {any} message @returns {boolean} */
export const isSystemMessage = (message) => !SPEECH.has(message.type ?? 0);

/**
 * The one line of a system message, for `patch`.
 * @param {any} message
 * @param {import('./view_shell.js').Ui} ui
 * @returns {import('./dom.js').Part}
 */
export function systemLine(message, ui) {
  return { key: 'system', sig: JSON.stringify(message), build: () => systemView(message, ui) };
}

function systemView(message, ui) {
  const time = h(
    'time',
    { datetime: message.timestamp, title: fullTime(new Date(message.timestamp)) },
    stamp(new Date(message.timestamp)),
  );
  const who = h('b', null, ui.person(message.author.id).name);
  const line = (sign, ...parts) => h('div.system', null, icon(sign), h('span', null, parts, ' ', time));
  switch (message.type) {
    case 6:
      return line('check', who, ' pinned a message to this channel.');
    case 7:
      return line('people', who, ' joined the server. Say hello!');
    case 18:
      return line('thread', who, ' started a thread: ', threadLink(message, ui));
    case 21:
      return starterView(message, ui);
    default:
      return line('slash', who, ` (Discord’s message type ${message.type}) `, message.content);
  }
}

function threadLink(message, ui) {
  const id = message.message_reference?.channel_id ?? message.thread?.id ?? message.id;
  return h('button.link', { type: 'button', onclick: () => ui.openChannel(id) }, message.content || 'open it');
}

/** The first message of a thread that grew from another message. */
function starterView(message, ui) {
  const original = message.referenced_message;
  if (!original)
    return h('div.system', null, icon('thread'), h('i', null, 'The message that this thread grew from was deleted.'));
  return h('div.starter', null, messageQuote(original, ui));
}
