import { SingleBar } from 'cli-progress';
import { reportPeriodically } from './progress.ts';

interface StepProgress {
  readonly step: string;
  readonly done: number;
  /** The total amount of work; null if it isn't known yet. */
  readonly total: number | null;
  readonly text: string;
}

/** Shows progress as a bar in a terminal, otherwise as a line every few seconds. */
export interface Meter {
  show(progress: StepProgress): void;
  /** Writes a line of text above the bar. */
  note(line: string): void;
  end(): void;
}

interface MeterOptions {
  readonly stream?: NodeJS.WriteStream;
  /** Whether lines also show the remaining time. A bar always does. */
  readonly isTimed?: boolean;
}

export const startMeter = ({ stream = process.stderr, isTimed = false }: MeterOptions = {}): Meter =>
  stream.isTTY ? bars(stream) : lines(stream, isTimed);

const STEP_WIDTH = 9;

function bars(stream: NodeJS.WriteStream): Meter {
  let bar: SingleBar | null = null;
  let current = '';
  let shown: StepProgress | null = null;
  const pace = new Pace();
  const end = (): void => {
    bar?.stop();
    bar = null;
  };
  const show = (progress: StepProgress): void => {
    const { step, done, total, text } = progress;
    shown = progress;
    if (step !== current) end();
    current = step;
    if (bar === null) {
      bar = makeBar(stream, total === null ? COUNTER : BAR);
      bar.start(total ?? 1, done, { step: step.padEnd(STEP_WIDTH), text, left: pace.left(progress) });
    } else {
      bar.update(done, { text, left: pace.left(progress) });
    }
  };
  return {
    show,
    note(line) {
      end();
      stream.write(`${line}\n`);
      if (shown !== null) show(shown);
    },
    end,
  };
}

const BAR = '{step} [{bar}] {percentage}%  {text}, {left} left';
const COUNTER = '{step} {text}';

/**
 * Makes a bar that doesn't change the terminal's settings: if a signal ended the command, nothing would restore them.
 */
const makeBar = (stream: NodeJS.WriteStream, format: string): SingleBar =>
  new SingleBar({
    stream,
    format,
    barsize: 20,
    linewrap: true,
    gracefulExit: false,
  });

function lines(stream: NodeJS.WriteStream, isTimed: boolean): Meter {
  const report = reportPeriodically(stream);
  const pace = new Pace();
  return {
    show(progress) {
      const { step, done, total, text } = progress;
      const left = pace.left(progress);
      report(() => {
        const share = total === null ? '' : ` (${Math.floor((100 * done) / Math.max(total, 1))}%)`;
        const time = isTimed && total !== null ? `, ${left} left` : '';
        return `${step}: ${text}${share}${time}`;
      });
    },
    note: (line) => void stream.write(`${line}\n`),
    end: () => undefined,
  };
}

/** Estimates the remaining time of a step from its speed so far. */
class Pace {
  /** The current step: its name, when it started, and the progress at its start. */
  #begun = { step: '', at: 0, done: 0 };

  /** Returns the remaining time; `?` while it can't be estimated. */
  left({ step, done, total }: StepProgress): string {
    const now = performance.now();
    if (this.#begun.step !== step) this.#begun = { step, at: now, done };
    const { at, done: before } = this.#begun;
    return total === null || done === before ? '?' : duration(((now - at) * (total - done)) / (done - before));
  }
}

/** Formats a duration for people: `2h5m`, `3m20s`, `45s`. */
function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds >= 3600) return `${Math.floor(seconds / 3600)}h${Math.floor((seconds % 3600) / 60)}m`;
  return seconds >= 60 ? `${Math.floor(seconds / 60)}m${seconds % 60}s` : `${seconds}s`;
}
