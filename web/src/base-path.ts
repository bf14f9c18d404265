/** Where the service is below its host, without a slash at the end: empty, or such as `/waitlist`. */
export const BASE_PATH = document.querySelector<HTMLMetaElement>('meta[name="base-path"]')?.content ?? '';

/** For commands that people copy. */
export const BASE_URL = location.origin + BASE_PATH;
