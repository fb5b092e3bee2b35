import test from 'node:test';
import assert from 'node:assert/strict';
import { isSlug, slugify, uniqueSlug } from '../src/slug.js';

test('marks are left out', () => {
  assert.equal(slugify('Crème brûlée'), 'creme-brulee');
});

test('another separator', () => {
  assert.equal(slugify('one two', '_'), 'one_two');
});

test('a slug is known', () => {
  assert.ok(isSlug('one-two'));
  assert.ok(!isSlug('One two'));
});

test('a slug that is taken gets a number', () => {
  assert.equal(uniqueSlug('one', new Set(['one', 'one-2'])), 'one-3');
});
