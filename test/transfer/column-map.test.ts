import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseColumnMap } from '../../src/waitlist/transfer/files/columns.ts';
import { chooseField, mapText } from '../../web/src/pages/transfer/column-map.ts';

describe('the columns that are chosen in the dashboard', () => {
  const question = 'How many people of your team would use it in the first few months?';
  const names = [`${question} (work)`, `${question} (home)`];

  it('are a map that the server takes', () => {
    const chosen = names.reduce(
      (map, name) => chooseField(map, name, 'metadata'),
      chooseField(new Map(), 'x', '-'),
    );
    const targets = Object.values(parseColumnMap(mapText(chooseField(chosen, 'y', '-'))));
    const key = question.slice(0, 64);
    assert.deepEqual(targets, ['-', `metadata.${key}`, `metadata.${key.slice(0, 62)} 2`, '-']);
  });

  it('give a field to the one that was chosen last', () => {
    const map = chooseField(chooseField(new Map(), 'Mail', 'email'), 'Other', 'email');
    assert.deepEqual([...map], [['Other', 'email']]);
  });
});
