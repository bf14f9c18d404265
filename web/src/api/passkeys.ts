import { ApiError, api, call, type Schemas } from './client.ts';

/** Browsers bind a passkey to a host name, and take none for an IP address. */
const hasHostName = !/^(\[.*\]|[\d.]+)$/.test(location.hostname);

/** Browsers since 2025 read and write the JSON that servers speak. Older ones show no passkeys. */
export const passkeysWork =
  hasHostName &&
  typeof PublicKeyCredential !== 'undefined' &&
  'parseCreationOptionsFromJSON' in PublicKeyCredential &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential;

/** What to do about it where there are none. */
export function whyNoPasskeys(): string {
  if (hasHostName) return 'Passkeys need a current browser, and https:// or http://localhost.';
  const { protocol, hostname, port } = location;
  const isLocal = hostname.startsWith('127.') || hostname === '[::1]';
  return isLocal
    ? `Passkeys do not work with an IP address. Start the server with DOORLIST_PUBLIC_URL=${protocol}//localhost${port && `:${port}`}, and open the dashboard there.`
    : 'Passkeys do not work with an IP address. Set DOORLIST_PUBLIC_URL to https:// and a host name, and open the dashboard there.';
}

type Credential = Schemas['PasskeyCredential'];

export async function signInWithPasskey(): Promise<void> {
  const options = await call(api.POST('/admin/v1/session/passkey/options'));
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  const response = await answered(navigator.credentials.get({ publicKey }));
  await call(api.POST('/admin/v1/session/passkey', { body: { response } }));
}

/** The password is needed if the operator signed in more than a few minutes ago. */
export async function addPasskey(name: string, password: string | undefined): Promise<void> {
  const body = password === undefined ? {} : { password };
  const options = await call(api.POST('/admin/v1/me/passkeys/options', { body }));
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const response = await answered(navigator.credentials.create({ publicKey }));
  await call(api.POST('/admin/v1/me/passkeys', { body: { name, response } }));
}

async function answered(question: Promise<unknown>): Promise<Credential> {
  try {
    const credential = (await question) as PublicKeyCredential;
    return credential.toJSON() as unknown as Credential;
  } catch (error) {
    if ((error as Error).name === 'InvalidStateError')
      throw new ApiError(0, 'passkey', 'this device already has a passkey for your account');
    throw new ApiError(0, 'passkey', 'the passkey was not used: try again, or choose another way');
  }
}
