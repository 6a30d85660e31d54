// Runs the long form of the tests that have one: gigabytes, a hundred thousand lines, many kills. All acceptance tests
// run from source, as with `npm start`.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bunTest, conclude, root } from './bun-test.mjs';

/** Commands, and what is loaded late. */
const FROM_SOURCE = ['commands/cli', 'media/files'].map((name) => `./apps/server/test/acceptance/${name}.test.ts`);

const given = process.argv.slice(2);
const paths = given.length > 0 ? given : filesWithLongForms();
console.log(`▸ ${paths.length} files in their long form\n`);
const run = await bunTest('long', paths, { environment: { POSTSHELF_TEST_LONG: '1' } });
console.log('\nEven longer, to be run separately: npm run torture, npm run fuzz -- --minutes 60');
conclude([run]);

/** Test files that choose a size with `sized` (packages/harness). */
function filesWithLongForms() {
  return ['packages', 'apps']
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((name) => `./${folder}/${name}`))
    .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
    .filter((file) => FROM_SOURCE.includes(file) || /\bsized\(/.test(readFileSync(join(root, file), 'utf8')))
    .sort();
}
