import { describeContracts } from './support/contracts.ts';
import { SQLITE } from './support/dialects.ts';

describeContracts(SQLITE);
