import { SingleBar } from 'cli-progress';

interface StepProgress {
  readonly step: string;
  readonly done: number;
  readonly total: number;
  readonly text: string;
}

/** A bar in a terminal, otherwise a line every few seconds. */
export interface Meter {
  show(progress: StepProgress): void;
  end(): void;
}

export const startMeter = (stream: NodeJS.WriteStream = process.stderr): Meter =>
  stream.isTTY ? bars(stream) : lines(stream);

const STEP_WIDTH = 9;

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

/** The terminal's settings stay, as a signal may end the command before they are restored. */
const makeBar = (stream: NodeJS.WriteStream): SingleBar =>
  new SingleBar({
    stream,
    format: '{step} [{bar}] {percentage}%  {text}, {eta_formatted} left',
    barsize: 20,
    etaBuffer: 100,
    linewrap: true,
    gracefulExit: false,
  });

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
