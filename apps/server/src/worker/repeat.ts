import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../telemetry/log/log.ts';
import { FailureNews } from './failure-news.ts';

/** Work that is repeated periodically, even after a failure. Times are in milliseconds. */
export interface Task {
  readonly name: string;
  /** Time between the end of one run and the start of the next. */
  readonly every: number;
  /** Time before the first run. Default 0. */
  readonly after?: number;
  run(signal: AbortSignal): Promise<unknown>;
}

export interface RunningTask {
  /** Aborts the signal of the running task; resolves when the run has ended. */
  stop(): Promise<void>;
}

/** Waits for that many milliseconds, or until the signal is aborted. */
export const waitUnlessStopped = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  delay(milliseconds, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });

/** Runs a task periodically, never concurrently with itself. A failure is logged, and the task is run again. */
export function repeat({ name, every, after = 0, run }: Task, log: Logger): RunningTask {
  const stopping = new AbortController();
  const { signal } = stopping;
  const news = new FailureNews();
  const runOnce = async (): Promise<void> => {
    try {
      await run(signal);
      news.clear();
    } catch (err) {
      log[news.has(err) ? 'error' : 'debug']({ task: name, err }, 'periodic work failed');
    }
  };
  const loop = async (): Promise<void> => {
    if (after > 0) await waitUnlessStopped(after, signal);
    while (!signal.aborted) {
      await runOnce();
      await waitUnlessStopped(every, signal);
    }
  };
  const ended = loop();
  return {
    stop() {
      stopping.abort();
      return ended;
    },
  };
}

/** Repeats several tasks independently. They are stopped together. */
export function repeatAll(tasks: readonly Task[], log: Logger): RunningTask {
  const running = tasks.map((task) => repeat(task, log));
  return {
    async stop() {
      await Promise.all(running.map((task) => task.stop()));
    },
  };
}
