import { expect, test } from 'bun:test';
import { profileNetwork, targetName } from '../../src/readiness/target-name.ts';

test.each([
  ['instagram.feed', 'Instagram feed'],
  ['facebook.post', 'Facebook post'],
  ['x.post', 'X'],
  ['linkedin.post', 'LinkedIn'],
  ['google_business.post', 'Google Business'],
  ['youtube.short', 'YouTube Short'],
  ['pinterest.pin', 'Pinterest pin'],
  ['some_network.long_story', 'Some network long story'],
])('the target %s is named %s', (target, name) => {
  expect(targetName(target)).toBe(name);
});

test.each([
  ['tiktok', 'TikTok'],
  ['IG', 'Instagram'],
  ['Our own network', 'Our own network'],
])('the network of a profile on %s is shown as %s', (network, name) => {
  expect(profileNetwork(network)).toBe(name);
});
