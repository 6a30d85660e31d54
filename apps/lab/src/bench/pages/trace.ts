/** The fields of an event in Chromium's trace that are read here. Times are in microseconds. */
export interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** Processor time in this thread. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** The categories of Chromium's trace that contain the events read here. */
export const CATEGORIES = ['disabled-by-default-devtools.timeline.frame', 'disabled-by-default-devtools.timeline'];
const NAMES = new Set(['thread_name', 'BeginMainThreadFrame', 'DrawFrame', 'RunTask']);

export const isRead = ({ name }: TraceEvent): boolean => NAMES.has(name);

export interface Scrolled {
  readonly framesPerSecond: number;
  /** The milliseconds of processor time that the page's main thread spent in each frame, in ascending order. */
  readonly mainThread: readonly number[];
}

/**
 * Reads the frames from the trace of a page that was scrolled.
 *
 * @throws Error for a trace without frames
 */
export function readTrace(events: readonly TraceEvent[]): Scrolled {
  const busiest = mainThreadOf(events);
  const onMain = events.filter(({ pid, tid }) => pid === busiest.pid && tid === busiest.tid);
  const frameStarts = onMain
    .filter(({ name }) => name === 'BeginMainThreadFrame')
    .map(({ ts }) => ts)
    .sort((one, other) => one - other);
  const drawn = events
    .filter(({ name, pid }) => name === 'DrawFrame' && pid === busiest.pid)
    .map(({ ts }) => ts)
    .sort((one, other) => one - other);
  const [first = 0, last = 0] = [drawn[0], drawn.at(-1)];
  if (frameStarts.length < 2 || last <= first) throw new Error('The trace has no frames.');
  const tasks = onMain.filter(({ name }) => name === 'RunTask');
  // Tasks before the first frame don't count, because they load the page. Tasks of the last frame don't count either,
  // because the trace doesn't show where that frame ends.
  const mainThread = frameStarts.slice(0, -1).map((start, frame) => {
    const end = frameStarts[frame + 1] ?? start;
    const own = tasks.filter(({ ts }) => ts >= start && ts < end);
    return own.reduce((sum, { tdur, dur }) => sum + (tdur ?? dur ?? 0), 0) / 1000;
  });
  return {
    framesPerSecond: ((drawn.length - 1) * 1e6) / (last - first),
    mainThread: mainThread.sort((one, other) => one - other),
  };
}

/** Returns the busiest of all main threads, because the other ones belong to the browser's own pages. */
function mainThreadOf(events: readonly TraceEvent[]): { readonly pid: number; readonly tid: number } {
  const threads = events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  const tasksOf = ({ pid, tid }: TraceEvent): number =>
    events.filter((event) => event.name === 'RunTask' && event.pid === pid && event.tid === tid).length;
  const [busiest] = threads.sort((one, other) => tasksOf(other) - tasksOf(one));
  if (!busiest) throw new Error('The trace has no page.');
  return busiest;
}
