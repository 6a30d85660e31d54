import { describe, expect, test } from 'bun:test';
import type { Workspace } from '@postshelf/domain';
import type { Caller } from '../../../src/admit.ts';
import { FormFingerprint } from '../../../src/operations/repeats/fingerprint.ts';
import { dropFiles, receiveForm } from '../../../src/operations/uploads/receive-form.ts';
import { FORM, field, formOf, partOf } from '../../support/multipart.ts';
import { bodyOf, sent } from '../../support/sources.ts';

type Exchange = Parameters<typeof receiveForm>[0];

const caller = { recheck: async () => undefined, requireStillAdmitted: async () => undefined } as Caller;
const shares = { take: async () => () => undefined };

async function receive(unknown: string) {
  const request = sent([formOf(partOf(field('label', 'Summer')), partOf(field('constructor', unknown)))], FORM);
  const body = bodyOf(request, { idle: 30_000, minimumRate: 0 });
  const exchange = { service: { ports: { shares } }, facts: { request, signal: request.signal }, body };
  const fingerprint = new FormFingerprint([]);
  const form = await receiveForm(
    exchange as unknown as Exchange,
    caller,
    { id: 'x' } as unknown as Workspace,
    dropFiles(),
    fingerprint,
  );
  return { fields: form.fields, fingerprint: fingerprint.value() };
}

describe('Fields of a form that no rule knows', () => {
  test('are not kept', async () => {
    expect((await receive('x'.repeat(60_000))).fields).toEqual({ label: 'Summer' });
  });

  test('still distinguish requests with the same key', async () => {
    expect((await receive('x')).fingerprint).not.toBe((await receive('y')).fingerprint);
  });
});
