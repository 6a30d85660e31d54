import type { AnyOperation, RawInput } from '@postshelf/api';
import type { Resources } from '@postshelf/application';
import type { Option } from 'commander';
import type { Given } from './options.ts';
import type { Column, Resource } from './output.ts';

/** What a command does otherwise than its operation alone would have it. */
export interface Difference {
  /** Replaces the summary and description, where those are about more than the command. */
  readonly described?: Pick<AnyOperation, 'summary' | 'description'>;
  readonly aliases?: readonly string[];
  /** Fields that needn't be given, each with a word for its default. */
  readonly optional?: Readonly<Record<string, string>>;
  readonly options?: readonly Option[];
  readonly columns?: readonly Column[];
  /** Returns the fields that the operation gets. */
  complete?(raw: RawInput, given: Given): RawInput;
  /** Does the work without the operation. @returns false if the operation is to be run */
  instead?(raw: RawInput, given: Given): Promise<boolean>;
  /** Returns more fields of a resource. */
  also?(ports: Resources, resource: Resource): Promise<Resource>;
  /** Returns what `--json` prints. @param id the command's argument */
  value?(answer: unknown, id: string): unknown;
  /** Returns what is printed for people. */
  lines?(answer: unknown, id: string): readonly string[];
}
