/** @file Fetching a channel's messages in pages of 50: the end, older, newer, and around one message. */

import { DiscordError } from './api.js';
import { PAGE } from './timeline.js';
import { isWebhook } from './world.js';

/**
 * Shows the end of a channel. Repeatable.
 * @param {import('./session.js').Session} session
 * @param {string} channelId
 */
export function loadLatest(session, channelId) {
  return load(session, channelId, {}, (timeline, messages) => {
    if (timeline.isStale) timeline.merge(messages);
    else timeline.reset(messages, { hasOlder: messages.length === PAGE, hasNewer: false });
    timeline.isStale = false;
  });
}

/** One page upward. */
export function loadOlder(session, channelId) {
  const before = session.timeline(channelId).items[0]?.id;
  return before
    ? load(session, channelId, { before }, (timeline, messages) => timeline.prepend(messages))
    : Promise.resolve();
}

/** One page downward. */
export function loadNewer(session, channelId) {
  const after = session.timeline(channelId).items.at(-1)?.id;
  return after
    ? load(session, channelId, { after }, (timeline, messages) => timeline.append(messages))
    : Promise.resolve();
}

/** Replaces the window by the page around one message. @returns {Promise<boolean>} true when the message is there */
export async function loadAround(session, channelId, messageId) {
  await load(session, channelId, { around: messageId }, (timeline, messages) => {
    timeline.following = false;
    timeline.reset(messages, { hasOlder: true, hasNewer: true });
  });
  return Boolean(session.timeline(channelId).find(messageId));
}

async function load(session, channelId, query, take) {
  const timeline = session.timeline(channelId);
  if (timeline.loading && (query.before || query.after)) return; // scrolling asks again
  await timeline.loading;
  timeline.loading = fetchPage(session, channelId, query, take);
  await timeline.loading;
}

async function fetchPage(session, channelId, query, take) {
  const timeline = session.timeline(channelId);
  session.emit('timeline', channelId);
  try {
    const messages = await session.api.get(`/channels/${channelId}/messages`, { limit: String(PAGE), ...query });
    for (const message of messages) if (message.author && !isWebhook(message)) session.world.addUser(message.author);
    take(timeline, messages);
  } catch (error) {
    if (!(error instanceof DiscordError)) throw error;
    timeline.loaded = true; // an empty channel with the reason above it, instead of asking for ever
    session.report(error);
  } finally {
    timeline.loading = null;
    session.emit('timeline', channelId);
  }
}
