import test from 'node:test';
import assert from 'node:assert/strict';
import { TemplateError } from '../src/errors.js';
import { compile, fill } from '../src/template.js';

test('values are filled in', () => {
  assert.equal(fill('Hello {{name}}!', { name: 'Ada' }), 'Hello Ada!');
});

test('a value goes through filters', () => {
  assert.equal(fill('{{name|trim|upper}}', { name: ' ada ' }), 'ADA');
});

test('a list is repeated', () => {
  assert.equal(fill('{{#all}}<{{.}}>{{/all}}', { all: [1, 2] }), '<1><2>');
});

test('a tag that is not closed is an error', () => {
  assert.throws(() => compile('{{name'), TemplateError);
});
