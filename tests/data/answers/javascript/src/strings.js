// Functions for texts. None changes what it is given.

// Letters

/**
 * Begin a text with a capital.
 */
export function capitalize(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Begin a text with a small letter.
 */
export function uncapitalize(text) {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/**
 * Turn a text round; letters made of two units stay whole.
 */
export function reverse(text) {
  return [...text].reverse().join('');
}

/**
 * Tell whether no letter of a text is small.
 */
export function isUpper(text) {
  return text !== text.toLowerCase() && text === text.toUpperCase();
}

/**
 * Tell whether no letter of a text is a capital.
 */
export function isLower(text) {
  return text !== text.toUpperCase() && text === text.toLowerCase();
}

/**
 * Tell whether a text has nothing but white space.
 */
export function isBlank(text) {
  return text.trim() === '';
}

/**
 * Tell whether a text is a decimal number, with or without a sign.
 */
export function isNumeric(text) {
  return /^[+-]?\d+(\.\d+)?$/.test(text);
}

/**
 * Tell whether a text reads the same from behind, letters and digits only.
 */
export function isPalindrome(text) {
  const plain = text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return plain === reverse(plain);
}

/**
 * Return the letters of a text, without everything else.
 */
export function letters(text) {
  return text.replace(/[^\p{L}]/gu, '');
}

/**
 * Return the digits of a text, without everything else.
 */
export function digits(text) {
  return text.replace(/\D/g, '');
}

/**
 * Count the vowels of a text.
 */
export function vowels(text) {
  return (text.match(/[aeiou]/gi) ?? []).length;
}

/**
 * Count the consonants of a text.
 */
export function consonants(text) {
  return (text.match(/[b-df-hj-np-tv-z]/gi) ?? []).length;
}

// Beginnings and ends

/**
 * Take a beginning away, where it is there.
 */
export function removePrefix(text, prefix) {
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

/**
 * Take an end away, where it is there.
 */
export function removeSuffix(text, suffix) {
  return suffix !== '' && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
}

/**
 * Put a beginning before a text, where it is not there.
 */
export function ensurePrefix(text, prefix) {
  return text.startsWith(prefix) ? text : prefix + text;
}

/**
 * Put an end behind a text, where it is not there.
 */
export function ensureSuffix(text, suffix) {
  return text.endsWith(suffix) ? text : text + suffix;
}

/**
 * Return what stands before the first mark; all of it where there is none.
 */
export function before(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? text : text.slice(0, at);
}

/**
 * Return what stands after the first mark; nothing where there is none.
 */
export function after(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? '' : text.slice(at + mark.length);
}

/**
 * Return what stands before the last mark; all of it where there is none.
 */
export function beforeLast(text, mark) {
  const at = text.lastIndexOf(mark);
  return at < 0 ? text : text.slice(0, at);
}

/**
 * Return what stands after the last mark; nothing where there is none.
 */
export function afterLast(text, mark) {
  const at = text.lastIndexOf(mark);
  return at < 0 ? '' : text.slice(at + mark.length);
}

/**
 * Return what stands between two marks; nothing where one of them is missing.
 */
export function between(text, open, close) {
  const rest = after(text, open);
  return rest.includes(close) ? before(rest, close) : '';
}

/**
 * Return the longest beginning two texts share.
 */
export function commonPrefix(first, second) {
  let at = 0;
  while (at < first.length && first[at] === second[at]) {
    at += 1;
  }
  return first.slice(0, at);
}

/**
 * Return the longest end two texts share.
 */
export function commonSuffix(first, second) {
  return reverse(commonPrefix(reverse(first), reverse(second)));
}

// Padding

/**
 * Fill a text up at its left.
 */
export function padLeft(text, width, fill = ' ') {
  return text.padStart(width, fill);
}

/**
 * Fill a text up at its right.
 */
export function padRight(text, width, fill = ' ') {
  return text.padEnd(width, fill);
}

/**
 * Fill a text up at both sides, rather at its right.
 */
export function center(text, width, fill = ' ') {
  const missing = Math.max(0, width - text.length);
  const left = Math.floor(missing / 2);
  return fill.repeat(left) + text + fill.repeat(missing - left);
}

/**
 * Repeat a text, with something in between.
 */
export function repeat(text, times, separator = '') {
  return Array.from({ length: times }, () => text).join(separator);
}

/**
 * Put a mark at both sides.
 */
export function surround(text, mark) {
  return mark + text + mark;
}

/**
 * Put a text in quotation marks; those inside are doubled.
 */
export function quote(text, mark = '"') {
  return surround(text.replaceAll(mark, mark + mark), mark);
}

/**
 * Take quotation marks away; those that are doubled become one.
 */
export function unquote(text, mark = '"') {
  if (text.length < 2 || !text.startsWith(mark) || !text.endsWith(mark)) {
    return text;
  }
  return text.slice(1, -1).replaceAll(mark + mark, mark);
}

// Names of programs

/**
 * Split a name of any style into its words, in small letters.
 */
export function parts(text) {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((part) => part !== '')
    .map((part) => part.toLowerCase());
}

/**
 * Write a name likeThis.
 */
export function camelCase(text) {
  return uncapitalize(pascalCase(text));
}

/**
 * Write a name LikeThis.
 */
export function pascalCase(text) {
  return parts(text).map(capitalize).join('');
}

/**
 * Write a name like_this.
 */
export function snakeCase(text) {
  return parts(text).join('_');
}

/**
 * Write a name like-this.
 */
export function kebabCase(text) {
  return parts(text).join('-');
}

/**
 * Write a name LIKE_THIS.
 */
export function constantCase(text) {
  return snakeCase(text).toUpperCase();
}

/**
 * Write a name like.this.
 */
export function dotCase(text) {
  return parts(text).join('.');
}

/**
 * Write a name like/this.
 */
export function pathCase(text) {
  return parts(text).join('/');
}

// Lines

/**
 * Split a text into its lines, whatever ends them.
 */
export function lines(text) {
  return text.split(/\r\n|\r|\n/);
}

/**
 * Move every line that is not empty to the right.
 */
export function indent(text, width = 2) {
  const blanks = ' '.repeat(width);
  return lines(text)
    .map((line) => (isBlank(line) ? line : blanks + line))
    .join('\n');
}

/**
 * Move all lines to the left, as far as the one that stands furthest there.
 */
export function dedent(text) {
  const all = lines(text);
  const filled = all.filter((line) => !isBlank(line));
  const widths = filled.map((line) => line.length - line.trimStart().length);
  const width = Math.min(...widths, Infinity);
  return all.map((line) => line.slice(Number.isFinite(width) ? width : 0)).join('\n');
}

/**
 * Put a number before every line.
 */
export function numberLines(text, first = 1) {
  const all = lines(text);
  const width = String(first + all.length - 1).length;
  return all.map((line, at) => `${padLeft(String(first + at), width)} ${line}`).join('\n');
}

/**
 * Leave one of several empty lines.
 */
export function squeezeBlankLines(text) {
  return lines(text)
    .filter((line, at, all) => !(isBlank(line) && at > 0 && isBlank(all[at - 1])))
    .join('\n');
}

/**
 * Take white space away from the end of every line.
 */
export function trimLines(text) {
  return lines(text)
    .map((line) => line.trimEnd())
    .join('\n');
}

/**
 * Return the longest line, the first of several.
 */
export function longestLine(text) {
  return lines(text).reduce((best, line) => (line.length > best.length ? line : best), '');
}

/**
 * Break a text into lines of at most so many characters; words stay whole.
 */
export function wrap(text, width = 80) {
  const done = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      done.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...done, line].join('\n');
}

// Counting and comparing

/**
 * Count how often a part occurs, without overlaps.
 */
export function countOf(text, part) {
  return part === '' ? 0 : text.split(part).length - 1;
}

/**
 * Count every letter; a Map in the order in which they come.
 */
export function frequencies(text) {
  const counts = new Map();
  for (const letter of text) {
    counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  return counts;
}

/**
 * Return the letter that comes most often, the first of several.
 */
export function mostFrequent(text) {
  const all = [...frequencies(text)];
  return all.reduce((best, each) => (each[1] > best[1] ? each : best), ['', 0])[0];
}

/**
 * Tell whether two texts have the same letters.
 */
export function isAnagram(first, second) {
  const sorted = (text) => [...letters(text.toLowerCase())].sort().join('');
  return sorted(first) === sorted(second);
}

/**
 * Count the places where two texts of one length differ. Throws a RangeError for others.
 */
export function hammingDistance(first, second) {
  if (first.length !== second.length) {
    throw new RangeError('both texts must have the same length');
  }
  return [...first].filter((letter, at) => letter !== second[at]).length;
}

/**
 * Count the letters to put in, take out or change until two texts are the same.
 */
export function editDistance(first, second) {
  let row = Array.from({ length: second.length + 1 }, (_, at) => at);
  for (let i = 1; i <= first.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= second.length; j += 1) {
      const change = row[j - 1] + (first[i - 1] === second[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return row[second.length];
}

/**
 * Tell how alike two texts are: 1 is the same, 0 nothing in common.
 */
export function similarity(first, second) {
  const longest = Math.max(first.length, second.length);
  return longest === 0 ? 1 : 1 - editDistance(first, second) / longest;
}

/**
 * Return the candidate that is most like a text; undefined where there is none.
 */
export function closest(text, candidates) {
  return [...candidates].sort((a, b) => editDistance(text, a) - editDistance(text, b))[0];
}

/**
 * Compare texts as people do: 'a2' comes before 'a10'.
 */
export function compareNatural(first, second) {
  return first.localeCompare(second, 'en', { numeric: true });
}

/**
 * Compare texts as if all letters were small.
 */
export function compareIgnoringCase(first, second) {
  return first.toLowerCase().localeCompare(second.toLowerCase(), 'en');
}

// Replacing

/**
 * Make one blank of all white space.
 */
export function squeeze(text) {
  return text.replace(/\s+/g, ' ').trim();
}

/**
 * Put a part over what stands at a place.
 */
export function replaceAt(text, at, part) {
  return text.slice(0, at) + part + text.slice(at + part.length);
}

/**
 * Put a part in at a place.
 */
export function insertAt(text, at, part) {
  return text.slice(0, at) + part + text.slice(at);
}

/**
 * Take out what stands at a place.
 */
export function removeAt(text, at, length = 1) {
  return text.slice(0, at) + text.slice(at + length);
}

/**
 * Hide all but the last letters.
 */
export function mask(text, shown = 4, mark = '*') {
  const hidden = Math.max(0, text.length - shown);
  return mark.repeat(hidden) + text.slice(hidden);
}

/**
 * Move every letter on by half the alphabet.
 */
export function rot13(text) {
  return text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });
}

/**
 * Replace letters by a table, an object from letter to text.
 */
export function translate(text, table) {
  return [...text].map((letter) => table[letter] ?? letter).join('');
}

/**
 * Take everything out that looks like an HTML tag.
 */
export function stripTags(text) {
  return text.replace(/<\/?[a-z][^>]*>/gi, '');
}

// Numbers in words and signs

/**
 * Write a number like '1st', '2nd', '11th'.
 */
export function ordinal(number) {
  const teens = number % 100 >= 11 && number % 100 <= 13;
  const end = teens ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th');
  return `${number}${end}`;
}

/**
 * Write a number from 1 to 3999 in Roman digits. Throws a RangeError for others.
 */
export function roman(number) {
  if (!Number.isInteger(number) || number < 1 || number > 3999) {
    throw new RangeError('only whole numbers from 1 to 3999 have Roman digits');
  }
  const signs = [
    [1000, 'M'],
    [900, 'CM'],
    [500, 'D'],
    [400, 'CD'],
    [100, 'C'],
    [90, 'XC'],
    [50, 'L'],
    [40, 'XL'],
    [10, 'X'],
    [9, 'IX'],
    [5, 'V'],
    [4, 'IV'],
    [1, 'I'],
  ];
  let rest = number;
  let written = '';
  for (const [value, sign] of signs) {
    while (rest >= value) {
      written += sign;
      rest -= value;
    }
  }
  return written;
}

/**
 * Write a whole number with a mark between its thousands.
 */
export function thousands(number, mark = ',') {
  return String(number).replace(/\B(?=(\d{3})+$)/g, mark);
}

/**
 * Write the bytes of a text (UTF-8) as hexadecimal digits.
 */
export function toHex(text) {
  return [...new TextEncoder().encode(text)]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

/**
 * Read a text from hexadecimal digits. Throws a RangeError when their number is odd.
 */
export function fromHex(hex) {
  if (hex.length % 2 !== 0) {
    throw new RangeError('hexadecimal digits come in pairs');
  }
  const bytes = chunks(hex, 2).map((pair) => Number.parseInt(pair, 16));
  return new TextDecoder().decode(new Uint8Array(bytes));
}

// Pieces

/**
 * Cut a text into pieces of one size; the last may be shorter.
 */
export function chunks(text, size) {
  const pieces = [];
  for (let at = 0; at < text.length; at += size) {
    pieces.push(text.slice(at, at + size));
  }
  return pieces;
}

/**
 * Return all parts of one size, each one letter after the other.
 */
export function windows(text, size) {
  const count = Math.max(0, text.length - size + 1);
  return Array.from({ length: count }, (_, at) => text.slice(at, at + size));
}

/**
 * Return the longest word, the first of several.
 */
export function longestWord(text) {
  return text.split(/\s+/).reduce((best, word) => (word.length > best.length ? word : best), '');
}

/**
 * Join texts with a separator; empty ones are left out.
 */
export function join(separator, ...texts) {
  return texts.filter((text) => text !== '').join(separator);
}

/**
 * Take letters of two texts by turns.
 */
export function interleave(first, second) {
  const length = Math.max(first.length, second.length);
  const both = Array.from({ length }, (_, at) => (first[at] ?? '') + (second[at] ?? ''));
  return both.join('');
}
