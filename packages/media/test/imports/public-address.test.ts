import { describe, expect, test } from 'bun:test';
import { AddressGuard } from '../../src/imports/address-guard.ts';
import { parseNetwork } from '../../src/imports/ip-networks.ts';
import { canBePublic, isInAny, isPublic } from '../../src/imports/public-address.ts';
import { parseUrl } from '../../src/imports/remote-url.ts';
import { four } from '../support/hostile-urls.ts';
import { words } from '../support/words.ts';

const PUBLIC = words(`
  1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 168.63.129.15
  172.15.255.255 172.32.0.0 192.167.255.255 223.255.255.255 ::ffff:8.8.8.8 2001:200::1 2606:4700:4700::1111
  2a00:1450:4001:80b::200e 64:ff9b::8.8.8.8 64:ff9b::5db8:d70e 64:FF9B:0:0:0:0:808:808
`);

const INSIDE = {
  'this network (RFC 1122)': ['0.0.0.0', '0.255.255.255'],
  'private (RFC 1918)': words('10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.0 192.168.255.255'),
  'shared by carriers (RFC 6598)': ['100.64.0.0', '100.127.255.255', '100.100.100.200'],
  'loopback (RFC 1122)': ['127.0.0.0', '127.0.0.1', '127.255.255.255'],
  'link-local (RFC 3927)': ['169.254.0.0', '169.254.169.254', '169.254.255.255'],
  'protocol assignments (RFC 6890)': ['192.0.0.0', '192.0.0.192', '192.0.0.255'],
  'documentation (RFC 5737)': ['192.0.2.1', '198.51.100.1', '203.0.113.255'],
  '6to4 relays (RFC 7526)': ['192.88.99.0', '192.88.99.255'],
  'AS112 and AMT (RFC 7534, 7535, 7450)': ['192.31.196.1', '192.175.48.1', '192.52.193.1'],
  'benchmarking (RFC 2544)': ['198.18.0.0', '198.19.255.255'],
  'multicast (RFC 5771)': ['224.0.0.0', '239.255.255.255'],
  'reserved (RFC 1112)': ['240.0.0.0', '255.255.255.254'],
  'broadcast (RFC 919)': ['255.255.255.255'],
  "Azure's platform": ['168.63.129.16', '::ffff:168.63.129.16'],
  'unspecified and loopback (RFC 4291)': ['::', '::1', '0:0:0:0:0:0:0:1'],
  'IPv4-compatible (RFC 4291)': ['::127.0.0.1', '::7f00:1', '::8.8.8.8'],
  'IPv4-mapped (RFC 4291)': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::FFFF:10.0.0.1', '0:0:0:0:0:ffff:a9fe:a9fe'],
  'IPv4-translated (RFC 6145)': ['::ffff:0:127.0.0.1', '::ffff:0:8.8.8.8'],
  'NAT64 of an address that is not public (RFC 6052)': words(`
    64:ff9b:: 64:ff9b::7f00:1 64:ff9b::10.0.0.1 64:ff9b::192.168.1.1 64:ff9b::169.254.169.254 64:ff9b::100.64.0.1
    64:ff9b::168.63.129.16 64:ff9b::224.0.0.1 64:ff9b::255.255.255.255
  `),
  'beside the prefix of NAT64 (RFC 6052)': ['64:ff9b::1:808:808', '64:ff9b:0:1::808:808', '64:ff9a::808:808'],
  'NAT64 of a local network (RFC 8215)': ['64:ff9b:1::', '64:ff9b:1:ffff::1', '64:ff9b:1::8.8.8.8'],
  'discard and dummy (RFC 6666, 9780)': ['100::', '100::ffff:ffff:ffff:ffff', '100:0:0:1::1'],
  'Teredo (RFC 4380)': ['2001::', '2001:0:7f00:1::', '2001:0:ffff::1'],
  'protocol assignments (RFC 2928)': ['2001:1::1', '2001:1ff:ffff::1'],
  'benchmarking (RFC 5180)': ['2001:2::1'],
  'AMT and AS112 (RFC 7450, 7535)': ['2001:3::1', '2001:4:112::1', '2620:4f:8000::1'],
  'ORCHID (RFC 4843, 7343, 9374)': ['2001:10::1', '2001:1f::1', '2001:20::1', '2001:2f::1', '2001:30::1'],
  'documentation (RFC 3849, 9637)': ['2001:db8::1', '2001:db8:ffff::1', '3fff::1', '3fff:fff::1'],
  '6to4 (RFC 3056)': ['2002::', '2002:7f00:1::', '2002:808:808::1'],
  'segment routing (RFC 9602)': ['5f00::1'],
  'unique local (RFC 4193)': ['fc00::', 'fd00:ec2::254', 'fdff::1'],
  'link-local (RFC 4291)': ['fe80::1', 'febf::1', 'fe80::1%eth0'],
  'site-local (RFC 3879)': ['fec0::1', 'feff::1'],
  'multicast (RFC 4291)': ['ff00::', 'ff02::1', 'ffff::1'],
  unassigned: ['1::1', '200::1', '400::1', '1fff::1', '4000::1', '6000::1', 'e000::1', 'fe00::1'],
  'not an address': [
    '',
    'localhost',
    '127.1',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '2130706433',
    '8.8.8',
    '[::1]',
    '2a00::1]/[',
    '2a00::1%eth0',
    '8.8.8.8/8',
    ' 8.8.8.8',
  ],
};

