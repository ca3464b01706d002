/** @file Discord's Markdown to a tree. Pure: it makes no nodes of the page and no HTML. Text that means nothing stays text. */

/**
 * @typedef {{type: string, text?: string, children?: Node[], items?: Node[][], level?: number, language?: string, href?: string,
 *   id?: string, name?: string, style?: string, ordered?: boolean, start?: number, seconds?: number}} Node
 */

const DEEPEST = 8; // nesting beyond this is shown as it was typed: nobody writes it by hand

const QUOTE = /^> /;
const HEADING = /^(#{1,3}) +(.+?)\s*$/;
const SUBTEXT = /^-# +(.+)$/;
const ITEM = /^( *)([-*]|\d{1,9}\.) +(.*)$/;
const FENCE = '```';

/**
 * Reads a message's content.
 * @param {string} source
 * @param {{blocks?: boolean}} [options] `blocks: false` reads inline marks only, as in quote lines and field names
 * @returns {Node[]}
 */
export function parse(source, { blocks = true } = {}) {
  return blocks ? parseBlocks(source, 0) : parseInline(source, 0);
}

/**
 * The words alone, for previews and screen readers.
 * @param {Node[]} nodes
 * @returns {string}
 */
export function plainText(nodes) {
  return nodes
    .map((node) => (node.type === 'break' ? ' ' : (node.text ?? plainText(node.children ?? (node.items ?? []).flat()))))
    .join('');
}

function parseBlocks(source, depth) {
  if (depth > DEEPEST) return [{ type: 'text', text: source }];
  const nodes = [];
  let rest = source;
  let paragraph = [];
  const flush = () => {
    if (paragraph.length) nodes.push(...parseInline(paragraph.join('\n'), depth));
    paragraph = [];
  };
  while (rest) {
    const block = readBlock(rest, depth);
    if (block) {
      flush();
      nodes.push(block.node);
      rest = rest.slice(block.length);
    } else {
      const length = paragraphLength(rest);
      paragraph.push(rest.slice(0, length));
      rest = rest.slice(length + 1);
      if (!rest || startsBlock(rest)) flush();
    }
  }
  flush();
  return nodes;
}

const startsBlock = (rest) => readBlock(rest, DEEPEST) !== null;

/** @returns {{node: Node, length: number} | null} the block that begins here, with the line end that it eats */
function readBlock(rest, depth) {
  if (rest.startsWith('>>> '))
    return { node: { type: 'quote', children: parseBlocks(rest.slice(4), depth + 1) }, length: rest.length };
  const line = lineOf(rest);
  if (QUOTE.test(line)) return readQuote(rest, depth);
  const heading = HEADING.exec(line);
  if (heading)
    return {
      node: { type: 'heading', level: heading[1].length, children: parseInline(heading[2], depth + 1) },
      length: line.length + 1,
    };
  const subtext = SUBTEXT.exec(line);
  if (subtext)
    return { node: { type: 'subtext', children: parseInline(subtext[1], depth + 1) }, length: line.length + 1 };
  return ITEM.test(line) ? readList(rest, depth) : null;
}

function readQuote(rest, depth) {
  const lines = takeLines(rest, (line) => QUOTE.test(line) || line === '>');
  const inside = lines.map((line) => line.replace(/^> ?/, '')).join('\n');
  return { node: { type: 'quote', children: parseBlocks(inside, depth + 1) }, length: lines.join('\n').length + 1 };
}

function readList(rest, depth) {
  const [, indent, marker] = /** @type {RegExpExecArray} */ (ITEM.exec(lineOf(rest)));
  const ordered = /\d/.test(marker);
  const goesOn = (line, index) => {
    const item = ITEM.exec(line);
    if (!item) return index > 0 && /^ {2,}\S/.test(line);
    return item[1].length > indent.length || /\d/.test(item[2]) === ordered;
  };
  const lines = takeLines(rest, goesOn);
  const items = [];
  for (const line of lines) {
    const item = ITEM.exec(line);
    if (item && (item[1].length <= indent.length || !items.length)) items.push([item[3]]);
    else items[items.length - 1].push(line.slice(indent.length + 2));
  }
  const parsed = items.map((parts) => parseBlocks(parts.join('\n'), depth + 1));
  return {
    node: { type: 'list', ordered, start: ordered ? parseInt(marker, 10) : 1, items: parsed },
    length: lines.join('\n').length + 1,
  };
}

function lineOf(rest) {
  const end = rest.indexOf('\n');
  return end < 0 ? rest : rest.slice(0, end);
}

function takeLines(rest, belongs) {
  const lines = rest.split('\n');
  const end = lines.findIndex((line, index) => !belongs(line, index));
  return end < 0 ? lines : lines.slice(0, end);
}

/** One line, or more where a fence opens in it: a fence's lines are never read as blocks. */
function paragraphLength(rest) {
  let end = lineOf(rest).length;
  let from = 0;
  for (;;) {
    const open = rest.indexOf(FENCE, from);
    if (open < 0 || open > end) return end;
    const close = rest.indexOf(FENCE, open + 3);
    if (close < 0) return end;
    from = close + 3;
    if (from > end) end = from + lineOf(rest.slice(from)).length;
  }
}

const MARKS = /[\\`*_~|<[@h\n]/;

/** Each rule reads at one place only (sticky); the first that matches wins. */
const RULES = /** @type {[RegExp, (match: RegExpExecArray, inner: (text: string) => Node[]) => Node][]} */ ([
  [/\\([^0-9A-Za-z\s])/y, ([, text]) => ({ type: 'text', text })],
  [
    /```(?:([\w+.#-]+)\n)?\n*([\s\S]+?)\n*```\n?/y,
    ([, language, text]) => ({ type: 'fence', language: language ?? '', text }),
  ],
  [/(`{1,2})(?!`)([\s\S]*?[^`])\1(?!`)/y, ([, , text]) => ({ type: 'code', text: text.trim() || text })],
  [/\|\|([\s\S]+?)\|\|/y, ([, text], inner) => ({ type: 'spoiler', children: inner(text) })],
  [/\*\*([\s\S]+?)\*\*(?!\*)/y, ([, text], inner) => ({ type: 'strong', children: inner(text) })],
  [/__([\s\S]+?)__(?!_)/y, ([, text], inner) => ({ type: 'underline', children: inner(text) })],
  [/~~([\s\S]+?)~~/y, ([, text], inner) => ({ type: 'strike', children: inner(text) })],
  [/\*(?=\S)((?:\*\*|[^*])+?)(?<=\S)\*(?!\*)/y, ([, text], inner) => ({ type: 'emphasis', children: inner(text) })],
  [
    /(?<![\p{L}\p{N}])_((?:__|[^_])+?)_(?![\p{L}\p{N}])/uy,
    ([, text], inner) => ({ type: 'emphasis', children: inner(text) }),
  ],
  [/\[((?:\\.|[^[\]\\\n])+)\]\(<?(https?:\/\/(?:\([^\s()]*\)|[^\s()<>])+)>?(?: +"[^"\n]*")?\)/iy, maskedLink],
  [/<(https?:\/\/[^\s>]+)>/iy, ([, href]) => ({ type: 'link', href, children: [{ type: 'text', text: href }] })],
  [
    /https?:\/\/[^\s<]*[^\s<.,:;"'\]!?*_~|)]/iy,
    ([whole]) => ({ type: 'link', href: whole, children: [{ type: 'text', text: whole }] }),
  ],
  [/<@!?(\d{1,20})>/y, ([, id]) => ({ type: 'user', id })],
  [/<@&(\d{1,20})>/y, ([, id]) => ({ type: 'role', id })],
  [/<#(\d{1,20})>/y, ([, id]) => ({ type: 'channel', id })],
  [/<\/([-\w ]{1,100}):\d{1,20}>/y, ([, name]) => ({ type: 'command', name })],
  [/<a?:(\w{2,32}):\d{1,20}>/y, ([, name]) => ({ type: 'text', text: `:${name}:` })],
  [
    /<t:(-?\d{1,13})(?::([tTdDfFR]))?>/y,
    ([, seconds, style]) => ({ type: 'time', seconds: Number(seconds), style: style ?? 'f' }),
  ],
  [/@(everyone|here)\b/y, ([, name]) => ({ type: 'everyone', name })],
  [/\n/y, () => ({ type: 'break' })],
]);

/** A label that looks like another address than the one behind it is a trap: show what was typed. */
function maskedLink([whole, label, href], inner) {
  const shown = /^\s*(https?:\/\/\S+|[\w-]+(\.[\w-]+)+\S*)\s*$/i.exec(label);
  const honest =
    !shown || href.replace(/^https?:\/\//i, '').startsWith(shown[1].replace(/^https?:\/\//i, '').replace(/\/$/, ''));
  return honest ? { type: 'link', href, children: inner(label) } : { type: 'text', text: whole };
}

function parseInline(source, depth) {
  if (depth > DEEPEST) return [{ type: 'text', text: source }];
  const inner = (text) => parseInline(text, depth + 1);
  const nodes = [];
  let text = '';
  let at = 0;
  while (at < source.length) {
    const found = MARKS.test(source[at]) ? readMark(source, at, inner) : null;
    if (found) {
      if (text) nodes.push({ type: 'text', text });
      text = '';
      nodes.push(found.node);
      at += found.length;
    } else {
      text += source[at];
      at += 1;
    }
  }
  if (text) nodes.push({ type: 'text', text });
  return nodes;
}

function readMark(source, at, inner) {
  for (const [pattern, make] of RULES) {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    if (match) return { node: make(match, inner), length: match[0].length };
  }
  return null;
}
