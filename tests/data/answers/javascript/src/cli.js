#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { slugify } from './slug.js';
import { titleize, wordCount } from './words.js';

const COMMANDS = {
  slug: (text) => slugify(text.trim()),
  title: (text) => titleize(text),
  count: (text) => String(wordCount(text)),
};

export function run([command, file]) {
  const action = COMMANDS[command];
  if (action === undefined) {
    return `unknown command: ${command}`;
  }
  return action(readFileSync(file, 'utf8'));
}

if (process.argv[1]?.endsWith('cli.js')) {
  console.log(run(process.argv.slice(2)));
}
