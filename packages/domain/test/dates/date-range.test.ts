import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readRangeEnd } from '../../src/index.ts';
import { hostileText } from '../support/arbitraries.ts';
import { localDate } from '../support/temporal.ts';
import { titled } from '../support/titled.ts';
import { HOUR, zoneAndInstant } from '../support/zones.ts';

describe('readRangeEnd', () => {
  const NO_DATES = `
    now today 1704067200 2026 2026-01 2026-1-1 26-01-01 02026-01-01 +002026-01-01 -2026-01-01 20260101
    2026/01/01 01.02.2026 2026-02-30 2026-02-29 1900-02-29 2026-04-31 2026-00-10 2026-13-01 2026-01-00
    2026-01-32 2026-W01-1 2026-01-01T01 2026-01-01T01Z 2026-01-01T24:00:00Z 2016-12-31T23:59:60Z
    2026-02-30T00:00:00Z 2026-01-01T00:00:00.Z 2026-01-01T00:00:00,5Z 2026-01-01T00:00:00.1234567890Z
    2026-01-01T00:00:00+1:00 2026-01-01T00:00:00+100 2026-01-01T00:00:00+01 2026-01-01T00:00:00+24:00
    2026-01-01T00:00:00+0160 2026-01-01T00:00.5 2026-01-01T00:00:00+01:60 2026-01-01T00:00:00Z[Europe/Berlin] 2026-01-01_00:00:00Z
  `.trim();
  const WITH_OTHER_CHARACTERS = [
    '',
    ' ',
    ' 2026-01-01',
    '2026-01-01 ',
    '2026-01-01\n',
    '2026-01-01\0',
    '\u0662\u0660\u0662\u0666-\u0660\u0661-\u0660\u0661',
    '\uff12\uff10\uff12\uff16-01-01',
    '2026\u201001\u201001',
    '2026-01-01 24:00:00',
    '2026-01-01 23:60:00',
    '2026-01-01 23:59:60',
    '2026-01-01 1:02:03',
    '2026-01-01  01:02:03',
    '2026-02-30 01:02:03',
    '2026-01-01T00:00:00 01:00',
    '2026-01-01T00:00:00\u221201:00',
    '2026-01-01T00:00:00Z ',
    '2026-01-01T00:00:00 Z',
  ];

  test.each(titled([...NO_DATES.split(/\s+/), ...WITH_OTHER_CHARACTERS].map((text) => [text])))(
    'rejects %s',
    (_title, text) => {
      expect(readRangeEnd(text, 'from', 'Europe/Berlin')).toBeNull();
      expect(readRangeEnd(text, 'to', 'Europe/Berlin')).toBeNull();
    },
  );

  test('rejects any text, and a date with any text before or after it', () => {
    fc.assert(
      fc.property(hostileText, fc.constantFrom('', '2026-01-01', '2026-01-01T00:00:00Z'), (text, date) => {
        fc.pre(text !== '');
        expect(readRangeEnd(date + text, 'from', 'UTC')).toBeNull();
        expect(readRangeEnd(text + date, 'to', 'UTC')).toBeNull();
      }),
    );
  });
});

