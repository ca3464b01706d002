/** @file What a member does in a channel, one function each. All report Discord's refusal as a notice. */

import { DiscordError, nonce } from './api.js';
import { emojiKey } from './timeline.js';
import { ChannelType } from './world.js';

/**
 * Runs a request; a refusal becomes a notice.
 * @template T
 * @param {import('./session.js').Session} session
 * @param {() => Promise<T>} request
 * @returns {Promise<T | undefined>} undefined when it was refused
 */
export async function attempt(session, request) {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof DiscordError)) throw error;
    session.report(error);
    return undefined;
  }
}

/**
 * Sends a message; it is shown at once as pending and stays, with its reason, when Discord refuses it.
 * @param {import('./session.js').Session} session
 * @param {string} channelId
 * @param {{content: string, files?: File[], reference?: any, ping?: boolean}} draft
 */
export function sendMessage(session, channelId, { content, files = [], reference = null, ping = true }) {
  const entry = {
    nonce: nonce(),
    content,
    files,
    reference,
    ping,
    createdAt: Date.now(),
    error: null,
    kind: /** @type {const} */ ('message'),
  };
  session.timeline(channelId).pending.push(entry);
  session.typing.sent(channelId);
  return transmit(session, channelId, entry);
}

/** Sends a failed message again, with its first nonce: if it did arrive, Discord answers with that one. */
export async function transmit(session, channelId, entry) {
  const timeline = session.timeline(channelId);
  entry.error = null;
  session.emit('timeline', channelId);
  const payload = { content: entry.content, nonce: entry.nonce, enforce_nonce: true };
  if (entry.reference) {
    payload.message_reference = { message_id: entry.reference.id, channel_id: channelId };
    payload.allowed_mentions = { parse: ['users', 'roles', 'everyone'], replied_user: entry.ping };
  }
  try {
    const path = `/channels/${channelId}/messages`;
    const message = await (entry.files.length
      ? session.api.postFiles(path, payload, entry.files)
      : session.api.post(path, payload));
    timeline.settle(entry.nonce);
    session.receive(message);
  } catch (error) {
    if (!(error instanceof DiscordError)) throw error;
    if (!timeline.pending.includes(entry)) return; // the gateway told of it: only the answer was lost
    entry.error = error.message;
    session.report(error);
    session.emit('timeline', channelId);
  }
}

/** Gives up a failed message. */
export function discard(session, channelId, entry) {
  session.timeline(channelId).settle(entry.nonce);
  session.emit('timeline', channelId);
}

/** @param {import('./session.js').Session} session @param {any} message @param {string} content */
export async function editMessage(session, message, content) {
  const path = `/channels/${message.channel_id}/messages/${message.id}`;
  const updated = await attempt(session, () => session.api.patch(path, { content }));
  if (updated) session.timeline(message.channel_id).update(updated);
  session.emit('timeline', message.channel_id);
  return Boolean(updated);
}

/** @param {import('./session.js').Session} session @param {any} message */
export function deleteMessage(session, message) {
  return attempt(session, async () => {
    await session.api.delete(`/channels/${message.channel_id}/messages/${message.id}`);
    session.timeline(message.channel_id).remove([message.id]);
    session.emit('timeline', message.channel_id);
  });
}

/** Removes an ephemeral message from the page; it is nowhere else. */
export function dismiss(session, message) {
  session.timeline(message.channel_id).remove([message.id]);
  session.emit('timeline', message.channel_id);
}

/** Adds the member's reaction, or takes it back. @param {any} emoji {id, name} */
export function toggleReaction(session, message, emoji) {
  const timeline = session.timeline(message.channel_id);
  const mine =
    timeline.find(message.id)?.reactions?.some((each) => each.me && emojiKey(each.emoji) === emojiKey(emoji)) ?? false;
  const path = `/channels/${message.channel_id}/messages/${message.id}/reactions/${encodeURIComponent(emojiKey(emoji))}/@me`;
  return attempt(session, async () => {
    await (mine ? session.api.delete(path) : session.api.put(path));
    timeline.react({ message_id: message.id, emoji, user_id: session.world.me.id }, !mine, session.world.me.id);
    session.emit('timeline', message.channel_id);
  });
}

/** @returns {Promise<string[]>} names of those who reacted, at most 25 */
export async function whoReacted(session, message, emoji) {
  const path = `/channels/${message.channel_id}/messages/${message.id}/reactions/${encodeURIComponent(emojiKey(emoji))}`;
  const users = await session.api.get(path, { limit: '25' });
  return users.map((user) => user.global_name ?? user.username);
}

/**
 * Starts a thread and shows it: from a message, or on its own.
 * @param {import('./session.js').Session} session
 * @param {any} channel
 * @param {{name: string, message?: any, isPrivate?: boolean}} wish
 */
export async function startThread(session, channel, { name, message, isPrivate = false }) {
  const path = message ? `/channels/${channel.id}/messages/${message.id}/threads` : `/channels/${channel.id}/threads`;
  const body = { name, auto_archive_duration: 1440 };
  if (!message) body.type = isPrivate ? ChannelType.PRIVATE_THREAD : ChannelType.PUBLIC_THREAD;
  const thread = await attempt(session, () => session.api.post(path, body));
  if (!thread) return;
  session.world.addChannel(thread, channel.guild_id);
  session.emit('world');
  session.open(thread.id);
}

/** Opens the direct messages with somebody. @param {import('./session.js').Session} session @param {string} userId */
export async function openDirect(session, userId) {
  const known = session.world.directChannels().find((channel) => session.world.partner(channel)?.id === userId);
  if (known) {
    session.open(known.id);
    return;
  }
  const channel = await attempt(session, () => session.api.post('/users/@me/channels', { recipient_id: userId }));
  if (!channel) return;
  session.world.addChannel(channel);
  session.emit('world');
  session.open(channel.id);
}

/** Tells the others that this member types, at most every eight seconds. */
export function tellTyping(session, channelId) {
  if (session.typing.shouldTell(channelId))
    void attempt(session, () => session.api.post(`/channels/${channelId}/typing`));
}
