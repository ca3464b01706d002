/** @file Which rows a channel's messages make: grouped by author, divided by days, marked where the unread begin. */

import { h } from './dom.js';
import { compareIds, dayKey, dayLabel } from './format.js';
import { icon } from './icons.js';
import { messagePart, pendingPart } from './view_message.js';
import { isSystemMessage } from './view_system.js';
import { isDirect, isThread, isWebhook } from './world.js';

const GROUP_WITHIN_MS = 7 * 60_000; // Discord's own

/**
 * @param {import('./timeline.js').Timeline} timeline
 * @param {any} channel
 * @param {{newAfter: string | null, editing: string | null}} marks `newAfter`: the last message that was read at opening
 * @param {import('./view_shell.js').Ui} ui
 * @returns {import('./dom.js').Part[]}
 */
export function timelineParts(timeline, channel, { newAfter, editing }, ui) {
  const parts = [];
  const messages = timeline.visible;
  if (!timeline.loaded) return skeleton();
  if (timeline.hasOlder) parts.push(loadingPart('older'));
  else
    parts.push({
      key: 'intro',
      sig: JSON.stringify([channel.name, channel.topic]),
      build: () => introView(channel, ui),
    });
  let previous = null;
  let isDivided = newAfter === null;
  for (const message of messages) {
    const day = dayKey(new Date(message.timestamp));
    const startsDay = !previous || dayKey(new Date(previous.timestamp)) !== day;
    const startsNew =
      !isDivided &&
      compareIds(message.id, /** @type {string} */ (newAfter)) > 0 &&
      message.author.id !== ui.session.world.me.id;
    if (startsDay) parts.push(dayPart(message, day));
    if (startsNew)
      parts.push({ key: 'new', build: () => h('div.divider.new', { role: 'separator' }, h('span', null, 'New')) });
    isDivided ||= startsNew;
    const grouped = !startsDay && !startsNew && continues(message, previous);
    parts.push(messagePart(message, { grouped, editing: editing === message.id }, ui));
    previous = message;
  }
  if (timeline.hasNewer) return [...parts, loadingPart('newer')];
  return [...parts, ...timeline.pending.map((entry) => pendingPart(entry, ui))];
}

/** Whether a message goes on where the previous one ended, so that its author is not named again. */
function continues(message, previous) {
  const startsItself =
    message.type === 19 || message.interaction_metadata || isSystemMessage(message) || isSystemMessage(previous);
  if (startsItself || previous.author.id !== message.author.id || isWebhook(message)) return false;
  return new Date(message.timestamp).getTime() - new Date(previous.timestamp).getTime() < GROUP_WITHIN_MS;
}

function dayPart(message, day) {
  const label = dayLabel(new Date(message.timestamp));
  return {
    key: `day-${day}`,
    sig: label,
    build: () => h('div.divider', { role: 'separator' }, h('span', null, label)),
  };
}

function loadingPart(side) {
  return {
    key: `loading-${side}`,
    build: () => h('div.loading-row', { 'aria-label': `Loading ${side} messages` }, skeletonRow(64), skeletonRow(38)),
  };
}

function skeleton() {
  return [
    {
      key: 'skeleton',
      build: () => h('div.skeleton', { 'aria-label': 'Loading messages' }, [72, 40, 58, 84, 35, 66].map(skeletonRow)),
    },
  ];
}

function skeletonRow(width) {
  return h(
    'div.skeleton-row',
    { 'aria-hidden': 'true' },
    h('span.skeleton-avatar'),
    h('span.skeleton-lines', null, h('i', { style: { width: '26%' } }), h('i', { style: { width: `${width}%` } })),
  );
}

function introView(channel, ui) {
  const title = ui.session.world.titleOf(channel);
  if (isDirect(channel)) return intro('at', title, `This is where you and ${title} talk. Nobody else can read it.`);
  if (isThread(channel))
    return intro(
      'thread',
      title,
      channel.type === 12
        ? 'A private thread: only those who were added can read it.'
        : 'The beginning of this thread.',
    );
  const topic = channel.topic || `This is the start of #${title}.`;
  const hint = h(
    'p.hint',
    null,
    'Mention ',
    h('span.pill', null, '@Gopher'),
    ' to ask it something, or type ',
    h('kbd', null, '/'),
    ' for its commands.',
  );
  return intro('hash', `Welcome to #${title}`, topic, hint);
}

function intro(sign, title, text, ...more) {
  return h(
    'div.intro',
    null,
    h('span.intro-sign', null, icon(sign)),
    h('h2', null, title),
    h('p', null, text),
    ...more,
  );
}
