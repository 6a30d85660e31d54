// Builds the program as one file and runs the whole acceptance suite against it, in an empty folder with an empty
// environment. With paths as arguments, only the tests below these.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { bunTest, conclude, root } from './bun-test.mjs';

const { status } = spawnSync(process.execPath, [join(root, '.dev', 'build.mjs')], { cwd: root, stdio: 'inherit' });
if (status !== 0) process.exit(1);
const given = process.argv.slice(2);
const paths = given.length > 0 ? given : ['./apps/server/test/acceptance', './apps/server/test/binary'];
const environment = { POSTSHELF_TEST_PROGRAM: join(root, 'dist', 'postshelf') };
conclude([await bunTest('binary', paths, { environment })]);
