/** @file Building and patching DOM nodes. Text always becomes text nodes; nothing here parses HTML. */

const SVG = 'http://www.w3.org/2000/svg';

/**
 * Makes an element: `h('button.icon', { type: 'button', onclick: f, 'aria-label': 'Close' }, 'x')`.
 * Properties: `on…` listeners, `dataset` and `style` (custom properties) objects, true/false/null for bare or absent
 * attributes, everything else an attribute. Children: nodes, strings, numbers, arrays; null and false are left out.
 * @param {string} selector tag and classes, as `div.one.two`
 * @param {Record<string, any> | null} [props]
 * @param {...any} children
 * @returns {HTMLElement}
 */
export function h(selector, props, ...children) {
  const [tag, ...classes] = selector.split('.');
  const node = document.createElement(tag);
  if (classes.length) node.className = classes.join(' ');
  for (const [name, value] of Object.entries(props ?? {})) setProperty(node, name, value);
  append(node, children);
  return node;
}

/**
 * @param {Element} node
 * @param {string} name
 * @param {any} value
 */
function setProperty(node, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
  else if (name === 'class') node.classList.add(...String(value).split(' ').filter(Boolean));
  else if (name === 'dataset') Object.assign(/** @type {HTMLElement} */ (node).dataset, value);
  else if (name === 'style') for (const [key, part] of Object.entries(value)) setStyle(node, key, part);
  else if (name === 'value') /** @type {HTMLInputElement} */ (node).value = value;
  else node.setAttribute(name, value === true ? '' : String(value));
}

/** The CSSOM, not a style attribute: the page's policy forbids inline styles. */
function setStyle(node, key, value) {
  if (value !== null && value !== undefined) node.style.setProperty(key, String(value));
}

/**
 * Appends children as `h` takes them.
 * @param {Node} node
 * @param {any[]} children
 */
export function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/**
 * Makes an SVG element.
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {...SVGElement} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}

/**
 * One child that `patch` keeps: the same key keeps its node while `sig` is the same; with `update` the node stays and
 * is told instead.
 * @typedef {{key: string, sig?: string, build: () => HTMLElement, update?: (node: HTMLElement) => void}} Part
 */

/** @type {WeakMap<Element, Map<string, {node: HTMLElement, sig: string | undefined}>>} */
const patched = new WeakMap();

/**
 * Makes the children of `parent` match `parts` in order and touches only what differs, so that focus, selection and
 * loaded images stay. Repeatable; `parent` must be changed by no one else.
 * @param {Element} parent
 * @param {Part[]} parts keys must be unique
 */
export function patch(parent, parts) {
  const before = patched.get(parent) ?? new Map();
  const after = new Map();
  const focused = parent.contains(document.activeElement) ? document.activeElement : null;
  for (const part of parts) {
    const old = before.get(part.key);
    const keep = old && (part.update || old.sig === part.sig);
    const node = keep ? old.node : part.build();
    if (part.update) part.update(node);
    after.set(part.key, { node, sig: part.sig });
  }
  for (const [key, { node }] of before) if (after.get(key)?.node !== node) node.remove();
  let cursor = parent.firstChild;
  for (const { node } of after.values()) {
    if (node === cursor) cursor = node.nextSibling;
    else parent.insertBefore(node, cursor);
  }
  patched.set(parent, after);
  if (focused && !focused.isConnected) refocus(parent, focused);
}

/** Puts the focus on what took the place of the focused control: the same `data-focus`, else the row. */
function refocus(parent, lost) {
  const key = lost instanceof HTMLElement && lost.dataset.focus;
  const heir = key && parent.querySelector(`[data-focus="${CSS.escape(key)}"]`);
  /** @type {HTMLElement | null} */ (heir || parent.closest('[tabindex]'))?.focus({ preventScroll: true });
}

/** True where the primary pointer cannot hover: a phone or a tablet. */
export const isTouch = () => matchMedia('(hover: none)').matches;

/** True where the layout shows the sidebar as a drawer. */
export const isNarrow = () => matchMedia('(max-width: 760px)').matches;

/** How scrolling by the program may move. */
export const scrollBehavior = () => (matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth');
