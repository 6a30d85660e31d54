import { expect, setDefaultTimeout, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { run } from '../support/run.ts';
import { removeFolder, scratchFolder } from '../support/server.ts';
import { installed } from './support/install.ts';

setDefaultTimeout(120_000);

const document = resolve(import.meta.dir, '../../../../../docs/openapi.json');

test('Spectral finds nothing in the document, not even a hint', async () => {
  const modules = await installed(join(import.meta.dir, 'document-checks'));
  const folder = scratchFolder();
  try {
    const ruleset = join(folder, 'ruleset.json');
    writeFileSync(
      ruleset,
      JSON.stringify({ extends: 'spectral:oas', rules: { 'oas3-parameter-description': 'warn' } }),
    );
    const lint = [
      join(modules, 'node_modules/.bin/spectral'),
      ...['lint', document, '--ruleset', ruleset, '--fail-severity', 'hint', '--quiet'],
    ];
    const printed = await run(lint, { cwd: folder, env: { PATH: String(process.env.PATH), HOME: folder } });
    expect(printed.trim()).toBe('');
  } finally {
    removeFolder(folder);
  }
});
