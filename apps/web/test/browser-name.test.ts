import { expect, test } from 'bun:test';
import { browserName } from '../src/sessions/browser-name.ts';

const LIKE_GECKO = 'AppleWebKit/537.36 (KHTML, like Gecko)';

test.each([
  ['Firefox on Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'],
  ['Chrome on a Mac', `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${LIKE_GECKO} Chrome/130.0.0.0 Safari/537.36`],
  ['Edge on Windows', `Mozilla/5.0 (Windows NT 10.0) ${LIKE_GECKO} Chrome/130.0.0.0 Safari/537.36 Edg/130.0`],
  [
    'Safari on iPhone',
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) ${LIKE_GECKO} Version/18.0 Safari/604.1`,
  ],
  ['Chrome on Android', `Mozilla/5.0 (Linux; Android 15; Pixel 9) ${LIKE_GECKO} Chrome/130.0 Mobile Safari/537.36`],
  ['A browser', 'something else'],
])('a browser is shown as %s', (name, userAgent) => expect(browserName(userAgent)).toBe(name));
