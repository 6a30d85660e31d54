/**
 * A system call. `began` and `ended` are numbers of lines in the trace. Calls whose lines overlap ran concurrently.
 */
export interface Call {
  readonly name: string;
  /** The arguments and the result of the call, with quotes unescaped. */
  readonly text: string;
  readonly began: number;
  readonly ended: number;
}

const WHOLE = /^(\d+) +(\w+)\((.*)$/;
const UNFINISHED = /^(.*) <unfinished \.\.\.>$/;
const RESUMED = /^(\d+) +<\.\.\. (\w+) resumed>(.*)$/;

/** Returns the calls of a trace (strace -f) that succeeded, in the order in which they began. */
export function readTrace(trace: string): readonly Call[] {
  const calls: Call[] = [];
  const open = new Map<string, { readonly name: string; readonly text: string; readonly began: number }>();
  const add = (call: Call): void => {
    if (!/= -1 E\w+ /.test(call.text)) calls.push({ ...call, text: call.text.replaceAll('\\"', '"') });
  };
  for (const [at, line] of trace.split('\n').entries()) {
    const [, resumedBy, , rest = ''] = RESUMED.exec(line) ?? [];
    const begun = resumedBy === undefined ? undefined : open.get(resumedBy);
    if (begun) {
      add({ ...begun, text: begun.text + rest, ended: at });
      continue;
    }
    const [, thread = '', name, text = ''] = WHOLE.exec(line) ?? [];
    if (name === undefined) continue;
    const half = UNFINISHED.exec(text)?.[1];
    if (half === undefined) add({ name, text, began: at, ended: at });
    else open.set(thread, { name, text: half, began: at });
  }
  return calls.sort((a, b) => a.began - b.began);
}

/** Returns the path behind the descriptor that a call is about (strace -y). */
export const pathOf = ({ text }: Call): string | undefined => /^\d+<([^>]*)>/.exec(text)?.[1];

/** Returns the two paths of a call of link(2) or linkat(2). */
export function pathsOf({ text }: Call): readonly string[] {
  return Array.from(text.matchAll(/"([^"]*)"/g), ([, path = '']) => path);
}
