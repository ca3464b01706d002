/** @file Embeds: the cards that applications attach to their messages. */

import { h } from './dom.js';
import { fullTime, stamp } from './format.js';
import { icon } from './icons.js';
import { externalLink, renderMarkdown, safeHref } from './markdown_view.js';
import { sameOriginUrl } from './view_attachments.js';

/**
 * @param {any[]} embeds
 * @param {import('./view_shell.js').Ui} ui
 * @returns {HTMLElement}
 */
export function embedsView(embeds, ui) {
  return h(
    'div.embeds',
    null,
    embeds.map((embed) => embedView(embed, ui)),
  );
}

function embedView(embed, ui) {
  const color = embed.color ? `#${embed.color.toString(16).padStart(6, '0')}` : null;
  const text = (source, options) => renderMarkdown(source, ui.surroundings, options);
  return h(
    'div.embed',
    { style: { '--embed': color } },
    picture(embed.thumbnail, 'thumbnail'),
    embed.author && h('div.embed-author', null, linked(embed.author.url, embed.author.name)),
    embed.title && h('div.embed-title', null, linked(embed.url, text(embed.title, { blocks: false }))),
    embed.description && h('div.embed-description.content', null, text(embed.description)),
    embed.fields?.length
      ? h(
          'div.embed-fields',
          null,
          embed.fields.map((field) => fieldView(field, text)),
        )
      : null,
    picture(embed.image, 'picture'),
    footer(embed),
  );
}

function linked(url, children) {
  return url && safeHref(url) ? externalLink(url, children) : h('span', null, children);
}

function fieldView(field, text) {
  return h(
    'div.embed-field',
    { class: field.inline ? 'inline' : '' },
    h('div.embed-field-name', null, text(field.name, { blocks: false })),
    h('div.content', null, text(field.value)),
  );
}

/** This page loads nothing from elsewhere: a picture on another host is a link. */
function picture(image, className) {
  if (!image?.url) return null;
  const local = sameOriginUrl(image.proxy_url ?? image.url) ?? sameOriginUrl(image.url);
  if (local) return h(`img.embed-${className}`, { src: local, alt: image.description ?? '', loading: 'lazy' });
  return (
    safeHref(image.url) &&
    h('div.embed-outside', null, icon('external'), externalLink(image.url, `Image on ${new URL(image.url).hostname}`))
  );
}

function footer(embed) {
  if (!embed.footer?.text && !embed.timestamp) return null;
  const time = embed.timestamp && new Date(embed.timestamp);
  return h(
    'div.embed-footer',
    null,
    embed.footer?.text,
    embed.footer?.text && time ? ' · ' : '',
    time && h('time', { title: fullTime(time) }, stamp(time)),
  );
}
