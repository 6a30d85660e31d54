// Builds the program for linux-arm64 and tests it in an emulator of a Raspberry Pi 4's processor. The emulator and
// Debian's C library for arm64 are those of this machine, or are downloaded from Debian by apt without installing
// anything.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { bunTest, conclude, reports, root } from './bun-test.mjs';

const TARGET = 'linux-arm64';
const PROCESSOR = 'cortex-a72';
const EMULATORS = ['qemu-aarch64-static', 'qemu-aarch64'];
const LIBRARIES = ['libc6', 'libgcc-s1', 'libstdc++6'].map((name) => `${name}:arm64`);

/** The folder of unpacked packages, which later runs use again. */
const cache = join(reports, TARGET);

try {
  run(process.execPath, [join(root, '.dev', 'build.mjs'), '--target', TARGET], root);
  const libraries = unpacked('libraries', LIBRARIES);
  const emulator = onPath(EMULATORS) ?? join(unpacked('emulator', ['qemu-user-static']), 'usr', 'bin', EMULATORS[0]);
  const environment = {
    POSTSHELF_TEST_ARM64: JSON.stringify([
      ...[emulator, '-cpu', PROCESSOR, '-L', libraries],
      join(root, 'dist', `postshelf-${TARGET}`),
    ]),
  };
  conclude([await bunTest('arm64', ['./apps/server/test/binary/arm64.test.ts'], { environment })]);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}

function onPath(names) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

/** Returns a folder with the contents of these Debian packages. */
function unpacked(name, packages) {
  const folder = join(cache, name);
  if (existsSync(folder)) return folder;
  const draft = `${folder}.${process.pid}`;
  const apt = join(draft, '.apt');
  for (const part of ['lists/partial', 'archives/partial']) mkdirSync(join(apt, part), { recursive: true });
  writeFileSync(join(apt, 'status'), '');
  // Separate package lists, as those of this machine only contain packages for its own processor.
  const options = [
    ['Dir::State::Lists', join(apt, 'lists')],
    ['Dir::State::status', join(apt, 'status')],
    ['Dir::Cache', apt],
    ['Acquire::Languages', 'none'],
    ['APT::Sandbox::User', ''],
    ['Debug::NoLocking', '1'],
  ].map(([option, value]) => `-o${option}=${value}`);
  const architectures = ['amd64', 'arm64'].map((each) => `-oAPT::Architectures::=${each}`);
  try {
    run('apt-get', [...options, ...architectures, '-qq', 'update'], apt);
    run('apt-get', [...options, ...architectures, '-qq', 'download', ...packages], apt);
    const files = readdirSync(apt).filter((file) => file.endsWith('.deb'));
    for (const file of files) run('dpkg-deb', ['--extract', join(apt, file), draft], apt);
    rmSync(apt, { recursive: true });
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return folder;
}

function run(program, args, cwd) {
  const { status, error } = spawnSync(program, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`${program} ${args[0]}: ${error?.message ?? 'failed; the lines above say why'}.`);
}
