import { describe, expect, test } from 'bun:test';
import { PostshelfError } from '@postshelf/client';
import { refuseFile } from '../src/uploads/check-file.ts';
import { filesOf, namedByTime } from '../src/uploads/dropped-files.ts';
import { mayPass } from '../src/uploads/retry.ts';
import { stateOf, titleOf } from '../src/uploads/sentences.ts';
import { leftInWords, type Sample, secondsLeft, withSample } from '../src/uploads/time-left.ts';
import { inOrder, mayBecome, type Phase, totalsOf } from '../src/uploads/upload.ts';
import { isShortened } from '../src/uploads/upload-queue.ts';
import { announcementOf } from '../src/uploads/upload-status.tsx';

const box = (type: string, brand = '') => new Blob([`\0\0\0\x18${type}${brand}\0\0\0\0mp41`]);
const bytes = (...values: readonly number[]) => new Blob([Uint8Array.from(values)]);
const sized = (size: number) => ({ size, slice: () => box('ftyp', 'isom') }) as unknown as Blob;

describe('checking a file before it is sent', () => {
  const WRONG = 'The file must be a file of type: jpeg, png, gif, webp, mp4, mov.';
  test.each([
    ['a JPEG', bytes(0xff, 0xd8, 0xff, 0xe0), null],
    ['a PNG', bytes(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a), null],
    ['a GIF', new Blob(['GIF89a']), null],
    ['a WebP', new Blob(['RIFF....WEBPVP8 ']), null],
    ['an MP4', box('ftyp', 'isom'), null],
    ['an MP4 of an unknown brand', box('ftyp', 'what'), null],
    ['a QuickTime video', box('ftyp', 'qt  '), null],
    ['a QuickTime video without a brand', box('moov'), null],
    ['an HEIC image', box('ftyp', 'heic'), null],
    ['an HEIC image of the brand mif2', box('ftyp', 'mif2'), null],
    ['an AVIF', box('ftyp', 'avif'), null],
    ['an AVIF of the brand mif1', new Blob(['\0\0\0\x18ftypmif1\0\0\0\0mif1avif']), null],
    ['a raw photo', box('ftyp', 'crx '), WRONG],
    ['a WAVE file', new Blob(['RIFF....WAVEfmt ']), WRONG],
    ['a text file', new Blob(['hello']), WRONG],
    ['an empty file', new Blob([]), 'The file must not be empty.'],
    ['a file of 2 GB', sized(2 ** 31), null],
    ['a file of 2 GB and 1 byte', sized(2 ** 31 + 1), 'The file must not be greater than 2147483648 bytes (2 GB).'],
  ])('reports whether %s can be uploaded', async (_, file, problem) => {
    expect(await refuseFile(file)).toBe(problem);
  });

  test('reports a file that has been deleted', async () => {
    const gone = {
      size: 1,
      slice: () => ({ arrayBuffer: () => Promise.reject(new Error('gone')) }),
    } as unknown as Blob;
    expect(await refuseFile(gone)).toBe('The file can no longer be read: it was moved, changed or deleted.');
  });
});

test.each([
  ['a JPEG', 'image/jpeg', ['image/jpeg'], true],
  ['an HEIC photo that becomes a JPEG', 'image/heic', ['image/jpeg', 'image/png'], true],
  ['an HEIC photo where only PNG is wanted', 'image/heic', ['image/png'], false],
  ['a GIF', 'image/gif', ['image/jpeg'], false],
  ['a file of unknown type', '', ['image/jpeg'], true],
])('says whether %s may be stored as one of the wanted types', (_, type, stored, may) => {
  expect(mayBecome({ type }, stored)).toBe(may);
});

test('dropped files are read even if others can’t be read', async () => {
  const leaf = (name: string, file: FileSystemFileEntry['file']) => ({ isFile: true, name, file });
  const gone = leaf('gone.jpg', (_, fail) => fail?.(new DOMException('gone', 'NotFoundError')));
  const good = leaf('good.jpg', (resolve) => resolve(new File(['x'], 'good.jpg')));
  const lists = [[gone, good], []];
  const createReader = () => ({ readEntries: (resolve: (list: unknown) => void) => resolve(lists.shift()) });
  const folder = { isFile: false, name: 'Trip', createReader };
  const items = [folder, gone, good].map((entry) => ({ kind: 'file', webkitGetAsEntry: () => entry }));
  const messages: string[] = [];
  const read = filesOf({ items } as unknown as DataTransfer, (message) => messages.push(message));
  expect((await read()).map(({ file, path }) => [...path, file.name])).toEqual([['Trip', 'good.jpg'], ['good.jpg']]);
  expect(messages).toEqual(['These couldn’t be read and aren’t uploaded: gone.jpg and 1 more.']);
});

