import { expect, test } from 'bun:test';
import { workspaceOptions } from '../src/workspaces/workspace-options.ts';

test('workspaces are sorted by name, with numbers by their value', () => {
  const names = ['Client 10', 'Zebra', 'client 9', 'Ångström', 'Atelier'];
  const options = workspaceOptions(names.map((name) => ({ id: `id of ${name}`, name })));
  expect(options.map(({ label }) => label)).toEqual(['Ångström', 'Atelier', 'client 9', 'Client 10', 'Zebra']);
  expect(options[2]?.value).toBe('id of client 9');
});
