// Which files have the titles of tests, for tape does not name the file of a test that passes: from
// the lines `# title` of its report to one JSON object, title to files that say it as a string.
import { readFileSync, readdirSync, statSync } from 'node:fs';

const [MOST, LARGEST] = [5000, 1e6];
const titles = [...readFileSync(0, 'utf8').matchAll(/^# (.+)$/gm)].map((line) => line[1].trim());
const found = Object.fromEntries(titles.map((title) => [title, []]));
const folders = ['.'];
for (let read = 0; folders.length && read < MOST; ) {
  const folder = folders.pop();
  for (const each of readdirSync(folder, { withFileTypes: true })) {
    const path = folder === '.' ? each.name : `${folder}/${each.name}`;
    if (each.isDirectory() && each.name !== 'node_modules' && !each.name.startsWith('.')) {
      folders.push(path);
    } else if (each.isFile() && /\.[cm]?[jt]s$/.test(path) && statSync(path).size < LARGEST) {
      const text = readFileSync(path, 'utf8');
      for (const title of titles) {
        if (["'", '"', '`'].some((quote) => text.includes(quote + title + quote))) {
          if (!found[title].includes(path)) found[title].push(path);
        }
      }
      read += 1;
    }
  }
}
process.stdout.write(JSON.stringify(found));
