import { askGate, type GateDenial, type GateOptions, NO_ANSWER } from './gate.ts';

type Awaitable<T> = T | PromiseLike<T>;

/** What the gate needs of an Auth.js adapter. */
interface UserStore {
  getUserByEmail?(email: string): Awaitable<unknown>;
  getUserByAccount?(account: { provider: string; providerAccountId: string }): Awaitable<unknown>;
}

interface SignIn {
  user: { email?: string | null | undefined };
  account?: { provider: string; providerAccountId: string } | null | undefined;
  email?: { verificationRequest?: boolean };
}

export interface AuthJsGateOptions<Event extends SignIn = SignIn> extends GateOptions {
  /** The adapter that your configuration has. People whom it knows sign in without being asked. */
  adapter: UserStore;
  /** Finds the invite code of a sign-up, for example in a cookie. Default: none, the email decides. */
  codeOf?: ((event: Event) => Awaitable<string | undefined>) | undefined;
  /** Where to send a person who is turned away. Default: the error page of Auth.js. */
  redirectTo?: ((denial: Pick<GateDenial, 'message'> & { reason: string }) => string) | undefined;
}

/**
 * The `signIn` callback of Auth.js: `callbacks: { signIn: gateSignIn({ url, adapter }) }`. Only invited people become
 * users; those who are already do not need an invite again.
 */
export function gateSignIn<Event extends SignIn = SignIn>(options: AuthJsGateOptions<Event>) {
  const { adapter, codeOf, redirectTo } = options;
  return async (event: Event): Promise<boolean | string> => {
    // A link is only being requested. The callback runs again when it is opened.
    if (event.email?.verificationRequest === true) return true;
    if (await isKnown(adapter, event)) return true;
    const { email } = event.user;
    if (!email) return redirectTo?.({ reason: 'not_invited', message: NO_ANSWER }) ?? false;
    const code = await codeOf?.(event);
    const answer = await askGate(options, { email, code }).catch(() => undefined);
    if (answer?.allow) return true;
    return redirectTo?.(answer ?? { reason: 'unavailable', message: NO_ANSWER }) ?? false;
  };
}

async function isKnown(adapter: UserStore, { user, account }: SignIn): Promise<boolean> {
  if (account) {
    const { provider, providerAccountId } = account;
    if (await adapter.getUserByAccount?.({ provider, providerAccountId })) return true;
  }
  return Boolean(user.email && (await adapter.getUserByEmail?.(user.email)));
}
