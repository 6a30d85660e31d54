import type { Answer } from '../http/answer.ts';
import { document } from './document.ts';

/** All names in the document. Other names in an answer come from the request. */
const KNOWN = new Set([...JSON.stringify(document).matchAll(/"(\w+)"/g)].map(([, name]) => name));

/** Returns the status and shape of an answer, without random values. */
export function answerSignature({ status, headers }: Answer, json: unknown): string {
  if (status < 400) {
    const type = (headers.get('content-type') ?? '').split(';')[0];
    return [status, type, hashOf(shapeOf(json, 4)), ...rejectionsIn(json)].join(' ');
  }
  const errors = typeof json === 'object' && json !== null && 'errors' in json ? json.errors : null;
  if (typeof errors !== 'object' || errors === null) return `${status} ${plain(messageOf(json))}`;
  const said = Object.entries(errors).map(([field, sentences]) => {
    const name = field.replaceAll(/\d+/g, 'N').split('.').map(known).join('.');
    return `${name}: ${[sentences]
      .flat()
      .map((sentence) => plain(String(sentence)))
      .join(' ')}`;
  });
  // The signature contains only the first error of a field and the first error of a file. Each other error comes first
  // in the signature of some other case.
  const [files, fields] = [true, false].map((ofFiles) =>
    said.filter((one) => one.startsWith('files') === ofFiles).sort(),
  );
  return `${status} ${[fields?.[0], files?.[0]].filter(Boolean).join('; ')}`;
}

const hashOf = (text: string): string => (text === 'undefined' ? '' : Bun.hash(text).toString(36).slice(0, 6));

/** Returns the reasons for rejected lines of an import. */
function rejectionsIn(json: unknown): readonly string[] {
  const found = JSON.stringify(json ?? null).matchAll(/"message":"((?:[^"\\]|\\.)*)","errors"/g);
  return [...new Set([...found].map(([, message = '']) => plain(message)))].sort().slice(0, 2);
}

function messageOf(json: unknown): string {
  if (Array.isArray(json)) return `batch: ${messageOf(json[0])}`;
  if (typeof json !== 'object' || json === null) return typeof json;
  if ('error' in json) return `trpc: ${messageOf(json.error)}`;
  return 'message' in json ? String(json.message) : Object.keys(json).sort().join();
}

function shapeOf(json: unknown, depth: number): string {
  if (Array.isArray(json)) return `[${json.length === 0 || depth === 0 ? '' : shapeOf(json[0], depth - 1)}]`;
  if (typeof json !== 'object' || json === null) return json === null ? 'null' : typeof json;
  if (depth === 0) return '{}';
  const parts = Object.entries(json).map(([key, value]) => `${known(key)}:${shapeOf(value, depth - 1)}`);
  return `{${[...new Set(parts)].sort().join()}}`;
}

const known = (name: string): string => (name === 'N' || KNOWN.has(name) ? name : '*');

/** Replaces numbers and the names of fields in an error message by placeholders, and shortens the message. */
const plain = (sentence: string): string =>
  sentence
    .replaceAll(/\d+/g, 'N')
    .replace(/^The .* field/s, 'The … field')
    .slice(0, 90);
