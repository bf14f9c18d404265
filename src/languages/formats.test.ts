import assert from 'node:assert/strict';
import { it } from 'node:test';
import { formatsOf } from './formats.ts';

it('formats are ready before they are used, because emails have little time to render', (test) => {
  const { prepare, number, date, count } = formatsOf('en-GB');
  prepare();
  for (const name of ['NumberFormat', 'DateTimeFormat', 'PluralRules'] as const)
    test.mock.method(Intl, name, function late() {
      assert.fail(`${name} was created late`);
    });
  assert.equal(number(1_234), '1,234');
  assert.equal(date(Date.UTC(2026, 10, 15, 9, 30)), '15\u00a0November 2026 at 09:30\u00a0UTC');
  assert.equal(count({ one: '# person', other: '# people' })(1), '1 person');
});