test('dropped folders leave out what systems keep in them, as `postshelf import` does', async () => {
  const leaf = (name: string) => ({
    isFile: true,
    name,
    file: (resolve: (file: File) => void) => resolve(new File(['x'], name)),
  });
  const folder = (name: string, ...children: readonly object[]) => {
    const lists = [children, []];
    return {
      isFile: false,
      name,
      createReader: () => ({ readEntries: (resolve: (list: unknown) => void) => resolve(lists.shift()) }),
    };
  };
  const names = ['.DS_Store', 'Thumbs.db', 'ehthumbs.db', 'desktop.ini', 'Icon\r', 'a.jpg'];
  const folders = ['@eaDir', '#recycle', '$RECYCLE.BIN', 'System Volume Information', 'lost+found', '__MACOSX', '.git'];
  const entry = folder(
    'Trip',
    ...names.map(leaf),
    ...folders.map((name) => folder(name, leaf('SYNOPHOTO_THUMB_M.jpg'))),
  );
  const items = [{ kind: 'file', webkitGetAsEntry: () => entry }];
  const read = filesOf({ items } as unknown as DataTransfer, (message) => expect(message).toBe(''));
  expect((await read()).map(({ file, path }) => [...path, file.name])).toEqual([['Trip', 'a.jpg']]);
});

