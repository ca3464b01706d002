/** @file One row of the message list: who, when, what, and everything that hangs on it. */

import { h, patch } from './dom.js';
import { isOnlyEmoji } from './emoji.js';
import { fullTime, plural, shortClock, stamp } from './format.js';
import { avatar, icon } from './icons.js';
import { InteractionKind } from './interactions.js';
import { parse, plainText } from './markdown.js';
import { renderMarkdown } from './markdown_view.js';
import { MessageFlag, hasFlag } from './timeline.js';
import { attachmentsView } from './view_attachments.js';
import { componentsView } from './view_components.js';
import { editorView } from './view_editor.js';
import { embedsView } from './view_embeds.js';
import { reactionsView } from './view_reactions.js';
import { isSystemMessage, systemLine } from './view_system.js';
import { isWebhook } from './world.js';

/**
 * How a message stands in the list.
 * @typedef {{grouped: boolean, editing: boolean}} Look
 */

/** @type {WeakMap<HTMLElement, any[]>} what a row shows; a changed message is another object */
const shown = new WeakMap();

/**
 * The row of a message, for `patch`. The row's node stays while the message changes; only what differs is rebuilt.
 * @param {any} message
 * @param {Look} look
 * @param {import('./view_shell.js').Ui} ui
 * @returns {import('./dom.js').Part}
 */
export function messagePart(message, look, ui) {
  return {
    key: message.id,
    build: () => h('article.message', { id: `message-${message.id}`, tabindex: -1, dataset: { id: message.id } }),
    update: (node) => updateRow(node, message, look, ui),
  };
}

function updateRow(node, message, look, ui) {
  const wait = ui.session.interactions.stateOf(message.id);
  const facts = [
    message,
    look.grouped,
    look.editing,
    wait,
    wait?.error,
    ui.session.world.nameOf(message.author.id, ui.guildId),
  ];
  if (shown.get(node)?.every((fact, index) => fact === facts[index])) return;
  shown.set(node, facts);
  node.classList.toggle('grouped', look.grouped);
  node.classList.toggle('mentioned', ui.session.mentionsMe(message));
  node.classList.toggle('ephemeral', hasFlag(message, MessageFlag.EPHEMERAL));
  node.setAttribute('aria-label', rowLabel(message, ui));
  patch(node, isSystemMessage(message) ? [systemLine(message, ui)] : rowParts(message, look, ui, wait));
}

function rowLabel(message, ui) {
  return `${ui.session.world.nameOf(message.author.id, ui.guildId)}, ${stamp(new Date(message.timestamp))}`;
}

function rowParts(message, look, ui, wait) {
  const body = {
    key: 'body',
    build: () => h('div.message-body', null),
    update: (node) => patch(node, bodyParts(message, look, ui, wait)),
  };
  const gutter = {
    key: 'gutter',
    sig: `${look.grouped}${message.timestamp}`,
    build: () => gutterView(message, look, ui),
  };
  return [...contextParts(message, ui), gutter, body];
}

function gutterView(message, look, ui) {
  const time = new Date(message.timestamp);
  if (look.grouped)
    return h('time.gutter.gutter-time', { datetime: message.timestamp, title: fullTime(time) }, shortClock(time));
  return h('div.gutter', null, avatar(ui.person(message.author.id)));
}

/** The line above: what this answers. */
function contextParts(message, ui) {
  const interaction = message.interaction_metadata;
  if (interaction?.name ?? message.interaction?.name) {
    const name = interaction?.name ?? message.interaction.name;
    const user = interaction?.user ?? message.interaction?.user;
    return [{ key: 'context', sig: `i${user?.id}${name}`, build: () => commandLine(user, name, ui) }];
  }
  if (message.type !== 19 || !message.message_reference) return [];
  const original = message.referenced_message;
  return [
    { key: 'context', sig: `r${JSON.stringify(original ?? null)}`, build: () => replyLine(message, original, ui) },
  ];
}

function commandLine(user, name, ui) {
  const who = user ? [avatar(ui.person(user.id), 'tiny'), h('b', null, ui.person(user.id).name)] : 'Somebody';
  return h('div.context', null, icon('slash'), who, ' used ', h('span.pill', null, `/${name}`));
}

function replyLine(message, original, ui) {
  if (!original) return h('div.context', null, icon('reply'), h('i', null, 'Original message was deleted'));
  const preview =
    plainText(parse(original.content ?? '', { blocks: false })) ||
    (original.attachments?.length ? 'Attachment' : 'Message');
  const jump = h(
    'button.context-jump',
    {
      type: 'button',
      'aria-label': `Reply to ${ui.person(original.author.id).name}: ${preview}. Jump to it.`,
      onclick: () => ui.jumpTo(original.id),
    },
    preview,
  );
  const pinged = message.mentions?.some((user) => user.id === original.author.id) ? '@' : '';
  return h(
    'div.context',
    null,
    icon('reply'),
    avatar(ui.person(original.author.id), 'tiny'),
    h('b', null, pinged + ui.person(original.author.id).name),
    jump,
  );
}

/** Sections of a row; those that have nothing to show are left out. */
function bodyParts(message, look, ui, wait) {
  const section = (key, facts, build) => (facts === null ? [] : [{ key, sig: JSON.stringify(facts), build }]);
  const list = (value) => (value?.length ? value : null);
  const embeds = hasFlag(message, MessageFlag.SUPPRESS_EMBEDS) ? null : list(message.embeds);
  return [
    ...section(
      'head',
      look.grouped ? null : [message.author.id, ui.person(message.author.id).name, message.timestamp],
      () => headView(message, ui),
    ),
    ...contentSection(message, look, ui, section),
    ...section('attachments', list(message.attachments), () => attachmentsView(message.attachments)),
    ...section('embeds', embeds, () => embedsView(message.embeds, ui)),
    ...section('components', list(message.components) && [message.components, wait], () =>
      componentsView(message, wait, ui),
    ),
    ...section('reactions', list(message.reactions), () => reactionsView(message, ui)),
    ...section('thread', message.thread ?? null, () => threadCard(message.thread, ui)),
    ...section('ephemeral', hasFlag(message, MessageFlag.EPHEMERAL) ? true : null, () => ephemeralNote(message, ui)),
  ];
}

