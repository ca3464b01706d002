/** @file The reactions under a message: counts, one's own, and who. */

import { whoReacted } from './actions.js';
import { DiscordError } from './api.js';
import { h } from './dom.js';
import { plural } from './format.js';
import { icon } from './icons.js';
import { emojiKey } from './timeline.js';

/**
 * @param {any} message
 * @param {import('./view_shell.js').Ui} ui
 * @returns {HTMLElement}
 */
export function reactionsView(message, ui) {
  const add = h(
    'button.reaction.add',
    {
      type: 'button',
      'aria-label': 'Add a reaction',
      title: 'Add a reaction',
      dataset: { focus: 'react' },
      onclick: () => ui.pickReaction(message, add),
    },
    icon('smile'),
  );
  return h(
    'div.reactions',
    { role: 'group', 'aria-label': 'Reactions' },
    message.reactions.map((reaction) => reactionView(message, reaction, ui)),
    add,
  );
}

function reactionView(message, reaction, ui) {
  const name = reaction.emoji.id ? `:${reaction.emoji.name}:` : reaction.emoji.name;
  const button = h(
    'button.reaction',
    {
      type: 'button',
      'aria-pressed': String(Boolean(reaction.me)),
      'aria-label': `${name}, ${plural(reaction.count, 'reaction')}`,
      dataset: { focus: emojiKey(reaction.emoji), emoji: name },
      onclick: () => ui.toggleReaction(message, reaction.emoji),
    },
    h('span.emoji', { 'aria-hidden': 'true' }, name),
    h('span.count', null, reaction.count),
  );
  button.addEventListener('pointerenter', () => void explain(button, message, reaction, ui), { once: true });
  return button;
}

async function explain(button, message, reaction, ui) {
  try {
    const names = await whoReacted(ui.session, message, reaction.emoji);
    button.title = names.join(', ');
  } catch (error) {
    if (!(error instanceof DiscordError)) throw error;
    button.title = error.message; // only a tooltip: a notice would be louder than the question
  }
}
