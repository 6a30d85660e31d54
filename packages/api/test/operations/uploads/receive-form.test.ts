import { describe, expect, test } from 'bun:test';
import type { Workspace } from '@postshelf/domain';
import type { Caller } from '../../../src/admit.ts';
import { FormFingerprint } from '../../../src/operations/idempotency/fingerprint.ts';
import { dropFiles, type FileSink, receiveForm } from '../../../src/operations/uploads/receive-form.ts';
import { FORM, field, file, formOf, partOf, type SentPart } from '../../support/multipart.ts';
import { bodyOf, sent } from '../../support/sources.ts';

type Exchange = Parameters<typeof receiveForm>[0];

const caller = { recheck: async () => undefined, requireStillAdmitted: async () => undefined } as Caller;
const shares = { take: async () => () => undefined };

async function receiveParts(...parts: readonly SentPart[]) {
  const request = sent([formOf(...parts.map(partOf))], FORM);
  const body = bodyOf(request, { idle: 30_000, minimumRate: 0 });
  const exchange = { service: { ports: { shares } }, facts: { request, signal: request.signal }, body };
  const fingerprint = new FormFingerprint([]);
  const names: string[] = [];
  const dropped = dropFiles();
  const files: FileSink = {
    get count() {
      return dropped.count;
    },
    get isEmpty() {
      return names.length === 0;
    },
    add: (fileName, content) => {
      names.push(fileName);
      return dropped.add(fileName, content);
    },
    skip: dropped.skip,
  };
  const workspace = { id: 'x' } as unknown as Workspace;
  const form = await receiveForm(exchange as unknown as Exchange, caller, workspace, files, fingerprint);
  return { ...form, names, fingerprint: fingerprint.value() };
}

const receive = (unknown: string) =>
  receiveParts(field('label', 'Summer'), field('constructor', unknown), file('files[]', 'a.jpg', 'x'));

describe('unknown form fields', () => {
  test('are discarded', async () => {
    expect((await receive('x'.repeat(60_000))).fields).toEqual({ label: 'Summer' });
  });

  test('still distinguish requests with the same idempotency key', async () => {
    expect((await receive('x')).fingerprint).not.toBe((await receive('y')).fingerprint);
  });
});

describe('fields of a form', () => {
  test.each(['', 'null', 'undefined'])('count as absent if they are %j, except in a label', async (text) => {
    const names = ['folder_id', 'on_duplicate', 'created_at'];
    const { fields } = await receiveParts(...names.map((name) => field(name, text)), file('files[]', 'a.jpg', 'x'));
    expect(fields).toEqual({ folder_id: null, on_duplicate: null, created_at: null });
    const labelled = await receiveParts(field('label', text), file('files[]', 'a.jpg', 'x'));
    expect(labelled.fields).toEqual({ label: text || null });
  });
});

describe('files of a form', () => {
  test('may have numbered names as in PHP, such as files[0], and so may their hashes', async () => {
    const numbered = await receiveParts(
      file('files[0]', 'a.jpg', 'x'),
      file('files[7]', 'b.jpg', 'y'),
      field('sha256[0]', ''),
      field('sha256[7]', 'f'.repeat(64)),
    );
    expect(numbered).toMatchObject({ names: ['a.jpg', 'b.jpg'], errors: {} });
    expect(numbered.hashes.values).toEqual([null, 'f'.repeat(64)]);
    expect((await receiveParts(file('files[0]', 'a.jpg', 'x'))).fingerprint).toBe(
      (await receiveParts(file('files[]', 'a.jpg', 'x'))).fingerprint,
    );
  });

  test.each(['files[a]', 'files[0][0]', 'files[-1]', 'file', 'files0'])('are refused when named %s', async (name) => {
    const { errors, names } = await receiveParts(file(name, 'a.jpg', 'x'));
    expect(Object.keys(errors)).toEqual([name, 'files']);
    expect(names).toEqual([]);
  });

  test('exclude inputs in which no file was selected, whatever their name', async () => {
    const empty = [file('files[]', '', ''), file('other', '', '')];
    expect(await receiveParts(...empty, file('files[]', 'a.jpg', 'x'))).toMatchObject({ names: ['a.jpg'], errors: {} });
    expect((await receiveParts(...empty)).errors).toEqual({ files: ['The files field is required.'] });
  });

  test('include a file without a name and a file without bytes', async () => {
    const { names } = await receiveParts(file('files[]', '', 'x'), file('files[]', 'a.jpg', ''));
    expect(names).toEqual(['', 'a.jpg']);
  });
});
