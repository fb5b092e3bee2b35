// What `node --test` saw, as one JSON object a line. It runs in the process that starts the test
// files, not in theirs. https://nodejs.org/api/test.html#custom-reporters
// Node's own reporters do not name the line of an error, the file of a failing import, or a test
// that was begun and never ended because the code under test called process.exit(0).
import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inspect } from 'node:util';

const LONGEST = 6000;
const ROOT = process.cwd() + '/';
const files = new Map();
const names = [];

const local = (text) => text.replaceAll('file://' + ROOT, '').replaceAll(ROOT, '');
const cut = (text) => local(String(text ?? '').slice(0, LONGEST));
const pathOf = (file) => local(file?.startsWith('file:') ? fileURLToPath(file) : (file ?? ''));
const isFile = (data) => data.nesting === 0 && pathOf(data.file) === pathOf(data.name);
const keyOf = (data) => `${data.line}:${data.column}:${data.nesting}:${data.name}`;

function stateOf(data) {
  const path = pathOf(data.entryFile ?? data.file);
  if (!files.has(path)) files.set(path, { path, begun: new Map(), stderr: '' });
  return files.get(path);
}

// the first frame of a stack is the deepest; packages are not what is being tested
function placeOf(stack, data) {
  for (const [, file, line] of cut(stack).matchAll(/\(?([^\s():]+):(\d+):\d+\)?$/gm)) {
    if (!file.startsWith('/') && !file.startsWith('node') && !file.includes('node_modules/')) {
      return { file, line: Number(line) };
    }
  }
  return { file: pathOf(data.file), line: data.line };
}

function saidBy(cause) {
  if (!(cause instanceof Error)) return cut(cause);
  const first = `${cause.name}: ${cause.message}`.trim();
  if (cause.code !== 'ERR_ASSERTION' || cause.generatedMessage) return cut(first);
  const shown = (value) => inspect(value, { depth: 3 }).slice(0, 500);
  return cut(`${first}\nexpected: ${shown(cause.expected)}\nactual: ${shown(cause.actual)}`);
}

// the line of the import that leads to a module that is not there
function importing(file, missing) {
  let lines;
  try {
    lines = readFileSync(file, 'utf8').slice(0, 1 << 20).split('\n');
  } catch {
    return null;
  }
  const at = lines.findIndex((text) =>
    [...text.matchAll(/["']([^"']+)["']/g)].some(([, name]) => {
      if (name === missing || !name.startsWith('.')) return name === missing;
      return fileURLToPath(new URL(name, pathToFileURL(file))) === missing;
    }),
  );
  return at < 0 ? null : at + 1;
}

function howItEnded(data) {
  const { exitCode, signal } = data.details?.error ?? {};
  return `the test file ended with ${signal ?? `exit code ${exitCode}`}`;
}

// a file that could not be loaded: what it wrote to stderr says why
function loading(state, data) {
  const text = state.stderr;
  const error = /^(\w*Error\b[^\n]*(?:\n(?! {4}at |\{|  code:)[^\n]*)*)/m.exec(text);
  if (!error) return { message: cut(text) || howItEnded(data), ...placeOf('', data) };
  const missing = /Cannot find (?:module|package) '([^']+)'(?: imported from ([^\s]+))?/.exec(text);
  const stack = /^- (\/.+)$/m.exec(text);
  const file = missing && (missing[2] ?? stack?.[1]);
  const message = cut(error[1].trim());
  if (file) {
    return { message, file: pathOf(file), line: importing(pathOf(file), missing[1]) };
  }
  const begins = /^(?:file:\/\/)?(\/[^\n:]+):(\d+)$/m.exec(text);
  if (begins && begins[1].startsWith(ROOT)) {
    return { message, file: pathOf(begins[1]), line: Number(begins[2]) };
  }
  return { message, ...placeOf(text, data) };
}

function runsNoTests(path) {
  try {
    return !/['"](?:node:)?test['"]/.test(readFileSync(path, 'utf8'));
  } catch {
    return false;
  }
}

function idOf(data, state) {
  return `${state.path}::${[...names.slice(0, data.nesting), data.name].join(' > ')}`;
}

function failed(data, state) {
  const error = data.details?.error;
  if (error?.failureType === 'subtestsFailed') return null;
  const test = isFile(data) ? state.path : idOf(data, state);
  if (isFile(data)) return { result: 'failed', test, ...loading(state, data) };
  const cause = error?.cause ?? error;
  const place = placeOf(cause?.stack ?? '', data);
  return { result: 'failed', test, message: saidBy(cause), ...place };
}

function ended(data, state, passed) {
  state.begun.delete(keyOf(data));
  if (data.skip !== undefined || data.todo !== undefined) return { result: 'skipped' };
  if (!passed) return failed(data, state);
  if (data.details?.type === 'suite') return null;
  if (!isFile(data)) return { result: 'passed', test: idOf(data, state) };
  if (runsNoTests(state.path)) return { result: 'passed', test: state.path };
  return { ...unfinished(state, { name: '' }), test: state.path };
}

function unfinished(state, data) {
  const message = 'the process ended before this test was finished';
  const test = `${state.path}::${data.name}`;
  return { result: 'failed', test, message, file: state.path, line: data.line ?? null };
}

export default async function* report(source) {
  const line = (said) => (said ? JSON.stringify(said) + '\n' : '');
  for await (const { type, data } of source) {
    if (type === 'test:stderr') {
      const state = stateOf(data);
      if (state.stderr.length < LONGEST * 2) state.stderr += data.message;
    } else if (type === 'test:enqueue' && !isFile(data)) {
      stateOf(data).begun.set(keyOf(data), data);
    } else if (type === 'test:start') {
      names[data.nesting] = data.name;
    } else if (type === 'test:pass' || type === 'test:fail') {
      yield line(ended(data, stateOf(data), type === 'test:pass'));
    }
  }
  for (const state of files.values()) {
    for (const data of state.begun.values()) yield line(unfinished(state, data));
  }
  yield line({ result: 'complete' });
}
