import { recordConfirmations } from '../../entries/operator-confirmation.ts';
import type { QueueChange } from '../../queue/queue-change.ts';
import type { Members } from '../../referrals/members.ts';
import { writeAliases } from '../../referrals/referral-alias.ts';
import type { Candidate } from '../../signup/candidate.ts';
import type { ImportCandidate, ImportJob } from './import-candidate.ts';
import type { Found } from './import-found.ts';

interface Outcome {
  rows: readonly ImportCandidate[];
  candidates: readonly Candidate[];
  added: readonly boolean[];
  members: Members;
  firstSeq: number;
}

/**
 * Stores the rows' codes, the referrers that are still missing, and who vouched for the confirmations. Counts
 * the referrers who will not be found any more.
 */
export function noteReferences(
  { id, queue, hasCodes, confirmedBy }: ImportJob,
  change: QueueChange,
  { rows, candidates, added, members, firstSeq }: Outcome,
): Pick<Found, 'referralsUnresolved' | 'referralsCircular'> {
  const job = { queue_id: queue.id, job_id: id };
  const codes: { hash: Buffer; ownSeq: number | undefined; seq: number }[] = [];
  const links: { seq: number; link: NonNullable<ImportCandidate['link']> }[] = [];
  const confirmed: number[] = [];
  const lost = { referralsUnresolved: 0, referralsCircular: 0 };
  let seq = firstSeq - 1;
  rows.forEach(({ link, code }, at) => {
    const candidate = candidates[at] as Candidate;
    if (added[at]) seq += 1;
    const holder = added[at] ? seq : holderOf(members, candidate);
    if (code && holder !== undefined) codes.push({ ...code, seq: holder });
    if (added[at] && confirmedBy !== null && candidate.emailHash) confirmed.push(seq);
    if (!added[at] || !link) return;
    const referrer = candidate.referrer ? members.find(candidate.referrer) : undefined;
    if (referrer?.seq === seq) lost.referralsCircular += 1;
    else if (referrer && referrer.seq < seq)
      lost.referralsUnresolved += referrer.status === 'removed' ? 1 : 0;
    else if (link.kind === 'code' && !hasCodes) lost.referralsUnresolved += 1;
    else links.push({ seq, link });
  });
  const { trx } = change;
  const codeRows = codes.map(({ hash, seq }) => ({ ...job, code_hash: hash, seq }));
  trx.insert('import_code', codeRows, { onConflict: 'ignore' });
  writeAliases(
    change,
    codes.filter(({ ownSeq, seq }) => ownSeq !== seq),
  );
  const linkRows = links.map(({ seq, link: { kind, hash } }) => ({ ...job, seq, kind, hash }));
  trx.insert('import_link', linkRows);
  if (confirmedBy !== null) recordConfirmations(change, confirmed, 'import', confirmedBy);
  return lost;
}

/** People who are already on the list keep their place, and their former code leads to them. */
function holderOf(members: Members, { emailHash, phoneHash }: Candidate): number | undefined {
  const byEmail = emailHash ? members.find({ email: emailHash }) : undefined;
  return (byEmail ?? (phoneHash ? members.find({ phone: phoneHash }) : undefined))?.seq;
}