function contentSection(message, look, ui, section) {
  if (look.editing) return section('editor', message.id, () => editorView(message, ui));
  const facts =
    message.content || hasFlag(message, MessageFlag.LOADING)
      ? [message.content, message.edited_timestamp, message.flags, message.mentions?.length]
      : null;
  return section('content', facts, () => contentView(message, ui));
}

function headView(message, ui) {
  const person = ui.person(message.author.id);
  const time = new Date(message.timestamp);
  return h(
    'header.message-head',
    null,
    h('span.author', { style: { '--who': person.hue } }, person.name),
    message.author.bot &&
      h('span.badge', { title: 'An application, not a person' }, isWebhook(message) ? 'HOOK' : 'BOT'),
    h('time', { datetime: message.timestamp, title: fullTime(time) }, stamp(time)),
    runLink(message, ui.session.info),
  );
}

/**
 * An answer's run in the Temporal UI: the workflow's id comes from the message or the command that asked. What a button or
 * an ephemeral answer says has no run.
 * @param {any} message
 * @param {{temporal_ui_url?: string | null, namespace?: string}} info
 * @returns {HTMLElement | null} null where there is no UI or nothing that asked
 */
function runLink(message, info) {
  const command =
    message.interaction_metadata?.type === InteractionKind.COMMAND ? message.interaction_metadata.id : null;
  const asked = message.type === 19 && !message.interaction_metadata ? message.message_reference?.message_id : null;
  const trigger = command ?? asked;
  if (!message.author.bot || !trigger || !info.temporal_ui_url || hasFlag(message, MessageFlag.EPHEMERAL)) return null;
  const base = info.temporal_ui_url.replace(/\/$/, '');
  const href = `${base}/namespaces/${encodeURIComponent(info.namespace ?? 'default')}/workflows/${encodeURIComponent(`agent/${trigger}`)}`;
  return h(
    'a.run-link',
    { href, target: '_blank', rel: 'noopener noreferrer', title: 'This answer’s run in the Temporal UI' },
    'run',
    h('span', { 'aria-hidden': 'true' }, ' ↗'),
  );
}

function contentView(message, ui) {
  if (hasFlag(message, MessageFlag.LOADING) && !message.content) {
    return h(
      'div.content.thinking',
      null,
      h('span.dots', { 'aria-hidden': 'true' }, h('i'), h('i'), h('i')),
      `${ui.person(message.author.id).name} is thinking…`,
    );
  }
  const node = h(
    'div.content',
    { class: isOnlyEmoji(message.content) ? 'jumbo' : '' },
    renderMarkdown(message.content, ui.surroundings),
  );
  if (message.edited_timestamp) {
    node.append(h('span.edited', { title: `Edited ${fullTime(new Date(message.edited_timestamp))}` }, ' (edited)'));
  }
  return node;
}

function threadCard(thread, ui) {
  const count = thread.message_count ?? 0;
  return h(
    'button.thread-card',
    { type: 'button', onclick: () => ui.openChannel(thread.id) },
    icon('thread'),
    h('b', null, thread.name),
    h('span', null, count ? `${plural(count, 'message')} ›` : 'Open ›'),
  );
}

function ephemeralNote(message, ui) {
  const dismiss = h('button.link', { type: 'button', onclick: () => ui.dismiss(message) }, 'Dismiss message');
  return h('div.ephemeral-note', null, icon('eye'), 'Only you can see this · ', dismiss);
}

/**
 * A message on its way, or one that failed, for `patch`.
 * @param {import('./timeline.js').Pending} entry
 * @param {import('./view_shell.js').Ui} ui
 * @returns {import('./dom.js').Part}
 */
export function pendingPart(entry, ui) {
  return { key: `pending-${entry.nonce}`, sig: entry.error ?? '', build: () => pendingRow(entry, ui) };
}

function pendingRow(entry, ui) {
  const person = ui.person(ui.session.world.me.id);
  const isCommand = entry.kind === 'command';
  const text = isCommand
    ? [h('span.pill', null, entry.content), ' was sent to the application…']
    : renderMarkdown(entry.content, ui.surroundings);
  const files = entry.files.map((file) => h('div.pending-file', null, icon('file'), file.name));
  const head = h(
    'header.message-head',
    null,
    h('span.author', { style: { '--who': person.hue } }, person.name),
    h('span.sending', null, entry.error ? 'not sent' : 'sending…'),
  );
  const body = h(
    'div.message-body',
    null,
    head,
    h('div.content', null, text),
    files,
    entry.error && failure(entry, isCommand, ui),
  );
  const row = h('article.message.pending', {
    class: entry.error ? 'failed' : '',
    tabindex: -1,
    'aria-busy': entry.error ? null : 'true',
  });
  row.append(h('div.gutter', null, avatar(person)), body);
  return row;
}

function failure(entry, isCommand, ui) {
  const retry = h('button.link', { type: 'button', onclick: () => ui.retry(entry) }, 'Try again');
  const discard = h(
    'button.link',
    { type: 'button', onclick: () => ui.discard(entry) },
    isCommand ? 'Dismiss' : 'Discard',
  );
  return h(
    'div.failure',
    { role: 'alert' },
    icon('warning'),
    h('span', null, entry.error),
    isCommand ? null : retry,
    discard,
  );
}
