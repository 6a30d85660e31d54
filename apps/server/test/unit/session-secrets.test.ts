import { expect, test } from 'bun:test';
import { createSessionSecrets } from '../../src/compose/credentials.ts';

const secrets = createSessionSecrets('a secret of more than thirty-two characters');

test('hashOf returns a hash only for an unchanged session secret of the same library', () => {
  const [one, two] = [secrets.make(), secrets.make()];
  expect(one).toMatch(/^[\w-]{43}$/);
  expect(secrets.hashOf(one)).toMatch(/^[0-9a-f]{64}$/);
  expect(secrets.hashOf(one)).toBe(createSessionSecrets('a secret of more than thirty-two characters').hashOf(one));
  expect(secrets.hashOf(one)).not.toBe(secrets.hashOf(two));
  const others = [createSessionSecrets('another secret of more than thirty-two letters').make(), 'x'.repeat(43)];
  const changed = [0, 20, 40].map((at) => one.slice(0, at) + (one[at] === 'A' ? 'B' : 'A') + one.slice(at + 1));
  const misspelled = ['', one.slice(1), `${one}A`, `${one}=`, ` ${one}`, `${one.slice(0, -1)}!`];
  expect([...others, ...changed, ...misspelled].map((text) => secrets.hashOf(text))).toEqual(Array(11).fill(null));
});
