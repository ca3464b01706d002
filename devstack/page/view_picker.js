/** @file The emoji picker. */

import { h } from './dom.js';
import { EMOJI, findEmoji } from './emoji.js';
import { arrowKeys, openPopover } from './view_popover.js';

const COLUMNS = 8;

/**
 * Opens the picker beside a control; it closes with the pick.
 * @param {HTMLElement} anchor
 * @param {(emoji: string) => void} onPick
 */
export function openPicker(anchor, onPick) {
  const grid = h('div.emoji-grid', { role: 'group', 'aria-label': 'Emoji' });
  const search = /** @type {HTMLInputElement} */ (
    h('input', { type: 'search', placeholder: 'Find an emoji', 'aria-label': 'Find an emoji' })
  );
  const pick = (emoji) => {
    popover.close();
    onPick(emoji);
  };
  const fill = (found) => {
    const cells = found.map(({ emoji, names }) =>
      h(
        'button',
        { type: 'button', title: `:${names[0]}:`, 'aria-label': names.join(', '), onclick: () => pick(emoji) },
        emoji,
      ),
    );
    grid.replaceChildren(...(cells.length ? cells : [h('p', null, 'None by that name.')]));
  };
  fill(EMOJI);
  const popover = openPopover(anchor, { label: 'Choose an emoji', className: 'picker', content: [search, grid] });
  search.addEventListener('input', () => fill(search.value ? findEmoji(search.value.replaceAll(':', '')) : EMOJI));
  search.addEventListener('keydown', (event) => {
    const first = grid.querySelector('button');
    if (event.key === 'Enter') first?.click();
    if (event.key === 'ArrowDown') first?.focus();
    if (event.key === 'Enter' || event.key === 'ArrowDown') event.preventDefault();
  });
  arrowKeys(grid, 'button', { columns: COLUMNS });
  search.focus();
}
