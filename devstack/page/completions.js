/** @file What the message box suggests at the caret: people, channels, emoji. Pure. */

import { findEmoji } from './emoji.js';
import { ChannelType } from './world.js';

const MOST = 8; // more is a search, not a suggestion
const BEFORE_CARET = /(^|[\s(])([@#:])([\p{L}\p{N}_.'+-]{0,32})$/u;
const EMOJI_AFTER = 2; // letters: `:)` and `a: b` are no emoji

/**
 * @param {string} text
 * @param {number} caret
 * @param {{world: import('./world.js').World, channel: any}} place
 * @returns {{start: number, heading: string, items: (import('./listbox.js').Suggestion & {insert: string, id: string | null})[]} | null}
 *   `start` is where the inserted text begins; null where nothing is to be suggested
 */
export function completionsAt(text, caret, { world, channel }) {
  const match = BEFORE_CARET.exec(text.slice(0, caret));
  if (!match) return null;
  const [, , sign, typed] = match;
  const start = caret - typed.length - 1;
  const found = { '@': people, '#': channels, ':': emoji }[sign](typed, world, channel);
  return found.length
    ? { start, heading: { '@': 'People', '#': 'Channels', ':': 'Emoji' }[sign], items: found.slice(0, MOST) }
    : null;
}

function people(typed, world, channel) {
  const wanted = typed.toLocaleLowerCase();
  const found = world.peopleIn(channel).map((person) => {
    const username = world.users.get(person.id)?.username ?? '';
    return { label: person.name, detail: username, person, insert: `@${person.name}`, id: person.id };
  });
  const everybody = channel.guild_id
    ? ['everyone', 'here'].map((name) => ({
        label: `@${name}`,
        detail: name === 'here' ? 'everybody who is online' : 'everybody in this channel',
        sign: '@',
        insert: `@${name}`,
        id: null,
      }))
    : [];
  return best([...found, ...everybody], wanted, (item) => [item.insert.slice(1), item.detail]);
}

function channels(typed, world, channel) {
  const all = channel.guild_id
    ? world.channelsOf(channel.guild_id)
    : [...world.guilds.keys()].flatMap((id) => world.channelsOf(id));
  const found = all
    .filter((each) => each.type !== ChannelType.CATEGORY)
    .flatMap((each) => [each, ...world.threadsOf(each.id)])
    .map((each) => ({ label: each.name, sign: '#', insert: `#${each.name}`, id: each.id }));
  return best(found, typed.toLocaleLowerCase(), (item) => [item.label]);
}

function emoji(typed) {
  if (typed.length < EMOJI_AFTER) return [];
  return findEmoji(typed).map((each) => ({
    label: `:${each.names[0]}:`,
    sign: each.emoji,
    insert: each.emoji,
    id: null,
  }));
}

/** Names that begin with the typed letters, then names with a word that does, then the others that contain them. */
function best(items, wanted, names) {
  const rank = (item) => Math.min(...names(item).map((name) => rankOf(name.toLocaleLowerCase(), wanted)));
  return items
    .map((item) => ({ item, rank: rank(item) }))
    .filter((each) => each.rank < 3)
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

function rankOf(name, wanted) {
  if (name.startsWith(wanted)) return 0;
  if (name.split(/[\s_.-]/).some((word) => word.startsWith(wanted))) return 1;
  return name.includes(wanted) ? 2 : 3;
}
