/** @file Modal dialogs: the browser's own, so that focus is held inside, Escape closes, and it returns where it was. */

import { h } from './dom.js';
import { iconButton } from './icons.js';

/**
 * Opens a dialog; a press on the backdrop closes it.
 * @param {{title: string, content: any, className?: string, onClose?: () => void}} options
 * @returns {HTMLDialogElement}
 */
export function openDialog({ title, content, className = '', onClose = () => {} }) {
  const close = iconButton('close', 'Close', () => dialog.close());
  const head = h('header.dialog-head', null, h('h2', null, title), close);
  const dialog = /** @type {HTMLDialogElement} */ (
    h('dialog.dialog', { class: className, 'aria-label': title }, h('div.dialog-inside', null, head, content))
  );
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  dialog.addEventListener('keydown', (event) => event.stopPropagation());
  dialog.addEventListener('close', () => {
    dialog.remove();
    onClose();
  });
  /** @type {HTMLElement} */ (document.getElementById('overlays')).append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * Asks before something that cannot be undone.
 * @param {{title: string, body: any, confirm: string}} question
 * @returns {Promise<boolean>}
 */
export function confirmDialog({ title, body, confirm }) {
  return new Promise((resolve) => {
    let answer = false;
    const settle = (value) => () => {
      answer = value;
      dialog.close();
    };
    const cancel = h('button.secondary', { type: 'button', onclick: settle(false) }, 'Cancel');
    const go = h('button.danger', { type: 'button', autofocus: true, onclick: settle(true) }, confirm);
    const content = [h('div.dialog-body', null, body), h('footer.dialog-actions', null, cancel, go)];
    const dialog = openDialog({ title, content, className: 'confirm', onClose: () => resolve(answer) });
  });
}

/**
 * Asks for a name, and optionally whether it is private.
 * @param {{title: string, label: string, value?: string, confirm: string, maxLength: number, choice?: string | null}} question
 * @returns {Promise<{name: string, isChosen: boolean} | null>} null when cancelled
 */
export function nameDialog({ title, label, value = '', confirm, maxLength, choice = null }) {
  return new Promise((resolve) => {
    let answer = null;
    const name = /** @type {HTMLInputElement} */ (
      h('input', { type: 'text', required: true, maxlength: maxLength, value, autofocus: true })
    );
    const box = /** @type {HTMLInputElement} */ (h('input', { type: 'checkbox' }));
    const cancel = h('button.secondary', { type: 'button', onclick: () => dialog.close() }, 'Cancel');
    const fields = [h('label.field', null, label, name), choice && h('label.check', null, box, choice)];
    const form = h(
      'form',
      { onsubmit: submit },
      h('div.dialog-body', null, fields),
      h('footer.dialog-actions', null, cancel, h('button.primary', { type: 'submit' }, confirm)),
    );
    const dialog = openDialog({ title, content: form, onClose: () => resolve(answer) });
    name.select();

    function submit(event) {
      event.preventDefault();
      if (!name.value.trim()) return;
      answer = { name: name.value.trim(), isChosen: box.checked };
      dialog.close();
    }
  });
}
