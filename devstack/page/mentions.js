/** @file Between the names people read in the message box (@Ada, #general) and Discord's markup (<@id>, <#id>). Pure. */

const CODE = /(```[\s\S]*?```|`[^`\n]*`)/;

/**
 * Turns names into markup, except in code. The longest name wins; a name picked from the list wins over a namesake.
 * @param {string} text
 * @param {{people: {id: string, name: string, username?: string}[], channels: {id: string, name: string}[], picked: Map<string, string>}} known
 *   `picked` maps a name with its sign (`@Ada`) to the id that was chosen for it
 * @returns {string}
 */
export function toMarkup(text, { people, channels, picked }) {
  const names = new Map();
  for (const { id, name } of channels) names.set(`#${name}`, `<#${id}>`);
  for (const { id, username } of people) if (username) names.set(`@${username}`, `<@${id}>`);
  for (const { id, name } of people) names.set(`@${name}`, `<@${id}>`);
  for (const [name, id] of picked) names.set(name, name.startsWith('#') ? `<#${id}>` : `<@${id}>`);
  const ordered = [...names.keys()].sort((a, b) => b.length - a.length);
  if (!ordered.length) return text;
  const pattern = new RegExp(`(^|[^\\p{L}\\p{N}_<@#])(${ordered.map(escaped).join('|')})(?![\\p{L}\\p{N}_])`, 'gu');
  const replace = (part) => part.replace(pattern, (_whole, before, name) => before + names.get(name));
  return text
    .split(CODE)
    .map((part, index) => (index % 2 ? part : replace(part)))
    .join('');
}

/**
 * Turns markup back into names, for editing. Unknown ids stay as they are.
 * @param {string} content
 * @param {import('./world.js').World} world
 * @param {string | null | undefined} guildId
 * @returns {{text: string, picked: Map<string, string>}}
 */
export function fromMarkup(content, world, guildId) {
  const picked = new Map();
  const name = (whole, sign, id) => {
    const known = sign === '#' ? world.channels.get(id)?.name : world.users.has(id) && world.nameOf(id, guildId);
    if (!known) return whole;
    picked.set(sign + known, id);
    return sign + known;
  };
  const replace = (part) => part.replace(/<(@|#)!?(\d+)>/g, name);
  return {
    text: content
      .split(CODE)
      .map((part, index) => (index % 2 ? part : replace(part)))
      .join(''),
    picked,
  };
}

function escaped(name) {
  return name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
