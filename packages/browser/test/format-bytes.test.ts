import { expect, test } from 'bun:test';
import { formatBytes } from '../src/ui/format-bytes.ts';

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [1023, '1023 bytes'],
  [1024, '1 KB'],
  [1536, '1.5 KB'],
  [10 * 1024 + 600, '11 KB'],
  [1024 ** 2 - 1, '1 MB'],
  [200 * 1024 ** 2, '200 MB'],
  [1.96 * 1024 ** 3, '2 GB'],
  [5 * 1024 ** 5, '5120 TB'],
])('%p bytes are shown as %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));
