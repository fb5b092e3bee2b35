/** Tells listeners about events, in the order in which they came. */
export class Emitter {
  #listeners = new Map();

  /** Call a listener whenever this happens. Returns a function that ends it. */
  on(name, listener) {
    const known = this.#listeners.get(name) ?? [];
    this.#listeners.set(name, [...known, listener]);
    return () => this.off(name, listener);
  }

  /** Call a listener no more. */
  off(name, listener) {
    const known = this.#listeners.get(name) ?? [];
    this.#listeners.set(
      name,
      known.filter((each) => each !== listener),
    );
  }

  /** Tell all listeners; returns how many there were. */
  emit(name, ...args) {
    const known = this.#listeners.get(name) ?? [];
    for (const listener of known) {
      listener(...args);
    }
    return known.length;
  }

  /** The names that have listeners. */
  names() {
    return [...this.#listeners.keys()].filter((name) => this.#listeners.get(name).length > 0);
  }
}
