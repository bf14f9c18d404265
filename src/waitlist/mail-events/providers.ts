import { createPublicKey } from 'node:crypto';
import { invalid } from '../../lib/errors.ts';

/** Who reports, and whose bodies are read. `plain` is our own. */
export const MAIL_PROVIDERS = ['plain', 'ses', 'postmark', 'resend', 'mailgun', 'sendgrid'] as const;
export type MailProvider = (typeof MAIL_PROVIDERS)[number];

/** The secret of each, for those who sign with one. */
const SECRETS: Partial<Record<MailProvider, string>> = {
  resend: 'the signing secret of Resend, which starts with whsec_',
  mailgun: 'the HTTP webhook signing key of Mailgun',
  sendgrid: 'the verification key of SendGrid',
};
const SECRET_CHARACTERS_MAX = 300;

export function checkProvider(text: string): MailProvider {
  const provider = MAIL_PROVIDERS.find((one) => one === text);
  if (!provider) throw invalid(`provider: must be one of ${MAIL_PROVIDERS.join(', ')}`);
  return provider;
}

/**
 * Whose secret this is. They look different, and none may count as another's: the key of SendGrid is public, so with
 * it as the secret of Mailgun, anybody could sign.
 */
export function providerOfSecret(secret: string): MailProvider {
  if (secret.startsWith('whsec_')) return 'resend';
  return isPublicKey(secret) ? 'sendgrid' : 'mailgun';
}

export function publicKeyOf(text: string) {
  return createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
}

function isPublicKey(text: string): boolean {
  try {
    return publicKeyOf(text).asymmetricKeyType === 'ec';
  } catch {
    return false;
  }
}

/** `provider` is null for a key of an earlier release that has reported nothing since. */
export function checkMailSecret(secret: string, provider: MailProvider | null): string {
  if (!/^[!-~]+$/.test(secret) || secret.length > SECRET_CHARACTERS_MAX)
    throw invalid('secret: must be the signing secret or the verification key that the provider shows');
  if (secret.startsWith('whsec_') && !/^whsec_[A-Za-z0-9+/]{16,}={0,2}$/.test(secret))
    throw invalid('secret: is incomplete; copy all of it, from whsec_ to the end');
  if (provider === null || providerOfSecret(secret) === provider) return secret;
  const wanted = SECRETS[provider];
  throw invalid(
    wanted === undefined
      ? `secret: reports of ${provider} are not signed with one`
      : `secret: must be ${wanted}`,
  );
}

/** Of Amazon SNS. Bucket names of other services do not look like a region. */
const TOPIC =
  /^arn:(?:aws|aws-us-gov|(aws-cn)):sns:([a-z]{2}(?:-[a-z]{2,12}){1,2}-\d{1,2}):\d{12}:[A-Za-z0-9_-]{1,256}$/;

/** The only host that speaks for a topic, or undefined if there is no such topic. */
export function hostOfTopic(topic: string): string | undefined {
  const [, china, region] = TOPIC.exec(topic) ?? [];
  return region && `sns.${region}.amazonaws.com${china ? '.cn' : ''}`;
}

export function checkTopic(topic: string | null, provider: MailProvider | null): string | null {
  if (topic === null) return null;
  if (provider !== 'ses') throw invalid('topic: only keys for ses have one');
  if (hostOfTopic(topic) === undefined)
    throw invalid('topic: must be the ARN of a topic, such as arn:aws:sns:us-east-1:123456789012:bounces');
  return topic;
}
