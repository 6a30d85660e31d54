import { processorWaitOf } from '@postshelf/harness';
import { RequestLoop } from './request-loop.ts';
import { Tenant } from './tenant.ts';

/** Settings of the prober's process, as JSON in `PROBER`. */
export interface ProberSettings {
  /** The roots of the service and of a bare server that does nothing: `http://127.0.0.1:{port}`. */
  readonly root: string;
  readonly bare: string;
  readonly workspace: string;
  readonly token: string;
  /** Time limit of a request in milliseconds. */
  readonly timeout: number;
  /** The id of the service's process. */
  readonly pid: number;
}

/**
 * Measures an honest tenant's waits. It runs in its own process, so that the attackers' work doesn't delay the tenant.
 * Prints a line when it has started. When its standard input ends, it prints the waits as JSON and exits.
 */
const { root, bare, workspace, token, timeout, pid } = JSON.parse(process.env.PROBER ?? '') as ProberSettings;
const tenant = await Tenant.open(root, workspace, token);
const item = await tenant.storeOne();
type Ask = ConstructorParameters<typeof RequestLoop>[0];
const lane = (ask: Ask, pause: number): RequestLoop => new RequestLoop(ask, pause, timeout, () => processorWaitOf(pid));
const lanes = {
  bare: new RequestLoop(tenant.get(bare), 20, timeout, () => 0),
  health: lane(tenant.get(`${root}/health`), 20),
  request: lane(tenant.read(item), 50),
  image: lane(tenant.storeImage, 250),
  import: lane(tenant.importNext, 250),
  cover: lane(tenant.storeVideo, 1000),
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
