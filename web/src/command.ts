const CHECKOUT = 'npm run -s doorlist --';

/** How commands are run where the server was installed. */
export const COMMAND = document.querySelector<HTMLMetaElement>('meta[name="command"]')?.content ?? CHECKOUT;

export const START = COMMAND === CHECKOUT ? 'npm start' : `${COMMAND} serve`;
