import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { formatsOf } from '../../languages/formats.ts';
import { parseTemplate, renderTemplate } from './liquid.ts';
import { failureOf } from './tasks.ts';

const TEMPLATE = parseTemplate('{{ a }}{{ b }}{{ c }}{% if a %}{{ d }}{% endif %}');
const VALUES = { a: 1, b: 2, c: 3, d: 4 };

/** Renders while each value takes this long. */
const render = (work: () => void) => {
  const mark = (value: unknown) => {
    work();
    return String(value);
  };
  return renderTemplate(TEMPLATE, VALUES, { mark }, formatsOf('en'));
};

describe('the time that a template may take', () => {
  it('is processor time: a clock that jumps, or a machine that is busy, does not count', () => {
    let hours = 0;
    const now = mock.method(performance, 'now', () => {
      hours += 1;
      return hours * 3_600_000;
    });
    try {
      assert.equal(
        render(() => {}),
        '1234',
      );
    } finally {
      now.mock.restore();
    }
    const sleeping = new Int32Array(new SharedArrayBuffer(4));
    assert.equal(
      render(() => void Atomics.wait(sleeping, 0, 0, 150)),
      '1234',
    );
  });

  it('ends a template that computes for longer', () => {
    const compute = () => {
      const { user } = process.threadCpuUsage();
      while (process.threadCpuUsage().user - user < 150_000);
    };
    assert.throws(
      () => render(compute),
      (error) => failureOf(error) === 'takes too long to render',
    );
  });
});
