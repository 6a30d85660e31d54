import { SingleBar } from 'cli-progress';

/** The progress of one step of a long command. */
interface StepProgress {
  /** One word: `copying`. */
  readonly step: string;
  readonly done: number;
  readonly total: number;
  /** The same for people: `1,200 of 3,000 rows`. */
  readonly text: string;
}

/** Shows the progress of a long command on standard error: a bar in a terminal, otherwise a line every few seconds. */
export interface Meter {
  show(progress: StepProgress): void;
  /** Stops the display; called before anything else is written. */
  end(): void;
}

export const startMeter = (stream: NodeJS.WriteStream = process.stderr): Meter =>
  stream.isTTY ? bars(stream) : lines(stream);

/** Characters of the longest step. */
const STEP_WIDTH = 9;

/** One bar for each step, one below the other. */
function bars(stream: NodeJS.WriteStream): Meter {
  let bar: SingleBar | null = null;
  let current = '';
  const end = (): void => {
    bar?.stop();
    bar = null;
  };
  return {
    show({ step, done, total, text }) {
      if (step !== current) end();
      current = step;
      if (bar === null) {
        bar = makeBar(stream);
        bar.start(total, done, { step: step.padEnd(STEP_WIDTH), text });
      } else {
        bar.update(done, { text });
      }
    },
    end,
  };
}

/** The bar doesn't change the terminal's settings, as a signal may end the command before it can restore them. */
const makeBar = (stream: NodeJS.WriteStream): SingleBar =>
  new SingleBar({
    stream,
    format: '{step} [{bar}] {percentage}%  {text}, {eta_formatted} left',
    barsize: 20,
    etaBuffer: 100,
    linewrap: true,
    gracefulExit: false,
  });

/** Milliseconds between two lines. */
const INTERVAL = 5_000;

function lines(stream: NodeJS.WriteStream): Meter {
  let last = performance.now();
  return {
    show({ step, done, total, text }) {
      if (performance.now() - last < INTERVAL) return;
      last = performance.now();
      stream.write(`${step}: ${text} (${Math.floor((100 * done) / Math.max(total, 1))}%)\n`);
    },
    end: () => undefined,
  };
}
