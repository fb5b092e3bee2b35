import { TemplateError } from './errors.js';

const OPEN = '{{';
const CLOSE = '}}';
const NAME = /^[A-Za-z_][\w.]*$/;

const FILTERS = {
  upper: (value) => String(value).toUpperCase(),
  lower: (value) => String(value).toLowerCase(),
  trim: (value) => String(value).trim(),
  json: (value) => JSON.stringify(value),
  length: (value) => (value === undefined ? 0 : value.length),
  first: (value) => value?.[0],
  last: (value) => value?.[value.length - 1],
};

/**
 * Read a template and return a function that fills it in.
 *
 * `{{name}}` is a value, `{{name|upper}}` one that goes through a filter, `{{#name}}...{{/name}}` is
 * repeated for each element of a list, or shown when a value is true, `{{^name}}...{{/name}}` is
 * shown when it is not.
 */
export function compile(source) {
  const { nodes } = parse(tokens(source), 0, null);
  return (values) => render(nodes, [values]);
}

/** Fill a template in at once. */
export function fill(source, values) {
  return compile(source)(values);
}

/** Return the names a template asks for, sorted. */
export function namesIn(source) {
  const found = new Set();
  for (const token of tokens(source)) {
    if (token.kind === 'value' || token.kind === 'open' || token.kind === 'not') {
      found.add(token.name);
    }
  }
  return [...found].sort();
}

/** Write a text so that HTML shows it as it is. */
export function escapeHtml(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function tokens(source) {
  const found = [];
  let at = 0;
  while (at < source.length) {
    const start = source.indexOf(OPEN, at);
    if (start < 0) {
      found.push({ kind: 'text', text: source.slice(at) });
      break;
    }
    if (start > at) {
      found.push({ kind: 'text', text: source.slice(at, start) });
    }
    const end = source.indexOf(CLOSE, start);
    if (end < 0) {
      throw new TemplateError('a tag is not closed', start);
    }
    found.push(token(source.slice(start + OPEN.length, end).trim(), start));
    at = end + CLOSE.length;
  }
  return found;
}

function token(inside, position) {
  const kinds = { '#': 'open', '/': 'close', '^': 'not' };
  const kind = kinds[inside[0]];
  if (kind !== undefined) {
    return { kind, name: checked(inside.slice(1).trim(), position), position };
  }
  if (inside.startsWith('!')) {
    return { kind: 'comment', position };
  }
  const [name, ...filters] = inside.split('|').map((part) => part.trim());
  for (const filter of filters) {
    if (!(filter in FILTERS)) {
      throw new TemplateError(`there is no filter ${filter}`, position);
    }
  }
  return { kind: 'value', name: checked(name, position), filters, position };
}

function checked(name, position) {
  if (name !== '.' && !NAME.test(name)) {
    throw new TemplateError(`not a name: ${name}`, position);
  }
  return name;
}

function parse(all, from, until) {
  const nodes = [];
  let at = from;
  while (at < all.length) {
    const each = all[at];
    if (each.kind === 'close') {
      if (each.name !== until) {
        throw new TemplateError(`${each.name} was never opened`, each.position);
      }
      return { nodes, next: at + 1 };
    }
    if (each.kind === 'open' || each.kind === 'not') {
      const inner = parse(all, at + 1, each.name);
      nodes.push({ ...each, nodes: inner.nodes });
      at = inner.next;
    } else {
      nodes.push(each);
      at += 1;
    }
  }
  if (until !== null) {
    throw new TemplateError(`${until} is never closed`, at);
  }
  return { nodes, next: at };
}

function render(nodes, scopes) {
  return nodes.map((node) => renderOne(node, scopes)).join('');
}

function renderOne(node, scopes) {
  if (node.kind === 'text') {
    return node.text;
  }
  if (node.kind === 'comment') {
    return '';
  }
  const value = lookUp(node.name, scopes);
  if (node.kind === 'value') {
    const filtered = node.filters.reduce((each, name) => FILTERS[name](each), value);
    return filtered === undefined || filtered === null ? '' : String(filtered);
  }
  if (node.kind === 'not') {
    return isTrue(value) ? '' : render(node.nodes, scopes);
  }
  if (Array.isArray(value)) {
    return value.map((each) => render(node.nodes, [...scopes, each])).join('');
  }
  return isTrue(value) ? render(node.nodes, [...scopes, value]) : '';
}

function lookUp(name, scopes) {
  if (name === '.') {
    return scopes[scopes.length - 1];
  }
  const [first, ...rest] = name.split('.');
  for (const scope of [...scopes].reverse()) {
    if (scope !== null && typeof scope === 'object' && first in scope) {
      return rest.reduce((value, key) => value?.[key], scope[first]);
    }
  }
  return undefined;
}

function isTrue(value) {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}
