const SMALL = new Set(['a', 'an', 'and', 'in', 'of', 'on', 'or', 'the', 'to']);

/** Split a text into its words. */
export function words(text) {
  return text.split(/\s+/).filter((word) => word !== '');
}

/** Count the words of a text. */
export function wordCount(text) {
  return words(text).length;
}

/** Begin every word with a capital, but small ones that do not stand first. */
export function titleCase(text) {
  return words(text)
    .map((word, index) => (index > 0 && SMALL.has(word) ? word : capital(word)))
    .join(' ');
}

/** @deprecated use titleCase */
export function titleize(text) {
  return titleCase(text);
}

/** The first letters of a name, as capitals. */
export function initials(name) {
  return words(name)
    .map((word) => word[0].toUpperCase())
    .join('');
}

/** Cut a text that has more than so many characters, and end it with '...'. */
export function truncate(text, length) {
  if (text.length <= length) {
    return text;
  }
  return `${text.slice(0, length - 3)}...`;
}

/** Join words as people do: 'a, b and c'. */
export function listOf(...items) {
  if (items.length < 2) {
    return items.join('');
  }
  const [last, ...others] = [...items].reverse();
  return `${others.reverse().join(', ')} and ${last}`;
}

function capital(word) {
  return word[0].toUpperCase() + word.slice(1);
}
