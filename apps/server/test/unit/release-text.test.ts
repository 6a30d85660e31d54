import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { rangeOfSection } from '../../src/compose/host/elf.ts';
import { mappingsOf, releaseText, unwrittenIn } from '../../src/compose/host/release-text.ts';

/** A mapping as smaps has it. @param anonymous kilobytes of it that were written to */
const mapping = (head: string, anonymous = 0) =>
  `${head}\nSize:              22568 kB\nRss:                6052 kB\nAnonymous:      ${anonymous} kB\nVmFlags: rd ex mr mw me sd\n`;

const SMAPS = [
  mapping('00200000-01a3e000 r--p 00000000 fe:00 21                         /opt/my program'),
  mapping('01a40000-0684a000 r-xp 01838000 fe:00 21                         /opt/my program'),
  mapping('0684a000-0685f000 rw-p 06641000 fe:00 21                         /opt/my program'),
  mapping('0685f000-06867000 r--p 06656000 fe:00 21                         /opt/my program', 32),
  mapping('7f0000000000-7f0000001000 r-xp 00000000 fe:00 22                 /lib/libc.so.6'),
  mapping('7f0000001000-7f0000002000 r-xp 00000000 00:00 0 '),
  mapping('7f0000002000-7f0000003000 r-xp 00000000 fe:00 21                 /opt/my program (deleted)'),
].join('');

test('of all mappings only unmodified pages of the program itself are released', () => {
  expect(unwrittenIn(mappingsOf(SMAPS, '/opt/my program'))).toEqual([
    { start: 0x200000, length: 0x1a3e000 - 0x200000 },
    { start: 0x1a40000, length: 0x684a000 - 0x1a40000 },
  ]);
  expect(unwrittenIn(mappingsOf(SMAPS, '/opt/another'))).toEqual([]);
});

test.skipIf(process.platform !== 'linux')('a section of a program is found by its name', async () => {
  const range = await rangeOfSection(process.execPath, '.interp');
  const bytes = readFileSync(process.execPath).subarray(range?.start, (range?.start ?? 0) + (range?.length ?? 0));
  expect(bytes.toString()).toMatch(/^\/lib.*\/ld-.*\0$/);
  expect(await rangeOfSection(process.execPath, '.no_such')).toBeNull();
  expect(await rangeOfSection(import.meta.path, '.interp')).toBeNull();
});

test.skipIf(process.platform !== 'linux')('the program goes on without these pages, which come back', async () => {
  const sort = () => Array.from({ length: 1000 }, (_, n) => (n * 7919) % 1000).toSorted((a, b) => a - b);
  const before = sort();
  expect(await releaseText()).toBeGreaterThan(10_000_000);
  expect(sort()).toEqual(before);
});
