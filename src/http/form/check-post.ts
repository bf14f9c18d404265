import type { FastifyReply, FastifyRequest } from 'fastify';
import { knownSharedNow } from '../../db/shared-clock.ts';
import { parseEmail } from '../../lib/email.ts';
import { DoorlistError } from '../../lib/errors.ts';
import { isSolved, readTimeToken, type TimeToken, tokenOfProof } from '../../waitlist/forms/challenge.ts';
import type { LiveForm } from '../../waitlist/forms/form.ts';
import { type FieldProblem, lineOf, readFormInput, type Values } from '../../waitlist/forms/form-input.ts';
import { type FormPost, Refused, whoSpent } from '../../waitlist/forms/join-by-form.ts';
import { checkTypedAddress, isDisposable } from '../../waitlist/forms/typed-address.ts';
import { clientOf } from '../plugins/rate-limit.ts';
import { languageFor } from '../request-language.ts';
import type { FormParts } from './form-parts.ts';

/** A field that people do not see. */
export const HONEYPOT = 'website';

type Checked = { post: FormPost } | { problems: Map<string, FieldProblem>; suggestion: string | undefined };

/** All checks, the cheap ones first. Throws `Refused` for what looks like a bot. */
export async function checkPost(
  parts: FormParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { form, values, proofRequired }: { form: LiveForm; values: Values; proofRequired: boolean },
): Promise<Checked> {
  if (lineOf(values[HONEYPOT]) !== '') throw new Refused('honeypot');
  const proof = lineOf(values.proof);
  const token = readToken(parts, form, proof === '' ? lineOf(values.token) : (tokenOfProof(proof) ?? ''));
  if (proof === '' && proofRequired) throw new Refused('proof');
  const { signup, problems } = readFormInput(form.settings, values, {
    now: knownSharedNow(parts.context),
    language: languageFor(request, values.lang),
  });
  const typed =
    signup.email && checkTypedAddress(form.settings, signup.email.key, suggestedFor(values, proofRequired));
  if (typed?.problem) problems.set('email', typed.problem);
  if (problems.size > 0) return { problems, suggestion: typed?.suggestion };
  if (form.settings.blockDisposable && isDisposable(signup.email?.key ?? '')) throw new Refused('disposable');
  const spent = await whoSpent(parts.context, form.queue, { signup, token });
  if (spent === 'other') throw new Refused('spent');
  if (proof !== '' && !(await isSolved(form, proof))) throw new Refused('proof');
  await checkCaptcha(parts, form, lineOf(values.captcha));
  if (spent === undefined) takeFromWaitlist(parts, form, reply);
  return { post: { signup, token, proven: proof !== '', network: networkOf(request) } };
}

/** Clients that show suggestions say for which address they did. Our pages always do. */
function suggestedFor(values: Values, byScript: boolean): string | undefined {
  if (byScript && typeof values.suggestedFor !== 'string') return undefined;
  return parseEmail(lineOf(values.suggestedFor))?.key ?? '';
}

function readToken({ context }: FormParts, form: LiveForm, text: string): TimeToken {
  const token = readTimeToken(form, text, knownSharedNow(context));
  if (typeof token === 'string') throw new Refused(token);
  return token;
}

async function checkCaptcha({ verifyCaptcha }: FormParts, form: LiveForm, response: string): Promise<void> {
  const { captcha } = form.settings;
  if (!captcha) return;
  const secret = form.captchaSecret();
  if (secret === null || !(await verifyCaptcha(captcha.provider, secret, response)))
    throw new Refused('captcha');
}

function takeFromWaitlist({ perWaitlist, refusals }: FormParts, form: LiveForm, reply: FastifyReply): void {
  try {
    perWaitlist.take(String(form.queue.id), reply);
  } catch (error) {
    if (error instanceof DoorlistError) refusals.note(form.queue, 'rate_limited');
    throw error;
  }
}

/** The /24 of an IPv4 address, the /64 of an IPv6 one: what one person can usually change at will. */
function networkOf(request: Parameters<typeof clientOf>[0]): string {
  const client = clientOf(request);
  const [, prefix] = /^(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/.exec(client) ?? [];
  return prefix === undefined ? client : `${prefix}.0/24`;
}
