import { askGate, type GateOptions, NO_ANSWER } from './gate.ts';

interface NewUser {
  email: string;
}

interface HookContext {
  body?: unknown;
}

export interface BetterAuthGateOptions extends GateOptions {
  /** Finds the invite code of a sign-up. Default: `inviteCode` in the body of the request. */
  codeOf?: ((user: NewUser, context: HookContext | null) => string | undefined) | undefined;
}

/** Better Auth answers with the status and message of errors that have this name. */
class Refusal extends Error {
  override readonly name = 'APIError';
  readonly status = 'FORBIDDEN';
  readonly statusCode = 403;
  readonly headers = {};
  readonly body: { code: string; message: string };

  constructor(code: string, message: string) {
    super(message);
    this.body = { code, message };
  }
}

/**
 * A plugin for Better Auth: `plugins: [doorlistGate({ url })]`. Nobody becomes a user without an invite, however they
 * sign up.
 */
export function doorlistGate(options: BetterAuthGateOptions) {
  const { codeOf = codeInBody } = options;
  const before = async (user: NewUser, context: HookContext | null): Promise<void> => {
    const code = codeOf(user, context);
    const answer = await askGate(options, { email: user.email, code }).catch(() => undefined);
    if (!answer) throw new Refusal('INVITE_UNKNOWN', NO_ANSWER);
    if (!answer.allow) throw new Refusal(`INVITE_${answer.reason.toUpperCase()}`, answer.message);
  };
  return {
    id: 'doorlist-gate' as const,
    init: () => ({ options: { databaseHooks: { user: { create: { before } } } } }),
  };
}

function codeInBody(_: NewUser, context: HookContext | null): string | undefined {
  const { inviteCode } = (context?.body ?? {}) as { inviteCode?: unknown };
  return typeof inviteCode === 'string' && inviteCode !== '' ? inviteCode : undefined;
}
