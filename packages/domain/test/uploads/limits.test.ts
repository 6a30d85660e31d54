import { expect, test } from 'bun:test';
import {
  MAX_FILES_PER_REQUEST,
  MAX_LABEL_LENGTH,
  MAX_MULTIPART_FILE_BYTES,
  MULTIPART_FILE_TOO_LARGE,
  NAME_LENGTH,
} from '../../src/index.ts';

test('the upload limits equal those of the API, and a megabyte has 1024 × 1024 bytes', () => {
  expect(MAX_FILES_PER_REQUEST).toBe(10);
  expect(MAX_MULTIPART_FILE_BYTES).toBe(209_715_200);
  expect(NAME_LENGTH).toEqual({ min: 3, max: 100 });
  expect(MAX_LABEL_LENGTH).toBe(250);
});

test('the error for a file that is too large names the limit and presigned uploads', () => {
  expect(MULTIPART_FILE_TOO_LARGE).toContain(`${MAX_MULTIPART_FILE_BYTES / 1024 / 1024} MB`);
  expect(MULTIPART_FILE_TOO_LARGE).toContain('/media_contents/presign');
});
