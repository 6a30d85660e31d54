import { expect, test } from 'bun:test';
import { type Defect, defectCode, defectSentence, UNDECODABLE } from '../../src/index.ts';

const WRONG = 'The file must be a file of type: jpeg.';

test.each([
  ['damaged', 'damaged', 'damaged', 'The file is damaged: its media data is incomplete.'],
  ['undecodable', 'undecodable', 'undecodable', `The file ${UNDECODABLE}`],
  ['wrong_hash', 'wrong_hash', 'wrong_hash', 'The file does not match its sha256.'],
  ['wrong_type', 'wrong_type', 'wrong_type', WRONG],
  [
    'of a known other type',
    'unsupported',
    { type: null, fault: 'is a PDF document.' },
    `${WRONG} It is a PDF document.`,
  ],
  [
    'of an unsupported variant',
    'unsupported',
    { type: 'image/jpeg', fault: 'is a lossless JPEG.' },
    'The file is a lossless JPEG.',
  ],
] as const satisfies readonly (readonly [string, string, Defect, string])[])(
  'the defect %s has the code %s and a sentence that says what the file is',
  (_, code, defect, sentence) => {
    expect(defectCode(defect)).toBe(code);
    expect(defectSentence(defect, 'The file', WRONG)).toBe(sentence);
  },
);
