import type { JsonSchema } from './json-schema.ts';

export interface Document {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly { readonly url: string }[];
  readonly tags?: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, unknown>>;
    readonly schemas?: Readonly<Record<string, JsonSchema>>;
    readonly responses?: Readonly<Record<string, Response>>;
    readonly headers?: Readonly<Record<string, unknown>>;
  };
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response | Reference>>;
  /** The scope that the token needs; absent if any token will do. */
  readonly 'x-scope'?: string;
  readonly 'x-extension'?: true;
  /** The name of the operation's tool; absent if the operation isn't offered to assistants. */
  readonly 'x-tool'?: string;
}

export interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
  readonly 'x-extension'?: true;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Content;
}

export type Content = Readonly<Record<string, MediaType>>;

interface MediaType {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly encoding?: Readonly<Record<string, Encoding>>;
}

interface Encoding {
  readonly style: 'form';
  readonly explode: true;
  readonly allowReserved: true;
}

interface Reference {
  readonly $ref: string;
}
