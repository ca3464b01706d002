/** @file A message shown inside something else: where a thread began, what is about to be deleted. */

import { h } from './dom.js';
import { fullTime, stamp } from './format.js';
import { avatar } from './icons.js';
import { renderMarkdown } from './markdown_view.js';
import { attachmentsView } from './view_attachments.js';

/**
 * @param {any} message
 * @param {import('./view_shell.js').Ui} ui
 * @returns {HTMLElement}
 */
export function messageQuote(message, ui) {
  const person = ui.person(message.author.id);
  const time = new Date(message.timestamp);
  const files = message.attachments?.length ? attachmentsView(message.attachments) : null;
  const head = h(
    'header.message-head',
    null,
    h('span.author', { style: { '--who': person.hue } }, person.name),
    h('time', { title: fullTime(time) }, stamp(time)),
  );
  return h(
    'div.quote-card',
    null,
    h('div.gutter', null, avatar(person)),
    h(
      'div.message-body',
      null,
      head,
      h('div.content', null, renderMarkdown(message.content ?? '', ui.surroundings)),
      files,
    ),
  );
}
