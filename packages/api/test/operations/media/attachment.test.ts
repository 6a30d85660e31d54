import { expect, test } from 'bun:test';
import { attachmentNamed } from '../../../src/operations/media/attachment.ts';

test.each([
  ['beach.jpg', `filename="beach.jpg"; filename*=UTF-8''beach.jpg`],
  ['My "best" 100%.jpg', `filename="My _best_ 100_.jpg"; filename*=UTF-8''My%20%22best%22%20100%25.jpg`],
  ['日本 (1).png', `filename="__ (1).png"; filename*=UTF-8''%E6%97%A5%E6%9C%AC%20%281%29.png`],
  ['a\\b\r\nX: y.gif', `filename="a_b__X: y.gif"; filename*=UTF-8''a%5Cb%0D%0AX%3A%20y.gif`],
  ['\ud800.png', `filename="_.png"; filename*=UTF-8''%EF%BF%BD.png`],
])('a file named %j is saved under its name', (name, parameters) => {
  expect(attachmentNamed(name)).toBe(`attachment; ${parameters}`);
});
