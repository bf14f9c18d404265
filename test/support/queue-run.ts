import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { STATUSES } from '../../src/db/tables.ts';
import { createCode, readCode } from '../../src/waitlist/codes/change-codes.ts';
import { DECIDING, decideEntry, type Verb } from '../../src/waitlist/decisions/decide.ts';
import { decideMany } from '../../src/waitlist/decisions/decide-many.ts';
import { createRule, deleteRule } from '../../src/waitlist/decisions/rules.ts';
import { readEntry } from '../../src/waitlist/entries/browse-entries.ts';
import { confirmEntry } from '../../src/waitlist/entries/confirm-entry.ts';
import { eraseEntry } from '../../src/waitlist/entries/erase-entry.ts';
import { updateEntry } from '../../src/waitlist/entries/update-entry.ts';
import { searchEntry } from '../../src/waitlist/finding/search-entry.ts';
import { listInvites } from '../../src/waitlist/invites/browse-invites.ts';
import { createInvite } from '../../src/waitlist/invites/create-invites.ts';
import { type Selection, startInviteRun } from '../../src/waitlist/invites/invite-run.ts';
import { removeEntry, restoreEntry } from '../../src/waitlist/invites/removal.ts';
import { revokeMany } from '../../src/waitlist/invites/revoke-many.ts';
import { mergeEntries, previewMerge } from '../../src/waitlist/merging/merge-entries.ts';
import { rerank } from '../../src/waitlist/referrals/rerank.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { countValues } from '../../src/waitlist/statistics/count-values.ts';
import { parsePeriod } from '../../src/waitlist/statistics/intervals.ts';
import { readStatistics, readValues } from '../../src/waitlist/statistics/read-statistics.ts';
import { importFile } from '../../src/waitlist/transfer/import/import-start.ts';
import { runUndo, startUndo } from '../../src/waitlist/transfer/import/undo-import.ts';
import { recountQueue } from '../../src/waitlist/upkeep/recount-queue.ts';
import { keepUp } from '../../src/waitlist/upkeep/upkeep.ts';
import { type PresentedEntry, presentEntry } from '../../src/wire/entry.ts';
import type { Service } from './harness.ts';
import {
  FIRST_ALIAS,
  type InviteOutcome,
  type ModelEntry,
  type ModelReferrer,
  type ModelRule,
  type ModelSegment,
  type ModelSettings,
  type ModelSignup,
  QueueModel,
} from './queue-model.ts';

type ExpiresIn = number | null | undefined;

/** Numbers that select an entry or an invite wrap around. */
export type Step =
  | { do: 'signup'; batch: ModelSignup[] }
  | { do: 'invite'; email: number; expiresIn: ExpiresIn }
  | { do: 'invite first'; count: number; expiresIn: ExpiresIn }
  /** Its times are relative to the start of the run. */
  | { do: 'invite segment'; segment: ModelSegment; expiresIn: ExpiresIn }
  | { do: 'accept' | 'revoke' | 'confirm' | 'remove' | 'take off' | 'put back' | Verb; which: number }
  | { do: 'decline segment'; segment: ModelSegment }
  | { do: 'make rule'; plan?: number; referrer?: number; code?: number; outcome: ModelRule['outcome'] }
  | { do: 'delete rule'; which: number }
  | { do: 'import'; count: number }
  | { do: 'undo' | 'remove as never joined'; which: number }
  | { do: 'move'; which: number; position: number }
  | { do: 'change metadata'; which: number; plan: number | null }
  | { do: 'change email'; which: number; email: number }
  | { do: 'change phone'; which: number; phone: number | null }
  | { do: 'merge'; which: number; into: number }
  | { do: 'change referrer'; which: number; referredBy: ModelReferrer }
  | { do: 'set'; changes: Partial<ModelSettings> }
  | { do: 'wait'; ms: number }
  | { do: 'revoke all' | 'expire' | 'keep up' | 'apply boost' };

