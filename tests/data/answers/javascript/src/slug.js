// @license ISC
const MARKS = /[\u0300-\u036f]/g;

/** Write a text as part of an address: lower case, words joined by dashes. */
export function slugify(text, separator = '-') {
  const plain = text.normalize('NFD').replace(MARKS, '').toLowerCase();
  return plain.replace(/[^a-z0-9]/g, separator);
}

/** Tell whether a text is a slug already. */
export function isSlug(text) {
  return /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text);
}

/** Make a slug that is not among those taken, by a number at its end. */
export function uniqueSlug(text, taken) {
  const slug = slugify(text);
  if (!taken.has(slug)) {
    return slug;
  }
  let number = 2;
  while (taken.has(`${slug}-${number}`)) {
    number += 1;
  }
  return `${slug}-${number}`;
}
