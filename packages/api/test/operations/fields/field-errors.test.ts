import { describe, expect, test } from 'bun:test';
import { MAX_PAGE } from '@postshelf/domain';
import * as v from 'valibot';
import { fieldErrorsOf } from '../../../src/operations/fields/field-errors.ts';
import { folderChange, folderQuery, newFolder } from '../../../src/operations/folders/schema.ts';
import { importRequest } from '../../../src/operations/imports/schema.ts';
import { mediaChange, mediaQuery } from '../../../src/operations/media/schema.ts';
import { uploadFields } from '../../../src/operations/uploads/schema.ts';

const ID = '01890a5d-ac96-774b-bcce-b302099a8057';
const URL = 'https://files.example/a.jpg';

const errorsOf = (schema: v.GenericSchema, input: unknown) => fieldErrorsOf(v.safeParse(schema, input).issues ?? []);

type Row = readonly [schema: v.GenericSchema, input: unknown, errors: Readonly<Record<string, readonly string[]>>];

const table = (rows: readonly Row[]) => rows.map((row) => [Object.values(row[2])[0]?.[0] ?? '', ...row] as const);

const REFUSED: readonly Row[] = [
  [importRequest, {}, { url: ['The url field is required.'] }],
  [importRequest, { url: null }, { url: ['The url field is required.'] }],
  [importRequest, { url: 5 }, { url: ['The url field must be a string.'] }],
  [importRequest, { url: [URL] }, { url: ['The url field must be a string.'] }],
  [importRequest, { url: '' }, { url: ['The url field must be a valid http or https URL.'] }],
  [importRequest, { url: 'ftp://a.example/' }, { url: ['The url field must be a valid http or https URL.'] }],
  [importRequest, { url: 'javascript:alert(1)' }, { url: ['The url field must be a valid http or https URL.'] }],
  [
    importRequest,
    { url: `${URL}?${'a'.repeat(2048)}` },
    { url: ['The url field must not be greater than 2048 characters.'] },
  ],
  [
    importRequest,
    { url: `x${'a'.repeat(2048)}` },
    {
      url: [
        'The url field must not be greater than 2048 characters.',
        'The url field must be a valid http or https URL.',
      ],
    },
  ],
  [importRequest, { url: URL, name: 'ab' }, { name: ['The name field must be at least 3 characters.'] }],
  [
    importRequest,
    { url: URL, name: ' \u202e.jpg' },
    { name: ['The name field must contain a visible character besides its extension.'] },
  ],
  [
    importRequest,
    { url: URL, name: 'n'.repeat(101) },
    { name: ['The name field must not be greater than 100 characters.'] },
  ],
  [importRequest, { url: URL, name: true }, { name: ['The name field must be a string.'] }],
  [
    uploadFields,
    { label: '\u{1f600}'.repeat(251) },
    { label: ['The label field must not be greater than 250 characters.'] },
  ],
  [uploadFields, { label: 'a\0b' }, { label: ['The label field must not contain control characters.'] }],
  [
    uploadFields,
    { label: '\u202e'.repeat(251) },
    {
      label: [
        'The label field must not be greater than 250 characters.',
        'The label field must not contain control characters.',
      ],
    },
  ],
  [importRequest, { url: URL, sha256: 'a1' }, { sha256: ['The sha256 field must be a SHA-256 in hex, 64 digits.'] }],
  [importRequest, { url: URL, sha256: 7 }, { sha256: ['The sha256 field must be a string.'] }],
  [importRequest, { url: URL, on_duplicate: 'skip' }, { on_duplicate: ['The selected on duplicate is invalid.'] }],
  [uploadFields, { on_duplicate: 'RETURN' }, { on_duplicate: ['The selected on duplicate is invalid.'] }],
  [uploadFields, { folder_id: 'root' }, { folder_id: ['The folder id field must be a valid UUID.'] }],
  [uploadFields, { folder_id: `${ID} ` }, { folder_id: ['The folder id field must be a valid UUID.'] }],
  [mediaChange, { folder_id: '' }, { folder_id: ['The folder id field must be a valid UUID.'] }],
  [mediaChange, { folder_id: 7 }, { folder_id: ['The folder id field must be a string.'] }],
  [mediaChange, { name: null }, { name: ['The name field is required.'] }],
  [
    mediaChange,
    { alt_text: 'a'.repeat(1501) },
    { alt_text: ['The alt text field must not be greater than 1500 characters.'] },
  ],
  [
    mediaChange,
    { alt_text: 7, tags: [5] },
    {
      alt_text: ['The alt text field must be a string.'],
      'tags.0': ['The tags.0 field must be a string.'],
    },
  ],
  [
    mediaChange,
    { alt_text: 'a\0', tags: ['ok', 'a\tb'] },
    {
      alt_text: ['The alt text field must not contain control characters.'],
      'tags.1': ['The tags.1 field must not contain control characters.'],
    },
  ],
  [
    mediaChange,
    { tags: Array.from({ length: 31 }, (_, index) => `tag ${index}`) },
    { tags: ['The tags field must not have more than 30 items.'] },
  ],
  [
    mediaChange,
    { tags: ['', ' \t ', 'y'.repeat(51)] },
    {
      'tags.0': ['The tags.0 field is required.'],
      'tags.1': ['The tags.1 field is required.'],
      'tags.2': ['The tags.2 field must not be greater than 50 characters.'],
    },
  ],
  [
    mediaChange,
    { tags: ['Strasse', 'STRASSE', 'É', 'straße', 'e\u0301'] },
    {
      'tags.1': ['The tags.1 field has a duplicate value.'],
      'tags.3': ['The tags.3 field has a duplicate value.'],
      'tags.4': ['The tags.4 field has a duplicate value.'],
    },
  ],
  [mediaChange, { tags: 'beach' }, { tags: ['The tags field must be an array.'] }],
  [
    mediaChange,
    { focus: { x: 1.01 } },
    {
      'focus.x': ['The focus.x field must not be greater than 1.'],
      'focus.y': ['The focus.y field is required.'],
    },
  ],
  [mediaChange, { focus: [0.5, 0.5] }, { focus: ['The focus field is required.'] }],
  [mediaQuery, { tag: 'a\0b' }, { tag: ['The tag field must not contain control characters.'] }],
  [mediaQuery, { tag: Array(31).fill('a') }, { tag: ['The tag field must not have more than 30 items.'] }],
  [mediaQuery, { status: 'gone' }, { status: ['The selected status is invalid.'] }],
  [mediaQuery, { type: 'audio' }, { type: ['The selected type is invalid.'] }],
  [mediaQuery, { folder_id: 'top' }, { folder_id: ['The folder id field must be a valid UUID or root.'] }],
  [mediaQuery, { from: 'yesterday' }, { from: ['The from field must be a valid date.'] }],
  [mediaQuery, { to: '2026-02-30' }, { to: ['The to field must be a valid date.'] }],
  [
    mediaQuery,
    { from: '2026-02-02', to: '2026-02-01' },
    { to: ['The to field must be a date after or equal to from.'] },
  ],
  [mediaQuery, { tag: 7 }, { tag: ['The tag field must be a string.'] }],
  [mediaQuery, { search: 's'.repeat(251) }, { search: ['The search field must not be greater than 250 characters.'] }],
  [mediaQuery, { page: '0' }, { page: ['The page field must be at least 1.'] }],
  [mediaQuery, { page: 'two' }, { page: ['The page field must be an integer.'] }],
  [mediaQuery, { per_page: '1.5' }, { per_page: ['The per page field must be an integer.'] }],
  [mediaQuery, { per_page: '-3' }, { per_page: ['The per page field must be at least 1.'] }],
  [mediaQuery, { page: MAX_PAGE + 1 }, { page: [`The page field must not be greater than ${MAX_PAGE}.`] }],
  [folderQuery, { parent_id: 'up' }, { parent_id: ['The parent id field must be a valid UUID or root.'] }],
  [newFolder, {}, { name: ['The name field is required.'] }],
  [newFolder, { name: ' \u200b ' }, { name: ['The name field is required.'] }],
  [newFolder, { name: 5 }, { name: ['The name field must be a string.'] }],
  [newFolder, { name: 'n'.repeat(101) }, { name: ['The name field must not be greater than 100 characters.'] }],
  [newFolder, { name: 'a\nb' }, { name: ['The name field must not contain control characters.'] }],
  [newFolder, { name: 'A', parent_id: 'x' }, { parent_id: ['The parent id field must be a valid UUID.'] }],
  [folderChange, { name: '' }, { name: ['The name field is required.'] }],
  [newFolder, 'a text', { input: ['The input field must be an object.'] }],
  [newFolder, null, { input: ['The input field is required.'] }],
];