/** One is soon used up, and one is worth more than a range in which positions are counted. */
const CODES = [
  { places: 2, limit: 3 },
  { places: 40, limit: 2 },
];
const FIRST_OF_CROWD = 1_000;
const FIRST_IMPORTED = 2_000;
const emailOf = (n: number | null) => {
  if (n === null) return null;
  return n < FIRST_ALIAS ? `person${n}@example.com` : `person${n - FIRST_ALIAS}+alias@example.com`;
};
const phoneOf = (n: number | null) => (n === null ? null : `+1415555${1000 + n}`);
const nameOf = ({ email, phone }: ModelEntry) => emailOf(email) ?? phoneOf(phone);
const iso = (time: number | null) => (time === null ? null : new Date(time).toISOString());

/** A new waitlist and its model, which go through the same steps and are compared. */
export async function startRun(service: Service, settings: ModelSettings) {
  const { context, clock } = service;
  const list = await service.waitlist();
  const queue = await list.queue();
  await updateWaitlist(context, list.id, { ...settings, metadataKeys: ['plan'] });
  await rerank(context, queue);
  const began = clock.now;
  const model = new QueueModel(settings, began, CODES);
  const advancing = await Promise.all(
    CODES.map((code) => createCode(context, queue, { does: 'advance', ...code })),
  );
  /** In the order of the model's invites. */
  const codes: string[] = [];
  const imports: { id: string; undone: boolean }[] = [];
  /** In the order of the model's rules. */
  const rules: string[] = [];
  let seen: PresentedEntry[] = [];

  const send = async (batch: ModelSignup[]) => {
    const answer = await list.signup(
      ...batch.map(({ email, phone, referredBy, plan, code = null }) => ({
        ...(email === null ? {} : { email: emailOf(email) }),
        ...(phone === null ? {} : { phone: phoneOf(phone) }),
        ...(referredBy.by === 'email' ? { referredBy: emailOf(referredBy.number) } : {}),
        ...(referredBy.by === 'phone' ? { referredBy: phoneOf(referredBy.number) } : {}),
        ...(referredBy.by === 'code' ? { referredBy: seen[referredBy.entry]?.referralCode ?? 'nobody' } : {}),
        ...(plan === null ? {} : { metadata: { plan } }),
        ...(code === null ? {} : { code: advancing[code]?.code ?? 'no-such-code' }),
      })),
    );
    // Only entries from before the batch can have a known code.
    const known = seen.length;
    const invited = model.invites.length;
    const { created, codes: named } = model.signup(
      batch.map((each) =>
        each.referredBy.by === 'code' && each.referredBy.entry >= known
          ? { ...each, referredBy: { by: 'nobody' } }
          : each,
      ),
    );
    assert.equal(answer.status, created > 0 ? 201 : 200, answer.text);
    assert.deepEqual(answer.body, {
      success: true,
      ...{ created, skipped: batch.length - created },
      ...(named.length > 0 && { codes: named }),
    });
    for (const { email } of model.invites.slice(invited)) codes.push(await newestCode(email));
  };

  const makeRule = async ({ plan, referrer, code, outcome }: Extract<Step, { do: 'make rule' }>) => {
    const at = referrer === undefined || seen.length === 0 ? -1 : referrer % seen.length;
    const [shown, entry] = [seen[at], model.entries[at]];
    const found = shown && (await searchEntry(context, queue, shown.id));
    const when = {
      ...(plan === undefined ? {} : { pairs: [{ key: 'plan', value: String(plan) }] }),
      ...(found ? { referrer: { id: shown.id, seq: found.seq } } : {}),
      ...(code === undefined ? {} : { code: advancing[code]?.id ?? '' }),
    };
    if (Object.keys(when).length === 0) return;
    service.clock.advance(1); // The first that was made decides.
    model.now += 1;
    rules.push((await createRule(context, queue, { when, outcome })).id);
    model.rules.push({
      plan,
      referrer: found ? entry : undefined,
      code: code === undefined ? undefined : model.codes[code],
      outcome,
    });
  };

  const dropRule = async (which: number) => {
    const at = which % Math.max(1, rules.length);
    const [id] = rules.splice(at, 1);
    if (id === undefined) return;
    await deleteRule(context, queue, id);
    model.rules.splice(at, 1);
  };

  const inviteMany = async (selection: Selection, expiry: ExpiresIn, expect: () => void) => {
    const before = model.invites.length;
    expect();
    const expected = model.invites.slice(before);
    const { invited } = await startInviteRun(context, queue, selection, expiry);
    assert.equal(invited, expected.length);
    const fresh = (await listInvites(context, queue, { limit: 1_000 })).filter(
      ({ code }) => code !== null && !codes.includes(code),
    );
    assert.equal(fresh.length, expected.length);
    for (const { email } of expected) {
      const code = fresh.find((invite) => invite.email === emailOf(email))?.code;
      assert.ok(code, `${emailOf(email)} was not invited`);
      codes.push(code);
    }
  };

  const onInvite = async (step: { do: 'accept' | 'revoke'; which: number }) => {
    const at = codes.length === 0 ? -1 : step.which % codes.length;
    const [code, invite] = [codes[at], model.invites[at]];
    if (!code || !invite) return;
    if (step.do === 'accept') assert.equal(await accept(code), model.accept(invite));
    else assert.equal(await revoke(code), model.revoke(invite));
  };

  const decide = async (verb: Verb, which: number) => {
    const declined = model.entries.filter(({ status }) => status === 'declined');
    const few = verb !== 'decline' && declined.length > 0 ? declined : model.entries;
    const entry = few[which % Math.max(1, few.length)];
    const shown = entry && seen[model.entries.indexOf(entry)];
    if (!shown) return;
    const deciding = decideEntry(context, queue, shown.id, verb);
    if (entry.status === 'removed') return assert.rejects(deciding, { code: 'not_found' });
    if (!DECIDING[verb].from.includes(entry.status) || (verb === 'approve' && entry.email === null))
      return assert.rejects(deciding, { code: 'conflict' });
    await deciding;
    const before = model.invites.length;
    model[verb](entry);
    for (const { email } of model.invites.slice(before)) codes.push(await newestCode(email));
  };

  const newestCode = async (email: number | null): Promise<string> => {
    const invites = await listInvites(context, queue, { limit: 1_000 });
    const code = invites.find(
      (each) => each.email === emailOf(email) && !codes.includes(each.code ?? ''),
    )?.code;
    return code ?? assert.fail(`${emailOf(email)} was not invited`);
  };

  const onEntry = async (step: { do: 'confirm' | 'remove' | 'take off' | 'put back'; which: number }) => {
    const off = model.entries.filter(({ removedFrom }) => removedFrom !== null);
    const few = step.do === 'put back' && off.length > 0 ? off : model.entries;
    const entry = few[step.which % Math.max(1, few.length)];
    const shown = entry && seen[model.entries.indexOf(entry)];
    if (!shown) return;
    const isErased = entry.status === 'removed' && entry.removedFrom === null;
    if (step.do === 'put back') {
      const back = restoreEntry(context, queue, shown.id);
      if (entry.removedFrom === null || model.isReplaced(entry))
        return assert.rejects(back, { code: 'conflict' });
      await back;
      model.restoreEntry(entry);
    } else if (step.do === 'remove' ? isErased : entry.status === 'removed') {
      const again = { remove: eraseEntry, confirm: confirmEntry, 'take off': removeEntry }[step.do];
      await assert.rejects(async () => again(context, queue, shown.id), { code: 'not_found' });
    } else if (step.do === 'confirm') {
      const { confirmed } = await confirmEntry(context, queue, shown.id);
      assert.equal(confirmed, model.confirm(entry));
    } else if (step.do === 'take off') {
      await removeEntry(context, queue, shown.id);
      model.removeEntry(entry);
    } else {
      const ways = [shown.id, shown.email, shown.phone].filter((way) => way !== null);
      await eraseEntry(context, queue, ways[step.which % ways.length] ?? '');
      model.remove(entry);
    }
  };

  const removeAsNeverJoined = async (which: number) => {
    const at = seen.length === 0 ? -1 : which % seen.length;
    const [shown, entry] = [seen[at], model.entries[at]];
    if (!shown || !entry) return;
    await eraseEntry(context, queue, shown.id, { neverJoined: true });
    model.removeAsNeverJoined(entry);
  };

  const importPeople = async (count: number) => {
    const emails = Array.from({ length: count }, (_, i) => FIRST_IMPORTED + 10 * imports.length + i);
    const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-model-'));
    const file = path.join(directory, 'people.csv');
    writeFileSync(file, ['email', ...emails.map(emailOf)].join('\n'));
    const { jobId } = await importFile(context, queue, file, { confirmedBy: 'the model' });
    rmSync(directory, { recursive: true });
    model.import(emails, imports.length);
    imports.push({ id: jobId ?? '', undone: false });
  };

  const undo = async (which: number) => {
    const number = which % Math.max(1, imports.length);
    const imported = imports[number];
    if (!imported) return;
    const starting = startUndo(context, queue, imported.id, 'command-line');
    if (imported.undone || model.isTied(number)) return assert.rejects(starting, { code: 'conflict' });
    await runUndo(context, queue, await starting);
    imported.undone = true;
    model.undo(number);
  };

  const update = async (step: Extract<Step, { do: 'move' | 'change metadata' }>) => {
    const at = seen.length === 0 ? -1 : step.which % seen.length;
    const [shown, entry] = [seen[at], model.entries[at]];
    if (!shown || !entry) return;
    const { id } = shown;
    if (entry.status === 'removed') {
      await assert.rejects(updateEntry(context, queue, id, { metadata: null }), { code: 'not_found' });
    } else if (step.do === 'change metadata') {
      const metadata = step.plan === null ? null : { plan: step.plan };
      await updateEntry(context, queue, id, { metadata });
      model.changePlan(entry, step.plan);
    } else if (entry.status !== 'waiting') {
      await assert.rejects(updateEntry(context, queue, id, { position: 1 }), { code: 'conflict' });
    } else {
      await updateEntry(context, queue, id, { position: step.position });
      model.move(entry, step.position);
    }
  };

  const referrerName = (referredBy: ModelReferrer) => {
    if (referredBy.by === 'nobody') return null;
    if (referredBy.by === 'code') return seen[referredBy.entry]?.referralCode ?? 'nobody';
    return (referredBy.by === 'email' ? emailOf : phoneOf)(referredBy.number);
  };

  const repair = async (step: Extract<Step, { do: 'change email' | 'change phone' | 'change referrer' }>) => {
    const at = seen.length === 0 ? -1 : step.which % seen.length;
    const [shown, entry] = [seen[at], model.entries[at]];
    if (!shown || !entry) return;
    const changing = (changes: Parameters<typeof updateEntry>[3]) =>
      updateEntry(context, queue, shown.id, changes);
    const holderOf = (is: (other: ModelEntry) => boolean) =>
      seen[model.entries.findIndex((other) => other !== entry && is(other))];
    if (step.do === 'change referrer') {
      const referrer = model.find(step.referredBy);
      const change = changing({ referredBy: referrerName(step.referredBy) });
      if (entry.status === 'removed') return assert.rejects(change, { code: 'not_found' });
      if (!referrer && step.referredBy.by !== 'nobody')
        return assert.rejects(change, { code: 'invalid_request' });
      if (referrer && (referrer === entry || model.isBelow(referrer, entry)))
        return assert.rejects(change, { code: 'conflict' });
      await change;
      return model.changeReferrer(entry, referrer);
    }
    const change =
      step.do === 'change email'
        ? changing({ email: emailOf(step.email) ?? '' })
        : changing({ phone: phoneOf(step.phone) });
    const holder = holderOf((other) =>
      step.do === 'change email'
        ? other.email === step.email
        : step.phone !== null && other.phone === step.phone,
    );
    if (entry.status === 'removed') return assert.rejects(change, { code: 'not_found' });
    if (holder)
      return assert.rejects(
        change,
        ({ code, message }) => code === 'conflict' && message.includes(holder.id),
      );
    if (step.do === 'change phone' && step.phone === null && entry.email === null)
      return assert.rejects(change, { code: 'invalid_request' });
    await change;
    if (step.do === 'change email') model.changeEmail(entry, step.email);
    else entry.phone = step.phone;
  };

  const merge = async ({ which, into: other }: Extract<Step, { do: 'merge' }>) => {
    const [from, into] = [which, other].map((number) => number % Math.max(1, seen.length));
    const [shown, kept] = [seen[from ?? 0], seen[into ?? 0]];
    const [gone, stays] = [model.entries[from ?? 0], model.entries[into ?? 0]];
    if (!shown || !kept || !gone || !stays) return;
    const merging = () => mergeEntries(context, queue, shown.id, kept.id);
    if ([gone, stays].some(({ status }) => status === 'removed' || status === 'declined'))
      return assert.rejects(merging, { code: 'conflict' });
    if (gone === stays) return assert.rejects(merging, { code: 'invalid_request' });
    const preview = presentEntry(await previewMerge(context, queue, shown.id, kept.id));
    await merging();
    model.merge(gone, stays);
    const merged = presentEntry(await readEntry(context, queue, kept.id));
    assert.deepEqual({ ...merged, position: null }, preview);
    const [found] = [await searchEntry(context, queue, shown.referralCode ?? '')];
    assert.equal(found && presentEntry(found).id, kept.id, 'its code leads to who it was merged into');
  };

  const segmentOf = ({ plan, joinedBefore, joinedAfter, ...rest }: ModelSegment) => {
    const times = {
      ...(joinedBefore === undefined ? {} : { joinedBefore: began + joinedBefore }),
      ...(joinedAfter === undefined ? {} : { joinedAfter: began + joinedAfter }),
    };
    const pairs = plan === undefined ? {} : { pairs: [{ key: 'plan', value: String(plan) }] };
    return { times, segment: { ...rest, ...times, ...pairs } };
  };

  const take = async (step: Step): Promise<void> => {
    const at = 'expiresIn' in step && typeof step.expiresIn === 'number' ? step.expiresIn + clock.now : null;
    const expiry = 'expiresIn' in step && step.expiresIn === undefined ? undefined : at;
    switch (step.do) {
      case 'signup':
        return send(step.batch);
      case 'wait':
        clock.advance(step.ms);
        model.now += step.ms;
        return;
      case 'expire':
        assert.equal(await service.expire(list), model.expire());
        return;
      case 'keep up':
        await keepUp(context);
        model.expire();
        model.applyBoost();
        return;
      case 'set':
        await updateWaitlist(context, list.id, step.changes);
        Object.assign(model.settings, step.changes);
        return;
      case 'apply boost':
        await rerank(context, queue);
        model.applyBoost();
        return;
      case 'invite': {
        const email = emailOf(step.email) ?? '';
        const input = expiry === undefined ? { email } : { email, expiresAt: expiry };
        const inviting = createInvite(context, queue, input);
        if (model.isOff(step.email)) return assert.rejects(inviting, { code: 'conflict' });
        codes.push((await inviting).code);
        model.invite(step.email, expiry);
        return;
      }
      case 'invite first':
        return inviteMany({ first: step.count }, expiry, () => model.inviteFirst(step.count, expiry));
      case 'invite segment': {
        const { segment, times } = segmentOf(step.segment);
        return inviteMany({ segment }, expiry, () =>
          model.inviteSegment({ ...step.segment, ...times }, expiry),
        );
      }
      case 'decline segment': {
        const { segment, times } = segmentOf(step.segment);
        const who = { segment: { ...segment, status: 'waiting' as const } };
        const { decided } = await decideMany(context, queue, { verb: 'decline', who, note: null });
        assert.equal(decided, model.declineSegment({ ...step.segment, ...times }));
        return;
      }
      case 'make rule':
        return makeRule(step);
      case 'delete rule':
        return dropRule(step.which);
      case 'approve':
      case 'decline':
      case 'reconsider':
        return decide(step.do, step.which);
      case 'import':
        return importPeople(step.count);
      case 'undo':
        return undo(step.which);
      case 'remove as never joined':
        return removeAsNeverJoined(step.which);
      case 'revoke all':
        assert.equal(await revokeMany(context, queue), model.revokeAll());
        return;
      case 'move':
      case 'change metadata':
        return update(step);
      case 'merge':
        return merge(step);
      case 'change email':
      case 'change phone':
      case 'change referrer':
        return repair(step);
      case 'accept':
      case 'revoke':
        return onInvite({ do: step.do, which: step.which });
      case 'confirm':
      case 'remove':
      case 'take off':
      case 'put back':
        return onEntry({ do: step.do, which: step.which });
    }
  };

  const accept = async (code: string): Promise<InviteOutcome> => {
    const { status, body } = await service.accept(code);
    return status === 200 ? 'done' : (body as unknown as { code: InviteOutcome }).code;
  };
  const revoke = (code: string): Promise<InviteOutcome> =>
    service.revoke(code).then(
      () => 'done' as const,
      (error: { code: InviteOutcome }) => error.code,
    );

  const compare = async () => {
    const order = model.order;
    const places = new Map(order.map((entry, index) => [entry, index + 1]));
    const { body } = await list.page({ limit: 200 });
    seen = body.entries;
    assert.equal(body.total, model.entries.length);
    assert.deepEqual(
      seen.map(({ id, referralCode, ...shown }) => shown),
      model.entries.map((entry) => ({
        email: emailOf(entry.email),
        phone: phoneOf(entry.phone),
        metadata: entry.plan === null ? null : { plan: entry.plan },
        status: entry.status,
        position: places.get(entry) ?? null,
        referrals: entry.referrals,
        referredBy:
          entry.credited && entry.referrer?.status !== 'removed'
            ? entry.referrer && nameOf(entry.referrer)
            : null,
        createdAt: iso(entry.createdAt),
        invitedAt: iso(entry.invitedAt),
        joinedAt: iso(entry.joinedAt),
      })),
    );
    const ranked = (await list.page({ limit: 200, sort: 'position' })).body;
    assert.equal(ranked.total, order.length);
    assert.deepEqual(
      ranked.entries.map(({ email, phone, position }) => [email ?? phone, position]),
      order.map((entry, index) => [nameOf(entry), index + 1]),
    );
    await compareInvites();
    const used = await Promise.all(advancing.map(({ id }) => readCode(context, queue, id)));
    assert.deepEqual(
      used.map((code) => code.used),
      model.codes.map((code) => code.used),
    );
    await countValues(context, queue); // Before somebody is removed who is not counted yet.
  };

  const compareStatistics = async () => {
    const from = new Date(began).toISOString();
    const period = parsePeriod({ interval: 'hour', from }, clock.now);
    const { totals, series, depths, metadata, openInvites } = await readStatistics(context, queue, period);
    assert.deepEqual(totals, model.totals);
    assert.deepEqual(new Map(depths.map(({ depth, signups }) => [depth, signups])), model.depths);
    const joined = period.starts.map(
      (start) => model.entries.filter(({ createdAt: at }) => at >= start && at < start + 3_600_000).length,
    );
    assert.deepEqual(
      series.map(({ signups }) => signups),
      joined,
    );
    const { invited, accepted, expired, revoked } = model.totals;
    assert.equal(openInvites, invited - accepted - expired - revoked);
    const plans = (await readValues(context, queue, { from: 0, to: clock.now })).map(({ values, other }) => ({
      plans: new Map(values.map(({ value, signups }) => [value, signups])),
      otherPlans: other,
    }));
    assert.deepEqual(plans, [{ plans: model.plans, otherPlans: model.otherPlans }]);
    assert.equal(metadata.length, 1);
  };

  const compareInvites = async () => {
    const shown = await Promise.all(codes.map((code) => service.check(code)));
    const reasons = shown.map(({ body }) => (body.valid ? 'done' : body.reason));
    assert.deepEqual(
      reasons,
      model.invites.map((invite) => model.stateOf(invite)),
    );
  };

  /** Also compares each entry by its own lookup, and the counters with a fresh count. */
  const compareTotals = async () => {
    for (const status of STATUSES) {
      const expected = model.entries.filter((entry) => entry.status === status).length;
      assert.equal((await list.page({ status, limit: 1 })).body.total, expected, status);
    }
    for (const [index, entry] of model.entries.entries()) {
      if (entry.status !== 'removed')
        assert.deepEqual((await list.lookup(nameOf(entry) ?? '')).body, seen[index]);
    }
    await compareStatistics();
    assert.deepEqual((await recountQueue(context, queue, false)).findings, []);
    await keepUp(context);
    assert.deepEqual((await recountQueue(context, queue, false)).findings, []);
  };

  const fill = async (crowd: number) => {
    const numbers = Array.from({ length: crowd }, (_, i) => FIRST_OF_CROWD + i);
    for (let from = 0; from < crowd; from += 100) {
      await send(
        numbers
          .slice(from, from + 100)
          .map((email) => ({ email, phone: null, referredBy: { by: 'nobody' }, plan: null })),
      );
    }
    await compare();
  };

  return { take, compare, compareTotals, fill };
}
