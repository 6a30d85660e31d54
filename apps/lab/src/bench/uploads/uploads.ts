import { repeatAtOnce } from '@postshelf/harness';
import type { Benchmark } from '../benchmark.ts';
import { MULTIPART, photoBody } from '../support/bodies.ts';
import { send, uploadUrl } from '../support/service.ts';
import { figuresOf, sideBySide } from '../support/side-by-side.ts';
import { withBoth } from './start.ts';

const ROUNDS = 7;
const AT_ONCE = 8;
const UPLOADS = 500;

export const uploads: Benchmark = {
  about:
    `\`POST /v1/workspaces/{workspace}/media_contents\`, a JPEG of 100 KB as \`multipart/form-data\`, ${AT_ONCE} at once, ` +
    `${UPLOADS} a round, each durable before its answer: file, folders and row. Beside a bare \`Bun.serve\` that writes the ` +
    'same body, unread, to a file and syncs the file and its folder. Previews are left until somebody asks: made ahead, they ' +
    'would be made while the other side is measured.',

  run: (progress) =>
    withBoth(async ({ service, bare }) => {
      const body = await photoBody();
      const headers = { ...service.headers, 'Content-Type': MULTIPART };
      const round = (url: string) => async () => {
        await repeatAtOnce(AT_ONCE, UPLOADS, () => send(url, headers, body));
        return UPLOADS;
      };
      progress(`measuring: ${ROUNDS} rounds of ${UPLOADS} uploads of ${body.length} bytes`);
      const both = await sideBySide(
        ROUNDS,
        { pid: service.pid, work: round(uploadUrl(service)) },
        { pid: bare.pid, work: round(bare.root) },
      );
      return figuresOf('', 'uploads/s', both, 0.4);
    }),
};
