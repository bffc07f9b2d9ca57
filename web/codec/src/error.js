/** See index.d.ts. */
export class AssetcError extends Error {
  /**
   * @param {string} what
   * @param {{code?: string, place?: string, hint?: string, cause?: unknown}} [more]
   */
  constructor(what, { code = 'usage', place, hint, cause } = {}) {
    super(`${place ? `${place}: ` : ''}${what}${hint ? `; ${hint}` : ''}`, cause === undefined ? undefined : { cause });
    this.name = 'AssetcError';
    this.code = code;
    /** The message without the place and the hint. */
    this.what = what;
    if (place) this.place = place;
    if (hint) this.hint = hint;
  }
}
