/** The id that represents the root in counts, because a primary key can't have nulls. */
export const NO_FOLDER = `'00000000-0000-0000-0000-000000000000'::uuid`;

/** Creates or replaces a trigger function. @param body the statements between `begin` and `end` */
export const triggerFunction = (name: string, body: string): string =>
  `create or replace function ${name}() returns trigger language plpgsql as $$
    begin
      ${body}
    end
  $$`;

/** Creates a trigger function that refuses every change it is called for. */
export const refusal = (name: string, message: string): string =>
  triggerFunction(name, `raise exception '${message}' using errcode = 'check_violation';`);

/**
 * Creates triggers that call a function once for each statement that inserts, deletes or updates rows of the table. The
 * function finds the rows in `added` and `gone`.
 *
 * @param names the names of the triggers for inserts, deletes and updates
 */
export const statementTriggers = (
  [onInsert, onDelete, onUpdate]: readonly [string, string, string?],
  table: string,
  call: string,
): readonly string[] => [
  `create trigger ${onInsert} after insert on ${table} referencing new table as added
    for each statement execute function ${call}`,
  `create trigger ${onDelete} after delete on ${table} referencing old table as gone
    for each statement execute function ${call}`,
  ...(onUpdate === undefined
    ? []
    : [
        `create trigger ${onUpdate} after update on ${table} referencing old table as gone new table as added
    for each statement execute function ${call}`,
      ]),
];
