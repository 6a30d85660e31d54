import type { Address } from '../../src/imports/resolve.ts';
import { words } from './words.ts';

/** Hosts that denote this machine or a special address, in every notation. */
export const ADDRESSES = {
  'IPv4 in parts': ['127.0.0.1', '127.0.1', '127.1', '127.255.255.255', '127.0.0.01', '127.0.0.1.', '127.1.'],
  'IPv4 in one number': ['2130706433', '0x7f000001', '0X7F000001', '017700000001', '0', '0x0', '00', '0.', '0x'],
  'IPv4 in other bases': ['0x7f.1', '0x7f.0x0.0x0.0x1', '0177.0.0.1', '0177.1', '00000177.0.1', '0x7F.0.1.'],
  'IPv4 in other digits': ['１２７.０.０.１', '①②⑦.⓪.⓪.①', '𝟏𝟐𝟕.𝟎.𝟎.𝟏', '２１３０７０６４３３', '0ｘ7ｆ.1'],
  'IPv4 with other dots': ['127。0。0。1', '127．0．0．1', '127｡0｡0｡1', '127%2e0%2e0%2e1', '127%E3%80%820.0.1'],
  'IPv4 percent-encoded': ['%31%32%37.0.0.1', '%30x7f.1', '2130706433%2e', '%EF%BC%91%EF%BC%92%EF%BC%97.1'],
  'IPv4 with ignored characters': ['127.0.0.\u00ad1', '127.\u200b0.0.1', '127.0\t.0.1', '127.0.\n0.1'],
  // The ranges themselves are tested in public-address.test.ts.
  'IPv4 of special purpose': words('0.0.0.0 012.0.0.1 168.63.129.16 169.254.169.254 0xa9fea9fe 4294967295'),
  IPv6: ['[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[0000:0000::0001]', '[::0.0.0.1]', '[0::1]'],
  'IPv6 that holds an IPv4 address': words(`
    [::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:7F00:1] [0:0:0:0:0:ffff:127.0.0.1] [::ffff:10.0.0.1]
    [::ffff:169.254.169.254] [::127.0.0.1] [::7f00:1] [::ffff:0:127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::127.0.0.1]
    [64:ff9b::a9fe:a9fe] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2002:a00:1::1] [2001:0:7f00:1::]
  `),
  'IPv6 of special purpose': words('[fc00::1] [fd00:ec2::254] [fe80::1] [4000::1]'),
};

/** URLs in which the host (HOST) is disguised as another. */
export const DISGUISES = [
  '  http://HOST/\n',
  'ht\ttp://HOST/',
  'http:\\\\HOST\\',
  'http://HOST\\@files.test/',
  ...words('HTTP://HOST/ http:HOST/ http:/HOST/ http:////HOST/ http://HOST#@files.test/ http://HOST?@files.test/'),
  ...words('http://HOST/..//files.test/ http://@HOST/ http://:@HOST/ https://HOST/'),
];

export const four = (...addresses: string[]): Address[] => addresses.map((address) => ({ address, family: 4 }));
const six = (...addresses: string[]): Address[] => addresses.map((address) => ({ address, family: 6 }));

/** Host names, each with the addresses that an attacker's name server returns for it. */
export const NAMES: Readonly<Record<string, readonly Address[]>> = {
  'loopback.test': four('127.0.0.1'),
  'LOOPBACK.test.': four('127.0.0.1'),
  'private.test': four('10.0.0.1'),
  'metadata.test': four('169.254.169.254'),
  'zero.test': four('0.0.0.0'),
  'six.test': six('::1'),
  'unspecified.test': six('::'),
  'mapped.test': six('::ffff:127.0.0.1'),
  'compatible.test': six('::127.0.0.1'),
  'nat64.test': six('64:ff9b::7f00:1'),
  'nat64-of-private.test': [...four('8.8.8.8'), ...six('64:ff9b::808:808', '64:ff9b::a00:1')],
  '6to4.test': six('2002:7f00:1::'),
  'unique-local.test': six('fd00::1'),
  'zone.test': six('fe80::1%lo'),
  'public-then-private.test': four('8.8.8.8', '127.0.0.1'),
  'private-then-public.test': four('127.0.0.1', '8.8.8.8'),
  'private-among-many.test': [...four('8.8.8.8', '1.1.1.1', '9.9.9.9', '8.8.4.4', '127.0.0.1'), ...six('2606:4700::1')],
  'public-four-private-six.test': [...four('8.8.8.8'), ...six('::1')],
  'octal.test': four('0177.0.0.1'),
  'short.test': four('127.1'),
  'empty-address.test': four(''),
  'name-for-address.test': four('localhost'),
  'bücher.test': four('127.0.0.1'),
  'xn--bcher-kva.test': four('127.0.0.1'),
  ｌｏｃａｌｈｏｓｔ: four('127.0.0.1'),
  '%6cocalhost': four('127.0.0.1'),
};

export const WRONG_SCHEMES = words(`
  ftp://127.0.0.1/ file:///etc/passwd file://127.0.0.1/etc/passwd gopher://127.0.0.1:6379/_INFO
  dict://127.0.0.1:11211/stats ldap://127.0.0.1/ ws://127.0.0.1/ wss://127.0.0.1/
  data:image/gif;base64,R0lGODlhAQABAAAAACw= javascript:fetch("http://127.0.0.1/") blob:http://127.0.0.1/5a5c1e0e
  about:blank unix:/var/run/docker.sock http+unix://%2Fvar%2Frun%2Fdocker.sock/ view-source:http://127.0.0.1/
  localhost:80
`);

export const INVALID = [
  '',
  ' ',
  'http://127.0.0.1 /',
  ...words(`
    http: http:// http://? //127.0.0.1/ /media/a.jpg a.jpg 127.0.0.1 http://:80/ http://[::1/ http://::1/
    http://[127.0.0.1]/ http://[fe80::1%25eth0]/ http://[::1%]/ http://127.0.0.1:65536/ http://127.0.0.1:port/
    http://256.0.0.1/ http://1.2.3.4.5/ http://4294967296/ http://0x100000000/ http://127.0.0.1%00/ http://127.0.0.1%20/
    http://127.0.0.1|/ http://127.0.0.1^files.test/ http://a<b>/ http://xn--a/
  `),
];

/** Credentials that are put before a host. */
export const WITH_CREDENTIALS = [
  'user@',
  'user:password@',
  ':password@',
  'files.test@',
  'files.test:80@',
  '%00@',
  'a%40b@',
];
