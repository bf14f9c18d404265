import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parsePeriod } from './intervals.ts';

const NOW = Date.parse('2026-12-01T00:00:00Z');

/** When hours begin, on the clock of the wall. */
const hoursOf = (timeZone: string, from: string, to: string) => {
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'short' });
  const { starts } = parsePeriod({ interval: 'hour', timeZone, from, to }, NOW);
  return starts.map((start) => clock.format(start));
};

describe('hours where the clock is changed by half an hour', () => {
  const zone = 'Australia/Lord_Howe';

  it('begin at the full hour again after it was put forward', () => {
    const hours = hoursOf(zone, '2026-10-04', '2026-10-05');
    assert.deepEqual(hours.slice(0, 5), ['00:00', '01:00', '02:30', '03:00', '04:00']);
    assert.deepEqual([hours.at(-1), hours.length], ['23:00', 24]);
  });

  it('begin at the full hour again after it was put back', () => {
    const hours = hoursOf(zone, '2026-04-05', '2026-04-06');
    assert.deepEqual(hours.slice(0, 4), ['00:00', '01:00', '02:00', '03:00']);
    assert.deepEqual([hours.at(-1), hours.length], ['23:00', 24]);
  });

  it('are the same whenever in them a period begins', () => {
    for (const day of ['2026-04-04', '2026-10-03']) {
      const from = Date.parse(`${day}T12:00:00Z`);
      const to = new Date(from + 8 * 3_600_000).toISOString();
      const whole = hoursOf(zone, new Date(from).toISOString(), to);
      for (let later = 0; later < 6 * 3_600_000; later += 300_000) {
        const hours = hoursOf(zone, new Date(from + later).toISOString(), to);
        assert.deepEqual(hours, whole.slice(-hours.length), `${day} + ${later}`);
      }
    }
  });

  it('are still 23 and 25 where it is changed by an hour', () => {
    assert.equal(hoursOf('Europe/Berlin', '2026-03-29', '2026-03-30').length, 23);
    const long = hoursOf('Europe/Berlin', '2026-10-25', '2026-10-26');
    assert.deepEqual([long.length, ...long.slice(1, 5)], [25, '01:00', '02:00', '02:00', '03:00']);
  });
});
