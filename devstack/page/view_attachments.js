/** @file Files on a message: images and sound inline, everything else as a card. */

import { h } from './dom.js';
import { fileSize } from './format.js';
import { icon } from './icons.js';
import { openDialog } from './view_dialog.js';

const LARGEST_WIDTH = 420;
const LARGEST_HEIGHT = 320;

/**
 * @param {any[]} attachments
 * @returns {HTMLElement}
 */
export function attachmentsView(attachments) {
  return h(
    'div.attachments',
    null,
    attachments.map((attachment) => attachmentView(attachment)),
  );
}

function attachmentView(attachment) {
  const url = sameOriginUrl(attachment.url);
  const type = attachment.content_type ?? '';
  if (url && type.startsWith('image/') && !type.includes('svg')) return imageView(attachment, url);
  if (url && type.startsWith('audio/')) return soundView(attachment, url);
  return fileCard(attachment, url);
}

/**
 * The simulator names its files by the address it was started with; this page may have been opened by another name of the
 * same machine, and its policy loads from its own address only.
 * @param {string} address
 * @returns {string | null}
 */
export function sameOriginUrl(address) {
  try {
    const url = new URL(address, location.href);
    const isLocal = url.origin === location.origin || ['127.0.0.1', 'localhost'].includes(url.hostname);
    return isLocal && /^https?:$/.test(url.protocol) ? new URL(url.pathname + url.search, location.origin).href : null;
  } catch {
    return null; // not an address
  }
}

/** Room is kept before the image is there, so that nothing jumps when it comes. */
function imageView(attachment, url) {
  const { width, height, filename } = attachment;
  const scale = width && height ? Math.min(1, LARGEST_WIDTH / width, LARGEST_HEIGHT / height) : null;
  const size = scale
    ? { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
    : {};
  const image = h('img', {
    src: url,
    alt: attachment.description || filename,
    loading: 'lazy',
    decoding: 'async',
    ...size,
  });
  const button = h(
    'button.image',
    { type: 'button', 'aria-label': `Enlarge ${filename}`, title: filename, onclick: () => enlarge(attachment, url) },
    image,
  );
  image.addEventListener('error', () => button.replaceWith(fileCard(attachment, url)));
  return button;
}

function enlarge(attachment, url) {
  const image = h('img', { src: url, alt: attachment.description || attachment.filename });
  const caption = h(
    'p',
    null,
    attachment.filename,
    ' · ',
    fileSize(attachment.size),
    ' · ',
    download(attachment, url, 'Open original'),
  );
  openDialog({ title: attachment.filename, className: 'lightbox', content: [image, caption] });
}

function soundView(attachment, url) {
  return h(
    'figure.sound',
    null,
    h('audio', { src: url, controls: true, preload: 'metadata' }),
    h('figcaption', null, attachment.filename, ' · ', fileSize(attachment.size)),
  );
}

function fileCard(attachment, url) {
  const name = url ? download(attachment, url, attachment.filename) : h('span', null, attachment.filename);
  return h(
    'div.file-card',
    null,
    icon('file'),
    h(
      'div',
      null,
      name,
      h(
        'small',
        null,
        fileSize(attachment.size),
        attachment.content_type ? ` · ${attachment.content_type.split(';')[0]}` : '',
      ),
    ),
  );
}

function download(attachment, url, label) {
  return h('a', { href: url, target: '_blank', rel: 'noopener noreferrer', download: attachment.filename }, label);
}
