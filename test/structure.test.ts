import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { circles, readFloors, structureProblems } from './support/structure.ts';

describe('the structure', () => {
  it('is the one that docs/architecture.md draws, without circles', () => {
    assert.deepEqual(structureProblems(), []);
  });

  it('is told apart from a wrong one', () => {
    const floors = readFloors(readFileSync('docs/architecture.md', 'utf8'));
    const problems = structureProblems(floors.toReversed());
    assert.ok(
      problems.some((problem) => /^src\/main\.ts imports .* neither below nor after it$/.test(problem)),
    );
    assert.match(structureProblems(floors.slice(1))[0] ?? '', /is on 0 floors/);
    assert.deepEqual(
      circles(new Map(Object.entries({ a: ['b'], b: ['c'], c: ['b'] }).map(([k, v]) => [k, new Set(v)]))),
      [['b', 'c']],
    );
  });
});
