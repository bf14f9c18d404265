import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shareConnection } from './writer-clients.ts';

/** A connection that only notes what it was asked to do, by whom. */
function connection() {
  const ran: string[] = [];
  let isHeld = false;
  const clients = shareConnection<string>({
    isHeld: () => isHeld,
    rollBack: () => {
      ran.push('roll back');
      isHeld = false;
    },
  });
  const add = (name: string) =>
    clients.add((request) => {
      ran.push(`${name} ${request}`);
      if (request === 'begin') isHeld = true;
      if (request === 'commit') isHeld = false;
    });
  return { ran, add };
}

describe('threads that share a connection', () => {
  it('wait for the transaction of another one, each in its own order', () => {
    const { ran, add } = connection();
    const [a, b] = [add('a'), add('b')];
    a.take('begin');
    b.take('begin');
    b.take('write');
    a.take('write');
    assert.deepEqual(ran, ['a begin', 'a write']);
    a.take('commit');
    assert.deepEqual(ran.slice(2), ['a commit', 'b begin', 'b write']);
    a.take('read');
    b.take('commit');
    assert.deepEqual(ran.slice(5), ['b commit', 'a read']);
  });

  it('go round, however much one of them wants', () => {
    const { ran, add } = connection();
    const [a, b, c] = [add('a'), add('b'), add('c')];
    a.take('begin');
    for (const request of ['begin', 'commit', 'begin', 'commit', 'begin', 'commit']) b.take(request);
    c.take('begin');
    c.take('commit');
    a.take('commit');
    a.take('begin');
    assert.deepEqual(
      ran.filter((each) => each.endsWith('begin')),
      ['a begin', 'b begin', 'c begin', 'b begin', 'b begin', 'a begin'],
    );
  });

  it('are not held up by one that is gone', () => {
    const { ran, add } = connection();
    const [a, b, c] = [add('a'), add('b'), add('c')];
    a.take('begin');
    b.take('begin');
    c.take('read');
    b.remove();
    a.take('write');
    a.remove();
    assert.deepEqual(ran, ['a begin', 'a write', 'roll back', 'c read']);
  });
});
