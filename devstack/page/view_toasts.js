/** @file Notices: what Discord refused, in its own words. */

import { h } from './dom.js';
import { icon, iconButton } from './icons.js';

const SHOWN_MS = 8000;
const MOST = 3;

/** Shows a notice for eight seconds; the same words again only renew it. @param {string} text */
export function toast(text) {
  const region = /** @type {HTMLElement} */ (document.getElementById('toasts'));
  const same = [...region.children].find((each) => each.querySelector('span')?.textContent === text);
  same?.remove();
  const element = h(
    'div.toast',
    { role: 'alert' },
    icon('warning'),
    h('span', null, text),
    iconButton('close', 'Dismiss', () => element.remove()),
  );
  region.append(element);
  while (region.children.length > MOST) region.firstElementChild?.remove();
  setTimeout(() => element.remove(), SHOWN_MS);
}
