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
])('profiles of the network %j publish to %j', (network, targets) => {
  expect(targetsOfNetwork(network).map(({ target }) => target)).toEqual(targets);
});

test('every target is found by the name of its network', () => {
  for (const name of TARGET_NAMES) {
    const [network = ''] = name.split('.');
    expect(targetsOfNetwork(network).map(({ target }) => target)).toContain(name);
  }
});
