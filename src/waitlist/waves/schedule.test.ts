import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { assertProperty } from '../../../test/support/property.ts';
import { Problems } from '../../lib/errors.ts';
import { findTimeZone } from '../statistics/time-zone.ts';
import { checkSchedule, mustStartBefore, nextTime, REPEATS, type Schedule, WEEKDAYS } from './schedule.ts';

const BERLIN = { timeZone: 'Europe/Berlin', time: '09:00' };
const WORKDAYS = WEEKDAYS.slice(0, 5);
const DAY_MS = 86_400_000;

function timesOf(schedule: Schedule, after: string, count: number): string[] {
  const times: string[] = [];
  let time: number | null = Date.parse(after);
  while (times.length < count) {
    time = nextTime(schedule, time);
    if (time === null) break;
    times.push(new Date(time).toISOString().replace(':00.000Z', 'Z'));
  }
  return times;
}

describe('the times of a schedule', () => {
  it('keep the time of day over a change of clocks', () => {
    assert.deepEqual(timesOf({ ...BERLIN, repeat: 'daily' }, '2026-10-23T12:00:00Z', 3), [
      '2026-10-24T07:00Z',
      '2026-10-25T08:00Z',
      '2026-10-26T08:00Z',
    ]);
  });

  it('are the next one that exists, if clocks skip one in spring', () => {
    const skipped = { ...BERLIN, time: '02:30', repeat: 'daily' } as const;
    assert.deepEqual(timesOf(skipped, '2026-03-28T00:00:00Z', 3), [
      '2026-03-28T01:30Z',
      '2026-03-29T01:00Z',
      '2026-03-30T00:30Z',
    ]);
    const midnight = { timeZone: 'America/Santiago', time: '00:00', repeat: 'daily' } as const;
    assert.deepEqual(timesOf(midnight, '2026-09-05T05:00:00Z', 2), [
      '2026-09-06T04:00Z',
      '2026-09-07T03:00Z',
    ]);
    const half = { timeZone: 'Australia/Lord_Howe', time: '02:15', repeat: 'daily' } as const;
    assert.deepEqual(timesOf(half, '2026-10-02T20:00:00Z', 2), ['2026-10-03T15:30Z', '2026-10-04T15:15Z']);
  });

  it('come once, if clocks show one twice in autumn', () => {
    const twice = { ...BERLIN, time: '02:30', repeat: 'daily' } as const;
    assert.deepEqual(timesOf(twice, '2026-10-24T12:00:00Z', 2), ['2026-10-25T00:30Z', '2026-10-26T01:30Z']);
    const newYork = { timeZone: 'America/New_York', time: '01:30', repeat: 'daily' } as const;
    assert.deepEqual(timesOf(newYork, '2026-10-31T12:00:00Z', 2), ['2026-11-01T05:30Z', '2026-11-02T06:30Z']);
  });

  it('leave out the other days of the week', () => {
    const workdays = { ...BERLIN, repeat: 'weekly', days: WORKDAYS } as const;
    assert.deepEqual(timesOf(workdays, '2026-11-19T12:00:00Z', 3), [
      '2026-11-20T08:00Z',
      '2026-11-23T08:00Z',
      '2026-11-24T08:00Z',
    ]);
  });

  it('are on the last day of a shorter month', () => {
    const monthly = { timeZone: 'UTC', time: '12:00', repeat: 'monthly', dayOfMonth: 31 } as const;
    assert.deepEqual(timesOf(monthly, '2028-01-31T12:00:00Z', 3), [
      '2028-02-29T12:00Z',
      '2028-03-31T12:00Z',
      '2028-04-30T12:00Z',
    ]);
    assert.deepEqual(timesOf({ ...monthly, dayOfMonth: 1 }, '2026-12-01T12:00:00Z', 1), [
      '2027-01-01T12:00Z',
    ]);
  });

  it('begin on the first day that was given, and end after the only one', () => {
    const from = { ...BERLIN, repeat: 'daily', date: '2027-01-10' } as const;
    assert.deepEqual(timesOf(from, '2026-11-01T00:00:00Z', 2), ['2027-01-10T08:00Z', '2027-01-11T08:00Z']);
    const once = { ...from, repeat: 'once' } as const;
    assert.deepEqual(timesOf(once, '2026-11-01T00:00:00Z', 2), ['2027-01-10T08:00Z']);
  });

  it('come right after a day that a time zone skipped', () => {
    const apia = { timeZone: 'Pacific/Apia', time: '09:00', repeat: 'daily' } as const;
    assert.deepEqual(timesOf(apia, '2011-12-29T12:00:00Z', 3), [
      '2011-12-29T19:00Z',
      '2011-12-30T10:00Z',
      '2011-12-30T19:00Z',
    ]);
  });

  it('are late until the next one comes, or for a day', () => {
    const friday = Date.parse('2026-11-20T08:00:00Z');
    const workdays = { ...BERLIN, repeat: 'weekly', days: WORKDAYS } as const;
    assert.equal(mustStartBefore(workdays, friday), friday + 3 * DAY_MS);
    assert.equal(mustStartBefore({ ...BERLIN, repeat: 'once', date: '2026-11-20' }, friday), friday + DAY_MS);
  });

  it('always come later and show the time of day, or follow a gap', async (test) => {
    const zones = [
      'Europe/Berlin',
      'America/New_York',
      'Asia/Kathmandu',
      'Australia/Lord_Howe',
      'Africa/Cairo',
    ];
    const rule = fc.record({
      timeZone: fc.constantFrom(...zones),
      minute: fc.integer({ min: 0, max: 24 * 60 - 1 }),
      repeat: fc.constantFrom(...REPEATS.slice(1)),
      days: fc.subarray([...WEEKDAYS], { minLength: 1 }),
      dayOfMonth: fc.integer({ min: 1, max: 31 }),
      after: fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2035, 0, 1) }),
    });
    const property = fc.property(rule, ({ timeZone, minute, repeat, days, dayOfMonth, after }) => {
      const [hours, minutes] = [Math.floor(minute / 60), minute % 60].map((n) => String(n).padStart(2, '0'));
      const schedule = {
        ...{ timeZone, time: `${hours}:${minutes}`, repeat },
        ...(repeat === 'weekly' ? { days } : {}),
        ...(repeat === 'monthly' ? { dayOfMonth } : {}),
      };
      const problems = new Problems();
      checkSchedule(schedule, problems);
      problems.throwIfAny();
      const time = nextTime(schedule, after) ?? 0;
      assert.ok(time > after);
      assert.equal(nextTime(schedule, time - 1), time);
      const zone = findTimeZone(timeZone);
      const sinceMidnight = (zone?.localTime(time) ?? 0) % DAY_MS;
      const isShown = sinceMidnight === minute * 60_000;
      const isAfterGap = (zone?.localTime(time) ?? 0) - (zone?.localTime(time - 1_000) ?? 0) > 1_000;
      assert.ok(
        isShown || isAfterGap,
        `${schedule.time} in ${timeZone} became ${new Date(time).toISOString()}`,
      );
    });
    await assertProperty(test, import.meta.filename, property, { numRuns: 200 });
  });
});

describe('checking a schedule', () => {
  const complaint = (schedule: Schedule) => {
    const problems = new Problems();
    checkSchedule(schedule, problems);
    return problems.toError().message;
  };

  it('names each field that is wrong', () => {
    assert.equal(
      complaint({ timeZone: '+02:00', time: '24:00', repeat: 'once', days: ['monday'], dayOfMonth: 3 }),
      'schedule.timeZone: must be the name of a time zone, such as Europe/Berlin; ' +
        'schedule.time: must be a time of day, such as 09:00; ' +
        'schedule.date: is required for a wave that runs once; ' +
        'schedule.days: is only for weekly waves; ' +
        'schedule.dayOfMonth: is only for monthly waves',
    );
    assert.equal(
      complaint({ ...BERLIN, repeat: 'weekly', date: '2026-02-30' }),
      'schedule.date: must be a date, such as 2026-12-01; schedule.days: needs at least one day of the week',
    );
    assert.equal(complaint({ ...BERLIN, repeat: 'monthly' }), 'schedule.dayOfMonth: must be 1 to 31');
  });
});