describe('the errors of a request', () => {
  test.each(table(REFUSED))('have the wording of Laravel (case %#): %s', (_, schema, input, errors) => {
    expect(errorsOf(schema, input)).toEqual(errors);
  });

  test('name all invalid fields together', () => {
    const input = { url: 'x', name: 'ab', label: 'l'.repeat(251), folder_id: 'x' };
    expect(Object.keys(errorsOf(importRequest, input)).sort()).toEqual(['folder_id', 'label', 'name', 'url']);
    const query = { page: '0', per_page: 'x', status: 'x', type: 'x', from: 'x', to: 'x', folder_id: 'x' };
    expect(Object.keys(errorsOf(mediaQuery, query)).sort()).toEqual(Object.keys(query).sort());
  });

  test('name nested fields with dots, and describe expected values by their type', () => {
    const files = v.object({
      files: v.array(v.object({ size: v.number(), is_new: v.boolean(), tags: v.array(v.string()) })),
    });
    expect(errorsOf(files, { files: [{ size: '1', is_new: 'yes', tags: 'a' }, { tags: [3] }, 4] })).toEqual({
      'files.0.size': ['The files.0.size field must be a number.'],
      'files.0.is_new': ['The files.0.is new field must be true or false.'],
      'files.0.tags': ['The files.0.tags field must be an array.'],
      'files.1.size': ['The files.1.size field is required.'],
      'files.1.is_new': ['The files.1.is new field is required.'],
      'files.1.tags.0': ['The files.1.tags.0 field must be a string.'],
      'files.2': ['The files.2 field must be an object.'],
    });
  });

  test('contain a message once if several checks produce it', () => {
    const twice = v.object({
      a: v.pipe(
        v.string(),
        v.check(() => false, 'is odd.'),
        v.check(() => false, 'is odd.'),
      ),
    });
    expect(errorsOf(twice, { a: '' })).toEqual({ a: ['The a field is odd.'] });
  });
});

