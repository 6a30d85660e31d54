import { expect, test } from 'bun:test';
import { TARGET_NAMES, targetsOfNetwork } from '../../src/index.ts';

const FACEBOOK = ['facebook.post', 'facebook.reel', 'facebook.story'];

test.each([
  ['instagram', ['instagram.feed', 'instagram.reel', 'instagram.story']],
  ['Facebook Page', FACEBOOK],
  ['FACEBOOK', FACEBOOK],
  ['X (Twitter)', ['x.post']],
  ['Google-Business', ['google_business.post']],
  ['bluesky', ['bluesky.post']],
  ['constructor', []],
  ['my own', []],
  ['', []],
])('profiles of %s go to %j', (network, targets) => {
  expect(targetsOfNetwork(network).map(({ target }) => target)).toEqual(targets);
});

test('every target belongs to a network that profiles can name as targets do', () => {
  for (const name of TARGET_NAMES) {
    const [network = ''] = name.split('.');
    expect(targetsOfNetwork(network).map(({ target }) => target)).toContain(name);
  }
});
