export { slugify } from './slug.js';
export { initials, titleCase, titleize, truncate, wordCount } from './words.js';
export { compile, fill } from './template.js';
export { Emitter } from './emitter.js';
export * from './strings.js';
