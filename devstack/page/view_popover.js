/** @file Small panels beside the control that opened them: pickers, menus, cards. */

import { h } from './dom.js';

const GAP = 8;

/** @type {{close: () => void} | null} */
let open = null;

/**
 * Opens a panel beside `anchor`; any other one closes. Escape, a press outside, or a changed window closes it, and the
 * focus goes back to the anchor.
 * @param {HTMLElement} anchor
 * @param {{label: string, content: any, className?: string, role?: string}} options
 * @returns {{element: HTMLElement, close: () => void}}
 */
export function openPopover(anchor, { label, content, className = '', role = 'dialog' }) {
  open?.close();
  const element = h('div.popover', { class: className, role, 'aria-label': label }, content);
  const ended = new AbortController();
  const close = () => {
    if (ended.signal.aborted) return;
    const hadFocus = element.contains(document.activeElement);
    ended.abort();
    element.remove();
    anchor.setAttribute('aria-expanded', 'false');
    if (open === popover) open = null;
    if (hadFocus) anchor.focus();
  };
  const popover = { element, close };
  /** @type {HTMLElement} */ (document.getElementById('overlays')).append(element);
  anchor.setAttribute('aria-expanded', 'true');
  place(element, anchor.getBoundingClientRect());
  listen(element, anchor, close, ended.signal);
  open = popover;
  return popover;
}

function listen(element, anchor, close, signal) {
  const outside = (event) => !element.contains(event.target) && !anchor.contains(event.target);
  document.addEventListener('pointerdown', (event) => outside(event) && close(), { signal, capture: true });
  window.addEventListener('resize', close, { signal });
  element.addEventListener(
    'focusout',
    (event) => event.relatedTarget && outside({ target: event.relatedTarget }) && close(),
    { signal },
  );
  const escape = (event) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    close();
  };
  document.addEventListener('keydown', escape, { signal, capture: true });
}

/** Above the anchor where there is room, else below; never outside the window. */
function place(element, anchor) {
  const { width, height } = element.getBoundingClientRect();
  const above = anchor.top - height - GAP;
  const below = Math.min(anchor.bottom + GAP, innerHeight - height - GAP);
  const left = Math.min(Math.max(GAP, anchor.left + anchor.width / 2 - width / 2), innerWidth - width - GAP);
  element.style.setProperty('top', `${Math.max(GAP, above >= GAP ? above : below)}px`);
  element.style.setProperty('left', `${Math.max(GAP, left)}px`);
}

/**
 * Moves the focus among controls with the arrow keys.
 * @param {HTMLElement} container
 * @param {string} selector the controls
 * @param {{columns?: number}} [options] more than one column: a grid
 */
export function arrowKeys(container, selector, { columns = 1 } = {}) {
  const steps = { ArrowDown: columns, ArrowUp: -columns, ...(columns > 1 ? { ArrowRight: 1, ArrowLeft: -1 } : {}) };
  container.addEventListener('keydown', (event) => {
    const controls = /** @type {HTMLElement[]} */ ([...container.querySelectorAll(selector)]);
    const at = controls.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const target =
      { Home: 0, End: controls.length - 1 }[event.key] ??
      (event.key in steps && at >= 0 ? at + steps[event.key] : null);
    if (at < 0 || target === null || !controls[target]) return;
    event.preventDefault();
    controls[target].focus();
  });
}
