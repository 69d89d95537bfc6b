/** Actions on one name, one after the other, in call order. */

/** Runs an action once every earlier one of the same name has ended, however it ended. */
export type Turns = <T>(name: string, action: () => Promise<T>) => Promise<T>

/** Keeps nothing of a name whose actions have all ended. */
export function takeTurns(): Turns {
  const last = new Map<string, Promise<void>>()
  return (name, action) => {
    const result = (last.get(name) ?? Promise.resolve()).then(action)
    // The caller has the rejection; only the end matters to the next.
    const end = (): void => {
      if (last.get(name) === ended) last.delete(name)
    }
    const ended = result.then(end, end)
    last.set(name, ended)
    return result
  }
}
