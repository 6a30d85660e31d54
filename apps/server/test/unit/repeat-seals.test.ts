import { expect, test } from 'bun:test';
import { parseUuid } from '@postshelf/domain';
import { newId } from '@postshelf/testing/contracts/samples';
import { createIdempotencySeals } from '../../src/compose/idempotency-seals.ts';

const SECRET = 'a secret of more than thirty-two characters';
const ANSWER = { entered: [newId()], fingerprint: 'fingerprint', status: 201, body: '{"data":"Été 😀"}' };

test('a sealed response opens only with the token, key and secret that it was sealed for', () => {
  const seals = createIdempotencySeals(SECRET);
  const [token, other] = [newId(), newId()];
  const sealed = seals.seal(token, 'key', ANSWER);
  expect(createIdempotencySeals(SECRET).open(token, 'key', sealed)).toEqual(ANSWER);
  expect(Buffer.from(sealed).toString('latin1')).not.toMatch(/fingerprint|data|key/);
  expect(Buffer.from(seals.seal(token, 'key', ANSWER))).not.toEqual(Buffer.from(sealed));
  expect(() => seals.open(other, 'key', sealed)).toThrow();
  expect(() => seals.open(token, 'kez', sealed)).toThrow();
  expect(() => createIdempotencySeals(`${SECRET}.`).open(token, 'key', sealed)).toThrow();
  for (const index of sealed.keys()) {
    const changed = Buffer.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(() => seals.open(token, 'key', changed)).toThrow();
  }
  expect(() => seals.open(token, 'key', sealed.subarray(0, -1))).toThrow();
});

test('a response that an earlier version sealed can be opened', () => {
  const token = parseUuid('01890a5d-ac96-774b-bcce-b302099a8051') ?? expect.unreachable();
  const sealed =
    'AWWrsl4GncJuXepPsXtcJlCikH3QClnoZ4XXMGdstQeDjRhqqSowFVmNQKwf9kJy1KtoYs0EeNkOW/dy+T1u8hqCVj7+9qWbhhZjC3nSpOniCqiTm0GTMvLl3/fTT9W/';
  const answer = { entered: [], fingerprint: 'fingerprint', status: 201, body: '{}' };
  expect(createIdempotencySeals(SECRET).open(token, 'key', Buffer.from(sealed, 'base64'))).toEqual(answer);
});

test('each key of each token has its own id, which depends on the secret', () => {
  const seals = createIdempotencySeals(SECRET);
  const [token, other] = [newId(), newId()];
  expect(seals.idOf(token, 'key')).toBe(createIdempotencySeals(SECRET).idOf(token, 'key'));
  const names = [seals.idOf(token, 'key'), seals.idOf(token, 'kez'), seals.idOf(other, 'key')];
  expect(new Set([...names, createIdempotencySeals(`${SECRET}.`).idOf(token, 'key')]).size).toBe(4);
  for (const name of names) expect(name).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});
