// Runs the whole acceptance suite over what a large installation is made of: PostgreSQL, a bucket of S3, and two servers
// that calls take in turn. Paths as arguments narrow it down.
import { bunTest, conclude, DEPLOYMENT } from './bun-test.mjs';

const given = process.argv.slice(2);
const paths = given.length > 0 ? given : ['./apps/server/test/acceptance'];
conclude([await bunTest('deployment', paths, { environment: DEPLOYMENT })]);
