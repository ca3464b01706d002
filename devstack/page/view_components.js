/** @file Buttons and menus under a message. */

import { h } from './dom.js';
import { emojiKey } from './timeline.js';
import { icon } from './icons.js';
import { safeHref } from './markdown_view.js';

const ComponentType = Object.freeze({ ROW: 1, BUTTON: 2, STRING_SELECT: 3, TEXT: 10 });
const BUTTON_STYLES = ['', 'primary', 'secondary', 'success', 'danger', 'link', 'primary'];
const LINK_STYLE = 5;

/**
 * @param {any} message
 * @param {import('./interactions.js').Wait | undefined} wait the latest press, while it waits or when it failed
 * @param {import('./view_shell.js').Ui} ui
 * @returns {HTMLElement}
 */
export function componentsView(message, wait, ui) {
  const rows = message.components.map((row) => rowView(row, message, wait, ui));
  return h(
    'div.components',
    null,
    rows,
    wait?.error && h('div.failure', { role: 'alert' }, icon('warning'), h('span', null, wait.error)),
  );
}

function rowView(row, message, wait, ui) {
  const children = row.type === ComponentType.ROW ? row.components : [row];
  return h(
    'div.component-row',
    null,
    children.map((component) => componentView(component, message, wait, ui)),
  );
}

function componentView(component, message, wait, ui) {
  switch (component.type) {
    case ComponentType.BUTTON:
      return component.style === LINK_STYLE ? linkButton(component) : button(component, message, wait, ui);
    case ComponentType.STRING_SELECT:
      return menu(component, message, ui);
    case ComponentType.TEXT:
      return h('div.content', null, component.content);
    default:
      return h('span.unsupported', null, `This page does not show Discord’s component type ${component.type}.`);
  }
}

const face = (component) => [
  component.emoji && h('span.emoji', { 'aria-hidden': 'true' }, emojiKey(component.emoji)),
  component.label,
];

function linkButton(component) {
  const href = safeHref(component.url);
  if (!href || component.disabled)
    return h('button.component.link', { type: 'button', disabled: true }, face(component));
  return h(
    'a.component.link',
    { href, target: '_blank', rel: 'noopener noreferrer nofollow' },
    face(component),
    icon('external'),
  );
}

function button(component, message, wait, ui) {
  const waits = wait && !wait.error;
  const isPressed = waits && wait.customId === component.custom_id;
  const press = () =>
    !waits && ui.press(message, { component_type: ComponentType.BUTTON, custom_id: component.custom_id });
  return h(
    `button.component.${BUTTON_STYLES[component.style] || 'secondary'}`,
    {
      type: 'button',
      disabled: component.disabled,
      'aria-disabled': waits ? 'true' : null,
      'aria-busy': isPressed ? 'true' : null,
      dataset: { focus: component.custom_id },
      onclick: press,
    },
    face(component),
  );
}

function menu(component, message, ui) {
  const hint = component.placeholder ?? 'Make a selection';
  const multiple = (component.max_values ?? 1) > 1;
  const empty = multiple ? null : h('option', { value: '', disabled: true, selected: true }, hint);
  const options = (component.options ?? []).map(({ value, label, description, default: selected }) =>
    h('option', { value, selected, title: description }, label),
  );
  const props = { disabled: component.disabled, multiple, 'aria-label': hint, dataset: { focus: component.custom_id } };
  const select = /** @type {HTMLSelectElement} */ (h('select.component', props, empty, options));
  const press = () => {
    const values = [...select.selectedOptions].map((option) => option.value);
    ui.press(message, { component_type: ComponentType.STRING_SELECT, custom_id: component.custom_id, values });
  };
  select.addEventListener('change', press);
  return select;
}