describe('the address', () => {
  test.each(PUBLIC)('%s is public', (address) => {
    expect(isPublic(address)).toBe(true);
  });

  describe.each(Object.entries(INSIDE))('%s', (_range, addresses) => {
    test.each(addresses)('%s is not public', (address) => {
      expect(isPublic(address)).toBe(false);
    });
  });

  test.each([
    ['10.0.0.0/8', ['10.0.0.0', '10.255.255.255', '::ffff:10.1.2.3', '::ffff:a01:203']],
    ['10.1.2.3/8', ['10.0.0.0']],
    ['127.0.0.1/32', ['127.0.0.1', '::ffff:7f00:1']],
    ['0.0.0.0/0', ['127.0.0.1', '255.255.255.255']],
    ['::ffff:10.0.0.0/104', ['10.1.2.3', '::ffff:10.1.2.3']],
    ['fd00::/8', ['fd00::1', 'fdff::1']],
    ['::1/128', ['::1', '0:0:0:0:0:0:0:1']],
  ])('is in %s if its leading bits match', (cidr, addresses) => {
    for (const address of addresses) expect([address, isInAny([parseNetwork(cidr)], address)]).toEqual([address, true]);
  });

  test.each([
    ['10.0.0.0/8', ['9.255.255.255', '11.0.0.0', '::10.0.0.1', '64:ff9b::10.0.0.1', '2002:a00:1::', '::1', '10.1']],
    ['127.0.0.1/32', ['127.0.0.2', '127.1', 'localhost', '']],
    ['0.0.0.0/0', ['::1', 'fd00::1']],
    ['::/0', ['127.0.0.1', '::ffff:127.0.0.1']],
    ['fd00::/8', ['fc00::1']],
  ])('is outside %s if its leading bits differ', (cidr, addresses) => {
    for (const address of addresses)
      expect([address, isInAny([parseNetwork(cidr)], address)]).toEqual([address, false]);
  });

  test('is found in one of several networks', () => {
    const networks = ['10.0.0.0/8', 'fd00::/8'].map(parseNetwork);
    expect(isInAny(networks, 'fd00::1')).toBe(true);
    expect(isInAny(networks, '192.168.0.1')).toBe(false);
    expect(isInAny([], '10.0.0.1')).toBe(false);
  });
});

test('a name that DNS64 gives an IPv6 address as well leads to all its addresses', async () => {
  const addresses = [...four('93.184.215.14'), { address: '64:ff9b::5db8:d70e', family: 6 }] as const;
  const guard = new AddressGuard([], async () => addresses);
  expect(await guard.resolveAllowed(parseUrl('https://media.example.com/beach.jpg'))).toEqual(addresses);
});

test.each([
  ['media.example.com', true],
  ['MEDIA.EXAMPLE.COM.', true],
  ['93.184.215.14', true],
  ['[2606:2800:21f:cb07:6820:80da:af6b:8b2c]', true],
  ['localhost', false],
  ['shelf', false],
  ['shelf.local', false],
  ['media.localhost', false],
  ['minio.internal', false],
  ['media.example', false],
  ['127.0.0.1', false],
  ['10.1.2.3', false],
  ['[::1]', false],
  ['[fd00::1]', false],
  ['', false],
])('the host %p can be on the public internet: %p', (host, expected) => {
  expect(canBePublic(host)).toBe(expected);
});
