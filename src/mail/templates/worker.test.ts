import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { TemplateFailure } from './tasks.ts';
import { createTemplateWorker } from './worker.ts';

const GOOD = { subject: 'Hi {{ email }}', body: 'You are number **{{ position }}**.' };
const SLOW = { subject: 'Hi', body: '*a_'.repeat(6_600) };
const DEEP = { subject: 'Hi', body: '> '.repeat(9_500) };
const LARGE = {
  subject: 'Hi',
  body: `{% assign a = "${'x'.repeat(1_000)}" %}${'{% assign a = a | append: a %}'.repeat(20)}{{ a }}`,
};

describe('a worker for templates', () => {
  const worker = createTemplateWorker();
  after(() => worker.rest());

  const render = (template: typeof GOOD) =>
    worker.run('render', {
      template,
      values: { email: 'ada@example.com', position: 42 },
      links: [],
      language: 'en',
      look: { colour: '#000000', onColour: '#ffffff', dir: 'ltr' },
    });
  const assertFails = (template: typeof GOOD, failure: TemplateFailure) =>
    assert.rejects(render(template), { name: 'TemplateFailed', failure });
  const assertGood = async () => {
    const { subject, text, html } = await render(GOOD);
    assert.deepEqual([subject, text], ['Hi ada@example.com', 'You are number 42.']);
    assert.match(html, /<strong>42<\/strong>/);
  };

  it('renders while this thread goes on', async () => {
    await assertGood();
    const slow = assertFails(SLOW, 'takes too long to render');
    let turns = 0;
    const turning = setInterval(() => {
      turns += 1;
    }, 1);
    await slow;
    clearInterval(turning);
    assert.ok(turns > 10, `${turns} turns of the event loop`);
  });

  it('goes on after a template that failed, with those that waited behind it', async () => {
    const another = { ...SLOW, subject: 'Another' };
    await Promise.all([
      assertFails(another, 'takes too long to render'),
      assert.rejects(render(DEEP), /the template (is nested too deeply|takes too long)/),
      assertFails(LARGE, 'cannot be rendered'),
      assertGood(),
    ]);
  });

  it('does not try a template that took too long with every email', async () => {
    const third = { ...SLOW, subject: 'Third' };
    await assertFails(third, 'takes too long to render');
    const many = Array.from({ length: 500 }, () => assertFails(third, 'takes too long to render'));
    await Promise.all([...many, assertGood()]);
  });

  it('rests when it has nothing to do, and starts again for the next', async () => {
    const last = assertGood();
    await worker.rest();
    await last;
    await worker.rest();
    await assertGood();
  });

  it('takes a group of values for a missing one, whatever is done with it', async () => {
    const { subject, text } = await worker.run('render', {
      template: {
        subject: 'Hi {{ metadata.name | upcase }}{{ metadata.name | default: "you" }}',
        body: 'A {{ metadata.name | append: "!" }} {{ "x" | append: metadata.name }} {{ metadata.name.first | default: "?" }}',
      },
      values: { metadata: { name: { first: 'Ada' } } },
      links: [],
      language: 'en',
      look: { colour: '#000000', onColour: '#ffffff', dir: 'ltr' },
    });
    assert.deepEqual([subject, text], ['Hi you', 'A ! x Ada']);
  });
});
