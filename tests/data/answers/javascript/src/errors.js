/** A template that cannot be read; `position` is where in its source. */
export class TemplateError extends Error {
  constructor(message, position) {
    super(`${message} at ${position}`);
    this.name = 'TemplateError';
    this.position = position;
  }
}
