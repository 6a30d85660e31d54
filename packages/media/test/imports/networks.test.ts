import { describe, expect, test } from 'bun:test';
import { createRemoteFiles, parseNetworks } from '@postshelf/media';
import { words } from '../support/words.ts';

describe('a list of networks', () => {
  test.each([
    ['', []],
    [' , ', []],
    ['10.0.0.0/8', ['10.0.0.0/8']],
    ['10.0.0.0/8,fd00::/8', ['10.0.0.0/8', 'fd00::/8']],
    [' 10.0.0.0/8 ,\t127.0.0.1/32\n::1/128 ', ['10.0.0.0/8', '127.0.0.1/32', '::1/128']],
    ['0.0.0.0/0 ::/0', ['0.0.0.0/0', '::/0']],
    ['10.1.2.3/8', ['10.1.2.3/8']],
    ['::ffff:10.0.0.0/104', ['::ffff:10.0.0.0/104']],
  ])('is parsed from %p', (text, networks) => {
    expect(parseNetworks(text)).toEqual(networks);
  });

  test.each(
    words(`
    nonsense 10.0.0.1 ::1 10.0.0.0/ /8 10.0.0.0/33 ::/129 10.0.0.0/-1 10.0.0.0/08 10.0.0.0/8.5 10.0.0.0/8/8 10.0.0/8
    0x7f.1/8 0177.0.0.1/8 256.0.0.0/8 fe80::1%eth0/64 [::1]/128 10.0.0.0/255.0.0.0 localhost/8
  `),
  )('with %p is rejected with an error that names it', (bad) => {
    const sentence = `${JSON.stringify(bad)} is not a network in CIDR notation, such as 10.0.0.0/8`;
    expect(() => parseNetworks(`127.0.0.0/8, ${bad} 10.0.0.0/8`)).toThrow(new Error(sentence));
    expect(() => createRemoteFiles({ allowedNetworks: ['127.0.0.0/8', bad] })).toThrow(new Error(sentence));
  });
});
