"""What is to be done in the JavaScript project."""

from __future__ import annotations

from tests.answers.projects import Task

ADD = Task(
    id="add-function",
    language="javascript",
    text="""\
Add `swapCase(text)` to `src/strings.js`, behind `uncapitalize`: small letters become capitals and \
capitals small, everything else stays""",
    subject="src/strings.js",
    shown_in_part=True,
    edits={
        "src/strings.js": (
            (
                """\
export function uncapitalize(text) {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
""",
                """\
export function uncapitalize(text) {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/**
 * Make capitals of small letters, and small letters of capitals.
 */
export function swapCase(text) {
  return [...text]
    .map((letter) => (isUpper(letter) ? letter.toLowerCase() : letter.toUpperCase()))
    .join('');
}
""",
            ),
        )
    },
    hidden="""\
import assert from 'node:assert/strict';
import * as strings from './src/strings.js';
assert.equal(strings.swapCase('Hello, World 1'), 'hELLO, wORLD 1');
assert.equal(strings.swapCase(''), '');
assert.equal(strings.roman(1994), 'MCMXCIV');
assert.equal(strings.wrap('aa bb cc', 5), 'aa bb\\ncc');
assert.equal(strings.fromHex(strings.toHex('h\\u00e9')), 'h\\u00e9');
assert.equal(strings.join('-', 'a', '', 'b'), 'a-b');
assert.equal(strings.isLower('abc'), true);
""",
)

FIX = Task(
    id="fix-bug",
    language="javascript",
    text="""\
Fix `slugify` in `src/slug.js`: several characters in a row that are no letters or digits become \
one separator, and none stands at the beginning or the end
  - Tests: `test/dashes.test.js` (already in the repository, do not change)""",
    subject="src/slug.js",
    edits={
        "src/slug.js": (
            (
                "  return plain.replace(/[^a-z0-9]/g, separator);\n",
                "  return plain.split(/[^a-z0-9]+/).filter((part) => part !== '')"
                ".join(separator);\n",
            ),
        )
    },
    before={
        "test/dashes.test.js": """\
import test from 'node:test';
import assert from 'node:assert/strict';
import { slugify } from '../src/slug.js';

test('several characters become one dash', () => {
  assert.equal(slugify('one -- two'), 'one-two');
  assert.equal(slugify('one & two', '_'), 'one_two');
});

test('no dash stands at the ends', () => {
  assert.equal(slugify('  one! '), 'one');
});
"""
    },
    hidden="""\
import assert from 'node:assert/strict';
import { isSlug, slugify, uniqueSlug } from './src/slug.js';
assert.equal(slugify('What? -- No!'), 'what-no');
assert.equal(slugify('...a...b...', '_'), 'a_b');
assert.equal(slugify('!!!'), '');
assert.equal(slugify('Cr\\u00e8me br\\u00fbl\\u00e9e'), 'creme-brulee');
assert.ok(isSlug('a-1') && !isSlug('a--1'));
assert.equal(uniqueSlug('a', new Set(['a'])), 'a-2');
assert.equal(uniqueSlug('b', new Set(['a'])), 'b');
""",
)

OPTION = Task(
    id="optional-parameter",
    language="javascript",
    text="""\
Give `truncate` in `src/words.js` a third, optional parameter `ending`, `'...'` where it is not \
said; the result is never longer than `length`""",
    subject="src/words.js",
    edits={
        "src/words.js": (
            (
                """\
/** Cut a text that has more than so many characters, and end it with '...'. */
export function truncate(text, length) {
  if (text.length <= length) {
    return text;
  }
  return `${text.slice(0, length - 3)}...`;
}
""",
                """\
/** Cut a text that has more than so many characters; `ending` tells that it was cut. */
export function truncate(text, length, ending = '...') {
  if (text.length <= length) {
    return text;
  }
  return (text.slice(0, Math.max(0, length - ending.length)) + ending).slice(0, length);
}
""",
            ),
        )
    },
    changed=("truncate",),
    hidden="""\
import assert from 'node:assert/strict';
import * as words from './src/words.js';
assert.equal(words.truncate('one two three', 10), 'one two...');
assert.equal(words.truncate('one two three', 8, '!'), 'one two!');
assert.equal(words.truncate('one two three', 8, ''), 'one two ');
assert.equal(words.truncate('one', 3), 'one');
assert.ok(words.truncate('one two', 2).length <= 2);
assert.equal(words.listOf('a', 'b', 'c'), 'a, b and c');
assert.equal(words.titleize('a b'), 'A B');
assert.deepEqual(words.words(' a  b '), ['a', 'b']);
""",
)