const NO_TERMS = { sha256: null };
const KEEP = { on_duplicate: 'keep' };

const TAKEN: readonly (readonly [schema: v.GenericSchema, input: unknown, output: unknown])[] = [
  [importRequest, { url: URL }, { url: URL, name: null, label: null, folder_id: null, ...NO_TERMS }],
  [
    importRequest,
    { url: URL, name: null, label: null, folder_id: null, extra: 1 },
    { url: URL, name: null, label: null, folder_id: null, ...NO_TERMS },
  ],
  [
    importRequest,
    { url: URL, name: 'abc.jpg' },
    { url: URL, name: 'abc.jpg', label: null, folder_id: null, ...NO_TERMS },
  ],
  [
    importRequest,
    { url: 'HTTP://a.example' },
    { url: 'http://a.example/', name: null, label: null, folder_id: null, ...NO_TERMS },
  ],
  [
    importRequest,
    { url: '\0http://a.example/\n\0' },
    { url: 'http://a.example/', name: null, label: null, folder_id: null, ...NO_TERMS },
  ],
  [
    importRequest,
    { url: URL, sha256: 'A1'.repeat(32), on_duplicate: 'return' },
    { url: URL, name: null, label: null, folder_id: null, sha256: 'a1'.repeat(32), on_duplicate: 'return' },
  ],
  [uploadFields, { on_duplicate: null }, { label: null, folder_id: null, on_duplicate: 'keep' }],
  [uploadFields, {}, { label: null, folder_id: null, ...KEEP }],
  [uploadFields, { label: '' }, { label: null, folder_id: null, ...KEEP }],
  [uploadFields, { label: 'Cafe\u0301\n\u200f' }, { label: 'Caf\u00e9\n\u200f', folder_id: null, ...KEEP }],
  [uploadFields, { label: '\u{1f600}'.repeat(250) }, { label: '\u{1f600}'.repeat(250), folder_id: null, ...KEEP }],
  [uploadFields, { folder_id: ID.toUpperCase() }, { label: null, folder_id: ID, ...KEEP }],
  [mediaChange, {}, {}],
  [mediaChange, { label: null, folder_id: null }, { label: null, folder_id: null }],
  [mediaQuery, {}, {}],
  [mediaQuery, { from: '2026-02-01', to: '2026-02-01' }, { from: '2026-02-01', to: '2026-02-01' }],
  [mediaQuery, { folder_id: 'root', page: '007' }, { folder_id: 'root', page: 7 }],
  [newFolder, { name: ' A ' }, { name: 'A' }],
  [folderChange, { parent_id: null }, { parent_id: null }],
];

test.each(TAKEN.map((row) => [Object.keys(Object(row[1])).join(' and ') || 'no fields', ...row] as const))(
  'a valid request is accepted with %s (case %#)',
  (_, schema, input, output) => {
    expect(v.parse(schema, input)).toEqual(output);
  },
);
