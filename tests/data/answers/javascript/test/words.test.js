import test from 'node:test';
import assert from 'node:assert/strict';
import { initials, listOf, titleCase, titleize, truncate, wordCount } from '../src/words.js';

test('words are counted', () => {
  assert.equal(wordCount(' one  two three '), 3);
});

test('titles have capitals', () => {
  assert.equal(titleCase('a tale of two cities'), 'A Tale of Two Cities');
});

test('the old name still works', () => {
  assert.equal(titleize('one two'), 'One Two');
});

test('initials', () => {
  assert.equal(initials('ada lovelace'), 'AL');
});

test('long texts are cut', () => {
  assert.equal(truncate('one two three', 10), 'one two...');
  assert.equal(truncate('one', 10), 'one');
});

test('words are joined', () => {
  assert.equal(listOf('a', 'b', 'c'), 'a, b and c');
  assert.equal(listOf('a'), 'a');
});
