/** @file The message box: words, files, replies, commands, and who is typing. */

import { sendMessage, tellTyping } from './actions.js';
import { DiscordError } from './api.js';
import { matching, typedCommand } from './commands.js';
import { h, isTouch } from './dom.js';
import { stamp } from './format.js';
import { icon, iconButton } from './icons.js';
import { MarkupInput, MESSAGE_LIMIT } from './markup_input.js';
import { Permission } from './permissions.js';
import { CommandForm } from './view_command.js';
import { showCount } from './view_editor.js';
import { openPicker } from './view_picker.js';
import { toast } from './view_toasts.js';
import { Tray } from './view_tray.js';
import { typingView } from './view_typing.js';
import { isDirect, isThread } from './world.js';

/** The message box of one channel; what is in it stays with the channel until it is sent. */
export class Composer {
  #ui;
  #channel;
  /** @type {any} the message to reply to */ #reference = null;
  #ping = true;
  /** @type {CommandForm | null} */ #command = null;
  /** @type {import('./commands.js').Invocable[]} */ #commands = [];
  #count = h('span.count', { 'aria-live': 'polite' });
  #replyBar = h('div.reply-bar', { hidden: true });
  #box = h('div.composer-box');

  /**
   * @param {import('./view_shell.js').Ui} ui
   * @param {any} channel
   * @param {HTMLElement} main where files may be dropped
   * @param {AbortSignal} signal
   */
  constructor(ui, channel, main, signal) {
    this.#ui = ui;
    this.#channel = channel;
    const { world } = ui.session;
    const where = (isThread(channel) ? '' : isDirect(channel) ? '@' : '#') + world.titleOf(channel);
    this.input = new MarkupInput(ui, channel, { label: `Message ${where}`, onInput: () => this.#changed() });
    this.input.field.placeholder = `Message ${where}`;
    this.input.field.id = 'composer';
    this.tray = new Tray(() => this.#showCount());
    this.element = h('footer.composer', null, this.#replyBar, this.#box, typingView(ui, channel.id, signal));
    this.isOpen = world.canSend(channel);
    if (this.isOpen) this.#build(main, where, signal);
    else this.#box.append(h('p.no-send', null, icon('lock'), whyClosed(world, channel)));
  }

  #build(main, where, signal) {
    const { field, list } = this.input;
    const attach = iconButton('plus', 'Attach files', () => this.tray.input.click());
    const smile = iconButton('smile', 'Emoji', () => openPicker(smile, (emoji) => this.input.insert(emoji)));
    const send = iconButton('send', 'Send', () => this.send(), { class: 'send' });
    const mayAttach = this.#ui.session.world.can(this.#channel, Permission.ATTACH_FILES);
    this.line = h('div.composer-line', null, mayAttach && attach, field, smile, send);
    this.#box.append(list.element, this.tray.element, this.line, this.tray.input, this.#count);
    field.addEventListener('keydown', (event) => this.#key(event));
    field.addEventListener('paste', (event) => this.#paste(event));
    if (mayAttach) this.tray.receiveDrops(main, where, signal);
    this.#restoreDraft(signal);
    void this.#learnCommands();
  }

  /** Puts the focus where the member writes. */
  focus() {
    if (this.#command) this.#command.focus();
    else this.input.field.focus();
  }

  /** Sends what is in the box; says why when it cannot be sent. */
  send() {
    const content = this.input.markup;
    if (!content && !this.tray.files.length) return;
    if (this.input.length > MESSAGE_LIMIT) {
      toast(
        `This message is too long: ${this.input.length.toLocaleString()} of ${MESSAGE_LIMIT.toLocaleString()} characters.`,
      );
      return;
    }
    void sendMessage(this.#ui.session, this.#channel.id, {
      content,
      files: this.tray.take(),
      reference: this.#reference,
      ping: this.#ping,
    });
    this.input.restore({ text: '', picked: new Map() });
    this.input.list.close();
    this.#setReference(null);
    this.#showCount();
    if (!this.#ui.timeline?.isAtEnd) void this.#ui.timeline?.jumpToPresent();
    this.focus();
  }

  /** @param {any} message the next message will answer it */
  replyTo(message) {
    this.#leaveCommand();
    this.#setReference(message);
    this.focus();
  }

  /** Writes a mention. @param {{id: string, name: string}} person */
  mention(person) {
    this.input.insert(`@${person.name} `, [`@${person.name}`, person.id]);
  }

  #changed() {
    const text = this.input.field.value;
    this.#showCount();
    if (text.startsWith('/')) void this.#learnCommands();
    if (text.startsWith('/') && this.#offerCommands(text)) return;
    if (text.trim() && !text.startsWith('/')) tellTyping(this.#ui.session, this.#channel.id);
  }

  #showCount() {
    showCount(this.#count, this.input);
    this.#box.classList.toggle('has-something', Boolean(this.input.field.value.trim() || this.tray.files.length));
  }

  #key(event) {
    if (this.input.list.handleKey(event) || event.isComposing) return;
    const isEmpty = this.input.field.value === '' && !this.tray.files.length;
    if (event.key === 'Enter' && !event.shiftKey && !isTouch()) this.send();
    else if (event.key === 'ArrowUp' && isEmpty) this.#ui.editLast();
    else if (event.key === 'Escape') this.#escape();
    else return;
    event.preventDefault();
  }

  #escape() {
    if (this.#reference) this.#setReference(null);
    else if (!this.#ui.timeline?.isAtEnd) void this.#ui.timeline?.jumpToPresent();
  }

  #paste(event) {
    const files = [...(event.clipboardData?.files ?? [])];
    if (!files.length) return;
    event.preventDefault();
    this.tray.add(files);
  }

  #setReference(message) {
    this.#reference = message;
    this.#ping = true;
    this.#replyBar.hidden = !message;
    if (!message) return;
    const ping = h(
      'button.link.ping',
      { type: 'button', 'aria-pressed': 'true', title: 'Notify the author', onclick: () => this.#togglePing(ping) },
      '@ on',
    );
    const cancel = iconButton('close', 'Cancel the reply', () => {
      this.#setReference(null);
      this.focus();
    });
    this.#replyBar.replaceChildren(
      icon('reply'),
      h('span.reply-to', null, 'Replying to ', h('b', null, this.#ui.person(message.author.id).name)),
      ping,
      cancel,
    );
  }

  #togglePing(button) {
    this.#ping = !this.#ping;
    button.setAttribute('aria-pressed', String(this.#ping));
    button.textContent = this.#ping ? '@ on' : '@ off';
  }

  #restoreDraft(signal) {
    const draft = this.#ui.drafts.get(this.#channel.id);
    if (draft) {
      queueMicrotask(() => this.input.restore(draft.input)); // its height can be measured only on the page
      this.tray.add(draft.files);
      this.#setReference(draft.reference);
    }
    signal.addEventListener('abort', () => {
      const files = this.tray.take();
      this.#ui.drafts.set(this.#channel.id, { input: this.input.draft, files, reference: this.#reference });
    });
  }

  /** Asks anew, and offers what came if the member waits for it. */
  async #learnCommands() {
    try {
      const commands = await this.#ui.session.interactions.index(this.#channel);
      if (commands === this.#commands) return;
      this.#commands = commands;
      if (this.input.field.value.startsWith('/')) this.#offerCommands(this.input.field.value);
    } catch (error) {
      if (!(error instanceof DiscordError)) throw error;
      this.#ui.session.report(error);
    }
  }

  /** @returns {boolean} true when the line is (the beginning of) a command */
  #offerCommands(text) {
    const typed = typedCommand(this.#commands, text);
    if (typed) {
      this.#enterCommand(typed.invocable, typed.rest);
      return true;
    }
    const found = text.includes('\n') ? [] : matching(this.#commands, text.slice(1));
    const items = found.slice(0, 12).map((invocable) => ({
      label: invocable.name,
      detail: invocable.description,
      sign: '/',
      insert: '',
      id: null,
      invocable,
    }));
    this.input.offer(items, 'Commands', (item) => this.#enterCommand(item.invocable, ''));
    return items.length > 0;
  }

  #enterCommand(invocable, rest) {
    this.input.list.close();
    this.input.restore({ text: '', picked: new Map() });
    this.#command = new CommandForm(this.#ui, this.#channel, invocable, {
      rest,
      onDone: () => this.#leaveCommand(true),
    });
    if (this.line) this.line.hidden = true;
    this.#box.append(this.#command.element);
    this.#command.focus();
  }

  #leaveCommand(takesFocus = false) {
    this.#command?.element.remove();
    this.#command = null;
    if (this.line) this.line.hidden = false;
    if (takesFocus) this.focus();
  }
}

function whyClosed(world, channel) {
  const until = world.timeoutIn(channel);
  if (until) return `You are timed out here until ${stamp(until)}.`;
  return channel.thread_metadata?.locked
    ? 'This thread is locked.'
    : 'You do not have permission to send messages here.';
}
