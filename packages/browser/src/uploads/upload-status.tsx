import { useEffect, useRef, useState } from 'react';
import { useStableCallback } from '../ui/use-stable-callback.ts';
import { UPLOAD_WORDS, type UploadWords } from './sentences.ts';

interface Failure {
  readonly name: string;
  readonly problem: string | null;
}

export interface UploadState {
  /** The title of the list of uploads. */
  readonly title: string;
  readonly isRunning: boolean;
  /** The uploads that have failed. Those that fail again after a retry are other objects. */
  readonly failures: readonly Failure[];
}

/** Maximum number of failures whose reasons are announced together. */
const MAX_REASONS = 2;

/**
 * Returns what screen readers announce after a change: new failures with their reasons, and the title when uploads
 * start or end, but not their progress. Empty if there is nothing to announce.
 */
export function announcementOf(was: UploadState, now: UploadState, words: UploadWords = UPLOAD_WORDS): string {
  const failures = now.failures.filter((failure) => !was.failures.includes(failure));
  const isTitleNew = now.isRunning ? !was.isRunning : now.title !== was.title;
  const isTitleSaid = isTitleNew && now.title !== words.uploads;
  const reasons = failures.slice(0, MAX_REASONS).map(({ name, problem }) => `${name}: ${problem ?? words.failed}`);
  const count =
    failures.length > MAX_REASONS && !isTitleSaid && words.notUploaded.replace('{count}', String(failures.length));
  return [count, ...reasons, isTitleSaid && now.title].filter(Boolean).join('\n');
}

/** Milliseconds for which changes are gathered, so that the results of many small files are announced together. */
const GATHERED = 1000;

const NOTHING: UploadState = { title: '', isRunning: false, failures: [] };

/** Announces the start, the failures and the end of uploads to screen readers, but not their progress. */
export function UploadStatus({ words, ...now }: UploadState & { readonly words?: UploadWords }) {
  const [text, setText] = useState('');
  const announced = useRef(NOTHING);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const announce = useStableCallback((): void => {
    timer.current = null;
    const news = announcementOf(announced.current, now, words);
    announced.current = now;
    if (news !== '') setText(news);
  });
  useEffect(() => {
    timer.current ??= setTimeout(announce, GATHERED);
  });
  useEffect(() => () => clearTimeout(timer.current ?? undefined), []);
  return (
    <p className="visually-hidden" role="status">
      {text}
    </p>
  );
}
