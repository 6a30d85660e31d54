import { expect, test } from 'bun:test';
import { type Defect, defectCode, defectSentence, UNDECODABLE } from '../../src/index.ts';

const WRONG = 'The file must be a file of type: jpeg.';

test.each([
  ['damaged', 'damaged', 'The file is damaged: its media data is incomplete.'],
  ['undecodable', 'undecodable', `The file ${UNDECODABLE}`],
  ['wrong_hash', 'wrong_hash', 'The file does not match its sha256.'],
  ['wrong_type', 'wrong_type', WRONG],
  [{ type: null, fault: 'is a PDF document.' }, 'unsupported', `${WRONG} It is a PDF document.`],
  [{ type: 'image/jpeg', fault: 'is a lossless JPEG.' }, 'unsupported', 'The file is a lossless JPEG.'],
] as const satisfies readonly (readonly [Defect, string, string])[])(
  'the defect %j has the code %s and a sentence that says what the file is',
  (defect, code, sentence) => {
    expect(defectCode(defect)).toBe(code);
    expect(defectSentence(defect, 'The file', WRONG)).toBe(sentence);
  },
);