MODULE = Task(
    id="new-module",
    language="javascript",
    text="""\
Add `src/plural.js` with `plural(word)` and `counted(number, word)`, and its tests in \
`test/plural.test.js`
  - `plural('box')` is `'boxes'`, `plural('city')` is `'cities'`, `plural('day')` is `'days'`
  - `counted(1, 'box')` is `'1 box'`, `counted(2, 'box')` is `'2 boxes'`
  - export both from `src/index.js`""",
    subject="src/plural.js",
    edits={
        "src/index.js": (
            (
                "export { Emitter } from './emitter.js';\n",
                "export { Emitter } from './emitter.js';\n"
                "export { counted, plural } from './plural.js';\n",
            ),
        )
    },
    new={
        "src/plural.js": """\
/** The plural of an English word that follows the rules. */
export function plural(word) {
  if (/(s|x|z|ch|sh)$/.test(word)) {
    return `${word}es`;
  }
  if (/[^aeiou]y$/.test(word)) {
    return `${word.slice(0, -1)}ies`;
  }
  return `${word}s`;
}

/** A number and a word, in the plural where it has to be. */
export function counted(number, word) {
  return `${number} ${number === 1 ? word : plural(word)}`;
}
""",
        "test/plural.test.js": """\
import test from 'node:test';
import assert from 'node:assert/strict';
import { counted, plural } from '../src/plural.js';

test('words get an s', () => {
  assert.equal(plural('word'), 'words');
  assert.equal(plural('day'), 'days');
});

test('hissing words get es', () => {
  assert.equal(plural('box'), 'boxes');
  assert.equal(plural('church'), 'churches');
});

test('y becomes ies behind a consonant', () => {
  assert.equal(plural('city'), 'cities');
});

test('one is not counted as many', () => {
  assert.equal(counted(1, 'box'), '1 box');
  assert.equal(counted(2, 'box'), '2 boxes');
});
""",
    },
    hidden="""\
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as all from './src/index.js';
assert.equal(all.plural('bus'), 'buses');
assert.equal(all.plural('party'), 'parties');
assert.equal(all.plural('toy'), 'toys');
assert.equal(all.counted(0, 'city'), '0 cities');
assert.equal(all.counted(1, 'city'), '1 city');
for (const name of ['slugify', 'truncate', 'compile', 'Emitter', 'roman', 'titleize']) {
  assert.equal(typeof all[name], 'function', name);
}
const tests = readFileSync('test/plural.test.js', 'utf8');
assert.ok(tests.split('assert.').length > 4, 'the tests show too little');
assert.ok(tests.includes('plural(') && tests.includes('counted('));
""",
)

EMITTER = Task(
    id="untested-file",
    language="javascript",
    text="""\
Add a method `once(name, listener)` to `Emitter` in `src/emitter.js`, behind `on`
  - the listener is called the next time only, with all arguments
  - like `on` it returns a function that ends it
  - `src/template.js` shows our style of comments; `test/words.test.js` needs no change""",
    subject="src/emitter.js",
    edits={
        "src/emitter.js": (
            (
                """\
  /** Call a listener no more. */
""",
                """\
  /** Call a listener the next time this happens, and then no more. */
  once(name, listener) {
    const end = this.on(name, (...args) => {
      end();
      listener(...args);
    });
    return end;
  }

  /** Call a listener no more. */
""",
            ),
        )
    },
    hidden="""\
import assert from 'node:assert/strict';
import { Emitter } from './src/emitter.js';
const emitter = new Emitter();
const heard = [];
emitter.once('a', (...args) => heard.push(args));
assert.equal(emitter.emit('a', 1, 2), 1);
assert.equal(emitter.emit('a', 3), 0);
assert.deepEqual(heard, [[1, 2]]);
const end = emitter.once('b', () => heard.push('b'));
end();
emitter.emit('b');
assert.equal(heard.length, 1);
const stop = emitter.on('c', () => heard.push('c'));
assert.deepEqual(emitter.names(), ['c']);
assert.equal(emitter.emit('c') + emitter.emit('c'), 2);
stop();
assert.equal(emitter.emit('c'), 0);
assert.equal(heard.length, 3);
""",
)

