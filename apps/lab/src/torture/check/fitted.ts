import type { FitShape } from '../ledger/fit.ts';
import { at } from '../support/json.ts';
import { hold } from '../violation.ts';

const READ_ALL = ['-v', 'error', '-count_frames', '-select_streams', 'v:0', '-of', 'json'];
const ENTRIES = ['-show_entries', 'stream=codec_name,width,height,nb_read_frames'];

/**
 * Decodes a fit with ffprobe: it is complete and as requested.
 *
 * @throws Violation
 */
export async function requireFitted(
  bytes: Uint8Array,
  { codec, width, height }: FitShape,
  facts: Readonly<Record<string, unknown>>,
): Promise<void> {
  const prober = Bun.spawn(['ffprobe', ...READ_ALL, ...ENTRIES, '-'], { stdin: bytes, stdout: 'pipe', stderr: 'pipe' });
  const [shown, errors] = await Promise.all([textOf(prober.stdout), textOf(prober.stderr)]);
  const stream = at(JSON.parse(shown || '{}'), 'streams', 0);
  const isWhole = errors === '' && Number(at(stream, 'nb_read_frames')) > 0;
  hold(isWhole, 'A fit cannot be decoded.', { ...facts, errors, stream });
  const isAsked =
    at(stream, 'codec_name') === codec && at(stream, 'width') === width && at(stream, 'height') === height;
  hold(isAsked, 'A fit is not as it was asked for.', { ...facts, stream, asked: { codec, width, height } });
}

const textOf = (stream: ReadableStream): Promise<string> => new Response(stream).text();
