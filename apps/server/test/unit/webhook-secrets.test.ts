import { expect, test } from 'bun:test';
import { parseUuid } from '@postshelf/domain';
import { Webhook } from 'standardwebhooks';
import { createWebhookSecrets } from '../../src/compose/webhook-secrets.ts';

const secrets = createWebhookSecrets('a secret of more than thirty-two characters');
const id = (last: number) => parseUuid(`01890a5d-ac96-774b-bcce-b302099a805${last}`) ?? expect.unreachable();

test('a webhook secret has 32 random bytes in the format of Standard Webhooks', () => {
  const made = Array.from({ length: 100 }, () => secrets.make(id(1)).secret);
  expect(new Set(made).size).toBe(100);
  for (const secret of made) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(new Webhook(secret).sign('id', new Date(0), '{}')).toStartWith('v1,');
  }
});

test('a sealed secret can be opened for its webhook, even by another process', () => {
  const { secret, sealed } = secrets.make(id(1));
  expect(secrets.open(id(1), sealed)).toBe(secret);
  expect(createWebhookSecrets('a secret of more than thirty-two characters').open(id(1), sealed)).toBe(secret);
});

test('a secret that an earlier version sealed can be opened', () => {
  const sealed = 'AdfQlsZBPQlND75exIf4e6tuj+TeqP07S1UYFolxY84EMlCpYlMXOEIyiI32mHH//tIZEUsNRb5lOawEOQ==';
  expect(secrets.open(id(1), Buffer.from(sealed, 'base64'))).toBe('whsec_0N6LX7JtZkJ8RlaQ+996D9H//XszE5OBNfPrL51+5a0=');
});

test('a sealed secret cannot be opened for another webhook, with another JWT_SECRET or if a byte is changed', () => {
  const { secret, sealed } = secrets.make(id(1));
  expect(secrets.open(id(2), sealed)).toBe(null);
  expect(createWebhookSecrets('another secret of more than thirty-two characters').open(id(1), sealed)).toBe(null);
  for (let byte = 1; byte < sealed.length; byte += 1) {
    const changed = Uint8Array.from(sealed);
    changed[byte] = (changed[byte] ?? 0) ^ 1;
    expect(secrets.open(id(1), changed)).toBe(null);
  }
  expect(Buffer.from(sealed).includes(Buffer.from(secret.slice('whsec_'.length), 'base64'))).toBe(false);
});
