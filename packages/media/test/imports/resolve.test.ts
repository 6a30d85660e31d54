import { expect, test } from 'bun:test';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { nameServers, resolveBySystem } from '../../src/imports/resolve.ts';

test('names in the hosts file are resolved', async () => {
  expect(await resolveBySystem('localhost')).toContainEqual({ address: '127.0.0.1', family: 4 });
});

test('a reserved name (RFC 6761 section 6.4) has no address', async () => {
  expect(await outcomeOf(resolveBySystem('nowhere.invalid'))).toThrow();
});

test('the name servers of a resolv.conf(5) are read in order', () => {
  const text = [
    '# nameserver 192.0.2.1',
    'search example.com',
    'nameserver 192.0.2.2',
    'nameserver\t2001:db8::53 # the other',
    'nameserver fe80::1%eth0',
    ' nameserver 192.0.2.3',
    'options edns0',
    'nameserver 192.0.2.4',
  ];
  expect(nameServers(text.join('\n'))).toEqual(['192.0.2.2', '2001:db8::53', '192.0.2.4']);
});
