import { rest } from './support/face.ts';
import { oddRequests } from './support/odd-requests.ts';
import { isolationSuite } from './support/suite.ts';

isolationSuite(rest, oddRequests);