describe('readRangeEnd of a point in time', () => {
  test.each([
    ['2026-01-31 12:34:56', '2026-01-31T11:34:56.000Z'],
    ['2026-07-31 12:34:56', '2026-07-31T10:34:56.000Z'],
    ['2024-02-29 00:00:00', '2024-02-28T23:00:00.000Z'],
    ['2026-03-29 02:30:00', '2026-03-29T01:30:00.000Z'],
    ['2026-10-25 02:30:00', '2026-10-25T00:30:00.000Z'],
    ['2026-01-31T12:34:56Z', '2026-01-31T12:34:56.000Z'],
    ['2026-01-31t12:34:56z', '2026-01-31T12:34:56.000Z'],
    ['2026-01-31 12:34:56Z', '2026-01-31T12:34:56.000Z'],
    ['2026-01-31T12:34:56', '2026-01-31T11:34:56.000Z'],
    ['2026-07-31T12:34:56', '2026-07-31T10:34:56.000Z'],
    ['2026-01-31t12:34', '2026-01-31T11:34:00.000Z'],
    ['2026-01-31 12:34', '2026-01-31T11:34:00.000Z'],
    ['2026-01-31T12:34Z', '2026-01-31T12:34:00.000Z'],
    ['2026-01-31T12:34+05:45', '2026-01-31T06:49:00.000Z'],
    ['2026-01-31T12:34:56.789012', '2026-01-31T11:34:56.789Z'],
    ['2026-01-31 12:34:56.5', '2026-01-31T11:34:56.500Z'],
    ['2026-10-25T02:30:00.999', '2026-10-25T00:30:00.999Z'],
    ['2026-01-31T12:34:56+0200', '2026-01-31T10:34:56.000Z'],
    ['2026-01-31T12:34:56.007-0330', '2026-01-31T16:04:56.007Z'],
    ['2026-01-31T12:34:56.5Z', '2026-01-31T12:34:56.500Z'],
    ['2026-01-31T12:34:56.999999999Z', '2026-01-31T12:34:56.999Z'],
    ['2026-01-31T12:34:56+05:45', '2026-01-31T06:49:56.000Z'],
    ['2026-01-31T12:34:56-23:59', '2026-02-01T12:33:56.000Z'],
    ['2026-01-31T12:34:56-00:00', '2026-01-31T12:34:56.000Z'],
    ['0000-02-29T00:00:00Z', '0000-02-29T00:00:00.000Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ])('reads %s in Berlin as %s at either end of a range', (text, instant) => {
    expect(readRangeEnd(text, 'from', 'Europe/Berlin')).toBe(Date.parse(instant));
    expect(readRangeEnd(text, 'to', 'Europe/Berlin')).toBe(Date.parse(instant));
  });

  test('ignores the zone if the text has an offset', () => {
    fc.assert(
      fc.property(zoneAndInstant(0, Date.UTC(2100, 0, 1)), ({ zone, instant }) => {
        expect(readRangeEnd(new Date(instant).toISOString(), 'from', zone)).toBe(instant);
      }),
      { numRuns: 200 },
    );
  });
});

describe('readRangeEnd of a date', () => {
  test.each<[string, string, string, number]>([
    ['UTC', '0000-01-01', '0000-01-01T00:00:00Z', 24],
    ['UTC', '9999-12-31', '9999-12-31T00:00:00Z', 24],
    ['Europe/Berlin', '2024-03-31', '2024-03-30T23:00:00Z', 23],
    ['Europe/Berlin', '2024-10-27', '2024-10-26T22:00:00Z', 25],
    ['Asia/Kathmandu', '2024-06-01', '2024-05-31T18:15:00Z', 24],
    ['Australia/Lord_Howe', '2024-04-07', '2024-04-06T13:00:00Z', 24.5],
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00Z', 23],
    ['America/St_Johns', '2010-11-06', '2010-11-06T02:30:00Z', 25],
    ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00:00Z', 24],
  ])('in %s, %s begins at %s and has %p hours', (zone, date, start, hours) => {
    const from = Date.parse(start);
    expect(readRangeEnd(date, 'from', zone)).toBe(from);
    expect(readRangeEnd(date, 'to', zone)).toBe(from + hours * HOUR - 1);
  });

  test('gives an empty range if the zone skipped that day', () => {
    const skipped = Date.parse('2011-12-30T10:00:00Z');
    expect(readRangeEnd('2011-12-30', 'from', 'Pacific/Apia')).toBe(skipped);
    expect(readRangeEnd('2011-12-30', 'to', 'Pacific/Apia')).toBe(skipped - 1);
  });

  test('covers the whole day to the millisecond in every zone, even when clocks change', () => {
    fc.assert(
      fc.property(zoneAndInstant(Date.UTC(1970, 0, 2), Date.UTC(2100, 0, 1)), ({ zone, instant }) => {
        const date = localDate(zone, instant);
        const from = readRangeEnd(date, 'from', zone) ?? Number.NaN;
        const to = readRangeEnd(date, 'to', zone) ?? Number.NaN;
        expect(instant).toBeWithin(from, to + 1);
        expect(localDate(zone, from)).toBe(date);
        expect(localDate(zone, from - 1) < date).toBe(true);
        expect(localDate(zone, to)).toBe(date);
        expect(localDate(zone, to + 1) > date).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