REMOVE = Task(
    id="remove-function",
    language="javascript",
    text="""\
Remove the deprecated function `titleize` from `src/words.js` and `src/index.js`; `src/cli.js` \
calls `titleCase` instead
  - its test in `test/words.test.js` goes with it""",
    subject="src/words.js",
    edits={
        "src/words.js": (
            (
                """\
/** @deprecated use titleCase */
export function titleize(text) {
  return titleCase(text);
}

""",
                "",
            ),
        ),
        "src/index.js": (("titleCase, titleize, truncate", "titleCase, truncate"),),
        "src/cli.js": (
            ("import { titleize, wordCount }", "import { titleCase, wordCount }"),
            ("(text) => titleize(text)", "(text) => titleCase(text)"),
        ),
        "test/words.test.js": (
            ("titleCase, titleize, truncate", "titleCase, truncate"),
            (
                """\
test('the old name still works', () => {
  assert.equal(titleize('one two'), 'One Two');
});

""",
                "",
            ),
        ),
    },
    lost=("titleize",),
    hidden="""\
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync, unlinkSync } from 'node:fs';
import * as all from './src/index.js';
import { run } from './src/cli.js';
assert.equal(all.titleize, undefined);
assert.equal(all.titleCase('a tale of two'), 'A Tale of Two');
writeFileSync('hidden.txt', 'one two');
assert.equal(run(['title', 'hidden.txt']), 'One Two');
assert.equal(run(['count', 'hidden.txt']), '2');
unlinkSync('hidden.txt');
assert.equal(run(['other', 'x']), 'unknown command: other');
assert.equal(all.initials('ada lovelace'), 'AL');
const tests = readFileSync('test/words.test.js', 'utf8');
assert.equal(tests.split('\\ntest(').length, 6);
assert.ok(!tests.includes('titleize'));
""",
)

TESTS = Task(
    id="tests-only",
    language="javascript",
    text="""\
Write tests for `namesIn` and `escapeHtml` of `src/template.js` in a new file \
`test/template-names.test.js`; the code is right and stays as it is""",
    subject="test/template-names.test.js",
    new={
        "test/template-names.test.js": """\
import test from 'node:test';
import assert from 'node:assert/strict';
import { escapeHtml, namesIn } from '../src/template.js';

test('names are sorted and come once', () => {
  assert.deepEqual(namesIn('{{b}} {{a|upper}} {{b}}'), ['a', 'b']);
});

test('names of parts count as well', () => {
  assert.deepEqual(namesIn('{{#list}}{{.}}{{/list}}{{^none}}-{{/none}}'), ['.', 'list', 'none']);
});

test('a text without tags has no names', () => {
  assert.deepEqual(namesIn('text'), []);
});

test('HTML is escaped', () => {
  assert.equal(escapeHtml('<a href="x">&</a>'), '&lt;a href=&quot;x&quot;&gt;&amp;&lt;/a&gt;');
});
"""
    },
    hidden="""\
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
const tests = readFileSync('test/template-names.test.js', 'utf8');
assert.ok(tests.includes("from '../src/template.js'"));
assert.ok(tests.split('assert.').length > 3 && tests.split('namesIn(').length > 1);
assert.ok(tests.split('escapeHtml(').length > 1);
assert.ok(!/assert\\.ok\\(true\\)|skip|todo/.test(tests));
""",
)

TASKS = (ADD, FIX, OPTION, MODULE, EMITTER, REMOVE, TESTS)
