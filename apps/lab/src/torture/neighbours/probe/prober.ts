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
  readonly patience: number;
}

/**
 * A process of its own that measures how long an honest tenant waits, so that what an attacker does in its process stands in
 * nobody's way here. Prints a line when it has begun; ends with its standard input, and prints what it found as JSON.
 */
const { root, bare, workspace, token, patience } = JSON.parse(process.env.PROBER ?? '') as ProberSettings;
const tenant = await Tenant.open(root, workspace, token);
const item = await tenant.storeOne();
const lanes = {
  bare: new Lane(tenant.look(bare), 20, patience),
  health: new Lane(tenant.look(`${root}/health`), 20, patience),
  request: new Lane(tenant.read(item), 50, patience),
  picture: new Lane(tenant.storePicture, 250, patience),
  import: new Lane(tenant.importNext, 250, patience),
  cover: new Lane(tenant.storeFilm, 1000, patience),
};
let isOver = false;
const running = Promise.all(Object.values(lanes).map((lane) => lane.run(() => isOver)));
process.stdout.write('probing\n');
await Bun.stdin.text();
isOver = true;
await running;
const waits = Object.entries(lanes).map(([name, lane]) => [name, lane.waits]);
process.stdout.write(`${JSON.stringify(Object.fromEntries(waits))}\n`);
process.exit(0);
