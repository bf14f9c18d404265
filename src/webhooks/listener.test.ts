import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DomainEvent, EVENT_KINDS } from '../waitlist/queue/events.ts';
import { isSubscribed, passes, subscriptionsOf } from './listener.ts';

const eventOf = (kind: DomainEvent['kind']) => ({ kind }) as DomainEvent;

describe('subscriptions of webhook endpoints', () => {
  it('cover every public event when one endpoint has no filter', () => {
    const subscriptions = subscriptionsOf([{ events: 'invite.sent' }, { events: '' }]);
    for (const kind of EVENT_KINDS) assert.ok(isSubscribed(subscriptions, eventOf(kind)), kind);
  });

  it('never cover internal events', () => {
    const subscriptions = subscriptionsOf([{ events: '' }]);
    for (const kind of ['invite.reminder_due', 'confirmation.requested'] as const)
      assert.ok(!isSubscribed(subscriptions, eventOf(kind)), kind);
  });

  it('cover exactly the events that any endpoint names', () => {
    const subscriptions = subscriptionsOf([
      { events: 'invite.sent,signup.created' },
      { events: 'invite.sent' },
    ]);
    const covered = EVENT_KINDS.filter((kind) => isSubscribed(subscriptions, eventOf(kind)));
    assert.deepEqual(covered, ['signup.created', 'invite.sent']);
  });

  it('cover nothing when there are no endpoints', () => {
    for (const kind of EVENT_KINDS) assert.ok(!isSubscribed(subscriptionsOf([]), eventOf(kind)), kind);
  });

  it('filter events by name for each endpoint', () => {
    assert.ok(passes('invite.sent,signup.created', 'signup.created'));
    assert.ok(!passes('invite.sent', 'signup.created'));
    assert.ok(passes('', 'signup.created'));
  });
});
