export { startStopwatch, until, within } from '@postshelf/testing/waiting';
export { forEachConcurrently, repeatConcurrently } from './concurrency.ts';
export { bucketSettings, type Entry, makeWorkspace } from './library.ts';
export { cpuSeconds, describeMachine, memoryOf, parentOf, processorWaitOf } from './proc.ts';
export {
  type CommandResult,
  collect,
  command,
  jsonCommand,
  type Running,
  type Settings,
  type Spawned,
  spawnProcess,
  startProcess,
  untilAnswered,
} from './processes.ts';
export { compiled, fromSource, type Program, program, REPOSITORY } from './program.ts';
export { Random } from './random.ts';
export { sized } from './sized.ts';
