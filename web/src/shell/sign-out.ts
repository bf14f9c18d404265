import { api, call } from '../api/client.ts';
import { BASE_PATH } from '../base-path.ts';

export async function signOut(): Promise<void> {
  await call(api.DELETE('/admin/v1/session'));
  location.assign(`${BASE_PATH}/sign-in`);
}
