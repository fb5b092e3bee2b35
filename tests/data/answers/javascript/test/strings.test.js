import test from 'node:test';
import assert from 'node:assert/strict';
import { capitalize, reverse, removePrefix } from '../src/strings.js';

test('capitalize', () => {
  assert.equal(capitalize('one'), 'One');
  assert.equal(capitalize(''), '');
});

test('reverse', () => {
  assert.equal(reverse('abc'), 'cba');
});

test('removePrefix', () => {
  assert.equal(removePrefix('unhappy', 'un'), 'happy');
  assert.equal(removePrefix('happy', 'un'), 'happy');
});
