import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parsePeriod } from '../../src/waitlist/statistics/intervals.ts';
import { type OverviewSearch, PERIODS, spanOf } from '../../web/src/pages/overview/periods.ts';

const ZONES = ['UTC', 'Asia/Kolkata', 'America/New_York', 'Pacific/Auckland'];
/** Shortly after midnight, at noon and before midnight, around days on which clocks change. */
const TIMES = ['2026-03-08', '2026-03-29', '2026-04-10', '2026-11-01', '2026-11-18'].flatMap((day) =>
  ['00:10', '04:10', '12:00', '23:50'].map((time) => Date.parse(`${day}T${time}:00Z`)),
);

/** What the API makes of the period that the overview asks for. */
const intervalsOf = (search: OverviewSearch, timeZone: string, now: number) =>
  parsePeriod(spanOf(search, timeZone, now), now);

describe('the periods of the overview', () => {
  it('are as long as they say, and end with what is not over yet', () => {
    const wanted = { '24h': 24, '7d': 7, '30d': 30, '90d': 90, '12m': 52 };
    for (const timeZone of ZONES)
      for (const now of TIMES)
        for (const { value } of PERIODS) {
          const { starts, to } = intervalsOf({ period: value }, timeZone, now);
          const what = `${value} in ${timeZone} at ${new Date(now).toISOString()}`;
          assert.equal(starts.length, wanted[value], what);
          assert.ok((starts.at(-1) ?? 0) <= now && now < to, what);
        }
  });

  it('are those of the API where it has a default', () => {
    for (const timeZone of ZONES)
      for (const now of TIMES) {
        assert.deepEqual(intervalsOf({}, timeZone, now), parsePeriod({ timeZone }, now));
        assert.deepEqual(
          intervalsOf({ period: '24h' }, timeZone, now),
          parsePeriod({ interval: 'hour', timeZone }, now),
        );
      }
  });

  it('end now if a range of days goes on', () => {
    const now = Date.parse('2026-11-18T09:20:00Z');
    const custom = (from: string, to: string, timeZone = 'UTC') => {
      const { interval, starts, ...range } = intervalsOf({ period: 'custom', from, to }, timeZone, now);
      return [interval, starts.length, new Date(range.to).toISOString()];
    };
    for (const to of ['2026-11-18', '2026-11-19', '2027-06-01'])
      assert.deepEqual(custom('2026-11-18', to), ['hour', 10, '2026-11-18T10:00:00.000Z'], to);
    assert.deepEqual(custom('2026-11-12', '2026-11-18'), ['day', 7, '2026-11-19T00:00:00.000Z']);
    assert.deepEqual(custom('2026-11-17', '2026-11-17'), ['hour', 24, '2026-11-18T00:00:00.000Z']);
    // There, it is half past ten at night, and the day before is over.
    assert.deepEqual(custom('2026-11-18', '2026-11-18', 'Pacific/Auckland'), [
      ...['hour', 23, '2026-11-18T10:00:00.000Z'],
    ]);
  });

  it('cannot begin in the future', () => {
    const now = Date.parse('2026-11-18T09:20:00Z');
    const search = { period: 'custom', from: '2026-11-19', to: '2026-11-20' } as const;
    assert.deepEqual(intervalsOf(search, 'UTC', now), intervalsOf({}, 'UTC', now));
  });
});
