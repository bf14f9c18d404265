import type { Texts } from '../../languages/texts.ts';

/** A link with a prefilled post or message. */
interface ShareLink {
  name: string;
  label: string;
  url: string;
}

/** Plain links, so that they work without scripts and load nothing from these sites. */
export function shareLinks({ share }: Texts, waitlist: string, url: string): ShareLink[] {
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
