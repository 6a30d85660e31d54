import { expect, test } from 'bun:test';
import { onOneLine, safeJson, safeText } from '../../src/commands/print.ts';

// The name has an escape, the 8-bit control sequence introducer, a direction override, and a line separator.
const name = 'a\x1b[31m\x9b1m\u202eb\u2028\n\t👩‍👩‍👧';

test('characters that a terminal would interpret are replaced in text', () => {
  expect(safeText(name)).toBe('a?[31m?1m?b?\n\t👩‍👩‍👧');
  expect(onOneLine(name)).toBe('a?[31m?1m?b???👩‍👩‍👧');
});

test('characters that a terminal would interpret are escaped in JSON', () => {
  expect(safeJson({ name })).toBe('{"name":"a\\u001b[31m\\u009b1m\\u202eb\\u2028\\n\\t👩‍👩‍👧"}');
  expect(JSON.parse(safeJson({ name }))).toEqual({ name });
});
