// Runs the whole acceptance suite over the parts of a large installation: PostgreSQL, an S3 bucket, and two servers
// that are called alternately. With paths as arguments, only the tests below these.
import { bunTest, conclude, DEPLOYMENT } from './bun-test.mjs';

const given = process.argv.slice(2);
const paths = given.length > 0 ? given : ['./apps/server/test/acceptance'];
conclude([await bunTest('deployment', paths, { environment: DEPLOYMENT })]);
