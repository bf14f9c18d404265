import type { Texts } from '../../languages/texts.ts';
import { wasInviteSent } from '../../mail/invite-mails.ts';
import { shareUrls } from '../../mail/share-url.ts';
import { explainPosition } from '../../waitlist/entries/explain-position.ts';
import type { PersonStatus } from '../../waitlist/forms/person-status.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import type { FormParts } from './form-parts.ts';

/** A person's status with its texts, for the component. */
export async function presentStatus(
  { context, publicUrl }: Pick<FormParts, 'context' | 'publicUrl'>,
  texts: Texts,
  person: PersonStatus,
) {
  const { queue, status, position, referrals, referralCode, boost } = person;
  const { name } = queue.waitlist;
  // Nobody is ahead of the first one.
  const canMoveUp = boost > 0 && position !== 1;
  const shareUrl = (await shareUrls(context, queue, publicUrl))(referralCode);
  return {
    status,
    statusText: await statusText(context, texts, person),
    position,
    /** As the status page writes it. */
    positionShown: position === null ? null : texts.formats.number(position),
    positionText: position === null ? null : texts.status.position(position),
    positionReasons: await reasonsFor(context, texts, person),
    referrals,
    referralsText: texts.status.referrals(referrals),
    shareUrl,
    shareTitle: canMoveUp ? texts.share.title : texts.share.titleUnmoved,
    shareText: canMoveUp ? texts.share.movesUp(boost) : texts.share.text,
    post: texts.share.post(name),
    links: shareUrl === null ? [] : shareLinks(texts, name, shareUrl),
  };
}

/**
 * Why they have this position. Only for who got the link by mail: whoever typed an address must not learn more about it than
 * that it is on the list.
 */
async function reasonsFor(
  context: Context,
  { status: texts, joined }: Texts,
  { queue, seq, status, leaveToken }: PersonStatus,
): Promise<string | null> {
  if (status !== 'waiting' || leaveToken === null) return null;
  const { joinedAs, referrals, boost, advanced, code, moved } = await explainPosition(context, queue, seq);
  const earlier = referrals * boost;
  return [
    texts.joinedAs(joinedAs),
    ...(earlier > 0 ? [texts.countsEarlier(earlier)] : []),
    ...(advanced === 0
      ? []
      : [code === null ? joined.code.counts(advanced) : texts.codeCounts(advanced, code)]),
    ...(moved === 0 ? [] : [texts.movedByTeam]),
  ]
    .join(' ')
    .replaceAll('。 ', '。');
}

/** What the page says instead of a position. */
async function statusText(
  context: Context,
  { status: texts }: Texts,
  { queue, seq, status }: PersonStatus,
): Promise<string | null> {
  if (status === 'waiting') return null;
  if (status === 'invited' && (await wasInviteSent(context, queue, seq))) return texts.inviteSent;
  return texts[status].text;
}

/** A link with a prefilled post or message. */
interface ShareLink {
  name: string;
  label: string;
  url: string;
}

/** Plain links, so that they work without scripts and load nothing from these sites. */
function shareLinks({ share }: Texts, waitlist: string, url: string): ShareLink[] {
  const post = share.post(waitlist);
  const link = (base: string, query: Record<string, string>) =>
    `${base}?${Object.entries(query)
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join('&')}`;
  return [
    { name: 'X', label: share.on('X'), url: link('https://x.com/intent/post', { text: post, url }) },
    {
      name: 'WhatsApp',
      label: share.on('WhatsApp'),
      url: link('https://wa.me/', { text: `${post} ${url}` }),
    },
    {
      name: 'LinkedIn',
      label: share.on('LinkedIn'),
      url: link('https://www.linkedin.com/sharing/share-offsite/', { url }),
    },
    {
      name: share.email,
      label: share.byEmail,
      url: link('mailto:', { subject: share.emailSubject(waitlist), body: `${post}\n${url}` }),
    },
  ];
}
