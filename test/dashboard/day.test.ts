import assert from 'node:assert/strict';
import { it } from 'node:test';
import { dayIn, midnightIn } from '../../web/src/ui/day.ts';

it('a day begins at the first moment that has its date', () => {
  const begins = (day: string, timeZone: string) => new Date(midnightIn(day, timeZone)).toISOString();
  assert.equal(begins('2026-11-01', 'UTC'), '2026-11-01T00:00:00.000Z');
  assert.equal(begins('2026-11-01', 'Pacific/Kiritimati'), '2026-10-31T10:00:00.000Z');
  assert.equal(begins('2026-11-01', 'America/New_York'), '2026-11-01T04:00:00.000Z');
  assert.equal(begins('2026-11-02', 'America/New_York'), '2026-11-02T05:00:00.000Z');
  assert.equal(begins('2018-11-04', 'America/Sao_Paulo'), '2018-11-04T03:00:00.000Z', 'no midnight');
  assert.equal(
    begins('2018-02-18', 'America/Sao_Paulo'),
    '2018-02-18T03:00:00.000Z',
    'the hour before twice',
  );
  assert.equal(begins('2026-11-01', 'America/Havana'), '2026-11-01T04:00:00.000Z', 'midnight twice');
  assert.equal(begins('2026-04-10', 'Asia/Kathmandu'), '2026-04-09T18:15:00.000Z');
});

it('a moment has the date of its time zone', () => {
  const at = Date.parse('2026-10-31T23:30:00Z');
  assert.equal(dayIn('UTC', at), '2026-10-31');
  assert.equal(dayIn('Asia/Tokyo', at), '2026-11-01');
});
