import { processorWaitOf } from '@postshelf/harness';
import { Lane } from './lane.ts';
import { Tenant } from './tenant.ts';

/** What the process is told, as JSON in `PROBER`. */
export interface ProberSettings {
  /** `http://127.0.0.1:{port}` of the service, and of a bare server that does nothing. */
  readonly root: string;
  readonly bare: string;
  readonly workspace: string;
  readonly token: string;
  /** Milliseconds. */
  readonly timeout: number;
  /** The service's process. */
  readonly pid: number;
}

/**
 * A process of its own that measures how long an honest tenant waits, so that what an attacker does in its process stands in
 * nobody's way here. Prints a line when it has begun; ends with its standard input, and prints what it found as JSON.
 */
const { root, bare, workspace, token, timeout, pid } = JSON.parse(process.env.PROBER ?? '') as ProberSettings;
const tenant = await Tenant.open(root, workspace, token);
const item = await tenant.storeOne();
type Ask = ConstructorParameters<typeof Lane>[0];
const lane = (ask: Ask, pause: number): Lane => new Lane(ask, pause, timeout, () => processorWaitOf(pid));
const lanes = {
  bare: new Lane(tenant.look(bare), 20, timeout, () => 0),
  health: lane(tenant.look(`${root}/health`), 20),
  request: lane(tenant.read(item), 50),
  picture: lane(tenant.storePicture, 250),
  import: lane(tenant.importNext, 250),
  cover: lane(tenant.storeFilm, 1000),
  preview: lane(tenant.preview, 1000),
  fit: lane(tenant.fit(item), 1000),
};
let isOver = false;
const running = Promise.all(Object.values(lanes).map((one) => one.run(() => isOver)));
process.stdout.write('probing\n');
await Bun.stdin.text();
isOver = true;
await running;
const waits = Object.entries(lanes).map(([name, one]) => [name, one.waits]);
process.stdout.write(`${JSON.stringify(Object.fromEntries(waits))}\n`);
process.exit(0);
