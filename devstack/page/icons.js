/** @file Drawings: line icons on a 24 grid, avatars, and Gopher's face. */

import { h, svg } from './dom.js';
import { initials, personColor } from './format.js';

const PATHS = {
  hash: 'M5 9h15M4 15h15M10 4 8 20M16 4l-2 16',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  speaker: 'M4 10v4h3.5l4.5 4V6l-4.5 4zM15.5 9.5a4 4 0 0 1 0 5M18 7a8 8 0 0 1 0 10',
  megaphone: 'M4 10.5v4h3l9 4.5V6l-9 4.5zM7.5 15l1 5h2.5M19 10.5a3 3 0 0 1 0 4',
  thread: 'M6 4v9a3 3 0 0 0 3 3h10M15.5 12.5 19 16l-3.5 3.5',
  at: 'M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0zM16 8v5.5a2.5 2.5 0 0 0 5 0V12a9 9 0 1 0-3.5 7.1',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 20c0-3.5 2.5-6 6-6s6 2.5 6 6M16 4.5a3.5 3.5 0 0 1 0 6.2M17.5 14.5c2.2.8 3.5 2.9 3.5 5.5',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6 6 18',
  reply: 'M10 6 4 12l6 6M4.5 12H14a6 6 0 0 1 6 6',
  pencil: 'M4 20l1-4.5L16.5 4 20 7.5 8.5 19zM14 6.5l3.5 3.5',
  trash: 'M5 7h14M10 7V4.5h4V7M7 7l1 13h8l1-13M10.5 11v5.5M13.5 11v5.5',
  smile: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM8.5 14a4 4 0 0 0 7 0M9 9.5v.5M15 9.5v.5',
  plus: 'M12 5v14M5 12h14',
  send: 'M4.5 12 3.5 4.5 21 12 3.5 19.5zM4.5 12H12',
  down: 'M12 5v14M6 13l6 6 6-6',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M5 12.5l4.5 4.5L19 7',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l4.5 4.5',
  slash: 'M9 20 15 4M4 4h16v16H4z',
  external: 'M9 5H5v14h14v-4M13 5h6v6M19 5l-8.5 8.5',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 14.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6z',
  warning: 'M12 4 2.5 20h19zM12 10v4.5M12 17v.5',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  keyboard: 'M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M7.5 14h9',
  switch: 'M7 4 3.5 7.5 7 11M4 7.5h14M17 13l3.5 3.5L17 20M20 16.5H6',
  chevron: 'M9 6l6 6-6 6',
};

/**
 * A decorative icon, hidden from screen readers: the control around it carries the name.
 * @param {keyof typeof PATHS} name
 * @returns {SVGElement}
 */
export function icon(name) {
  return svg(
    'svg',
    { viewBox: '0 0 24 24', class: `icon icon-${name}`, 'aria-hidden': 'true' },
    svg('path', { d: PATHS[name] }),
  );
}

/**
 * Gopher's face, drawn for this page.
 * @returns {SVGElement}
 */
export function gopherFace() {
  const shape = (tag, attributes) => svg(tag, attributes);
  return svg(
    'svg',
    { viewBox: '0 0 40 40', class: 'gopher-face', 'aria-hidden': 'true' },
    shape('circle', { cx: 9.5, cy: 12, r: 4.5, fill: '#8a5a34' }),
    shape('circle', { cx: 30.5, cy: 12, r: 4.5, fill: '#8a5a34' }),
    shape('circle', { cx: 9.5, cy: 12, r: 2.2, fill: '#e9b78d' }),
    shape('circle', { cx: 30.5, cy: 12, r: 2.2, fill: '#e9b78d' }),
    shape('path', { d: 'M20 6c8 0 13 6 13 14.5S28 36 20 36 7 29 7 20.5 12 6 20 6z', fill: '#b07a4a' }),
    shape('path', { d: 'M20 18c5.5 0 9 3.5 9 8.5S25.5 35 20 35s-9-3.5-9-8.5S14.5 18 20 18z', fill: '#f1d3b3' }),
    shape('circle', { cx: 14.2, cy: 16.5, r: 3.6, fill: '#fff' }),
    shape('circle', { cx: 25.8, cy: 16.5, r: 3.6, fill: '#fff' }),
    shape('circle', { cx: 14.8, cy: 16.9, r: 1.8, fill: '#1d2220' }),
    shape('circle', { cx: 25.2, cy: 16.9, r: 1.8, fill: '#1d2220' }),
    shape('ellipse', { cx: 20, cy: 22.3, rx: 2.6, ry: 1.8, fill: '#4a3020' }),
    shape('path', {
      d: 'M16.2 26.2c2.4 1.9 5.2 1.9 7.6 0',
      fill: 'none',
      stroke: '#4a3020',
      'stroke-width': 1.3,
      'stroke-linecap': 'round',
    }),
    shape('rect', { x: 18.1, y: 27.3, width: 3.8, height: 4, rx: 0.9, fill: '#fff' }),
  );
}

/**
 * The avatar of a person or of a bot; decorative, the name stands beside it.
 * @param {{id: string, name: string, isGopher?: boolean, color?: string | number | null}} person
 * @param {string} [size] extra class: `small` or `tiny`
 * @returns {HTMLElement}
 */
export function avatar(person, size = '') {
  const face = person.isGopher ? gopherFace() : initials(person.name);
  const style = { '--who': personColor(person.id, person.color) };
  return h('span.avatar', { class: `${size} ${person.isGopher ? 'gopher' : ''}`, style, 'aria-hidden': 'true' }, face);
}

/**
 * A button that shows an icon only, with its name for everybody who cannot see it.
 * @param {keyof typeof PATHS} name
 * @param {string} label
 * @param {(event: MouseEvent) => void} onclick
 * @param {Record<string, any>} [props]
 */
export function iconButton(name, label, onclick, props = {}) {
  return h('button.icon-button', { type: 'button', 'aria-label': label, title: label, onclick, ...props }, icon(name));
}