describe('the list of uploads', () => {
  const upload = (phase: Phase, loaded = 0) => ({
    id: '',
    name: '',
    file: null,
    item: null,
    size: 1500,
    loaded,
    phase,
    problem: null,
    shortenedTo: null,
    canRetry: false,
  });
  test.each([
    ['Uploading 3 of 4', ['sending', 'waiting', 'done', 'failed'], false],
    ['Uploading 1 of 1', ['checking'], true],
    ['2 uploaded', ['done', 'done', 'cancelled'], false],
    ['1 uploaded, 2 failed', ['done', 'failed', 'failed'], true],
    ['Uploads', ['cancelled'], false],
    ['Importing', [], true],
  ] as const)('has the title "%s" for uploads in the phases %j', (title, phases, isImporting) => {
    const totals = totalsOf((phases as readonly Phase[]).map((phase) => upload(phase)));
    expect(titleOf(totals, isImporting)).toBe(title);
  });

  test('announces the start, new failures with their reasons, and the end, but no progress', () => {
    const failed = (name: string, problem: string) => ({ name, problem });
    const [large, damaged, empty] = [
      failed('a.jpg', 'Too large.'),
      failed('b.jpg', 'Damaged.'),
      failed('c.jpg', 'Empty.'),
    ];
    const state = (title: string, ...failures: ReturnType<typeof failed>[]) => ({
      title,
      isRunning: title.startsWith('Uploading'),
      failures,
    });
    const states = [
      state('Uploads'),
      state('Uploading 1 of 5'),
      state('Uploading 2 of 5'),
      state('Uploading 3 of 5', large),
      state('Uploading 4 of 5', large),
      state('2 uploaded, 3 failed', large, damaged, empty),
      // One of them is retried, and fails again immediately.
      state('2 uploaded, 3 failed', { ...large }, damaged, empty),
      state('Uploads'),
    ];
    const said = states.slice(1).map((now, at) => announcementOf(states[at] ?? now, now));
    expect(said).toEqual([
      'Uploading 1 of 5',
      '',
      'a.jpg: Too large.',
      '',
      'b.jpg: Damaged.\nc.jpg: Empty.\n2 uploaded, 3 failed',
      'a.jpg: Too large.',
      '',
    ]);
    const all = [large, damaged, empty];
    const running = announcementOf(state('Uploading 1 of 9'), state('Uploading 4 of 9', ...all));
    expect(running).toBe('3 failed\na.jpg: Too large.\nb.jpg: Damaged.');
    const ended = announcementOf(state('Uploads'), state('3 failed', ...all));
    expect(ended).toBe('a.jpg: Too large.\nb.jpg: Damaged.\n3 failed');
  });

  test('shows running and failed uploads first, and omits finished ones if there are too many', () => {
    const phases = ['done', 'sending', 'failed', 'waiting', 'failed', 'paused'] as const;
    const uploads = phases.map((phase, at) => ({ ...upload(phase), id: String(at) }));
    const ids = (max: number) => inOrder(uploads, max).map(({ id }) => id);
    expect([ids(6), ids(5), ids(1)]).toEqual([['1', '5', '2', '4', '3', '0'], ['1', '5', '2', '4', '3'], ['1']]);
  });

  test.each([
    ['at the start', [[0, 0]], null],
    [
      'before there is a speed',
      [
        [0, 0],
        [1000, 100],
      ],
      null,
    ],
    [
      'at a steady speed',
      [
        [0, 0],
        [2000, 200],
        [4000, 400],
      ],
      6,
    ],
    [
      'while nothing is sent',
      [
        [0, 400],
        [5000, 400],
      ],
      null,
    ],
    [
      'from the last seconds only',
      [
        [0, 0],
        [20_000, 100],
        [24_000, 500],
      ],
      5,
    ],
    [
      'after a retry from the beginning',
      [
        [0, 0],
        [5000, 500],
        [6000, 0],
      ],
      null,
    ],
  ] as const)('estimates the time left %s', (_, sent, seconds) => {
    const samples = sent.reduce<readonly Sample[]>((all, [at, loaded]) => withSample(all, { at, loaded }), []);
    expect(secondsLeft(samples, 1000)).toBe(seconds);
  });

  test.each([
    [3, 'less than a minute left'],
    [61, 'about 1 min left'],
    [290, 'about 5 min left'],
    [6000, 'about 2 h left'],
  ])('shows %i seconds left as "%s"', (seconds, words) => {
    expect(leftInWords(seconds)).toBe(words);
  });

  test.each([
    ['a file that is refused before it is sent', new Error('The file must not be empty.'), false],
    ['status 422', new PostshelfError('refused', 'Damaged.', { status: 422 }), false],
    ['status 413', new PostshelfError('refused', 'Too large.', { status: 413 }), false],
    ['status 401', new PostshelfError('refused', 'Not signed in.', { status: 401 }), true],
    ['status 429', new PostshelfError('refused', 'Later.', { status: 429 }), true],
    ['status 507', new PostshelfError('refused', 'No space.', { status: 507 }), true],
    ['an unreachable service', new PostshelfError('unreachable', 'Gone.'), true],
  ])('offers a retry only after a temporary error: %s', (_, error, passes) => {
    expect(mayPass(error)).toBe(passes);
  });

  test.each([
    ['a long name.jpg', 'a long.jpg', true],
    ['a long name.JPG', 'a long name.jpg', false],
    ['dots. .jpeg', 'dots.jpg', false],
    ['e\u0301te\u0301.png', '\u00e9t\u00e9.png', false],
    ['a:b.png', 'a_b.png', false],
  ])('reports the name %p as shortened if it is stored as %p: %p', (given, stored, is) => {
    expect(isShortened(given, stored)).toBe(is);
  });

  test('counts the bytes of uploads that neither failed nor were cancelled', () => {
    expect(
      totalsOf([upload('sending', 500), upload('done', 1500), upload('failed', 900), upload('cancelled')]),
    ).toEqual({
      ...{ files: 4, unfinished: 1, done: 1, failed: 1 },
      ...{ loaded: 2000, size: 3000 },
    });
  });

  test.each([
    ['sending', 1023, '1023 bytes of 1.5 KB'],
    ['sending', 1500, 'Finishing'],
    ['offline', 500, 'Waiting for the network'],
    ['busy', 500, 'Waiting for the service'],
  ] as const)('shows an upload that is %s, with %i bytes sent, as "%s"', (phase, loaded, state) => {
    expect(stateOf(upload(phase, loaded))).toBe(state);
  });
});

test.each([
  ['image.png', 'Pasted 2026-03-09 at 07.05.01.png'],
  ['image.jpeg', 'Pasted 2026-03-09 at 07.05.01.jpeg'],
  ['harbour.png', 'harbour.png'],
])('a pasted %s is named %s', (given, name) => {
  const source = { file: new File(['x'], given, { type: 'image/png' }), path: ['Summer'] };
  const named = namedByTime(source, new Date(2026, 2, 9, 7, 5, 1));
  expect([named.file.name, named.file.type, named.path]).toEqual([name, 'image/png', ['Summer']]);
});
